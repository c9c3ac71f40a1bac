package sink

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// Commit is an accepted commit as read models take it.
type Commit struct {
	category *event.Category
	Records  []*eventstore.Record
	payloads []event.Payload
	broken   *projections.Unfit // its JSON is not of the form of its type: no read model can take it
}

// UnknownEvent says that a newer version of Parley wrote an event. It is never set
// aside: this node knows nothing of it, a newer one does.
type UnknownEvent struct {
	Offset int64
	Type   string
}

// Error says what the operator is to do.
func (u *UnknownEvent) Error() string {
	return fmt.Sprintf("this version of Parley does not know %s (offset %d), which a newer one wrote: start a node of the newer version, "+
		"and upgrade this node", u.Type, u.Offset)
}

// Open opens what is personal in accepted commits, for the read models.
func Open(ctx context.Context, keys eventstore.Keys, category *event.Category, commits [][]eventstore.Entry) error {
	var records []*eventstore.Record
	for _, c := range commits {
		for _, e := range c {
			records = append(records, e.Record)
		}
	}
	return eventstore.Open(ctx, keys, category, records...)
}

// Decode reads the events of an accepted commit. The only error is an *unknownEvent.
func Decode(category *event.Category, entries []eventstore.Entry) (*Commit, error) {
	c := &Commit{category: category}
	for i, e := range entries {
		c.Records = append(c.Records, e.Record)
		payload, err := decodeOne(category, e.Record)
		if errors.Is(err, event.ErrUnknownType) {
			return nil, &UnknownEvent{e.Offset, e.Record.Type}
		}
		if err != nil && c.broken == nil {
			c.broken = &projections.Unfit{At: i, Text: projections.Misshapen(err)}
		}
		c.payloads = append(c.payloads, payload)
	}
	return c, nil
}

// Payloads are its events; false where one could not be decoded.
func (c *Commit) Payloads() ([]event.Payload, bool) { return c.payloads, c.broken == nil }

// decodeOne takes a panic of an upcaster for what it is: JSON that nobody thought of.
func decodeOne(category *event.Category, r *eventstore.Record) (p event.Payload, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &projections.Unfit{Text: projections.Panicked(v)}
		}
	}()
	return category.Decode(r.Type, r.Data)
}

// Fill hands commits to a read model. What it cannot take is told as *unfit; the batch
// then holds a part of it and is of no use.
func Fill(b *projections.Batch, m *projections.Model, commits []*Commit) (err error) {
	i := 0
	defer func() {
		if v := recover(); v != nil {
			err = &projections.Unfit{At: i, Text: projections.Panicked(v)}
		}
	}()
	for _, c := range commits {
		if !m.Reads(c.category.Topic()) {
			continue
		}
		if c.broken != nil {
			return c.broken
		}
		for i = range c.payloads {
			m.Apply(b, projections.AtOf(c.Records[i], c.category), c.payloads[i])
		}
	}
	return nil
}

// Aside is one commit whose rows a read model does not hold.
type Aside struct {
	Model   *projections.Model
	Commit  string
	Record  *eventstore.Record // the event that failed; the commit's first where that is not known
	Problem string             // without anything that came with the event
}

// WriteSparing writes what the models make of the commits of one partition, in a
// transaction of the caller, and leaves out the rows of those commits that a model
// cannot take: its own only, and all of that commit's. They are noted in
// projection_errors and returned. An error says that nothing can be written at the
// moment, and the transaction is of no use.
func WriteSparing(ctx context.Context, tx pgx.Tx, tables projections.Tables, models []*projections.Model, commits []*Commit) ([]Aside,
	error) {
	if _, err := tx.Exec(ctx, `SET CONSTRAINTS ALL IMMEDIATE`); err != nil { // what is checked at COMMIT could not be spared
		return nil, err
	}
	var out []Aside
	for _, m := range models {
		aside, err := spare(ctx, tx, tables, m, commits)
		if err != nil {
			return nil, err
		}
		out = append(out, aside...)
	}
	return out, note(ctx, tx, out)
}

// spare halves the commits until those that a model cannot take are alone.
func spare(ctx context.Context, tx pgx.Tx, tables projections.Tables, m *projections.Model, commits []*Commit) ([]Aside, error) {
	err := attempt(ctx, tx, tables, m, commits)
	if err == nil {
		return nil, nil
	}
	u, is := projections.Unfitness(err)
	if !is {
		return nil, err
	}
	if len(commits) == 1 {
		c := commits[0]
		return []Aside{{Model: m, Commit: c.Records[0].Commit, Record: c.Records[u.At], Problem: u.Text}}, nil
	}
	half := len(commits) / 2
	before, err := spare(ctx, tx, tables, m, commits[:half])
	if err != nil {
		return nil, err
	}
	after, err := spare(ctx, tx, tables, m, commits[half:])
	return append(before, after...), err
}

// attempt writes the commits under a savepoint: all of them or nothing.
func attempt(ctx context.Context, tx pgx.Tx, tables projections.Tables, m *projections.Model, commits []*Commit) error {
	rows := projections.NewBatch(tables)
	if err := Fill(rows, m, commits); err != nil {
		return err
	}
	b := &pgx.Batch{}
	if err := rows.Queue(b); err != nil || b.Len() == 0 {
		return err
	}
	return pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error { return savepoint.SendBatch(ctx, b).Close() })
}

// note writes what was set aside.
func note(ctx context.Context, tx pgx.Tx, aside []Aside) error {
	b := &pgx.Batch{}
	for _, a := range aside {
		r := a.Record
		b.Queue(`INSERT INTO projection_errors (commit_id, model, model_version, topic, partition, log_offset, stream, version, type, tenant,
			error)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (commit_id, model) DO UPDATE
			SET model_version = excluded.model_version, error = excluded.error, at = now()`,
			a.Commit, a.Model.Name, a.Model.Version, r.Topic, r.Partition, r.Offset, r.Stream, r.Version, r.Type, r.Tenant,
			projections.Keepable(a.Problem))
	}
	if b.Len() == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("noting what was set aside: %w", err)
	}
	return nil
}

// ModelsOf names the read models that set the commit aside.
func ModelsOf(aside []Aside, commit string) string {
	var out []string
	for _, a := range aside {
		if a.Commit == commit {
			out = append(out, a.Model.Name)
		}
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// ProjectionFailed is what the command of a commit hears that some models do not
// hold; nil when there are none.
func ProjectionFailed(models string) error {
	if models == "" {
		return nil
	}
	return fault.New(fault.ProjectionFailed, "the change is recorded and must not be repeated, but it cannot be shown: the read model %s "+
		"could not take it. The operator has been told; it will show once that is mended", models)
}

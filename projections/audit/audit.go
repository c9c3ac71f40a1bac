package audit

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/sink"
)

// Audit answers who did what, when: the accepted events of one tenant, from the
// stream index.
//
// Pages go by offsets and never by times. A time is set before the append, so an
// event can become visible after another with a later time; within a partition
// the index grows in the order of offsets and in no other. A page therefore says
// for each partition how far it came (Positions), and the next one goes on there:
// whatever is written meanwhile, nothing is missed and nothing comes twice.
type Audit struct {
	db     *pgxpool.Pool
	gate   auditGate
	places func() []Partition
	logID  func() string
	bell   *bell
}

// auditGate is what the audit needs of the projector's.
type auditGate interface {
	Gate() error    // while it is shut
	Refusal() error // of what was read meanwhile
}

// NewAudit reads the index of a projector's database.
func NewAudit(p *engine.Projector) *Audit {
	a := &Audit{db: p.Queries, gate: p, logID: p.Log.LogID}
	a.places = func() []Partition {
		var out []Partition
		for at := range p.Places() {
			out = append(out, Partition{at.Topic, at.Partition})
		}
		return out
	}
	a.bell = newBell(a)
	return a
}

// LogID names the log whose offsets the positions are.
func (a *Audit) LogID() string { return a.logID() }

// Query picks events of one tenant. Empty fields do not filter.
type Query struct {
	Tenant      string
	Stream      string
	Type        string // with its version, or any version of it
	Topic       string
	Since       time.Time // inclusive
	Until       time.Time // exclusive
	Correlation string

	Descending bool
	From       Positions // where the page before ended; nil: from the beginning (Descending: from the newest)
	Limit      int
	MaxBytes   int // of the events' data together; the first event is given whatever it has
}

// Page is some events in order: those of one partition by offset, those of
// several merged by time.
type Page struct {
	Events []*eventstore.Record
	Next   Positions // goes into From of the next page
	More   bool      // there is more to read now; a page with More may be empty
}

// examined is how many rows of one partition a page looks at when few of them fit
// the filter, so that no question takes long; the next page goes on behind them.
const examined = 10_000

// Read gives one page.
func (a *Audit) Read(ctx context.Context, q Query) (Page, error) {
	tracks, err := a.tracks(ctx, q)
	if err != nil {
		return Page{}, err
	}
	picked, page := merge(tracks, q, q.Limit)
	if len(picked) == 0 {
		return page, nil
	}
	events, err := a.fetch(ctx, q, picked)
	if err != nil {
		return Page{}, err
	}
	if len(events) < len(picked) { // too many bytes: the rest is for the next page
		_, page = merge(tracks, q, len(events))
	}
	page.Events = events
	return page, nil
}

// Newest is the position behind everything that the tenant has now.
func (a *Audit) Newest(ctx context.Context, tenant string) (Positions, error) {
	topics, numbers := columnsOf(a.places())
	return a.positions(ctx, "reading where the tenant's events end", `SELECT p.topic, p.number, e.log_offset + 1 AS next
		FROM unnest($2::text[], $3::int[]) AS p(topic, number),
		LATERAL (SELECT log_offset FROM (SELECT tenant, topic, partition, log_offset FROM events
		WHERE `+ofKey+` ORDER BY log_offset DESC LIMIT `+strconv.Itoa(examined)+`) newest
		WHERE `+ofNames+` ORDER BY log_offset DESC LIMIT 1) e`, tenant, topics, numbers)
}

// Reached reports whether everything before the positions has been on this log: if
// not, they are of a log that was longer.
func (a *Audit) Reached(ctx context.Context, at Positions) (bool, error) {
	heads, err := a.checkpoints(ctx)
	if err != nil {
		return false, err
	}
	for p, next := range at {
		if head, known := heads[p]; !known || next > head {
			return false, nil
		}
	}
	return true, nil
}

func (a *Audit) checkpoints(ctx context.Context) (Positions, error) {
	return a.positions(ctx, "reading the checkpoints",
		`SELECT topic, partition AS number, next_offset AS next FROM checkpoints WHERE projection = $1`, sink.Live)
}

// positions are what a query answers with topic, number and next.
func (a *Audit) positions(ctx context.Context, doing, query string, args ...any) (Positions, error) {
	type position struct {
		Partition
		Next int64
	}
	found, err := projections.All[position](ctx, a.db, doing, query, args...)
	if err != nil {
		return nil, err
	}
	out := Positions{}
	for _, p := range found {
		out[p.Partition] = p.Next
	}
	return out, nil
}

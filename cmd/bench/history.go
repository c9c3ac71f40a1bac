package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/adapters/kafka"
	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
	"github.com/parley-platform/parley/cmd/parley/reactorlog"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/cmd/parley/workspace"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/projections/analytics"
	"github.com/parley-platform/parley/projections/rebuild"
)

// historyDays is how far the history goes back.
const historyDays = 30

// history appends a month of calls while no node runs, and measures how fast a node
// catches up with it, and a rebuild, beside COPY of the rows that come of it.
func (c *Command) history(b *bench, out *report) error {
	ctx := context.Background()
	out.heading("history")
	log, err := b.logAlone(ctx)
	if err != nil {
		return err
	}
	defer log.Close()
	events, took, err := c.appendHistory(ctx, log, b.work)
	if err != nil {
		return err
	}
	out.add(figure{Name: "history appended", Rate: float64(events) / took.Seconds()})

	if err := b.settleReactors(ctx, log); err != nil {
		return err
	}
	work := begin()
	if err := b.startNode(ctx); err != nil {
		return err
	}
	projected := work.done("projection", events)
	db, err := pgxpool.New(ctx, b.cfg.DatabaseURL)
	if err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	defer db.Close()
	analysed, err := analyticsRate(ctx, db, events)
	if err != nil {
		return err
	}
	raw, err := copyRows(ctx, db, b.cfg.Data, events)
	if err != nil {
		return err
	}
	out.add(raw)
	out.add(projected.of(raw))
	out.add(analysed)

	keys, err := keyring.ReadCopy(ctx, log.Keys(), b.node.Vault())
	if err != nil {
		return fmt.Errorf("reading the keys: %w", err)
	}
	work = begin()
	report, err := rebuild.Rebuild(ctx, rebuild.Config{Database: db, Log: log, Categories: catalog.Categories(), Keys: keys,
		Models: slices.Models(b.node.Vault()), By: "bench", Logger: quiet})
	if err != nil {
		return fmt.Errorf("rebuilding: %w", err)
	}
	if report.SetAside > 0 {
		return fmt.Errorf("rebuilding: a read model could not take %d commits", report.SetAside)
	}
	f := work.done("rebuild", events).of(raw)
	out.add(f.aim("50 % of raw COPY", f.Ratio >= 0.5))
	return nil
}

// analyticsRate measures how fast the analytics catch up, which they begin when the awaited
// read models have.
func analyticsRate(ctx context.Context, db *pgxpool.Pool, events int) (figure, error) {
	work, store := begin(), analytics.NewStore(db)
	for {
		at, known, err := store.AsOf(ctx)
		if err != nil {
			return figure{}, err
		}
		if known && at.After(work.start) {
			return work.done("analytics", events), nil
		}
		if time.Since(work.start) > time.Hour {
			return figure{}, errors.New("the analytics did not catch up with the history")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// settleReactors makes the reactors pass over the history: their work is not measured,
// and would take its time from what is.
func (b *bench) settleReactors(ctx context.Context, log *kafka.Log) error {
	store := reactorlog.NewStore(log)
	defer store.Close()
	known, err := eventstore.Read(ctx, store, registrations.Registrations, registrations.SystemStream())
	if err != nil {
		return err
	}
	ends, err := log.Ends(ctx)
	if err != nil {
		return err
	}
	groups := watermillkafka.Groups{Client: log.Client()}
	for _, r := range known.State.Reactors {
		for _, topic := range r.Topics() {
			if err := groups.Commit(ctx, r.Group, topic, ends[topic]); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendHistory writes calls, from request to end, spread over the last days.
func (c *Command) appendHistory(ctx context.Context, log *kafka.Log, w workspace.Workspace) (events int, took time.Duration, err error) {
	load := newLoading(ctx, log)
	load.ordered = c.IDs == orderedIDs
	start := time.Now()
	random := rand.New(rand.NewPCG(1, uint64(c.Events)))
	for events < c.Events {
		at := start.Add(-time.Duration(random.Int64N(int64(historyDays * 24 * time.Hour))))
		if load.ordered {
			at = start.Add(-time.Duration(float64(historyDays*24*time.Hour) * (1 - float64(events)/float64(c.Events))))
		}
		n, err := load.call(w, at, random)
		if err != nil {
			return 0, 0, err
		}
		events += n
	}
	if err := load.flush(); err != nil {
		return 0, 0, err
	}
	return events, time.Since(start), nil
}

// loading batches records per partition.
type loading struct {
	ctx     context.Context
	log     *kafka.Log
	writers *errgroup.Group
	queues  map[string][]chan *eventstore.Record
	ordered bool // ids and times grow, as those of a server's own do
}

// The kinds of ids that a history has.
const (
	randomIDs  = "random"
	orderedIDs = "ordered"
)

// id is a new one: of a caller's making, or as the server makes them.
func (l *loading) id() string {
	if l.ordered {
		return uuid.Must(uuid.NewV7()).String()
	}
	return uuid.NewString()
}

func newLoading(ctx context.Context, log *kafka.Log) *loading {
	l := &loading{log: log, queues: map[string][]chan *eventstore.Record{}}
	l.writers, l.ctx = errgroup.WithContext(ctx)
	return l
}

// call is a call's life as the domain decides it, and that of its session.
func (l *loading) call(w workspace.Workspace, at time.Time, random *rand.Rand) (events int, err error) {
	id, session := l.id(), l.id()
	later := func(s float64) time.Time { return at.Add(time.Duration(s * float64(time.Second))) }
	talk := 20 + 200*random.Float64()
	var s calls.State
	life := newLife(l, calls.Calls.Category, calls.Calls.Stream(id), w.Account)
	for _, decide := range []func(calls.State) ([]event.Payload, error){
		calls.DialOut{CallID: id, SID: uuid.NewString(), TenantID: w.Account, AccountID: w.Account, ProjectID: w.Project, At: at,
			BotID:  w.Project,
			Target: fmt.Sprintf("tel:+1555%07d", random.IntN(10_000_000)), OurNumber: w.OurNumber}.Decide,
		calls.StartAttempt{AttemptID: uuid.NewString(), Node: "bench", At: later(0.1), LeaseUntil: later(15)}.Decide,
		calls.Ring{At: later(1)}.Decide,
		calls.Answer{SessionID: session, At: later(6)}.Decide,
		calls.Complete{By: calls.ByCallee, At: later(6 + talk)}.Decide,
	} {
		payloads, err := decide(s)
		if err != nil {
			return 0, err
		}
		for _, p := range payloads {
			calls.Calls.Fold(&s, p)
		}
		if err := life.add(payloads, at); err != nil {
			return 0, err
		}
	}
	opened, err := sessions.Open{ID: session, TenantID: w.Account, ProjectID: w.Project, Channel: "voice", CallID: id,
		At: later(6)}.Decide(sessions.State{})
	if err != nil {
		return 0, err
	}
	ended, err := sessions.End{At: later(6 + talk)}.Decide(sessions.Sessions.State(opened...))
	if err != nil {
		return 0, err
	}
	of := newLife(l, sessions.Sessions.Category, sessions.Sessions.Stream(session), w.Account)
	if err := of.add(opened, later(6)); err != nil {
		return 0, err
	}
	err = of.add(ended, later(6+talk))
	return int(life.version + of.version), err
}

// life writes one stream.
type life struct {
	l              *loading
	category       *event.Category
	stream, tenant string
	version        int64
	head           string
}

func newLife(l *loading, c *event.Category, stream, tenant string) *life {
	return &life{l: l, category: c, stream: stream, tenant: tenant}
}

// add writes one commit.
func (x *life) add(payloads []event.Payload, at time.Time) error {
	commit, request := uuid.NewString(), x.l.id()
	for i, p := range payloads {
		kind, err := x.category.KindOf(p)
		if err != nil {
			return err
		}
		data, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("encoding %s: %w", kind.Type(), err)
		}
		x.version++
		r := &eventstore.Record{ID: x.l.id(), Source: "/parley/bench", Type: kind.Type(), Stream: x.stream,
			Time: at.UTC().Truncate(time.Microsecond), Tenant: x.tenant, Actor: "bench",
			Version: x.version, Commit: commit, CommitIndex: i, CommitSize: len(payloads), CorrelationID: "tr-" + request, Data: data}
		if i == 0 {
			r.Parent = x.head
		}
		if err := x.l.add(x.category.Topic(), r); err != nil {
			return err
		}
	}
	x.head = commit
	return nil
}

// add hands a record to the writer of its partition.
func (l *loading) add(topic string, r *eventstore.Record) error {
	if l.queues[topic] == nil {
		n, err := l.log.Partitions(topic)
		if err != nil {
			return err
		}
		for i := range n {
			q := make(chan *eventstore.Record, 4000)
			l.queues[topic] = append(l.queues[topic], q)
			l.writers.Go(func() error { return l.write(topic, i, q) })
		}
	}
	qs := l.queues[topic]
	select {
	case qs[eventstore.PartitionOf(r.Stream, len(qs))] <- r:
		return nil
	case <-l.ctx.Done():
		return l.flush()
	}
}

// write appends what comes, about a thousand records at a time. A commit of several
// records may lie in two batches: nobody else writes meanwhile.
func (l *loading) write(topic string, partition int, q chan *eventstore.Record) error {
	for r := range q {
		batch := []*eventstore.Record{r}
		for r := range q {
			if batch = append(batch, r); len(batch) >= 1000 {
				break
			}
		}
		if _, err := l.log.Produce(l.ctx, topic, partition, batch); err != nil {
			return fmt.Errorf("appending the history: %w", err)
		}
	}
	return nil
}

// flush waits until all is on the log.
func (l *loading) flush() error {
	for _, qs := range l.queues {
		for _, q := range qs {
			close(q)
		}
	}
	l.queues = nil
	return l.writers.Wait()
}

// benchTables hold what comes of the history.
var benchTables = []string{"events", "interactions", "sessions"}

// copyRows measures COPY of the read models' rows into tables of the same shape,
// with the same indexes: the least that writing them can cost.
func copyRows(ctx context.Context, db *pgxpool.Pool, dir string, events int) (f figure, err error) {
	conn, err := db.Acquire(ctx)
	if err != nil {
		return f, fmt.Errorf("opening the database: %w", err)
	}
	defer conn.Release()
	const schema = "bench_copy"
	run := func(sql string) error {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("measuring COPY: %w", err)
		}
		return nil
	}
	if err := run(`SET synchronous_commit = off; CREATE SCHEMA ` + schema); err != nil {
		return f, err
	}
	var took, cpu time.Duration
	for _, table := range benchTables {
		if err := run(`CREATE TABLE ` + schema + `.` + table + ` (LIKE ` + table + ` INCLUDING ALL)`); err != nil {
			return f, err
		}
		t, c, err := copyTable(ctx, conn, schema, table, filepath.Join(dir, "copy-"+table))
		if err != nil {
			return f, err
		}
		took, cpu = took+t, cpu+c
	}
	f = figure{Name: "raw COPY of the same rows", Rate: float64(events) / took.Seconds(), CPU: float64(cpu.Microseconds()) / float64(events)}
	return f, run(`DROP SCHEMA ` + schema + ` CASCADE`)
}

// copyTable takes a table's rows to a file, and measures their way into its twin.
func copyTable(ctx context.Context, conn *pgxpool.Conn, schema, table, file string) (took, cpu time.Duration, err error) {
	f, err := os.Create(file)
	if err != nil {
		return 0, 0, fmt.Errorf("measuring COPY: %w", err)
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(file)
	}()
	pg := conn.Conn().PgConn()
	if _, err := pg.CopyTo(ctx, f, `COPY `+table+` TO STDOUT (FORMAT binary)`); err != nil {
		return 0, 0, fmt.Errorf("reading %s: %w", table, err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		return 0, 0, fmt.Errorf("measuring COPY: %w", err)
	}
	work := begin()
	if _, err := pg.CopyFrom(ctx, f, `COPY `+schema+`.`+table+` FROM STDIN (FORMAT binary)`); err != nil {
		return 0, 0, fmt.Errorf("copying %s: %w", table, err)
	}
	took, cpu = work.spent()
	return took, cpu, nil
}

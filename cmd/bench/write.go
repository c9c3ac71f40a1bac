package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// writePath measures commands, each figure beside raw produce with as many clients.
func (c *Command) writePath(b *bench, out *report) error {
	out.heading("write path")
	for _, clients := range c.Clients {
		raw, err := timed("raw produce", c.For, clients, b.produce, nothing)
		if err != nil {
			return err
		}
		out.add(raw)
		for _, m := range []struct {
			name   string
			once   func(ctx context.Context) error
			settle func(ctx context.Context) error
			aim    func(f figure) figure
		}{
			{"append", b.append, nothing, func(f figure) figure { return f.aim("80 % of raw produce", f.Ratio >= 0.8) }},
			{"command to visible", b.command, b.analysed, func(f figure) figure { return visibleAim(f, raw, len(c.KafkaBrokers) > 0) }},
			{"HTTP command to visible", b.http, b.analysed, func(f figure) figure { return f }},
		} {
			if !c.wants(m.name) {
				continue
			}
			f, err := timed(m.name, c.For, clients, m.once, m.settle)
			if err != nil {
				return err
			}
			out.add(m.aim(f.of(raw)))
		}
	}
	return nil
}

// nothing is left to be done.
func nothing(context.Context) error { return nil }

// analysed returns when the analytics, which follow behind, hold what the read models hold.
func (b *bench) analysed(ctx context.Context) error {
	db, err := pgx.Connect(ctx, b.cfg.DatabaseURL)
	if err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	defer func() { _ = db.Close(ctx) }()
	for deadline := time.Now().Add(10 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var open bool
		if err := db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM checkpoints c LEFT JOIN analytics_checkpoints a USING (topic, partition)
			WHERE c.projection = 'live' AND c.next_offset > coalesce(a.next_offset, 0))`).Scan(&open); err != nil {
			return fmt.Errorf("looking where the analytics are: %w", err)
		}
		if !open {
			return nil
		}
	}
	return errors.New("the analytics did not catch up")
}

// visibleAim is what is asked of a command's way to visible: that share of raw produce.
func visibleAim(f, raw figure, real bool) figure {
	switch {
	case real && f.Clients == 1:
		return f.aim("two produce round trips and 3 ms", f.P50 <= 2*raw.P50+3)
	case !real && f.Clients == 1:
		return f.aim("p50 under 2 ms", f.P50 < 2)
	case !real && f.Clients == 256:
		return f.aim("40 % of raw produce", f.Ratio >= 0.4)
	}
	return f
}

// rawTopic takes the records of the ceiling and of the append: a plain topic with the
// settings of the log, that no projector reads.
const (
	rawTopic      = "parley.bench"
	rawPartitions = event.Busy
)

// record is what both of them write: of the size of the real command's.
func record() *eventstore.Record {
	id := uuid.NewString()
	return &eventstore.Record{ID: id, Source: "/parley/bench", Type: "parley.sessions.opened.v1", Stream: "session-" + id, Time: time.Now(),
		Tenant: "bench", Actor: "bench", Version: 1,
		Commit: uuid.NewString(), CommitSize: 1, Data: []byte(`{"sessionId":"` + id +
			`","tenantId":"bench","projectId":"bench","channel":"api","at":"2026-01-01T00:00:00Z"}`)}
}

func (b *bench) produce(ctx context.Context) error { return b.raw.write(ctx, record()) }

func (b *bench) append(ctx context.Context) error {
	r := record()
	ack, err := b.producer.Append(ctx, rawTopic, eventstore.PartitionOf(r.Stream, rawPartitions), []*eventstore.Record{r})
	if err != nil {
		return err
	}
	return (<-ack).Err
}

func (b *bench) command(ctx context.Context) error {
	_, err := b.session(ctx)
	return err
}

// session opens one.
func (b *bench) session(ctx context.Context) (id string, err error) {
	id = uuid.Must(uuid.NewV7()).String() // as the server makes them
	open := sessions.Open{ID: id, TenantID: b.work.Account, ProjectID: b.work.Project, Channel: "api", At: time.Now()}
	return id, eventstore.Do(ctx, b.node.Store(), sessions.Sessions, sessions.Sessions.Stream(id),
		eventstore.Command{Tenant: b.work.Account, Actor: "bench", New: true}, open.Decide)
}

func (b *bench) http(ctx context.Context) error {
	return b.post(ctx, "/api/1.1/public/bot/"+b.work.Project+"/assist/dialout",
		fmt.Sprintf(`{"botId":%q,"target":"tel:+15550000001","caller":%q}`, b.work.Project, b.work.OurNumber))
}

// post sends what must be answered 200, as the workspace's own caller.
func (b *bench) post(ctx context.Context, path, body string) error {
	_, err := b.ask(ctx, path, json.RawMessage(body), http.StatusOK)
	return err
}

// ask posts a body, as the workspace's own caller, and returns the answer, which must have the status.
func (b *bench) ask(ctx context.Context, path string, body any, status int) ([]byte, error) {
	return b.call(ctx, http.MethodPost, path, body, status)
}

func (b *bench) call(ctx context.Context, method, path string, body any, status int) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, b.node.URL()+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("auth", b.work.Token)
	req.Header.Set("accountId", b.work.Account) // of the operations on human agents
	req.Header.Set("Content-Type", "application/json")
	res, err := b.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != status {
		return nil, fmt.Errorf("status %d: %s", res.StatusCode, answer)
	}
	return answer, nil
}

// rawWriters is the ceiling: produce requests of whatever waits, one in flight per
// partition, with nothing around them.
type rawWriters struct {
	log    *kafka.Log
	queues []chan rawJob
}

type rawJob struct {
	record *eventstore.Record
	done   chan error
}

func newRawWriters(log *kafka.Log) *rawWriters {
	w := &rawWriters{log: log}
	for i := range rawPartitions {
		q := make(chan rawJob, 4096)
		w.queues = append(w.queues, q)
		go w.run(i, q)
	}
	return w
}

func (w *rawWriters) write(ctx context.Context, r *eventstore.Record) error {
	job := rawJob{r, make(chan error, 1)}
	w.queues[eventstore.PartitionOf(r.Stream, len(w.queues))] <- job
	return <-job.done
}

func (w *rawWriters) run(partition int, q chan rawJob) {
	for job := range q {
		jobs := []rawJob{job}
		for len(q) > 0 && len(jobs) < 1000 {
			jobs = append(jobs, <-q)
		}
		records := make([]*eventstore.Record, len(jobs))
		for i, j := range jobs {
			records[i] = j.record
		}
		_, err := w.log.Produce(context.Background(), rawTopic, partition, records)
		for _, j := range jobs {
			j.done <- err
		}
	}
}

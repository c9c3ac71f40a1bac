package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// BenchCmd measures the write path on embedded parts, each figure beside the raw
// produce ceiling of the same run.
type BenchCmd struct {
	Clients []int         `help:"Numbers of concurrent clients." default:"1,16,64,256" placeholder:"LIST"`
	For     time.Duration `help:"How long each figure is measured." default:"5s"`
	Data    string        `help:"New folder for the parts, which stays; a temporary one, removed afterwards, when not given." env:"-" placeholder:"DIR"`
	JSON    string        `help:"Also write the figures here." placeholder:"FILE"`
}

// figure is one line of the table.
type figure struct {
	Name    string  `json:"name"`
	Clients int     `json:"clients"`
	Rate    float64 `json:"perSecond"`
	P50     float64 `json:"p50Ms"`
	P99     float64 `json:"p99Ms"`
	OfRaw   float64 `json:"ofRawProduce"` // ratio to raw produce with the same number of clients
}

// Run measures and prints.
func (c *BenchCmd) Run() error {
	dir := c.Data
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("/var/tmp", "parley-bench-"); err != nil {
			return fmt.Errorf("making a folder: %w", err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			return fmt.Errorf("opening the folder to Postgres: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("--data: %s is not empty: the figures need a log of their own, and what is measured would stay in yours", dir)
	}
	b, err := startBench(dir)
	if err != nil {
		return err
	}
	defer b.close()
	var out []figure
	fmt.Printf("%d cores, %s each\n\n%-28s %8s %10s %9s %9s %8s\n", runtime.NumCPU(), c.For, "", "clients", "per second", "p50 ms", "p99 ms", "of raw")
	for _, clients := range c.Clients {
		raw := 0.0
		for _, m := range []struct {
			name string
			once func(ctx context.Context, client, i int) error
		}{{"raw produce", b.produce}, {"append", b.append}, {"command to visible", b.command}, {"HTTP command to visible", b.http}} {
			f, err := measure(c.For, clients, m.once)
			if err != nil {
				return fmt.Errorf("%s with %d clients: %w", m.name, clients, err)
			}
			f.Name = m.name
			if m.name == "raw produce" {
				raw = f.Rate
			}
			f.OfRaw = f.Rate / raw
			out = append(out, f)
			fmt.Printf("%-28s %8d %10.0f %9.2f %9.2f %7.0f%%\n", f.Name, f.Clients, f.Rate, f.P50, f.P99, 100*f.OfRaw)
		}
	}
	if c.JSON == "" {
		return nil
	}
	data, err := json.MarshalIndent(map[string]any{"cores": runtime.NumCPU(), "go": runtime.Version(), "seconds": c.For.Seconds(), "figures": out}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the figures: %w", err)
	}
	if err := os.WriteFile(c.JSON, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the figures: %w", err)
	}
	return nil
}

// measure runs once in a loop on each client, after a short warm-up.
func measure(d time.Duration, clients int, once func(ctx context.Context, client, i int) error) (figure, error) {
	if err := once(context.Background(), 0, -1); err != nil {
		return figure{}, err
	}
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var wg sync.WaitGroup
	start := time.Now()
	for client := range clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var took []time.Duration
			for i := 0; time.Since(start) < d; i++ {
				t := time.Now()
				if err := once(context.Background(), client, i); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
					return
				}
				took = append(took, time.Since(t))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		}()
	}
	wg.Wait()
	elapsed := time.Since(start)
	if failed != nil {
		return figure{}, failed
	}
	slices.Sort(all)
	at := func(q float64) float64 { return all[int(q*float64(len(all)-1))].Seconds() * 1000 }
	return figure{Clients: clients, Rate: float64(len(all)) / elapsed.Seconds(), P50: at(0.5), P99: at(0.99)}, nil
}

// bench is a node on embedded parts whose reactors rest, so that what is measured
// is the write path and not the calls that would follow.
type bench struct {
	node     *node.Node
	log      *kafka.Log
	producer *eventstore.Producer
	raw      *rawWriters
	client   *http.Client
	work     workspace
	stop     []func()
}

func startBench(dir string) (*bench, error) {
	b := &bench{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	broker, err := embedded.StartBroker(embedded.BrokerConfig{Dir: filepath.Join(dir, "kafka"), Log: quiet})
	if err != nil {
		return nil, err
	}
	b.stop = append(b.stop, func() { _ = broker.Close() })
	pg, err := embedded.StartPostgres(ctx, embedded.PostgresConfig{Dir: filepath.Join(dir, "postgres"), Log: quiet})
	if err != nil {
		b.close()
		return nil, err
	}
	b.stop = append(b.stop, func() { _ = pg.Close() })
	b.node, err = node.Start(ctx, node.Config{Data: dir, Listen: "127.0.0.1:0", KafkaBrokers: broker.Addrs(), DatabaseURL: pg.URL(), Dev: true, Rate: 1_000_000,
		Roles: []node.Role{node.RoleAPI, node.RoleProjector}, Logger: quiet})
	if err != nil {
		b.close()
		return nil, err
	}
	b.stop = append(b.stop, func() { b.node.Close(context.Background()) })
	if err := b.node.Await(ctx); err != nil {
		b.close()
		return nil, err
	}
	if b.work, err = prepareWorkspace(ctx, b.node, dir); err != nil {
		b.close()
		return nil, err
	}
	b.log = b.node.Log()
	if err := b.log.Plain(ctx, rawPartitions, rawTopic); err != nil {
		b.close()
		return nil, err
	}
	b.producer = eventstore.NewProducer(b.log, nil)
	b.raw = newRawWriters(b.log)
	return b, nil
}

func (b *bench) close() {
	for i := len(b.stop) - 1; i >= 0; i-- {
		b.stop[i]()
	}
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
	return &eventstore.Record{ID: id, Source: "/parley/bench", Type: "parley.sessions.opened.v1", Stream: "session-" + id, Time: time.Now(), Tenant: "bench", Actor: "bench", Version: 1,
		Commit: uuid.NewString(), CommitSize: 1, Data: []byte(`{"sessionId":"` + id + `","tenantId":"bench","projectId":"bench","channel":"api","at":"2026-01-01T00:00:00Z"}`)}
}

func (b *bench) produce(ctx context.Context, _, _ int) error { return b.raw.write(ctx, record()) }

func (b *bench) append(ctx context.Context, _, _ int) error {
	r := record()
	ack, err := b.producer.Append(ctx, rawTopic, eventstore.PartitionOf(r.Stream, rawPartitions), []*eventstore.Record{r})
	if err != nil {
		return err
	}
	return (<-ack).Err
}

func (b *bench) command(ctx context.Context, _, _ int) error {
	id := uuid.NewString()
	open := sessions.Open{ID: id, TenantID: b.work.account, ProjectID: b.work.project, Channel: "api", At: time.Now()}
	_, err := eventstore.Execute(ctx, b.node.Store(), sessions.Sessions, sessions.Sessions.Stream(id), eventstore.Command{Tenant: b.work.account, Actor: "bench", New: true}, open.Decide)
	return err
}

func (b *bench) http(ctx context.Context, _, _ int) error {
	body := fmt.Sprintf(`{"botId":%q,"target":"tel:+15550000001","caller":%q}`, b.work.project, b.work.caller)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.node.URL()+"/api/1.1/public/bot/"+b.work.project+"/assist/dialout", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("auth", b.work.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := b.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %s", res.StatusCode, answer)
	}
	return nil
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

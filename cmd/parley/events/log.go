package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/consumer"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/audit"
)

// logReader shows the events of the log that count, beside any node.
type logReader struct {
	cmd          *Command
	since, until time.Time
	config       consumer.Config
	lines        *eventLines
	ends         map[string]map[int]int64 // of the log when the reading began
}

// fromLog reads Kafka.
func (c *Command) fromLog(ctx context.Context, since, until time.Time, lines *eventLines, notes io.Writer) error {
	if c.Order == "desc" {
		return exit.Wrongf("--order desc: the log is read forward; a node (--url) lists the newest first")
	}
	topics, err := c.topics()
	if err != nil {
		return err
	}
	brokers, tlsConfig, mechanism, err := c.At(c.Data)
	if err != nil {
		return err
	}
	log := kafka.New(kafka.Config{Brokers: brokers, ClientID: "parley-events", TLS: tlsConfig, SASL: mechanism})
	defer log.Close()
	opening, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := log.Attach(opening, topics...); err != nil {
		return err
	}
	ends, err := log.Ends(opening)
	if err != nil {
		return err
	}
	r := &logReader{cmd: c, since: since, until: until, lines: lines, ends: ends,
		config: consumer.Config{Brokers: brokers, TLS: tlsConfig, SASL: mechanism, ClientID: "parley-events", Topics: topics,
			Log: slog.New(&rarely{notes: notes})}}
	if c.Follow {
		return r.follow(ctx)
	}
	return r.list(ctx)
}

// topics are those that can hold what is asked for.
func (c *Command) topics() ([]string, error) {
	only, err := audit.EventTopic(c.Category, c.Type)
	if err != nil {
		var f *fault.Error
		if errors.As(err, &f) {
			return nil, exit.Wrongf("--%s", f.Message)
		}
		return nil, err
	}
	var topics []string
	for _, cat := range catalog.Categories() {
		if only == "" || only == cat.Topic() {
			topics = append(topics, cat.Topic())
		}
	}
	return topics, nil
}

// wanted reports whether an event passes the filters.
func (r *logReader) wanted(e *consumer.Event) bool {
	c := r.cmd
	return (c.Tenant == "" || e.Tenant == c.Tenant) && (c.Stream == "" || e.Stream == c.Stream) &&
		(c.Correlation == "" || e.CorrelationID == c.Correlation) && (c.Type == "" || e.Type == c.Type || strings.HasPrefix(e.Type,
		c.Type+".v")) &&
		!e.Time.Before(r.since) && (r.until.IsZero() || e.Time.Before(r.until))
}

func (r *logReader) write(e *consumer.Event) error {
	data, err := audit.EventJSON(e)
	if err != nil {
		return fmt.Errorf("event %s at %s/%d offset %d: %w", e.ID, e.Topic, e.Partition, e.Offset, err)
	}
	return r.lines.write(data)
}

// taking is a consumer's Sink that keeps nothing: each run reads from the beginning,
// because only so the heads of the streams are known.
type taking func(ctx context.Context, b consumer.Batch) error

// Load implements consumer.Sink.
func (taking) Load(context.Context, consumer.Place) (consumer.State, error) {
	return consumer.State{}, nil
}

// Take implements consumer.Sink.
func (t taking) Take(ctx context.Context, b consumer.Batch) error { return t(ctx, b) }

// follow shows events as they come. Those of one partition are in order.
func (r *logReader) follow(ctx context.Context) error {
	var one sync.Mutex
	r.config.Sink = taking(func(_ context.Context, b consumer.Batch) error {
		one.Lock()
		defer one.Unlock()
		for _, commit := range b.Commits {
			for _, e := range commit {
				if r.since.IsZero() && e.Offset < r.ends[e.Topic][e.Partition] || !r.wanted(e) {
					continue
				}
				if err := r.write(e); err != nil {
					return err
				}
			}
		}
		return r.lines.flush()
	})
	return consumer.Run(ctx, r.config)
}

// list shows what is on the log now: the partitions merged by time.
func (r *logReader) list(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	var feeds []*feed
	for topic, parts := range r.ends {
		for number := range parts {
			f := &feed{events: make(chan []*eventstore.Record, 1)}
			feeds = append(feeds, f)
			cfg := r.config
			cfg.Topics, cfg.Partitions, cfg.ToEnd = []string{topic}, map[string][]int{topic: {number}}, true
			cfg.Sink = taking(func(ctx context.Context, b consumer.Batch) error { return f.put(ctx, r.choose(b)) })
			g.Go(func() error {
				defer close(f.events)
				return consumer.Run(ctx, cfg)
			})
		}
	}
	g.Go(func() error { return r.merge(ctx, feeds) })
	return g.Wait()
}

func (r *logReader) choose(b consumer.Batch) (out []*eventstore.Record) {
	end := r.ends[b.Topic][b.Partition]
	for _, commit := range b.Commits {
		for _, e := range commit {
			if e.Offset < end && r.wanted(e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// feed is one partition's events on their way into the merge.
type feed struct {
	events chan []*eventstore.Record
	head   []*eventstore.Record
}

func (f *feed) put(ctx context.Context, events []*eventstore.Record) error {
	if len(events) == 0 {
		return nil
	}
	select {
	case f.events <- events:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fill waits until the feed's next event is known; false when there is none.
func (f *feed) fill(ctx context.Context) (bool, error) {
	for len(f.head) == 0 {
		select {
		case events, open := <-f.events:
			if !open {
				return false, ctx.Err() // closed by a failure elsewhere is no end
			}
			f.head = events
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return true, nil
}

func (r *logReader) merge(ctx context.Context, feeds []*feed) error {
	for {
		var best *feed
		for _, f := range feeds {
			there, err := f.fill(ctx)
			if err != nil {
				return err
			}
			if there && (best == nil || earlier(f.head[0], best.head[0])) {
				best = f
			}
		}
		if best == nil {
			return r.lines.flush()
		}
		if err := r.write(best.head[0]); err != nil {
			return err
		}
		best.head = best.head[1:]
	}
}

// earlier is the order of the merge; at the same time, the place decides.
func earlier(a, b *eventstore.Record) bool {
	if !a.Time.Equal(b.Time) {
		return a.Time.Before(b.Time)
	}
	if a.Topic != b.Topic {
		return a.Topic < b.Topic
	}
	return a.Partition < b.Partition
}

// rarely shows troubles that mend themselves: one line in a while, because each
// partition has the same.
type rarely struct {
	notes io.Writer
	mu    sync.Mutex
	last  time.Time
}

const seldom = 30 * time.Second

// Enabled implements slog.Handler.
func (*rarely) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle implements slog.Handler.
func (r *rarely) Handle(_ context.Context, record slog.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if record.Time.Sub(r.last) < seldom {
		return nil
	}
	r.last = record.Time
	text := record.Message
	record.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	_, err := fmt.Fprintln(r.notes, "parley: "+text)
	return err
}

// WithAttrs implements slog.Handler.
func (r *rarely) WithAttrs([]slog.Attr) slog.Handler { return r }

// WithGroup implements slog.Handler.
func (r *rarely) WithGroup(string) slog.Handler { return r }

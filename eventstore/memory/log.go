// Package memory is a log, and the stream index that a projector makes of it, without
// Kafka and without Postgres, for tests of those who use the event store.
//
// The stores on it are the real ones, several if a test wants several nodes: they write
// records in the form of the log, and Arbitrate says which of them count. A commit is
// judged as soon as it is appended. The histories of the event store's own tests run over
// it. What may go wrong on the way is said by Faults.
package memory

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/parley-platform/parley/eventstore"
)

// partitions is how many every topic has.
const partitions = 4

// Log is the log of one installation. It is safe for concurrent use.
type Log struct {
	mu       sync.Mutex
	places   map[place]*partition
	streams  map[string][]*eventstore.Record // accepted, in version order
	accepted []*eventstore.Record            // of all streams, in the order in which they came to count
	faults   Faults
	epoch    uint64
	moved    chan struct{} // closed, and replaced, at every append
}

type place struct {
	topic     string
	partition int
}

// partition is what was written, and how far it is judged.
type partition struct {
	entries []eventstore.Entry
	heads   eventstore.HeadMap
	next    int64
}

// New is an empty log.
func New() *Log {
	return &Log{places: map[place]*partition{}, streams: map[string][]*eventstore.Record{}, epoch: 1, moved: make(chan struct{})}
}

// Open is the store of a node on this log, with what else c says. The caller closes it.
func (l *Log) Open(c eventstore.Config) *eventstore.Store {
	c.Batches, c.Index, c.Follower, c.Topology = l, l, l, l
	return eventstore.New(c)
}

// Accepted lists the records that count, of all streams, in the order in which they came
// to count. Tests that stand for reactors read on from where they were.
func (l *Log) Accepted() []*eventstore.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.accepted)
}

// Entries is one partition as it was written, with what does not count.
func (l *Log) Entries(topic string, number int) []eventstore.Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.places[place{topic, number}]; p != nil {
		return slices.Clone(p.entries)
	}
	return nil
}

// Forget voids what the nodes keep of streams, as a restart of the database does.
func (l *Log) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch++
}

// Partitions implements eventstore.Topology.
func (l *Log) Partitions(string) (int, error) { return partitions, nil }

// Produce implements eventstore.Batches.
func (l *Log) Produce(_ context.Context, topic string, number int, records []*eventstore.Record) (int64, error) {
	faults := l.failing()
	for _, commit := range commits(records) {
		if err := asked(faults.Append, commit); err != nil {
			return 0, fmt.Errorf("appending to %s/%d: %w: %w: %w", topic, number, eventstore.ErrNotWritten, eventstore.ErrRefused, err)
		}
	}
	base, err := l.append(place{topic, number}, records)
	if err != nil {
		return 0, err
	}
	for _, commit := range commits(records) {
		if err := asked(faults.Acknowledge, commit); err != nil {
			return 0, fmt.Errorf("acknowledging what was appended to %s/%d: %w", topic, number, err)
		}
	}
	return base, nil
}

// append writes records as they travel, and judges what can be judged.
func (l *Log) append(at place, records []*eventstore.Record) (base int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.places[at]
	if p == nil {
		p = &partition{entries: []eventstore.Entry{{}}, heads: eventstore.HeadMap{}} // the first is the genesis
		l.places[at] = p
	}
	base = int64(len(p.entries))
	written := make([]eventstore.Entry, 0, len(records))
	for _, r := range records {
		read, err := eventstore.ParseRecord([]byte(r.Stream), r.Stored(), r.Headers())
		if err != nil {
			return 0, fmt.Errorf("appending to %s/%d: %w: %w: %w", at.topic, at.partition, eventstore.ErrNotWritten, eventstore.ErrRefused, err)
		}
		read.Topic, read.Partition, read.Offset = at.topic, at.partition, base+int64(len(written))
		written = append(written, eventstore.Entry{Offset: read.Offset, Record: read})
	}
	p.entries = append(p.entries, written...)
	l.judge(p)
	close(l.moved)
	l.moved = make(chan struct{})
	return base, nil
}

func (l *Log) judge(p *partition) {
	judged := eventstore.Arbitrate(p.heads, p.entries[p.next:])
	p.next = judged.Next
	for _, commit := range judged.Accepted {
		for _, e := range commit {
			l.streams[e.Record.Stream] = append(l.streams[e.Record.Stream], e.Record)
			l.accepted = append(l.accepted, e.Record)
		}
	}
}

// commits parts a batch into its commits.
func commits(records []*eventstore.Record) (out [][]*eventstore.Record) {
	for len(records) > 0 {
		n := records[0].CommitSize
		out = append(out, records[:n])
		records = records[n:]
	}
	return out
}

// Load implements eventstore.Index.
func (l *Log) Load(_ context.Context, stream string) ([]*eventstore.Record, error) {
	if read := l.failing().Read; read != nil {
		if err := read(stream); err != nil {
			return nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	records := make([]*eventstore.Record, len(l.streams[stream]))
	for i, r := range l.streams[stream] {
		as := *r // whoever reads it opens what is personal in it
		records[i] = &as
	}
	return records, nil
}

// Request implements eventstore.Requests.
func (l *Log) Request(ctx context.Context, stream, id string) (*eventstore.Record, error) {
	all, err := l.Load(ctx, stream)
	for _, r := range slices.Backward(all) {
		if r.RequestID == id {
			return r, err
		}
	}
	return nil, err
}

// After implements eventstore.Newer.
func (l *Log) After(ctx context.Context, stream string, version int64, most int) ([]*eventstore.Record, error) {
	all, err := l.Load(ctx, stream)
	behind := all[min(int(version), len(all)):]
	return behind[:min(most, len(behind))], err
}

// Erasures implements eventstore.Parts.
func (l *Log) Erasures(ctx context.Context, stream string, version int64) ([]*eventstore.Record, error) {
	behind, err := l.After(ctx, stream, version, math.MaxInt)
	return slices.DeleteFunc(slices.Clone(behind), func(r *eventstore.Record) bool { return !strings.Contains(r.Type, ".erased.v") }), err
}

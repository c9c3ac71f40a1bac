// Package checks holds what a chaos round recorded against what Parley promises: the
// log as the accept rule reads it from offset 0, the read models, the callers'
// history, and what reached the customer's server.
//
// It only reads, past all links, after the faults have healed.
package checks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
)

// Fold is the log from offset 0, judged by the accept rule.
type Fold struct {
	Commits   [][]*eventstore.Record            // accepted, partition by partition in log order
	Streams   map[string][]*eventstore.Record   // accepted records of a stream, by version
	Requests  map[string][][]*eventstore.Record // accepted commits by request id
	Skipped   map[eventstore.Reason]int         // commits and records that lost, by reason
	Ends      map[string]map[int]int64          // the offset behind the last record
	Undecoded []string                          // records of known categories that do not decode
}

// ReadLog folds all topics, with what is personal opened by the master key.
func ReadLog(ctx context.Context, brokers []string, master keyring.Wrapper) (*Fold, error) {
	log := kafka.New(kafka.Config{Brokers: brokers, ClientID: "parley-chaos"})
	defer log.Close()
	var topics []string
	for _, c := range catalog.Categories() {
		topics = append(topics, c.Topic())
	}
	if err := log.Attach(ctx, topics...); err != nil {
		return nil, fmt.Errorf("attaching to the log: %w", err)
	}
	f := &Fold{Streams: map[string][]*eventstore.Record{}, Requests: map[string][][]*eventstore.Record{}, Skipped: map[eventstore.Reason]int{},
		Ends: map[string]map[int]int64{}}
	for _, topic := range topics {
		n, err := log.Partitions(topic)
		if err != nil {
			return nil, err
		}
		f.Ends[topic] = map[int]int64{}
		for p := range n {
			if err := f.read(ctx, log, topic, p); err != nil {
				return nil, err
			}
		}
	}
	keys, err := keyring.ReadCopy(ctx, log.Keys(), master)
	if err != nil {
		return nil, err
	}
	return f, f.decode(ctx, keys)
}

// read folds one partition to its end.
func (f *Fold) read(ctx context.Context, log *kafka.Log, topic string, partition int) error {
	heads, at := eventstore.HeadMap{}, int64(0)
	for {
		fetched, err := log.Fetch(ctx, topic, partition, at)
		if err != nil {
			return fmt.Errorf("reading %s/%d at %d: %w", topic, partition, at, err)
		}
		if fetched.Start > 0 {
			return fmt.Errorf("%s/%d begins at %d", topic, partition, fetched.Start)
		}
		judged := eventstore.Arbitrate(heads, fetched.Entries)
		for _, commit := range judged.Accepted {
			f.accept(commit)
		}
		for _, s := range judged.Skipped {
			f.Skipped[s.Reason]++
		}
		if len(fetched.Entries) > 0 && judged.Next > at {
			at = judged.Next
		}
		f.Ends[topic][partition] = fetched.End
		if at >= fetched.End {
			return nil
		}
		if len(fetched.Entries) > 0 && judged.Next <= fetched.Entries[0].Offset {
			return fmt.Errorf("%s/%d stands still at %d: the rest of a commit is missing", topic, partition, at)
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("reading %s/%d: at %d of %d: %w", topic, partition, at, fetched.End, err)
		}
		if len(fetched.Entries) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

func (f *Fold) accept(commit []eventstore.Entry) {
	var records []*eventstore.Record
	for _, e := range commit {
		records = append(records, e.Record)
		f.Streams[e.Record.Stream] = append(f.Streams[e.Record.Stream], e.Record)
	}
	f.Commits = append(f.Commits, records)
	if id := records[0].RequestID; id != "" {
		f.Requests[id] = append(f.Requests[id], records)
	}
}

// decode opens every accepted record and tries it with the newest version of its type.
func (f *Fold) decode(ctx context.Context, keys eventstore.Keys) error {
	for _, stream := range slices.Sorted(maps.Keys(f.Streams)) {
		for _, r := range f.Streams[stream] {
			if err := eventstore.Open(ctx, keys, catalog.OfTopic(r.Topic), r); err != nil {
				return fmt.Errorf("%s v%d: %w", stream, r.Version, err)
			}
			if _, err := catalog.OfTopic(r.Topic).Decode(r.Type, r.Data); err != nil {
				f.Undecoded = append(f.Undecoded, fmt.Sprintf("%s v%d: %v", stream, r.Version, err))
			}
		}
	}
	return nil
}

// folded folds every stream of an aggregate and gives its states at the end. visit, if
// there is one, sees each event with the state after it; an event that does not decode is
// noted by ReadLog, and ends its stream here.
func folded[S any](f *Fold, agg *event.Aggregate[S], visit func(stream string, s S, r *eventstore.Record, p event.Payload)) map[string]S {
	final := map[string]S{}
	for _, stream := range slices.Sorted(maps.Keys(f.Streams)) {
		if !strings.HasPrefix(stream, agg.Prefix+"-") {
			continue
		}
		var s S
		for _, r := range f.Streams[stream] {
			p, err := agg.Decode(r.Type, r.Data)
			if err != nil {
				break
			}
			agg.Fold(&s, p)
			if visit != nil {
				visit(stream, s, r, p)
			}
		}
		final[stream] = s
	}
	return final
}

// At is a stream at its end, and its events.
func At[S any](f *Fold, agg *event.Aggregate[S], id string) (s S, past []event.Payload) {
	for _, r := range f.Streams[agg.Stream(id)] {
		p, err := agg.Decode(r.Type, r.Data)
		if err != nil { // ReadLog has noted it
			return s, past
		}
		agg.Fold(&s, p)
		past = append(past, p)
	}
	return s, past
}

package reactorlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"

	parleykafka "github.com/parley-platform/parley/adapters/kafka"
	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
	"github.com/parley-platform/parley/domain/registrations"
	handling "github.com/parley-platform/parley/handlers/reactors"
)

// SetAside is one event on the poison topic, without its content.
type SetAside struct {
	ID       string                 `json:"id"` // partition.offset on the poison topic
	Reactor  string                 `json:"reactor"`
	Error    string                 `json:"error"`
	Attempts int                    `json:"attempts"`
	Time     time.Time              `json:"time"`
	Event    registrations.SetAside `json:"event"`
	Replay   Replayed               `json:"replay,omitzero"`
}

// Replayed is what came of its replay.
type Replayed struct {
	Status registrations.ReplayStatus `json:"status"`
	Number int                        `json:"number"` // of replays so far
	By     string                     `json:"by"`
	At     time.Time                  `json:"at"`
	Error  string                     `json:"error,omitempty"`
}

// ReplayOf is what the record of a replay says of its outcome.
func ReplayOf(s registrations.Replay) Replayed {
	return Replayed{Status: s.Status, Number: s.Number, By: s.By, At: s.At, Error: s.Error}
}

// ReadPoison reads the whole poison topic. What others wrote there is passed over.
func ReadPoison(ctx context.Context, log *parleykafka.Log) ([]SetAside, error) {
	groups := watermillkafka.Groups{Client: log.Client()}
	starts, ends, err := groups.Bounds(ctx, handling.PoisonTopic)
	if errors.Is(err, kafka.UnknownTopicOrPartition) {
		return nil, nil // no node with the role reactor has ever run
	}
	if err != nil {
		return nil, err
	}
	var out []SetAside
	for p := range len(ends) {
		for at := starts[p]; at < ends[p]; {
			res, err := log.Client().Fetch(ctx, &kafka.FetchRequest{Topic: handling.PoisonTopic, Partition: p, Offset: at, MinBytes: 1,
				MaxBytes: 8 << 20, MaxWait: 500 * time.Millisecond})
			if err == nil {
				err = res.Error
			}
			if err != nil {
				return nil, fmt.Errorf("reading %s/%d at %d: %w", handling.PoisonTopic, p, at, err)
			}
			next, err := takePoison(res.Records, p, at, &out)
			if err != nil {
				return nil, fmt.Errorf("reading %s/%d at %d: %w", handling.PoisonTopic, p, at, err)
			}
			at = next
		}
	}
	states, err := foldedLog{log}.replays(ctx)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Replay = ReplayOf(states[registrations.Replays.Stream(out[i].ID)])
	}
	return out, nil
}

func takePoison(records kafka.RecordReader, partition int, at int64, out *[]SetAside) (next int64, err error) {
	next = at
	for {
		r, err := records.ReadRecord()
		if errors.Is(err, io.EOF) {
			return next, nil
		}
		if err != nil {
			return next, err
		}
		if r.Key != nil {
			r.Key.Close()
		}
		if r.Value != nil {
			r.Value.Close()
		}
		if r.Offset < at {
			continue
		}
		next = r.Offset + 1
		if p, ok := poisonOf(r, partition); ok {
			*out = append(*out, p)
		}
	}
}

func poisonOf(r *kafka.Record, partition int) (SetAside, bool) {
	m := message.NewMessage("", nil)
	for _, h := range r.Headers {
		m.Metadata[h.Key] = string(h.Value)
	}
	p, err := handling.ParsePoisoned(m)
	version, err2 := strconv.ParseInt(m.Metadata["ce_version"], 10, 64)
	if err != nil || err2 != nil {
		return SetAside{}, false
	}
	if p.SetAside.IsZero() {
		p.SetAside = r.Time
	}
	return SetAside{ID: fmt.Sprintf("%d.%d", partition, r.Offset), Reactor: p.Reactor, Error: p.Reason, Attempts: p.Attempts,
		Time: p.SetAside.UTC(),
		Event: registrations.SetAside{ID: m.Metadata["ce_id"], Type: m.Metadata["ce_type"], Stream: m.Metadata["ce_subject"], Version: version,
			Topic: p.Topic, Partition: p.Place, Offset: p.Offset}}, true
}

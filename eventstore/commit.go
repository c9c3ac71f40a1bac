package eventstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// commit is one decision on its way to the log.
type commit struct {
	topic     string
	partition int
	records   []*Record
	payloads  []event.Payload
	taken     taken // keys that it was sealed with, and nothing before it
}

// commit wraps the payloads of one decision into the records of one batch. Its id
// is fresh: it never names other bytes. Personal members are sealed here, once: a resend has
// the same bytes. key is that of the stream, as Record.KeyID.
func (s *Store) commit(ctx context.Context, cat *event.Category, stream string, head Head, key string, cmd Command,
	payloads []event.Payload) (*commit, error) {
	if len(payloads) > MaxCommitRecords {
		return nil, fault.New(fault.TooLarge, "the change is %d events, the most is %d", len(payloads), MaxCommitRecords)
	}
	tenant := cmd.Tenant
	if tenant == "" {
		tenant = head.Tenant
	}
	if tenant == "" {
		return nil, fault.New(fault.NotFound, "not found").Because(fmt.Errorf("a command without a tenant on the empty stream %s", stream))
	}
	count, err := s.Topology.Partitions(cat.Topic())
	if err != nil {
		return nil, fault.New(fault.NotExecuted, "the log cannot be written at the moment").After(2 * time.Second).Because(err)
	}
	c := &commit{topic: cat.Topic(), partition: PartitionOf(stream, count), payloads: payloads}
	id := uuid.NewString()
	now := s.Now().UTC().Truncate(time.Microsecond) // as Postgres keeps it
	size := 0
	seals := sealingWith(ctx, s.Keys, key)
	if _, customer := c.erases(); customer {
		seals.id = "" // what comes is sealed with another
	}
	for i, p := range payloads {
		kind, err := cat.KindOf(p)
		if err != nil {
			return nil, err
		}
		data, err := encode(p)
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", kind.Type(), err)
		}
		eventID, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("making an event id: %w", err)
		}
		r := &Record{ID: eventID.String(), Source: s.Source(), Type: kind.Type(), Stream: stream, Time: now, Tenant: tenant, Actor: cmd.Actor,
			Version: head.Version + 1 + int64(i), Commit: id, CommitIndex: i, CommitSize: len(payloads),
			CorrelationID: cmd.CorrelationID, CausationID: cmd.CausationID,
			Data: data, Topic: c.topic, Partition: c.partition}
		if err := seals.seal(r, kind); err != nil {
			return nil, err
		}
		if i == 0 {
			r.Parent = head.Commit
			if cmd.RequestID != "" {
				r.RequestID, r.RequestHash = cmd.RequestID, cmd.RequestHash
			}
		}
		if size += r.size(); size > MaxCommitBytes {
			return nil, fault.New(fault.TooLarge, "the change takes more than %d bytes on the log, which is the most", MaxCommitBytes)
		}
		if err := r.check("1.0", r.Stream); err != nil { // readers would skip it
			return nil, fault.New(fault.BadRequest, "the change cannot be written to the log: %v", err).Because(err)
		}
		c.records = append(c.records, r)
	}
	for _, r := range c.records {
		r.KeyID = seals.keyID()
	}
	c.taken = seals.taken
	return c, nil
}

// encode is the JSON of a payload. It does not escape < > &, so that a body of
// the largest size accepted stays one event of about that size.
func encode(p event.Payload) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// traced makes the events part of the trace of their command.
func (c *commit) traced(traceparent string) {
	for _, r := range c.records {
		r.Traceparent = traceparent
	}
}

// recorded are its events where they stand on the log.
func (c *commit) recorded(base int64) []Recorded {
	out := make([]Recorded, len(c.records))
	for i, r := range c.records {
		at := *r
		at.Offset = base + int64(i)
		out[i] = Recorded{&at, c.payloads[i]}
	}
	return out
}

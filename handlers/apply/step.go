package apply

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// step is one command of a manifest on one stream: first decided on the planned
// state, then executed.
type step interface {
	earlier(ctx context.Context, p *planner, cmd eventstore.Command) error
	plan(ctx context.Context, p *planner) error
	run(ctx context.Context, store *eventstore.Store, cmd eventstore.Command) error
	raised() *decided
}

// decided is what a step led to when it was last decided.
type decided struct {
	category *event.Category
	stream   string
	payloads []event.Payload
	existed  bool // the thing was there before
	before   bool // it was done by an earlier try of the request
}

func (r *decided) raised() *decided { return r }

// change is the step on a stream with state S.
type change[S any] struct {
	decided
	agg    *event.Aggregate[S]
	decide func(S) ([]event.Payload, error)
	exists func(S) bool
}

// on is a step on a stream. exists tells whether the thing that the step is about is
// in the state.
func on[S any](agg *event.Aggregate[S], stream string, decide func(S) ([]event.Payload, error), exists func(S) bool) step {
	return &change[S]{decided: decided{category: agg.Category, stream: stream}, agg: agg, decide: decide, exists: exists}
}

// earlier finds what an earlier try of the request has done. The plan has it already, whatever became of it since. A stream on which it
// has done anything is read once for all steps.
func (c *change[S]) earlier(ctx context.Context, p *planner, cmd eventstore.Command) error {
	told, known := p.told[c.stream].(eventstore.Told[S])
	if !known {
		res, err := eventstore.Execute(ctx, p.store, c.agg, c.stream, cmd, func(S) ([]event.Payload, error) { return nil, nil })
		if err != nil || !res.Replayed {
			return err
		}
		if told, err = eventstore.History(ctx, p.store, c.agg, c.stream); err != nil {
			return err
		}
		p.told[c.stream] = told
	}
	at := slices.IndexFunc(told.Events, func(e eventstore.Recorded) bool { return e.RequestID == cmd.RequestID })
	if at < 0 {
		return nil
	}
	var past S
	for _, e := range told.Events[:at] {
		c.agg.Fold(&past, e.Payload)
	}
	c.existed, c.before = c.exists(past), true
	for _, e := range told.Events[at:][:told.Events[at].CommitSize] {
		c.payloads = append(c.payloads, e.Payload)
	}
	return nil
}

func (c *change[S]) plan(ctx context.Context, p *planner) error {
	s, err := stateOf(ctx, p, c.agg, c.stream)
	if err != nil {
		return err
	}
	payloads, err := c.observe(*s)
	if err != nil {
		return err
	}
	c.payloads = payloads
	for _, e := range payloads {
		c.agg.Fold(s, e)
	}
	return nil
}

func (c *change[S]) run(ctx context.Context, store *eventstore.Store, cmd eventstore.Command) error {
	res, err := eventstore.Execute(ctx, store, c.agg, c.stream, cmd, c.observe)
	c.payloads, c.before = res.Payloads(), res.Replayed // by another try of the same moment
	return err
}

// observe decides, and notes whether the thing was there. When a decision is made
// several times the last one is the one that counts.
func (c *change[S]) observe(s S) ([]event.Payload, error) {
	c.existed = c.exists(s)
	return c.decide(s)
}

// Event is one event of a manifest.
type Event struct {
	Type   string          // CloudEvents type
	Stream string          // the stream it stands on
	Data   json.RawMessage // its value, secrets left out; only with DryRun
}

func (r *decided) events(withData bool) []Event {
	var out []Event
	for _, p := range r.payloads {
		e := Event{Stream: r.stream}
		if k, err := r.category.KindOf(p); err == nil {
			e.Type = k.Type()
		}
		if withData {
			e.Data = withoutSecrets(p)
		}
		out = append(out, e)
	}
	return out
}

// refusal separates what is wrong with a manifest from failures of ours.
func refusal(err error) (*fault.Error, bool) {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil, false
	}
	switch f.Code {
	case fault.Validation, fault.Conflict, fault.NotFound, fault.LimitReached, fault.Gone:
		return f, true
	}
	return f, false
}

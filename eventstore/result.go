package eventstore

import (
	"cmp"
	"context"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Recorded is one accepted event.
type Recorded struct {
	*Record
	Payload event.Payload
}

// Result is the accepted commit of a command; it has no events when the decision
// was that nothing needs to happen.
type Result[S any] struct {
	Events []Recorded

	// State is the stream's as the events left it, or as the decision found it that there
	// is nothing to do. What came behind them is not in it: a request that is repeated is
	// answered as it was the first time. It is the caller's to read; nobody changes it any
	// more, and the caller must not either. Of a Stateless command it is empty.
	State S

	Replayed bool // the events are of an earlier request with the same id
	Pending  bool // the events are on the log, and not visible yet; see ExecuteAsync
}

// Payloads lists the accepted payloads.
func (r Result[S]) Payloads() []event.Payload {
	var out []event.Payload
	for _, e := range r.Events {
		out = append(out, e.Payload)
	}
	return out
}

// Find finds the event of a type in an accepted commit: what is answered is built from it,
// never from the decision at hand, which may have lost its place or be a repeat.
func Find[E event.Payload, S any](r Result[S]) (E, bool) {
	for _, e := range r.Events {
		if p, ok := e.Payload.(E); ok {
			return p, true
		}
	}
	var none E
	return none, false
}

// replay answers a request id that the stream has seen.
func (x *execution[S]) replay(ctx context.Context, known request) error {
	if known.flight != nil { // its first try is still on its way: an unconfirmed commit answers nobody
		if err := wait(ctx, known.flight); err != nil {
			early := fault.New(fault.OutcomeUnknown, "an earlier try with the same %s is still on its way", x.keyName())
			return early.After(2 * time.Second).Because(err)
		}
		return errAgain
	}
	if known.hash != x.cmd.RequestHash && (x.cmd.PlainHash == "" || known.hash != x.cmd.PlainHash) {
		return fault.New(fault.Conflict, "this %s was used with another request", x.keyName())
	}
	state, records, err := x.untilThen(ctx, known)
	if err != nil {
		return err
	}
	res := &Result[S]{Replayed: true, State: state}
	into := &res.State
	if x.cmd.Stateless {
		into = nil
	}
	for _, r := range records {
		if r.Version > known.to {
			break
		}
		if x.cmd.Tenant != "" && r.Tenant != x.cmd.Tenant {
			return fault.New(fault.NotFound, "not found")
		}
		p, err := take(x.agg, into, r)
		if err != nil {
			return err
		}
		if r.Version >= known.from {
			res.Events = append(res.Events, Recorded{r, p})
		}
	}
	if len(res.Events) == 0 { // the index was rebuilt after the request id was found in it
		return errAgain
	}
	if err := x.shown(ctx, res.Events); err != nil {
		return err
	}
	x.result = *res
	return nil
}

// keyName is what the caller knows the request id by.
func (x *execution[S]) keyName() string { return cmp.Or(x.cmd.KeyName, "Idempotency-Key") }

// untilThen is a stream as a snapshot has it from before a commit, and the records behind that; without one, all records. Who
// read many of them leaves another snapshot: commands that go on from what the node keeps leave none. Where nobody looks at the
// state it is the commit alone.
func (x *execution[S]) untilThen(ctx context.Context, known request) (state S, records []*Record, err error) {
	if index, can := x.s.Index.(Newer); can && x.cmd.Stateless {
		records, err = index.After(ctx, x.stream, known.from-1, int(known.to-known.from)+1)
		return state, records, x.s.opened(ctx, x.agg.Category, x.stream, records, err)
	}
	f, records, err := fromSnapshot(ctx, x.s, x.agg, x.stream)
	if err == nil && f != nil && f.head.Version < known.from {
		if state = f.state; len(records) > snapshotAfter {
			f.state = *copyOf(&state)
			if f.add(x.agg, records) == nil {
				leave(x.s, x.agg, x.stream, f, len(records))
			}
		}
		return state, records, nil
	}
	if err == nil {
		records, err = x.s.load(ctx, x.agg.Category, x.stream)
	}
	return state, records, err
}

// shown asks whether the read models hold a commit that is in the index: if one could
// not take it, a repeat hears so as well.
func (x *execution[S]) shown(ctx context.Context, events []Recorded) error {
	first, last := events[0].Record, events[len(events)-1].Record
	expected := x.s.Follower.Expect(first.Topic, first.Partition, x.stream, first.Version, first.Commit)
	defer expected.Cancel()
	accepted, err := expected.Wait(ctx, last.Offset+1)
	if err != nil {
		return durable(err)
	}
	if !accepted { // a crash of Postgres took the commit from the index; it is projected again
		return errAgain
	}
	return nil
}

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
	res, err := x.asItWas(ctx, known)
	if err != nil {
		return err
	}
	if err := x.shown(ctx, res.Events); err != nil {
		return err
	}
	x.result = *res
	return nil
}

// keyName is what the caller knows the request id by.
func (x *execution[S]) keyName() string { return cmp.Or(x.cmd.KeyName, "Idempotency-Key") }

// asItWas is what a commit came to: its events, and the state that they left where anybody looks at that.
func (x *execution[S]) asItWas(ctx context.Context, known request) (*Result[S], error) {
	before := &folded[S]{head: Head{Version: known.from - 1}}
	if !x.cmd.Stateless {
		var err error
		if before, err = foldUpTo(ctx, x.s, x.agg, x.stream, known.from-1); err != nil {
			return nil, err
		}
	}
	records, err := x.s.part(ctx, x.agg.Category, x.stream, known.from-1, known.to)
	if err != nil {
		return nil, err
	}
	if before.head.Version != known.from-1 || int64(len(records)) != known.to-known.from+1 {
		return nil, errAgain // the index was rebuilt after the request id was found in it
	}
	if x.cmd.Tenant != "" && records[0].Tenant != x.cmd.Tenant {
		return nil, fault.New(fault.NotFound, "not found")
	}
	res := &Result[S]{Replayed: true}
	if res.Events, err = recorded(x.agg, records); err == nil && !x.cmd.Stateless {
		err = before.add(x.agg, records)
		res.State = before.state
	}
	return res, err
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

package voice

import (
	"cmp"
	"context"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// CallStore is what the dialer needs of the event store.
type CallStore interface {
	// Decide appends what decide says to the call's stream, at most once for each
	// requestID (empty: no such promise), and returns when it is visible. accepted
	// are the events of the accepted commit; replayed says that they are those of
	// an earlier call with the same requestID, in which case decide need not have
	// run. decide may run several times and must not keep the state.
	Decide(ctx context.Context, callID, requestID string, decide func(calls.State) ([]event.Payload, error)) (accepted []event.Payload,
		replayed bool, err error)
}

// CallStreams is the CallStore on the event store.
type CallStreams struct {
	Store *eventstore.Store
	Actor string // in whose name; empty: reactor:dialer
}

// Decide implements CallStore.
func (c CallStreams) Decide(ctx context.Context, callID, requestID string, decide func(calls.State) ([]event.Payload,
	error)) (accepted []event.Payload, replayed bool, err error) {
	cmd := eventstore.Command{Actor: cmp.Or(c.Actor, "reactor:dialer")}
	if requestID != "" {
		cmd.RequestID = eventstore.CauseID("dialer", callID, requestID)
	}
	res, err := eventstore.Execute(ctx, c.Store, calls.Calls, calls.Calls.Stream(callID), cmd, decide)
	return res.Payloads(), res.Replayed, err
}

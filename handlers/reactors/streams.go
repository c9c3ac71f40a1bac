package reactors

import (
	"cmp"
	"context"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/webhooks"
	"github.com/parley-platform/parley/eventstore"
)

// because is the command of a reactor that an event caused: sent again for the
// same event and step it is executed once.
func because(reactor, step string, e Event) eventstore.Command {
	return eventstore.Command{Tenant: e.Tenant, Actor: "reactor:" + reactor, CorrelationID: e.CorrelationID, CausationID: e.ID,
		RequestID: eventstore.CauseID(reactor, e.ID, step)}
}

// CallStreams is the CallStore on the event store.
type CallStreams struct {
	Store *eventstore.Store
	Actor string // in whose name; empty: reactor:dialer
}

// Decide implements CallStore.
func (c CallStreams) Decide(ctx context.Context, callID, requestID string, decide func(calls.State) ([]event.Payload, error)) (accepted []event.Payload, replayed bool, err error) {
	cmd := eventstore.Command{Actor: cmp.Or(c.Actor, "reactor:dialer")}
	if requestID != "" {
		cmd.RequestID = eventstore.CauseID("dialer", callID, requestID)
	}
	res, err := eventstore.Execute(ctx, c.Store, calls.Calls, calls.Calls.Stream(callID), cmd, decide)
	return res.Payloads(), res.Replayed, err
}

// DeliveryStreams is the DeliveryStore on the event store.
type DeliveryStreams struct{ Store *eventstore.Store }

// Load implements DeliveryStore.
func (d DeliveryStreams) Load(ctx context.Context, stream string) (webhooks.State, error) {
	l, err := eventstore.Load(ctx, d.Store, webhooks.Deliveries, stream)
	return l.State, err
}

// Decide implements DeliveryStore.
func (d DeliveryStreams) Decide(ctx context.Context, stream, requestID string, decide func(webhooks.State) ([]event.Payload, error)) error {
	cmd := eventstore.Command{Actor: "reactor:webhook-sender", RequestID: eventstore.CauseID("webhook-sender", stream, requestID)}
	_, err := eventstore.Execute(ctx, d.Store, webhooks.Deliveries, stream, cmd, decide)
	return err
}

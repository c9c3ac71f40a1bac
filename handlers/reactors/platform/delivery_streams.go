package platform

import (
	"context"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/webhooks"
	"github.com/parley-platform/parley/eventstore"
)

// DeliveryStreams is the DeliveryStore on the event store.
type DeliveryStreams struct{ Store *eventstore.Store }

// Load implements DeliveryStore.
func (d DeliveryStreams) Load(ctx context.Context, stream string) (webhooks.State, error) {
	l, err := eventstore.Read(ctx, d.Store, webhooks.Deliveries, stream)
	return l.State, err
}

// Decide implements DeliveryStore.
func (d DeliveryStreams) Decide(ctx context.Context, stream, requestID string, decide func(webhooks.State) ([]event.Payload, error)) error {
	cmd := eventstore.Command{Actor: "reactor:webhook-sender", RequestID: eventstore.CauseID("webhook-sender", stream, requestID)}
	_, err := eventstore.Execute(ctx, d.Store, webhooks.Deliveries, stream, cmd, decide)
	return err
}

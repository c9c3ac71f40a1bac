package rest

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// Commands is what the operations that change something share: the event store, and
// the keyed hash of request ids.
type Commands struct {
	Store *eventstore.Store
	MAC   eventstore.MAC
	Now   func() time.Time
}

// CommandTimeout is how long one request may take to become visible.
const CommandTimeout = 12 * time.Second

// Execute runs a command of the request on a stream: with the caller as its actor,
// the request as its correlation, and its Idempotency-Key as its request id.
func Execute[S any](ctx context.Context, c Commands, agg *event.Aggregate[S], stream string,
	decide func(S) ([]event.Payload, error)) (eventstore.Result[S], error) {
	return run(ctx, c, func(ctx context.Context, cmd eventstore.Command) (eventstore.Result[S], error) {
		return eventstore.Execute(ctx, c.Store, agg, stream, cmd, decide)
	})
}

// Create is execute for a stream whose id was made by newID: without an
// Idempotency-Key it is fresh, and there is nothing to read of it. Of an operation that
// is Async the result may be Pending: then the handler calls acceptedAt.
func Create[S any](ctx context.Context, c Commands, agg *event.Aggregate[S], stream string,
	decide func(S) ([]event.Payload, error)) (eventstore.Result[S], error) {
	return run(ctx, c, func(ctx context.Context, cmd eventstore.Command) (eventstore.Result[S], error) {
		cmd.New = cmd.RequestID == ""
		if wantsAsync(ctx) {
			return eventstore.ExecuteAsync(ctx, c.Store, agg, stream, cmd, decide)
		}
		return eventstore.Execute(ctx, c.Store, agg, stream, cmd, decide)
	})
}

// run is what both do around the event store.
func run[S any](ctx context.Context, c Commands,
	do func(context.Context, eventstore.Command) (eventstore.Result[S], error)) (eventstore.Result[S], error) {
	ctx, cancel := context.WithTimeout(ctx, CommandTimeout)
	defer cancel()
	res, err := do(ctx, c.command(ctx))
	if err == nil && res.Replayed {
		MarkReplayed(ctx)
	}
	return res, err
}

func (c Commands) command(ctx context.Context) eventstore.Command {
	p := PrincipalOf(ctx)
	cmd := eventstore.Command{Tenant: p.TenantID, Actor: p.Actor(), CorrelationID: CorrelationID(ctx)}
	if key, ok := Idempotency(ctx); ok {
		cmd.RequestID, cmd.RequestHash = c.RequestID(ctx, key), hex.EncodeToString(key.Hash[:16])
	}
	return cmd
}

func (c Commands) RequestID(ctx context.Context, key Key) string {
	return eventstore.RequestID(c.MAC, PrincipalOf(ctx).TenantID, key.Operation, key.Path, key.Value)
}

// NewID is the id of a thing that the request creates: derived from its
// Idempotency-Key, so that both tries meet at one stream, else fresh.
func (c Commands) NewID(ctx context.Context, what string) uuid.UUID {
	if key, ok := Idempotency(ctx); ok {
		return eventstore.DerivedID(c.MAC, c.RequestID(ctx, key), what)
	}
	return eventstore.DerivedID(c.MAC, "", what)
}

// Payload finds the event of a type in an accepted commit; the answer is built from
// it, never from the decision at hand.
func Payload[E event.Payload, S any](res eventstore.Result[S]) (E, error) {
	for _, e := range res.Events {
		if p, ok := e.Payload.(E); ok {
			return p, nil
		}
	}
	var none E
	return none, fault.New(fault.Internal, "the accepted commit has no %T", none)
}

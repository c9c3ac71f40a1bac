package rest

import (
	"cmp"
	"context"
	"encoding/hex"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// Commands is what the operations that change something share: the event store, and
// the keyed hash of request ids.
type Commands struct{ acts.Log }

// CommandTimeout is how long one request may take to become visible.
const CommandTimeout = 12 * time.Second

// Execute runs a command of the request on a stream: with the caller as its actor,
// the request as its correlation, and its Idempotency-Key as its request id.
func Execute[S any](ctx context.Context, c Commands, agg *event.Aggregate[S], stream string,
	decide func(S) ([]event.Payload, error)) (eventstore.Result[S], error) {
	res, err := acts.Execute(ctx, c.Log, c.Caller(ctx), agg, stream, decide)
	if err == nil {
		Answers(ctx, res)
	}
	return res, err
}

// Repeated is the result that an earlier try of the request had on a stream: same key, same
// body. Who looks up and checks more than the stream knows asks this first, or a repeat of what
// was done would be refused because of what has changed since.
func Repeated[S any](ctx context.Context, c Commands, agg *event.Aggregate[S], stream string) (res eventstore.Result[S], is bool,
	err error) {
	return RepeatedOr(ctx, c, agg, stream, func(S) {})
}

// DeletedBefore is Repeated for what OrGone has not found: it is unknown, unless this request has deleted it before.
func DeletedBefore[S any](ctx context.Context, c Commands, agg *event.Aggregate[S], stream string, unknown error) (res eventstore.Result[S],
	err error) {
	res, is, err := Repeated(ctx, c, agg, stream)
	if err == nil && !is {
		err = unknown
	}
	return res, err
}

// RepeatedOr is Repeated, where it also matters what the stream of a request that can be repeated had before any try of it
// came: that is shown to look.
func RepeatedOr[S any](ctx context.Context, c Commands, agg *event.Aggregate[S], stream string, look func(S)) (
	res eventstore.Result[S], is bool, err error) {
	if _, ok := Idempotency(ctx); !ok {
		return res, false, nil
	}
	res, err = Execute(ctx, c, agg, stream, func(s S) ([]event.Payload, error) {
		look(s)
		return nil, nil
	})
	return res, err == nil && res.Replayed, err
}

// Create is Execute for a stream whose id was made by NewID: without an
// Idempotency-Key it is fresh, and there is nothing to read of it. Of an operation that
// is Async the result may be Pending: then the handler calls AcceptedAt.
func Create[S any](ctx context.Context, c Commands, agg *event.Aggregate[S], stream string,
	decide func(S) ([]event.Payload, error)) (eventstore.Result[S], error) {
	res, err := acts.Create(ctx, c.Log, c.Caller(ctx), agg, stream, decide)
	if err == nil {
		Answers(ctx, res)
	}
	return res, err
}

// Answers says of a result that the request is answered with whether it is that of an
// earlier request with the same Idempotency-Key.
func Answers[S any](ctx context.Context, res eventstore.Result[S]) {
	if res.Replayed {
		MarkReplayed(ctx)
	}
}

// Caller is the request as acts and commands take it: its project is that of the path, or
// else the one whose key it is.
func (c Commands) Caller(ctx context.Context) acts.Caller {
	p := PrincipalOf(ctx)
	by := acts.Caller{Command: eventstore.Command{Tenant: p.TenantID, Actor: p.Actor(), CorrelationID: CorrelationID(ctx)},
		Project: cmp.Or(ProjectOf(ctx).ID, p.ProjectID), Within: CommandTimeout, Early: wantsAsync(ctx)}
	if key, ok := Idempotency(ctx); ok {
		by.RequestID, by.KeyName, by.PlainHash = c.RequestID(ctx, key), key.Name, hex.EncodeToString(key.Hash[:16])
		by.RequestHash = eventstore.RequestHash(c.MAC, key.Hash)
	}
	return by
}

// RequestID names the command of a request with an Idempotency-Key: the same for each try
// of one tenant at one operation and path, and nothing that shows the key.
func (c Commands) RequestID(ctx context.Context, key Key) string {
	return eventstore.RequestID(c.MAC, PrincipalOf(ctx).TenantID, key.Operation, key.Path, key.Value)
}

// NewID is the id of a thing that the request creates: derived from its
// Idempotency-Key, so that both tries meet at one stream, else fresh.
func (c Commands) NewID(ctx context.Context, what string) uuid.UUID {
	return c.Log.ID(c.Caller(ctx), what)
}

// Payload is the event of a type in an accepted commit that has one, else our fault.
func Payload[E event.Payload, S any](res eventstore.Result[S]) (E, error) {
	e, ok := eventstore.Find[E](res)
	if !ok {
		return e, fault.New(fault.Internal, "the accepted commit has no %T", e)
	}
	return e, nil
}

package reactors

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"github.com/parley-platform/parley/eventstore"
)

var tracer = otel.Tracer("github.com/parley-platform/parley/handlers/reactors")

type correlationKey struct{}

type correlation struct {
	id  string
	log *slog.Logger
}

// correlate puts the event's correlation id, a logger that names it and the trace
// it belongs to into the context of its handler.
func correlate(ctx context.Context, log *slog.Logger, r *eventstore.Record) context.Context {
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": r.Traceparent})
	return context.WithValue(ctx, correlationKey{}, correlation{id: r.CorrelationID, log: log.With(
		"correlationId", r.CorrelationID, "stream", r.Stream, "version", r.Version, "type", r.Type, "event", r.ID)})
}

// CorrelationID is that of the event being handled; commands that it causes carry
// it on. It is empty outside a handler.
func CorrelationID(ctx context.Context) string {
	c, _ := ctx.Value(correlationKey{}).(correlation)
	return c.id
}

// Logger names the event being handled in every line.
func Logger(ctx context.Context) *slog.Logger {
	if c, ok := ctx.Value(correlationKey{}).(correlation); ok {
		return c.log
	}
	return slog.Default()
}

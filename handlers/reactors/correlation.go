package reactors

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

var tracer = otel.Tracer("github.com/parley-platform/parley/handlers/reactors")

// correlate puts a logger that names the event and its correlation id, and the trace it
// belongs to, into the context of its handler.
func correlate(ctx context.Context, log *slog.Logger, r *eventstore.Record) context.Context {
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": r.Traceparent})
	return acts.WithLogger(ctx, log.With(
		"correlationId", r.CorrelationID, "stream", r.Stream, "version", r.Version, "type", r.Type, "event", r.ID))
}

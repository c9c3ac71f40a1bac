package reactors

import (
	"context"
	"log/slog"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

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

// processing opens the span of one try, with what OpenTelemetry's conventions say of
// a message that is processed.
func processing(ctx context.Context, reactor Reactor, r *eventstore.Record) (context.Context, trace.Span) {
	ctx, span := tracer.Start(ctx, "process "+r.Topic, trace.WithSpanKind(trace.SpanKindConsumer))
	if span.IsRecording() {
		span.SetAttributes(semconv.MessagingSystemKafka, semconv.MessagingOperationTypeProcess, semconv.MessagingOperationName("process"),
			semconv.MessagingDestinationName(r.Topic), semconv.MessagingDestinationPartitionID(strconv.Itoa(r.Partition)),
			semconv.MessagingConsumerGroupName(reactor.Group()), semconv.MessagingKafkaOffset(int(r.Offset)),
			semconv.MessagingKafkaMessageKey(r.Stream), semconv.MessagingMessageID(r.ID), semconv.CloudEventsEventType(r.Type),
			attribute.String("parley.reactor", reactor.Name), attribute.String("parley.tenant", r.Tenant))
	}
	return ctx, span
}

// failedSpan says in a span that its try failed, and how that is called.
func failedSpan(span trace.Span, err error) (errorType string) {
	if err == nil {
		return ""
	}
	span.SetAttributes(semconv.ErrorTypeKey.String(outcomeFailed))
	span.SetStatus(codes.Error, "")
	return outcomeFailed
}

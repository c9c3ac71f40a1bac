package eventstore

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/parley-platform/parley/domain/fault"
)

var tracer = otel.Tracer("github.com/parley-platform/parley/eventstore")

// begin opens the command's span. The events carry it as their traceparent, so what
// projectors and reactors do with them belongs to the same trace. A command that is in no
// trace, and begins none that is kept, leaves it to the reactors to begin one.
func (x *execution[S]) begin(ctx context.Context) (context.Context, trace.Span) {
	within := trace.SpanContextFromContext(ctx).IsValid()
	ctx, span := tracer.Start(ctx, "command on "+x.agg.Name)
	if span.IsRecording() {
		span.SetAttributes(attribute.String("parley.stream", x.stream), attribute.String("parley.actor", x.cmd.Actor))
	}
	if span.SpanContext().IsValid() && (within || span.SpanContext().IsSampled()) {
		carrier := propagation.MapCarrier{}
		propagation.TraceContext{}.Inject(ctx, carrier)
		x.trace = carrier["traceparent"]
	}
	return ctx, span
}

// end says what became of the command.
func (x *execution[S]) end(span trace.Span, err error) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.Int("parley.attempts", x.attempts), attribute.Int("parley.events", len(x.result.Events)),
		attribute.Bool("parley.replayed", x.result.Replayed))
	if err != nil {
		span.SetAttributes(semconv.ErrorTypeKey.String(string(fault.CodeOf(err))))
		span.SetStatus(codes.Error, "")
	}
}

// sending opens the span of one append, from its place in the queue to the log's answer.
func sending(ctx context.Context, c *commit) trace.Span {
	_, span := tracer.Start(ctx, "send "+c.topic, trace.WithSpanKind(trace.SpanKindProducer))
	if span.IsRecording() {
		span.SetAttributes(semconv.MessagingSystemKafka, semconv.MessagingOperationTypeSend, semconv.MessagingOperationName("send"),
			semconv.MessagingDestinationName(c.topic), semconv.MessagingDestinationPartitionID(strconv.Itoa(c.partition)),
			semconv.MessagingKafkaMessageKey(c.records[0].Stream), semconv.MessagingMessageID(c.records[0].ID),
			semconv.MessagingBatchMessageCount(len(c.records)))
	}
	return span
}

// sent closes it.
func sent(span trace.Span, a Ack) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	if a.Err != nil {
		span.SetAttributes(semconv.ErrorTypeKey.String(string(fault.CodeOf(a.Err))))
		span.SetStatus(codes.Error, "")
		return
	}
	span.SetAttributes(semconv.MessagingKafkaOffset(int(a.Offset)))
}

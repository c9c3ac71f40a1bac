package eventstore

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/parley-platform/parley/domain/fault"
)

var tracer = otel.Tracer("github.com/parley-platform/parley/eventstore")

// begin opens the command's span. The events carry it as their traceparent, so what
// projectors and reactors do with them belongs to the same trace.
func (x *execution[S]) begin(ctx context.Context) (context.Context, trace.Span) {
	ctx, span := tracer.Start(ctx, "command on "+x.agg.Name)
	if span.IsRecording() {
		span.SetAttributes(attribute.String("parley.stream", x.stream), attribute.String("parley.actor", x.cmd.Actor))
	}
	if span.SpanContext().IsValid() {
		carrier := propagation.MapCarrier{}
		propagation.TraceContext{}.Inject(ctx, carrier)
		x.trace = carrier["traceparent"]
	}
	return ctx, span
}

// end says what became of the command.
func (x *execution[S]) end(span trace.Span, res Result[S], err error) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.Int("parley.attempts", x.attempts), attribute.Int("parley.events", len(res.Events)),
		attribute.Bool("parley.replayed", res.Replayed))
	if err != nil {
		span.SetAttributes(attribute.String("parley.refusal", string(fault.CodeOf(err))))
		span.SetStatus(codes.Error, "")
	}
}

// passed notes that a command has come this far.
func passed(ctx context.Context, milestone string) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.AddEvent(milestone)
	}
}

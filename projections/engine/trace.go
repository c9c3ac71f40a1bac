package engine

import (
	"context"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/sink"
)

var tracer = otel.Tracer("github.com/parley-platform/parley/projections")

// traced puts the transaction that stored a commit into the trace that the commit
// came from, if that trace is kept.
func traced(at sink.Place, records []*eventstore.Record, start time.Time) {
	for _, r := range records {
		if r.CommitIndex != 0 || !strings.HasSuffix(r.Traceparent, "-01") {
			continue
		}
		ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": r.Traceparent})
		_, span := tracer.Start(ctx, "project "+at.Topic, trace.WithTimestamp(start), trace.WithSpanKind(trace.SpanKindConsumer),
			trace.WithAttributes(semconv.MessagingSystemKafka, semconv.MessagingOperationTypeProcess, semconv.MessagingOperationName("project"),
				semconv.MessagingDestinationName(at.Topic), semconv.MessagingDestinationPartitionID(strconv.Itoa(at.Partition)),
				semconv.MessagingKafkaOffset(int(r.Offset)), semconv.MessagingKafkaMessageKey(r.Stream),
				semconv.MessagingBatchMessageCount(len(records))))
		span.End()
	}
}

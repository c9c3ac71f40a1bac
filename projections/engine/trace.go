package engine

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
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
		_, span := tracer.Start(ctx, "project "+at.Topic, trace.WithTimestamp(start), trace.WithAttributes(
			attribute.String("parley.stream", r.Stream), attribute.Int("parley.partition", at.Partition), attribute.Int64("parley.offset", r.Offset),
			attribute.Int("parley.transaction.events", len(records))))
		span.End()
	}
}

// Package tracing sends OpenTelemetry traces to a collector.
//
// It owns the exporter and what is kept: a trace begins with a request or with an
// event that a reactor handles, never with the polling that Parley does by itself.
// It makes no spans; those who do the work do.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Config says where traces go.
type Config struct {
	Endpoint string  // of OTLP over HTTP, such as http://collector:4318
	Share    float64 // of the traces that begin here, 0 to 1; a caller's choice is kept
	Node     string
	Log      *slog.Logger
}

// Start makes the process send its traces, in batches and off the path of requests.
// A collector that does not answer costs traces, and nothing else. stop sends what is
// left.
func Start(ctx context.Context, c Config) (stop func(context.Context), err error) {
	traces, err := url.JoinPath(c.Endpoint, "v1", "traces")
	if err != nil {
		return nil, fmt.Errorf("the address of the collector, %s: %w", c.Endpoint, err)
	}
	to, err := newCollector(traces)
	if err != nil {
		return nil, fmt.Errorf("the address of the collector, %s: %w", c.Endpoint, err)
	}
	exporter, err := otlptrace.New(ctx, to)
	if err != nil {
		return nil, fmt.Errorf("preparing traces for %s: %w", c.Endpoint, err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithSampler(sdk.ParentBased(beginnings{sdk.TraceIDRatioBased(c.Share)})),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "parley"), attribute.String("service.instance.id", c.Node))))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { c.Log.Warn("traces could not be sent", "error", err) }))
	otel.SetTracerProvider(provider)
	return func(ctx context.Context) {
		if err := provider.Shutdown(ctx); err != nil {
			c.Log.Warn("the last traces could not be sent", "error", err)
		}
	}, nil
}

// beginnings keeps traces that begin with a request or with an event, and of those
// the share that it is given.
type beginnings struct{ share sdk.Sampler }

// ShouldSample implements sdk.Sampler.
func (b beginnings) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	if p.Kind == trace.SpanKindServer || p.Kind == trace.SpanKindConsumer {
		return b.share.ShouldSample(p)
	}
	return sdk.SamplingResult{Decision: sdk.Drop, Tracestate: trace.SpanContextFromContext(p.ParentContext).TraceState()}
}

// Description implements sdk.Sampler.
func (b beginnings) Description() string { return "requests and events, " + b.share.Description() }

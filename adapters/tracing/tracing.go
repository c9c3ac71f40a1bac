// Package tracing sends OpenTelemetry traces to a collector.
//
// It owns the exporter, what OpenTelemetry's environment variables say to it, and what is
// kept: a trace begins with a request or with an event that a reactor handles, never with
// the polling that Parley does by itself. It makes no spans; those who do the work do.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"
)

// Config says where traces go. What it leaves open OpenTelemetry's variables may say.
type Config struct {
	Endpoint string   // of OTLP over HTTP, such as http://collector:4318; empty: as OTEL_EXPORTER_OTLP_* say, else nowhere
	Share    *float64 // of the traces that begin here, 0 to 1; a caller's choice is kept. nil: as OTEL_TRACES_SAMPLER says, else 1
	About    *resource.Resource
	Log      *slog.Logger
}

// ServiceName is service.name, where OTEL_SERVICE_NAME says nothing.
const ServiceName = "parley"

// About is what traces and metrics say of this process: its name, version and node, and
// what OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES add or put in their place.
func About(ctx context.Context, version, node string, log *slog.Logger) *resource.Resource {
	ours := resource.NewWithAttributes(semconv.SchemaURL, semconv.ServiceName(ServiceName), semconv.ServiceVersion(version),
		semconv.ServiceInstanceID(node))
	theirs, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		log.Warn("a part of OTEL_RESOURCE_ATTRIBUTES is left out: name=value,name=value is wanted", "error", err)
	}
	both, err := resource.Merge(ours, resource.NewSchemaless(theirs.Attributes()...))
	if err != nil {
		log.Warn("OTEL_RESOURCE_ATTRIBUTES are left out", "error", err)
		return ours
	}
	return both
}

// Start makes the process send its traces, in batches and off the path of requests.
// A collector that does not answer costs traces, and nothing else. stop sends what is
// left; it is nil when there is nowhere to send to.
func Start(ctx context.Context, c Config) (stop func(context.Context), err error) {
	otel.SetTextMapPropagator(propagator(c.Log))
	at, err := endpoint(c.Endpoint)
	if err != nil || at.url == "" {
		return nil, err
	}
	to, err := newCollector(at)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, to)
	if err != nil {
		return nil, fmt.Errorf("preparing traces for %s: %w", at.url, err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithSampler(sampler(c.Share, c.Log)), sdk.WithResource(c.About))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { c.Log.Warn("traces could not be sent", "error", err) }))
	otel.SetTracerProvider(provider)
	return func(ctx context.Context) {
		if err := provider.Shutdown(ctx); err != nil {
			c.Log.Warn("the last traces could not be sent", "error", err)
		}
	}, nil
}

// beginnings keeps traces that begin with a request, with an event, or with a turn that a timer
// takes over, and of those what its sampler keeps.
type beginnings struct{ of sdk.Sampler }

// ShouldSample implements sdk.Sampler.
func (b beginnings) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	if p.Kind == trace.SpanKindServer || p.Kind == trace.SpanKindConsumer ||
		slices.Contains(p.Attributes, semconv.GenAIOperationNameInvokeAgent) {
		return b.of.ShouldSample(p)
	}
	return sdk.SamplingResult{Decision: sdk.Drop, Tracestate: trace.SpanContextFromContext(p.ParentContext).TraceState()}
}

// Description implements sdk.Sampler.
func (b beginnings) Description() string { return "requests, events and turns, " + b.of.Description() }

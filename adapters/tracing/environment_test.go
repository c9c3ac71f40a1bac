package tracing

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// given sets OpenTelemetry's variables and none but these.
func given(t *testing.T, variables string) {
	t.Helper()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
	for _, v := range strings.Fields(variables) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv("OTEL_"+name, value)
	}
}

func TestWhereTracesGo(t *testing.T) {
	const traces, general = "EXPORTER_OTLP_TRACES_ENDPOINT=http://own:4318/path", "EXPORTER_OTLP_ENDPOINT=https://general:4318/base/"
	for _, c := range []struct{ flag, variables, want, refusal string }{
		{"", "", "", ""},
		{"http://flag:4318", "", "http://flag:4318/v1/traces", ""},
		{"", general, "https://general:4318/base/v1/traces", ""},
		{"", traces, "http://own:4318/path", ""},
		{"", traces + " " + general, "http://own:4318/path", ""},
		{"http://flag:4318", traces + " " + general, "http://flag:4318/v1/traces", ""},
		{"", "TRACES_EXPORTER=none " + general, "", ""},
		{"", "TRACES_EXPORTER=otlp " + general, "https://general:4318/base/v1/traces", ""},
		{"http://flag:4318", "TRACES_EXPORTER=none", "http://flag:4318/v1/traces", ""},
		{"http://flag:4318", "SDK_DISABLED=TRUE " + general, "", ""},
		{"http://flag:4318", "SDK_DISABLED=1", "http://flag:4318/v1/traces", ""},
		{"", "TRACES_EXPORTER=zipkin", "", "OTEL_TRACES_EXPORTER: zipkin is not spoken here"},
		{"collector:4318", "", "", "--trace-endpoint collector:4318: an address such as"},
		{"", "EXPORTER_OTLP_ENDPOINT=ftp://x", "", "OTEL_EXPORTER_OTLP_ENDPOINT ftp://x: an address such as"},
		{"", "EXPORTER_OTLP_TRACES_ENDPOINT=:", "", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT :: an address such as"},
	} {
		given(t, c.variables)
		at, err := endpoint(c.flag)
		require.Equal(t, c.want, at.url, "%+v", c)
		if c.refusal != "" {
			require.ErrorContains(t, err, c.refusal)
		} else {
			require.NoError(t, err)
		}
	}
}

func TestHowTracesAreSent(t *testing.T) {
	given(t, "EXPORTER_OTLP_PROTOCOL=grpc EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf EXPORTER_OTLP_TIMEOUT=2500 "+
		"EXPORTER_OTLP_COMPRESSION=gzip")
	p := &peer{answers: []http.Response{{StatusCode: 200}}}
	c := to(t, p)
	require.Equal(t, 2500*time.Millisecond, c.http.Timeout)
	require.NoError(t, c.UploadTraces(t.Context(), spans))
	require.Equal(t, "gzip", p.asked[0].Header.Get("Content-Encoding"))
	require.Len(t, p.batches[0].ResourceSpans, 1)

	missing := filepath.Join(t.TempDir(), "ca.pem")
	for variables, refusal := range map[string]string{
		"EXPORTER_OTLP_PROTOCOL=grpc":                 "OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not spoken here; http/protobuf is",
		"EXPORTER_OTLP_TRACES_PROTOCOL=http/json":     "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: http/json",
		"EXPORTER_OTLP_TIMEOUT=10s":                   "OTEL_EXPORTER_OTLP_TIMEOUT: 10s is no number of milliseconds",
		"EXPORTER_OTLP_COMPRESSION=zstd":              "OTEL_EXPORTER_OTLP_COMPRESSION: zstd",
		"EXPORTER_OTLP_CERTIFICATE=" + missing:        "OTEL_EXPORTER_OTLP_CERTIFICATE: open ",
		"EXPORTER_OTLP_CLIENT_CERTIFICATE=" + missing: "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and its _CLIENT_KEY",
	} {
		given(t, variables)
		_, err := newCollector(place{url: "https://collector:4318/v1/traces"})
		require.ErrorContains(t, err, refusal)
	}
}

// warnings is a logger, and what it was told.
func warnings() (*slog.Logger, *strings.Builder) {
	var said strings.Builder
	return slog.New(slog.NewTextHandler(&said, nil)), &said
}

func TestWhichTracesAreKept(t *testing.T) {
	half, tenth := .5, .1
	for _, c := range []struct {
		share          *float64
		variables      string
		here           bool // a trace that begins here
		wanted, unwant bool // one that a caller keeps, and one that he does not
		warns          string
	}{
		{nil, "", true, true, false, ""},
		{nil, "TRACES_SAMPLER=always_on", true, true, true, ""},
		{nil, "TRACES_SAMPLER=always_off", false, false, false, ""},
		{nil, "TRACES_SAMPLER=parentbased_always_off", false, true, false, ""},
		{nil, "TRACES_SAMPLER=traceidratio TRACES_SAMPLER_ARG=0", false, false, false, ""},
		{nil, "TRACES_SAMPLER=parentbased_traceidratio TRACES_SAMPLER_ARG=0.1", false, true, false, ""},
		{nil, "TRACES_SAMPLER=parentbased_traceidratio", true, true, false, ""},
		{nil, "TRACES_SAMPLER=parentbased_traceidratio TRACES_SAMPLER_ARG=many", true, true, false, "OTEL_TRACES_SAMPLER_ARG is left out"},
		{nil, "TRACES_SAMPLER=xray", true, true, false, "OTEL_TRACES_SAMPLER is left out"},
		{&half, "TRACES_SAMPLER=always_off", false, true, false, ""},
		{&tenth, "TRACES_SAMPLER=always_on", false, true, false, ""},
	} {
		given(t, c.variables)
		log, said := warnings()
		s := sampler(c.share, log)
		kept := func(parent trace.SpanContext, kind trace.SpanKind) bool {
			return s.ShouldSample(sdk.SamplingParameters{ParentContext: trace.ContextWithSpanContext(context.Background(), parent),
				TraceID: farTrace, Kind: kind}).Decision == sdk.RecordAndSample
		}
		caller := trace.SpanContextConfig{TraceID: farTrace, SpanID: trace.SpanID{1}, Remote: true}
		require.Equal(t, c.unwant, kept(trace.NewSpanContext(caller), trace.SpanKindServer), "%+v", c)
		caller.TraceFlags = trace.FlagsSampled
		require.Equal(t, c.wanted, kept(trace.NewSpanContext(caller), trace.SpanKindServer), "%+v", c)
		require.Equal(t, c.here, kept(trace.SpanContext{}, trace.SpanKindConsumer), "%+v", c)
		require.False(t, kept(trace.SpanContext{}, trace.SpanKindClient), "polling is no beginning")
		caller.Remote = false
		require.True(t, kept(trace.NewSpanContext(caller), trace.SpanKindClient), "a part of a trace that is kept: %+v", c)
		require.Contains(t, said.String(), c.warns)
		require.Equal(t, c.warns == "", said.Len() == 0)
	}
}

// farTrace is in no share of traces but all of them.
var farTrace = trace.TraceID{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

func TestHowCallersNameTheirTrace(t *testing.T) {
	for variables, want := range map[string]struct {
		fields []string
		warns  string
	}{
		"":                                 {[]string{"traceparent", "tracestate"}, ""},
		"PROPAGATORS=tracecontext,baggage": {[]string{"traceparent", "tracestate"}, ""},
		"PROPAGATORS=none":                 {nil, ""},
		"PROPAGATORS=b3,tracecontext":      {[]string{"traceparent", "tracestate"}, "propagator=b3"},
	} {
		given(t, variables)
		log, said := warnings()
		require.Equal(t, want.fields, fields(propagator(log)), variables)
		require.Contains(t, said.String(), want.warns)
		require.Equal(t, want.warns == "", said.Len() == 0)
	}
}

func fields(p propagation.TextMapPropagator) []string {
	if f := p.Fields(); len(f) > 0 {
		return f
	}
	return nil
}

func TestAProcessIsDescribedAsItsOperatorWants(t *testing.T) {
	for variables, want := range map[string]map[string]string{
		"": {"service.name": "parley", "service.version": "1.2.3", "service.instance.id": "node-1", "telemetry.sdk.language": "go"},
		"SERVICE_NAME=calls RESOURCE_ATTRIBUTES=service.name=x,deployment.environment.name=staging,service.instance.id=pod-7": {
			"service.name": "calls", "deployment.environment.name": "staging", "service.instance.id": "pod-7", "service.version": "1.2.3"},
	} {
		given(t, variables)
		log, said := warnings()
		has := map[string]string{}
		for _, a := range About(t.Context(), "1.2.3", "node-1", log).Attributes() {
			has[string(a.Key)] = a.Value.String()
		}
		for key, value := range want {
			require.Equal(t, value, has[key], "%s with %q", key, variables)
		}
		require.Zero(t, said.Len())
	}
	given(t, "RESOURCE_ATTRIBUTES=oops")
	log, said := warnings()
	About(t.Context(), "1.2.3", "node-1", log)
	require.Contains(t, said.String(), "OTEL_RESOURCE_ATTRIBUTES")
}

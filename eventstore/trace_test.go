package eventstore_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
)

// The events of a command go on with its trace, and obey a caller who does not want it
// kept. A command that is in no trace says nothing: reactors may begin one.
func TestEventsGoOnWithTheTraceOfTheirCommand(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	otel.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSpanProcessor(spans), sdk.WithSampler(sdk.ParentBased(sdk.NeverSample()))))
	caller := trace.SpanContextConfig{TraceID: trace.TraceID{0xab}, SpanID: trace.SpanID{1}, Remote: true}
	unwanted := trace.NewSpanContext(caller)
	caller.TraceFlags = trace.FlagsSampled
	for name, c := range map[string]struct {
		caller trace.SpanContext
		want   string
		spans  []string
	}{
		"in a trace": {trace.NewSpanContext(caller), `^00-ab0{30}-[0-9a-f]{16}-01$`,
			[]string{"send parley.notebooks", "command on notebooks"}},
		"in one not wanted":  {unwanted, `^00-ab0{30}-[0-9a-f]{16}-00$`, nil},
		"in no trace at all": {trace.SpanContext{}, `^$`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			spans.Reset()
			store := memory.New().Open(eventstore.Config{Node: "n"})
			defer store.Close()
			res, err := eventstore.Execute(trace.ContextWithSpanContext(t.Context(), c.caller), store, notebooks, hot, acme(""), note("a", 1))
			require.NoError(t, err)
			require.Regexp(t, c.want, res.Events[0].Traceparent)
			var names []string
			for _, s := range spans.Ended() {
				names = append(names, s.Name())
			}
			require.Equal(t, c.spans, names)
		})
	}
}

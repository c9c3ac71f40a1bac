// Package genai watches turns, models and the tools of agents: a measure for each, and where it
// is wanted a span, named as OpenTelemetry's conventions for generative AI do.
//
// Those conventions are still in development, so the spans are off unless somebody asks for them,
// and they are of one version, that of Schema. Nothing of what was said, asked or answered is in
// a span, no argument and no result of a tool, and no address. A measure names no account,
// session, agent or model: callers choose how many there are of them.
package genai

import (
	"context"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// Schema is where the version of the conventions is written down; each span names it.
const Schema = semconv.SchemaURL

const scope = "github.com/parley-platform/parley/adapters/genai"

// Watch is of one node. It is to be registered once with Prometheus.
type Watch struct {
	spans bool

	turns  *prometheus.CounterVec
	models *prometheus.HistogramVec
	tokens *prometheus.CounterVec
	cost   *prometheus.CounterVec
	free   *prometheus.CounterVec
	tools  *prometheus.HistogramVec
}

// New makes one that has seen nothing yet. spans says whether spans are wanted, too.
func New(spans bool) *Watch {
	long := []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	w := &Watch{spans: spans,
		turns: counter("parley_turns_total", "Times that this node made the calls of a turn, by how that went: ended, suspended (a callback "+
			"has to come), left (another try has it, it was cut off, or it could not go on here).", "outcome"),
		models: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "parley_model_seconds", Buckets: long,
			Help: "Time in which a model answered, in a turn or a completion, with its repetitions; by provider (own: one of a project) and " +
				"outcome: ok, left, or a code."}, []string{"provider", "outcome"}),
		tokens: counter("parley_model_tokens_total", "Tokens that models took (in) and gave (out).", "provider", "direction"),
		cost:   counter("parley_model_cost_dollars_total", "What models cost, in US dollars, where the price is known.", "provider"),
		free:   counter("parley_model_unpriced_total", "Answers of models whose price is not known.", "provider"),
		tools: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "parley_tool_seconds", Buckets: long,
			Help: "Time that a call of a tool took, with its repetitions; by kind and outcome: ok, error, unknown (a write of which nobody " +
				"knows whether it was done), left."}, []string{"kind", "outcome"}),
	}
	for _, outcome := range []string{Ended, Suspended, Left} {
		w.turns.WithLabelValues(outcome)
	}
	for _, kind := range []dsl.ToolKind{dsl.ToolHTTP, dsl.ToolMCP, dsl.ToolCallback, dsl.ToolCode, dsl.ToolDeployed, dsl.ToolWorkflow,
		dsl.ToolAgent} {
		w.tools.WithLabelValues(string(kind), string(sessions.CallOK))
		w.tools.WithLabelValues(string(kind), string(sessions.CallFailed))
	}
	return w
}

// Expects shows what may come of models before their first case: the first one is seen to happen
// only where a zero stood.
func (w *Watch) Expects(models []completions.Chosen) {
	for _, m := range models {
		w.models.WithLabelValues(m.Provider, outcomeOK)
		w.models.WithLabelValues(m.Provider, string(fault.Unavailable))
		w.models.WithLabelValues(m.Provider, string(fault.RateLimit))
		w.tokens.WithLabelValues(m.Provider, "in")
		w.tokens.WithLabelValues(m.Provider, "out")
		w.cost.WithLabelValues(m.Provider)
		w.free.WithLabelValues(m.Provider)
	}
}

// Describe implements prometheus.Collector.
func (w *Watch) Describe(out chan<- *prometheus.Desc) {
	for _, c := range w.all() {
		c.Describe(out)
	}
}

// Collect implements prometheus.Collector.
func (w *Watch) Collect(out chan<- prometheus.Metric) {
	for _, c := range w.all() {
		c.Collect(out)
	}
}

func (w *Watch) all() []prometheus.Collector {
	return []prometheus.Collector{w.turns, w.models, w.tokens, w.cost, w.free, w.tools}
}

// How a node left a turn, as the label of parley_turns_total.
const (
	Ended     = "ended"
	Suspended = "suspended"
	Left      = "left"
)

// outcomeOK is that of what went well.
const outcomeOK = "ok"

// Turn is told that the calls of a turn are made here, and gives what they belong to; ended is
// told the state that they left, and what kept the turn from going on here.
func (w *Watch) Turn(ctx context.Context, s *sessions.State) (within context.Context, ended func(*sessions.State, error)) {
	agent := s.Talk.Agent
	ctx, span := w.start(ctx, semconv.GenAIOperationNameInvokeAgent, agent, trace.SpanKindInternal)
	if span.IsRecording() {
		span.SetAttributes(semconv.GenAIProviderNameKey.String("parley"), semconv.GenAIAgentName(agent),
			semconv.GenAIConversationID(s.ID))
		if version := s.Talk.Manifest[agent].Version; version > 0 {
			span.SetAttributes(semconv.GenAIAgentVersion(strconv.Itoa(version)))
		}
	}
	return ctx, func(s *sessions.State, err error) {
		outcome := Ended
		switch {
		case err != nil:
			outcome = Left
		case s.Talk.Suspended() != nil:
			outcome = Suspended
		case s.Talk.Running != nil:
			outcome = Left
		}
		w.turns.WithLabelValues(outcome).Inc()
		if span.IsRecording() {
			span.SetAttributes(attribute.String("parley.turn.outcome", outcome))
		}
		span.End()
	}
}

// start begins a span whose operation and subject are its name, as the conventions want it.
func (w *Watch) start(ctx context.Context, operation attribute.KeyValue, of string, kind trace.SpanKind) (context.Context, trace.Span) {
	if !w.spans {
		return ctx, noop.Span{}
	}
	return otel.Tracer(scope, trace.WithSchemaURL(Schema)).Start(ctx, named(operation, of), trace.WithSpanKind(kind),
		trace.WithAttributes(operation))
}

func named(operation attribute.KeyValue, of string) string {
	if of == "" {
		return operation.Value.AsString()
	}
	return operation.Value.AsString() + " " + of
}

func failed(span trace.Span, code string) {
	span.SetAttributes(semconv.ErrorTypeKey.String(code))
	span.SetStatus(codes.Error, "")
}

package genai_test

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/parley-platform/parley/adapters/genai"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// talkative is a model that says a secret, and then ends as it is told.
type talkative struct {
	begins bool
	finish completions.Finish
	err    error
}

func (talkative) Offered() []completions.Chosen     { return nil }
func (talkative) Check(r completions.Request) error { return nil }

func (m talkative) Complete(_ context.Context, _ completions.Request, emit func(completions.Piece) error) (completions.Finish, error) {
	if m.begins {
		if err := emit(completions.Piece{Kind: completions.Begun, Chosen: chosen}); err != nil {
			return completions.Finish{}, err
		}
		if err := emit(completions.Piece{Kind: completions.TextDelta, Text: "a secret"}); err != nil {
			return completions.Finish{}, err
		}
	}
	return m.finish, m.err
}

var (
	chosen = completions.Chosen{ModelID: "small", Provider: "openai", Source: "tier"}
	warm   = 0.5
	asks   = completions.Request{Tier: completions.Fast, MaxTokens: 100, Temperature: &warm,
		Messages: []completions.Message{{Role: completions.User, Text: "a secret"}}, Tools: []completions.Tool{{Name: "find"}},
		Stop: []string{"secret"}}
	whole = completions.Finish{Chosen: chosen, Model: "small-2026", Reason: completions.EndTurn, Usage: completions.Usage{TokensIn: 7,
		TokensOut: 3}, Pricing: completions.Pricing{Version: "2026-11", In: 2_000_000, Out: 10_000_000}}
)

func recorded(t *testing.T) *tracetest.InMemoryExporter {
	t.Helper()
	spans, before := tracetest.NewInMemoryExporter(), otel.GetTracerProvider()
	otel.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSyncer(spans)))
	t.Cleanup(func() { otel.SetTracerProvider(before) })
	return spans
}

// only is the one span since it was asked last, with its attributes. None of them says what was
// said.
func only(t *testing.T, spans *tracetest.InMemoryExporter) (span tracetest.SpanStub, has map[string]any) {
	t.Helper()
	all := spans.GetSpans()
	spans.Reset()
	require.Len(t, all, 1)
	has = map[string]any{}
	for _, a := range all[0].Attributes {
		has[string(a.Key)] = a.Value.AsInterface()
		require.NotContains(t, a.Value.String(), "secret", a.Key)
	}
	require.NotContains(t, all[0].Name, "secret")
	require.Equal(t, "https://opentelemetry.io/schemas/1.40.0", all[0].InstrumentationScope.SchemaURL, "the conventions are pinned")
	return all[0], has
}

func TestAnswersOfModelsHaveSpansThatSayNothingOfThem(t *testing.T) {
	spans, watch := recorded(t), genai.New(true)
	usual := map[string]any{"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "s-1", "gen_ai.agent.name": "host",
		"gen_ai.request.max_tokens": int64(100), "gen_ai.request.temperature": 0.5}
	begun := map[string]any{"gen_ai.provider.name": "openai", "gen_ai.request.model": "small", "gen_ai.usage.input_tokens": int64(3),
		"gen_ai.usage.output_tokens": int64(2)}
	for name, c := range map[string]struct {
		model talkative
		name  string
		has   map[string]any
	}{
		"whole": {talkative{true, whole, nil}, "chat small", map[string]any{"gen_ai.provider.name": "openai", "gen_ai.request.model": "small",
			"gen_ai.response.model": "small-2026", "gen_ai.usage.input_tokens": int64(7), "gen_ai.usage.output_tokens": int64(3),
			"gen_ai.response.finish_reasons": []string{"end_turn"}}},
		"cut off": {talkative{true, completions.Finish{}, errors.New("a secret")}, "chat small", with(begun, "error.type", "INTERNAL_ERROR")},
		"away": {talkative{false, completions.Finish{Chosen: chosen}, fault.New(fault.RateLimit, "a secret")}, "chat small",
			map[string]any{"gen_ai.provider.name": "openai", "gen_ai.request.model": "small", "error.type": "RATE_LIMIT_EXCEEDED"}},
		"not begun": {talkative{false, completions.Finish{}, fault.New(fault.RateLimit, "a secret")}, "chat", with(nil,
			"error.type", "RATE_LIMIT_EXCEEDED")},
	} {
		t.Run(name, func(t *testing.T) {
			finish, err := watch.Models(c.model, genai.Asked{Session: "s-1", Agent: "host"}).Complete(t.Context(), asks,
				func(completions.Piece) error { return nil })
			require.Equal(t, c.model.finish, finish, "it is only watched")
			require.Equal(t, c.model.err, err)
			span, has := only(t, spans)
			require.Equal(t, c.name, span.Name)
			require.Equal(t, err != nil, span.Status.Code == codes.Error)
			for key, value := range usual {
				require.Equal(t, value, has[key], key)
				delete(has, key)
			}
			require.Equal(t, c.has, has)
		})
	}
}

func with(of map[string]any, key string, value any) map[string]any {
	out := map[string]any{key: value}
	for k, v := range of {
		out[k] = v
	}
	return out
}

func TestTurnsAndToolsHaveSpans(t *testing.T) {
	spans, watch := recorded(t), genai.New(true)
	s := sessions.State{ID: "s-1"}
	s.Talk.Agent, s.Talk.Manifest = "host", map[string]sessions.Pinned{"host": {Version: 3}}
	ctx, ended := watch.Turn(t.Context(), &s)
	_, answered := watch.Tool(ctx, genai.ToolCall{Session: "s-1", Agent: "host", Tool: "find", Kind: dsl.ToolHTTP, CallID: "c-1"})
	answered(sessions.CallEnded{Outcome: sessions.CallFailed, Code: "HTTP_404", Problem: "a secret"})
	tool, has := only(t, spans)
	require.Equal(t, "execute_tool find", tool.Name)
	require.Equal(t, map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find", "gen_ai.tool.call.id": "c-1",
		"gen_ai.tool.type": "extension", "gen_ai.conversation.id": "s-1", "gen_ai.agent.name": "host", "error.type": "HTTP_404"}, has)

	ended(&s, nil)
	turn, has := only(t, spans)
	require.Equal(t, tool.Parent.SpanID(), turn.SpanContext.SpanID(), "what a turn does belongs to it")
	require.Equal(t, "invoke_agent host", turn.Name)
	require.Equal(t, map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "parley", "gen_ai.agent.name": "host",
		"gen_ai.agent.version": "3", "gen_ai.conversation.id": "s-1", "parley.turn.outcome": "ended"}, has)
}

// Given nobody who wants spans, then there are none, and the measures are the same.
func TestWhatIsMeasured(t *testing.T) {
	spans, watch := recorded(t), genai.New(false)
	say := func(m talkative, own bool) {
		_, _ = watch.Models(m, genai.Asked{Own: func(string) bool { return own }}).Complete(t.Context(), asks,
			func(completions.Piece) error { return nil })
	}
	free := whole
	free.Pricing = completions.Pricing{}
	say(talkative{true, whole, nil}, false)
	say(talkative{true, whole, nil}, false)
	say(talkative{true, free, nil}, true)
	say(talkative{false, completions.Finish{Chosen: chosen}, fault.New(fault.Unavailable, "away")}, false)
	say(talkative{false, completions.Finish{}, fault.New(fault.Unavailable, "none")}, false)
	running, suspended := sessions.State{}, sessions.State{}
	running.Talk.Running, suspended.Talk.Running = &sessions.Running{}, &sessions.Running{Suspended: &sessions.Suspension{}}
	for _, left := range []sessions.State{{}, running, suspended} {
		_, ended := watch.Turn(t.Context(), &sessions.State{})
		ended(&left, nil)
	}
	_, ended := watch.Turn(t.Context(), &sessions.State{})
	ended(&sessions.State{}, errors.New("the log is away"))
	require.Empty(t, spans.GetSpans())
	require.Equal(t, map[string]float64{
		"parley_model_cost_dollars_total openai": 8.8e-05, "parley_model_unpriced_total own": 1,
		"parley_model_tokens_total in openai": 14, "parley_model_tokens_total in own": 7,
		"parley_model_tokens_total out openai": 6, "parley_model_tokens_total out own": 3,
		"parley_turns_total ended": 1, "parley_turns_total left": 2, "parley_turns_total suspended": 1,
		"parley_model_seconds ok openai": 2, "parley_model_seconds ok own": 1, "parley_model_seconds SERVICE_UNAVAILABLE openai": 1,
		"parley_model_seconds SERVICE_UNAVAILABLE ": 1,
	}, counted(t, watch))
}

// counted are the counters that are not 0, and how often what is timed was, by name and values of
// labels.
func counted(t *testing.T, w *genai.Watch) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(w)
	all, err := registry.Gather()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, family := range all {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			if value := m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount()); value > 0 {
				out[name] = value
			}
		}
	}
	return out
}

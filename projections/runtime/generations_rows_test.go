package runtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// Given models that were asked in sessions, then each is listed and counted in its session, and
// what names a session of nobody, of another project or of another tenant is in none.
func TestAnswersAboutGenerations(t *testing.T) {
	w := given.Open(t)
	open := func(id, tenant, project string, after time.Duration) {
		w.Given(voice.SessionsModel, id, sessions.Opened{SessionID: id, TenantID: tenant, ProjectID: project, Channel: "api",
			AgentName: "greeter", At: given.Noon.Add(after)})
	}
	open("s-1", "t", "p", 0)
	open("s-2", "t", "p", time.Minute)
	open("s-3", "t", "other", 0)
	cost := int64(100)
	add := func(id, tenant, session, model string, cost *int64, latency int64) {
		f := completions.Figures{CompletionID: id, TenantID: tenant, ProjectID: "p", SessionID: session, ModelID: model, Provider: "openai",
			Model: model + "-1", TokensIn: 10, TokensOut: 1, Cost: cost, LatencyMs: latency}
		at := given.Noon.Add(time.Duration(latency) * time.Minute)
		if model == "" {
			w.Given(runtime.CompletionsModel, id, completions.Failed{Figures: f, Reason: completions.Refused, At: at})
			return
		}
		w.Given(runtime.CompletionsModel, id, completions.Finished{Figures: f, FinishReason: completions.EndTurn, At: at})
	}
	for i := range 20 {
		add(fmt.Sprintf("c-%02d", i+1), "t", "s-1", "small", &cost, int64(i+1))
	}
	add("c-21", "t", "s-1", "large", nil, 50)
	add("c-22", "t", "s-2", "", nil, 2)
	add("c-23", "t", "s-3", "small", &cost, 1)   // a session of another project
	add("c-24", "t", "", "small", &cost, 1)      // of none
	add("c-25", "t", "s-9", "small", &cost, 1)   // that there never was
	add("c-26", "u", "s-1", "small", &cost, 100) // of another tenant
	x, s, ctx := runtime.NewCompletions(w.DB), runtime.NewSessions(w.DB), t.Context()

	q := runtime.GenerationQuery{Tenant: "t", Project: "p", From: given.Noon, To: given.Noon.Add(50 * time.Minute), Limit: 2}
	found, total, err := x.Generations(ctx, q)
	require.NoError(t, err)
	require.Equal(t, 21, total, "the end is not in it")
	require.Equal(t, []string{"c-20", "c-19"}, []string{found[0].CompletionID, found[1].CompletionID})
	require.Equal(t, []any{"s-1", "greeter", "small", "openai", "small-1", int64(10), int64(1), int64(20), "end_turn", ""},
		[]any{found[0].SessionID, found[0].AgentName, found[0].ModelID, found[0].Provider, found[0].Model, found[0].TokensIn,
			found[0].TokensOut, found[0].LatencyMs, found[0].FinishReason, found[0].Failed})
	q.SessionID, q.Limit = "s-2", 9
	found, total, err = x.Generations(ctx, q)
	require.NoError(t, err)
	require.Equal(t, []any{1, "provider_failed"}, []any{total, found[0].Failed})
	q.SessionID, q.ModelID, q.To = "", "large", q.To.Add(time.Second)
	_, total, err = x.Generations(ctx, q)
	require.NoError(t, err)
	require.Equal(t, 1, total)

	by, err := x.OfSession(ctx, "t", "p", "s-1")
	require.NoError(t, err)
	require.Equal(t, []runtime.ModelCalls{
		{ModelID: "small", Provider: "openai", Calls: 20, Cost: 2000, In: 200, Out: 20, P50: 10, P95: 19},
		{ModelID: "large", Provider: "openai", Calls: 1, Unpriced: 1, In: 10, Out: 1, P50: 50, P95: 50},
		{Together: true, Calls: 21, Unpriced: 1, Cost: 2000, In: 210, Out: 21, P50: 11, P95: 20}}, by)
	w.Given(runtime.CompletionsModel, "c-27", completions.Failed{Figures: completions.Figures{CompletionID: "c-27", TenantID: "t",
		ProjectID: "p", SessionID: "s-2", Provider: "openai", LatencyMs: 2}, Reason: "provider_failed",
		At: given.Noon}) // nobody was asked: nothing to price
	w.Given(runtime.CompletionsModel, "c-28", completions.Failed{Figures: completions.Figures{CompletionID: "c-28", TenantID: "t",
		ProjectID: "p", SessionID: "s-2", Provider: "openai", LatencyMs: 2}, Reason: sessions.CodeCancelled, // which is no failure
		At: given.Noon})
	by, err = x.OfSession(ctx, "t", "p", "s-2")
	require.NoError(t, err)
	require.Equal(t, runtime.ModelCalls{Together: true, Calls: 3, Failed: 2, Unpriced: 1, In: 10, Out: 1, P50: 2, P95: 2}, by[1])
	by, err = x.OfSession(ctx, "t", "p", "s-9")
	require.NoError(t, err)
	require.Equal(t, []runtime.ModelCalls{{Together: true}}, by)

	one, _, err := s.Shown(ctx, "t", "s-1")
	require.NoError(t, err)
	require.Equal(t, []int64{231, 2000}, []int64{one.Tokens, one.Cost}, "the session says the same")
	begun, err := s.Begun(ctx, "t", "p", given.Noon, given.Noon.Add(time.Hour), runtime.Session{}, 9)
	require.NoError(t, err)
	require.Equal(t, []string{"s-1", "s-2"}, []string{begun[0].SessionID, begun[1].SessionID})
	begun, err = s.Begun(ctx, "t", "p", given.Noon, given.Noon.Add(time.Hour), begun[0], 9)
	require.NoError(t, err)
	require.Len(t, begun, 1)
	begun, err = s.Begun(ctx, "t", "p", given.Noon, given.Noon.Add(time.Minute), runtime.Session{}, 9)
	require.NoError(t, err)
	require.Len(t, begun, 1, "the end is not in it")
}

package runtime_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

func TestRowsOfCompletions(t *testing.T) {
	model := given.Open(t).Follow(runtime.CompletionsModel)
	cost := int64(9)
	figures := completions.Figures{CompletionID: "c-1", TenantID: "t", ProjectID: "p", ModelID: "m", Provider: "local", TokensIn: 2,
		TokensOut: 3, Cost: &cost, LatencyMs: 7, SessionID: "s-1", Model: "gpt", Estimated: true, Streamed: true}
	till := given.Noon.Add(time.Hour)
	model.After("c-1", completions.Finished{Figures: figures, FinishReason: "end_turn", Blob: "b", KeptTill: &till, At: given.Noon},
		"+ completions completion_id=c-1 tenant=t project_id=p model_id=m provider=local tokens=5 cost=9 latency_ms=7 "+
			"ended_at=12:00:00 session_id=s-1 model=gpt tokens_in=2 tokens_out=3 estimated=true streamed=true finish_reason=end_turn",
		"+ timers stream=completion-c-1 name=completion-answer topic=parley.completions "+
			"tenant=tenantId due_at=13:00:00 claimed_until=-infinity")
	model.After("c-1", completions.AnswerDropped{CompletionID: "c-1", At: till}, "- timers stream=completion-c-1 name=completion-answer")
	figures.CompletionID, figures.Cost = "c-2", nil
	model.After("c-2", completions.Failed{Figures: figures, Reason: "caller_left", At: given.Noon},
		"+ completions completion_id=c-2 tenant=t project_id=p model_id=m provider=local tokens=5 latency_ms=7 ended_at=12:00:00 "+
			"session_id=s-1 model=gpt tokens_in=2 tokens_out=3 estimated=true streamed=true failed=caller_left")
	asked := sessions.ModelAnswered{InTurn: sessions.InTurn{Turn: 1, At: given.Noon}, CallID: "c-3", ProjectID: "p", ModelID: "m",
		Agent: "guide", Provider: "local", Model: "gpt", TokensIn: 2, TokensOut: 3, CostPico: &cost, TookMs: 7, Finish: "tool_use"}
	model.After("s-1", asked, "+ completions completion_id=c-3 tenant=tenantId project_id=p model_id=m provider=local tokens=5 cost=9 "+
		"latency_ms=7 ended_at=12:00:00 session_id=s-1 model=gpt tokens_in=2 tokens_out=3 finish_reason=tool_use of_turn=true agent_name=guide")
	cut := sessions.ModelAnswered{InTurn: asked.InTurn, CallID: "c-4", ProjectID: "p", Failed: sessions.CodeCancelled}
	model.After("s-1", cut,
		"+ completions completion_id=c-4 tenant=tenantId project_id=p ended_at=12:00:00 session_id=s-1 failed=CANCELLED of_turn=true")
	counted := sessions.ModelCounted{InTurn: asked.InTurn, CallID: "c-4", ProjectID: "p", Agent: "guide", ModelID: "m", Provider: "local",
		Model: "gpt", TokensIn: 2, TokensOut: 3, Estimated: true, CostPico: &cost, TookMs: 7}
	model.After("s-1", counted, "~ completions completion_id=c-4: model_id=m provider=local "+
		"tokens=5 cost=9 latency_ms=7 model=gpt tokens_in=2 tokens_out=3 estimated=true agent_name=guide")
}

// Given completions of two models, one of them without a price, then they are summed up
// within the time, of the project alone.
func TestAnswersAboutCompletions(t *testing.T) {
	w := given.Open(t)
	cost := int64(100)
	add := func(id, tenant, project, model string, cost *int64, after time.Duration) {
		w.Given(runtime.CompletionsModel, id, completions.Finished{Figures: completions.Figures{CompletionID: id,
			TenantID: tenant, ProjectID: project, ModelID: model, Provider: "openai", TokensIn: 10, TokensOut: 1,
			Cost: cost, LatencyMs: 50}, At: given.Noon.Add(after)})
	}
	add("c-1", "t", "p", "small", &cost, 0)
	add("c-2", "t", "p", "small", &cost, time.Minute)
	add("c-3", "t", "p", "large", nil, time.Minute)
	add("c-4", "t", "p", "", nil, time.Minute)
	add("c-5", "t", "p", "small", &cost, time.Hour)
	add("c-6", "t", "other", "small", &cost, 0)
	add("c-7", "other", "p", "small", &cost, 0)
	w.Given(runtime.CompletionsModel, "c-8", completions.Failed{Figures: completions.Figures{CompletionID: "c-8", TenantID: "t",
		ProjectID: "p"}, Reason: "provider_failed", At: given.Noon}) // nobody was asked: it took nothing that had to be priced
	x, ctx, to := runtime.NewCompletions(w.DB), t.Context(), given.Noon.Add(time.Hour)
	took, err := x.Usage(ctx, "t", "p", given.Noon, to)
	require.NoError(t, err)
	require.Equal(t, []runtime.ModelUsage{{ModelID: "small", Provider: "openai", Tokens: 22, Cost: 200, Requests: 2, LatencyMs: 50},
		{Provider: "openai", Tokens: 11, Requests: 1, Unpriced: 1, LatencyMs: 50},
		{ModelID: "large", Provider: "openai", Tokens: 11, Requests: 1, Unpriced: 1, LatencyMs: 50}, {Requests: 1},
		{Together: true, Tokens: 44, Cost: 200, Requests: 5, Unpriced: 2, LatencyMs: 40}}, took, "those of models are those of all")
	most := int64(math.MaxInt64) // the sum of more than can be told is as much as can be
	add("c-9", "t", "much", "dear", &most, 0)
	add("c-10", "t", "much", "dear", &most, 0)
	took, err = x.Usage(ctx, "t", "much", given.Noon, to)
	require.NoError(t, err)
	require.Equal(t, []int64{9e18, 9e18}, []int64{took[0].Cost, took[1].Cost})
	none, err := x.Usage(ctx, "t", "p", to.Add(time.Hour), to.Add(2*time.Hour))
	require.NoError(t, err)
	require.Equal(t, []runtime.ModelUsage{{Together: true}}, none)
}

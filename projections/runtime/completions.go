package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/projections"
)

// AnswerTimer has a kept answer dropped when its time is over.
const AnswerTimer = "completion-answer"

// CompletionsModel stores what completions took and cost, and what models did that turns asked.
var CompletionsModel = newCompletionsModel()

// asker is who asked a model: an agent in a turn, or else who completed.
type asker struct {
	turn  bool
	agent string
}

func newCompletionsModel() *projections.Model {
	m := projections.NewModel("completions", 5, []string{"completions", "timers"}, completions.Completions.Category,
		sessions.Sessions.Category)
	put := func(b *projections.Batch, f completions.Figures, by asker, finish, failed string, at time.Time) {
		b.Put("completions", projections.Row{"completion_id": f.CompletionID}, projections.Row{"tenant": f.TenantID,
			"project_id": f.ProjectID, "session_id": f.SessionID, "model_id": f.ModelID, "provider": f.Provider, "model": f.Model,
			"tokens": f.TokensIn + f.TokensOut, "tokens_in": f.TokensIn, "tokens_out": f.TokensOut, "estimated": f.Estimated,
			"cost": f.Cost, "latency_ms": f.LatencyMs, "streamed": f.Streamed, "finish_reason": finish, "failed": failed, "ended_at": at,
			"of_turn": by.turn, "agent_name": by.agent})
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e completions.Finished) {
		put(b, e.Figures, asker{}, e.FinishReason, "", e.At)
		if e.KeptTill != nil {
			b.SetTimer(at, AnswerTimer, *e.KeptTill)
		}
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e completions.Failed) {
		put(b, e.Figures, asker{}, "", e.Reason, e.At)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, _ completions.AnswerDropped) {
		b.ClearTimer(at, AnswerTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.ModelAnswered) {
		put(b, completions.Figures{CompletionID: e.CallID, TenantID: at.Tenant, ProjectID: e.ProjectID, SessionID: at.StreamID,
			ModelID: e.ModelID, Provider: e.Provider, Model: e.Model, TokensIn: e.TokensIn, TokensOut: e.TokensOut,
			Estimated: e.Estimated, Cost: e.CostPico, LatencyMs: e.TookMs}, asker{true, e.Agent}, e.Finish, e.Failed, e.At)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.ModelCounted) { // in place of its cancelled answer
		put(b, completions.Figures{CompletionID: e.CallID, TenantID: at.Tenant, ProjectID: e.ProjectID, SessionID: at.StreamID,
			ModelID: e.ModelID, Provider: e.Provider, Model: e.Model, TokensIn: e.TokensIn, TokensOut: e.TokensOut,
			Estimated: e.Estimated, Cost: e.CostPico, LatencyMs: e.TookMs}, asker{true, e.Agent}, "", sessions.CodeCancelled, e.At)
	})
	projections.Ignore[sessions.Opened](m)
	projections.IgnoreTalk(m)
	return m
}

// Completions answers what completions took and cost.
type Completions struct{ db *pgxpool.Pool }

// NewCompletions reads through the pool.
func NewCompletions(db *pgxpool.Pool) *Completions { return &Completions{db} }

// ModelUsage is what one model took, or all together.
type ModelUsage struct {
	Together  bool   // all of them
	ModelID   string // else of this one; empty: no model began
	Provider  string
	Tokens    int64
	Cost      int64 // pico-dollars of those whose price is known
	Requests  int64
	Unpriced  int64   // that took tokens whose price is not known
	LatencyMs float64 // on average
}

// Usage sums up what a project's completions of [from, to) took: by model, those that took most first, and together as
// the last one.
func (x *Completions) Usage(ctx context.Context, tenant, project string, from, to time.Time) ([]ModelUsage, error) {
	return projections.All[ModelUsage](ctx, x.db, "summing up completions", `SELECT grouping(model_id) = 1 AS together,
			coalesce(model_id, '') AS model_id, coalesce(provider, '') AS provider,
			least(coalesce(sum(tokens), 0), 9e18)::bigint AS tokens, least(coalesce(sum(cost), 0), 9e18)::bigint AS cost,
			count(*) AS requests, count(*) FILTER (WHERE cost IS NULL AND tokens > 0) AS unpriced,
			coalesce(avg(latency_ms), 0)::float8 AS latency_ms
		FROM completions WHERE tenant = $1 AND project_id = $2 AND ended_at >= $3 AND ended_at < $4
		GROUP BY GROUPING SETS ((), (model_id, provider))
		ORDER BY together, sum(tokens) DESC, model_id, provider`, tenant, project, from, to)
}

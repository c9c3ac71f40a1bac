package traces

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	models "github.com/parley-platform/parley/projections/runtime"
)

// usualGenerations is how far back one looks who does not say from when.
const usualGenerations = 24 * time.Hour

type generationsIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	From      string `query:"from" doc:"A day or a moment: answered then or later; 24 hours ago, or before to where that is past, unless said." example:"2026-11-21"`
	To        string `query:"to" doc:"A moment: answered before; or a day, which is included; now unless said." example:"2026-11-22T00:00:00Z"`
	SessionID string `query:"sessionId" maxLength:"128" doc:"Only of this session (extension)."`
	ModelID   string `query:"modelId" maxLength:"128" doc:"Only of this model (extension)."`
	rest.Page
}

// Generation is one time that a model was asked.
type Generation struct {
	ID            string          `json:"id"`
	Type          string          `json:"type" enum:"llm_call"`
	SessionID     string          `json:"sessionId"`
	AgentName     string          `json:"agentName" doc:"That asked; of a completion that names the session, with which the session began."`
	ModelID       string          `json:"modelId" doc:"Empty: no model began to answer."`
	Provider      string          `json:"provider"`
	Model         string          `json:"model" doc:"As its provider calls it."`
	Usage         GenerationUsage `json:"usage"`
	EstimatedCost *float64        `json:"estimatedCost" nullable:"true" doc:"US dollars; null: the price is not known."`
	DurationMs    int64           `json:"durationMs"`
	Streamed      bool            `json:"streamed"`
	Status        string          `json:"status" enum:"ok,error"`
	FinishReason  string          `json:"finishReason,omitempty" example:"end_turn"`
	Error         string          `json:"error,omitempty" doc:"Why no whole answer came: caller_left, provider_failed or not_kept."`
	Timestamp     string          `json:"timestamp" format:"date-time" doc:"When it ended."`
}

// GenerationUsage is what an answer took, in tokens.
type GenerationUsage struct {
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
	TotalTokens  int64 `json:"totalTokens"`
	Estimated    bool  `json:"estimated" doc:"Nobody counted: a token is taken to be four bytes."`
}

type generationsOut struct {
	Body struct {
		Success     bool            `json:"success"`
		Generations []Generation    `json:"generations"`
		Pagination  rest.Pagination `json:"pagination"`
	}
}

func (x API) generations(ctx context.Context, in *generationsIn) (*generationsOut, error) {
	from, to, err := periodOf(in.From, in.To, x.Chat.Now(), usualGenerations)
	if err != nil {
		return nil, err
	}
	project := rest.ProjectOf(ctx)
	found, total, err := x.Asked.Generations(ctx, models.GenerationQuery{Tenant: project.TenantID, Project: project.ID,
		SessionID: in.SessionID, ModelID: in.ModelID, From: from, To: to, Limit: in.Limit, Offset: in.Offset})
	if err != nil {
		return nil, err
	}
	out := &generationsOut{}
	out.Body.Success, out.Body.Generations, out.Body.Pagination = true, rest.Shown(found, shownGeneration), in.Of(total)
	return out, nil
}

// periodOf is the time that is asked for; without an end it is all until now, what happened just now included.
func periodOf(from, to string, now time.Time, usual time.Duration) (start, end time.Time, err error) {
	var f fault.Fields
	start, end = rest.Range{From: "from", To: "to", Now: now, End: now.Add(time.Millisecond), Usual: usual,
		Late: "must not be after to"}.Read(&f, from, to)
	return start, end, f.InOrder().Err()
}

func shownGeneration(g models.Generation) Generation {
	out := Generation{ID: g.CompletionID, Type: "llm_call", SessionID: g.SessionID, AgentName: g.AgentName, ModelID: g.ModelID,
		Provider: g.Provider, Model: g.Model, Usage: GenerationUsage{g.TokensIn, g.TokensOut, g.TokensIn + g.TokensOut, g.Estimated},
		DurationMs: g.LatencyMs, Streamed: g.Streamed, Status: "ok", FinishReason: g.FinishReason, Error: g.Failed,
		Timestamp: rest.ISOTime(&g.EndedAt)}
	if g.Failed != "" {
		out.Status = "error"
	}
	if g.Cost != nil {
		cost := completions.Dollars(*g.Cost)
		out.EstimatedCost = &cost
	}
	return out
}

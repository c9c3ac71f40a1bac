package genai

import (
	"cmp"
	"context"
	"errors"
	"time"

	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// answerer are the models that somebody may ask.
type answerer interface {
	Offered() []completions.Chosen
	Check(r completions.Request) error
	Complete(ctx context.Context, r completions.Request, emit func(completions.Piece) error) (completions.Finish, error)
}

// Asked is for whom models are asked.
type Asked struct {
	Session, Agent string                    // of a turn; empty: it is a completion
	Own            func(modelID string) bool // whether the model is the project's own
}

// Models are models whose answers are watched.
type Models struct {
	answerer
	by *Watch
	of Asked
}

// Models watches the answers of models.
func (w *Watch) Models(all answerer, of Asked) Models { return Models{all, w, of} }

// own stands for the providers of projects, which choose their names.
const own = "own"

// Complete has a model answer.
func (m Models) Complete(ctx context.Context, r completions.Request, emit func(completions.Piece) error) (completions.Finish, error) {
	ctx, span := m.by.start(ctx, semconv.GenAIOperationNameChat, r.ModelID, trace.SpanKindClient)
	defer span.End()
	begin := time.Now()
	var a completions.Answer
	finish, err := m.answerer.Complete(ctx, r, func(p completions.Piece) error {
		a.Take(p)
		return emit(p)
	})
	seen, code := finish, codeOf(ctx, err)
	if a.Chosen.ModelID != "" {
		seen.Chosen = a.Chosen
	}
	if err != nil || finish.Usage.Estimated {
		seen.Usage = a.Estimate(r)
	}
	w, provider := m.by, m.provider(seen.Chosen)
	w.models.WithLabelValues(provider, cmp.Or(code, outcomeOK)).Observe(time.Since(begin).Seconds())
	if a.Chosen.ModelID != "" {
		w.count(provider, seen)
	}
	if span.IsRecording() {
		m.describe(span, r, seen)
		if code != "" {
			failed(span, code)
		}
	}
	return finish, err
}

// codeOf is how an answer failed; empty: it did not.
func codeOf(ctx context.Context, err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return sessions.CodeTimeout
	case ctx.Err() != nil:
		return Left
	}
	return string(fault.CodeOf(err))
}

// provider is as a label has it; empty: no model could be asked.
func (m Models) provider(of completions.Chosen) string {
	if m.of.Own != nil && m.of.Own(of.ModelID) {
		return own
	}
	return of.Provider
}

// count counts what a model took that has begun.
func (w *Watch) count(provider string, finish completions.Finish) {
	w.tokens.WithLabelValues(provider, "in").Add(float64(finish.Usage.TokensIn))
	w.tokens.WithLabelValues(provider, "out").Add(float64(finish.Usage.TokensOut))
	if cost := finish.Pricing.Cost(finish.Usage); cost != nil {
		w.cost.WithLabelValues(provider).Add(completions.Dollars(*cost))
	} else {
		w.free.WithLabelValues(provider).Inc()
	}
}

func (m Models) describe(span trace.Span, r completions.Request, finish completions.Finish) {
	if m.of.Session != "" {
		span.SetAttributes(semconv.GenAIConversationID(m.of.Session), semconv.GenAIAgentName(m.of.Agent))
	}
	if r.MaxTokens > 0 {
		span.SetAttributes(semconv.GenAIRequestMaxTokens(int(r.MaxTokens)))
	}
	if r.Temperature != nil {
		span.SetAttributes(semconv.GenAIRequestTemperature(*r.Temperature))
	}
	model := cmp.Or(finish.Chosen.ModelID, r.ModelID)
	span.SetName(named(semconv.GenAIOperationNameChat, model))
	if model != "" {
		span.SetAttributes(semconv.GenAIRequestModel(model))
	}
	if finish.Chosen.ModelID == "" { // none could be asked
		return
	}
	span.SetAttributes(semconv.GenAIProviderNameKey.String(finish.Chosen.Provider))
	if finish.Usage.TokensIn+finish.Usage.TokensOut == 0 {
		return
	}
	span.SetAttributes(semconv.GenAIUsageInputTokens(int(finish.Usage.TokensIn)), semconv.GenAIUsageOutputTokens(int(finish.Usage.TokensOut)))
	if finish.Model != "" {
		span.SetAttributes(semconv.GenAIResponseModel(finish.Model))
	}
	if finish.Reason != "" {
		span.SetAttributes(semconv.GenAIResponseFinishReasons(finish.Reason))
	}
}

// ToolCall is a call of a tool of an agent.
type ToolCall struct {
	Session, Agent string
	Tool           string
	Kind           dsl.ToolKind
	CallID         string
}

// Tool is told that a tool is called; ended, what came of that.
func (w *Watch) Tool(ctx context.Context, of ToolCall) (within context.Context, ended func(sessions.CallEnded)) {
	begin := time.Now()
	ctx, span := w.start(ctx, semconv.GenAIOperationNameExecuteTool, of.Tool, trace.SpanKindInternal)
	if span.IsRecording() {
		span.SetAttributes(semconv.GenAIToolName(of.Tool), semconv.GenAIToolCallID(of.CallID), semconv.GenAIToolType("extension"),
			semconv.GenAIConversationID(of.Session), semconv.GenAIAgentName(of.Agent))
	}
	return ctx, func(e sessions.CallEnded) {
		outcome := string(e.Outcome)
		if e.Outcome != sessions.CallOK && ctx.Err() != nil {
			outcome = Left
		}
		w.tools.WithLabelValues(string(of.Kind), outcome).Observe(time.Since(begin).Seconds())
		if span.IsRecording() && e.Outcome != sessions.CallOK {
			failed(span, cmp.Or(e.Code, outcome))
		}
		span.End()
	}
}

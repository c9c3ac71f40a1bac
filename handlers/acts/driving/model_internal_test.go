package driving

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// thinker answers as a test says.
type thinker func(ctx context.Context, emit func(completions.Piece) error) (completions.Finish, error)

func (thinker) Check(r completions.Request) error {
	if r.ModelID == "none-such" {
		return fault.Field("modelId", "is no model of this server")
	}
	return nil
}

func (f thinker) Complete(ctx context.Context, _ completions.Request, emit func(completions.Piece) error) (completions.Finish, error) {
	return f(ctx, emit)
}

// of has one model answer whomever.
func of(f thinker) func(context.Context, ModelsOf) (Answerer, error) {
	return func(context.Context, ModelsOf) (Answerer, error) { return f, nil }
}

func begin(emit func(completions.Piece) error) completions.Chosen {
	chosen := completions.Chosen{ModelID: "small", Provider: "openai"}
	_ = emit(completions.Piece{Kind: completions.Begun, Chosen: chosen})
	return chosen
}

// Given what a model says and wants, then the turn has it with what it took and cost.
func TestWhatAModelAnswersATurn(t *testing.T) {
	x := &Turns{Models: of(func(_ context.Context, emit func(completions.Piece) error) (completions.Finish, error) {
		chosen := begin(emit)
		_ = emit(completions.Piece{Kind: completions.TextDelta, Text: "One moment."})
		_ = emit(completions.Piece{Kind: completions.ToolEnded, Call: completions.ToolCall{ID: "c", Name: "find", Arguments: "{}"}})
		return completions.Finish{Chosen: chosen, Model: "gpt", Reason: completions.ToolUse, Usage: completions.Usage{TokensIn: 3, TokensOut: 2},
			Pricing: completions.Pricing{Version: "2026-11", In: 10, Out: 100}}, nil
	})}
	got := x.ask(t.Context(), ModelsOf{}, &turns.Question{Timeout: time.Minute}, nil)
	require.Equal(t, []any{"One moment.", "find", completions.ToolUse, "small", "openai", "gpt", int64(3), int64(2), int64(230), ""},
		[]any{got.Text, got.ToolCalls[0].Name, got.Finish, got.ModelID, got.Provider, got.Model, got.TokensIn, got.TokensOut, *got.CostPico,
			got.Failed})
}

// Given a model that fails in the middle, then the turn has a code, what it took, and nothing that
// was said until then.
func TestAModelThatFailsATurn(t *testing.T) {
	stuck := thinker(func(ctx context.Context, emit func(completions.Piece) error) (completions.Finish, error) {
		begin(emit)
		_ = emit(completions.Piece{Kind: completions.TextDelta, Text: "One mo"})
		<-ctx.Done()
		return completions.Finish{}, fault.New(fault.Unavailable, "it did not answer to the end")
	})
	got := (&Turns{Models: of(stuck)}).ask(t.Context(), ModelsOf{}, &turns.Question{Timeout: time.Millisecond}, nil)
	require.Equal(t, []any{sessions.CodeTimeout, "", "small", true}, []any{got.Failed, got.Text, got.ModelID, got.Estimated})
	busy := thinker(func(context.Context, func(completions.Piece) error) (completions.Finish, error) {
		return completions.Finish{}, fault.New(fault.RateLimit, "too many requests")
	})
	got = (&Turns{Models: of(busy)}).ask(t.Context(), ModelsOf{}, &turns.Question{Timeout: time.Minute}, nil)
	require.Equal(t, []any{string(fault.RateLimit), ""}, []any{got.Failed, got.ModelID})
	require.Equal(t, modelBroke, (&Turns{}).ask(t.Context(), ModelsOf{}, &turns.Question{}, nil).Failed)
}

// Given an answer that is cut off, then what its provider had told of it goes before what is guessed.
func TestWhatAProviderToldBeforeTheCut(t *testing.T) {
	cut := thinker(func(_ context.Context, emit func(completions.Piece) error) (completions.Finish, error) {
		chosen := begin(emit)
		_ = emit(completions.Piece{Kind: completions.TextDelta, Text: "One moment, please."})
		return completions.Finish{Chosen: chosen, Usage: completions.Usage{TokensIn: 300, TokensOut: 1},
			Pricing: completions.Pricing{Version: "v", In: 1, Out: 10}}, context.Canceled
	})
	got := (&Turns{Models: of(cut)}).ask(t.Context(), ModelsOf{}, &turns.Question{Timeout: time.Minute}, nil)
	require.Equal(t, []any{int64(300), int64(5), true, int64(350)}, []any{got.TokensIn, got.TokensOut, got.Estimated, *got.CostPico})
}

// poor is a project that has spent what it may.
type poor struct{}

func (poor) Room(_ context.Context, tenant, project string) error {
	return fault.New(fault.BudgetExceeded, "%s of %s has spent it", project, tenant)
}

// Given a project that has spent what it may, then nobody is asked, and that costs nothing.
func TestABudgetRefusesAQuestion(t *testing.T) {
	never := thinker(func(context.Context, func(completions.Piece) error) (completions.Finish, error) { panic("it is asked") })
	got := (&Turns{Models: of(never), Budgets: poor{}}).ask(t.Context(), ModelsOf{Tenant: "t", Project: "p"},
		&turns.Question{Timeout: time.Minute}, nil)
	nothing := int64(0)
	require.Equal(t, &sessions.ModelAnswered{Failed: string(fault.BudgetExceeded), CostPico: &nothing}, got)
}

func TestAnAgentNeedsAModelOfTheServer(t *testing.T) {
	for source, lacks := range map[string]string{
		"GOAL: Help.\n":                            "",
		"GOAL: Help.\nMODEL: {ID: none-such}\n":    "the model none-such",
		"FLOW: {START: a, STEPS: {a: {SAY: x}}}\n": "",
	} {
		p, problems := dsl.Compile("a", "DSL: 1\nAGENT: a\n"+source)
		require.Empty(t, problems)
		asked := 0
		turns := &Turns{Models: func(ctx context.Context, whose ModelsOf) (Answerer, error) {
			asked++
			return of(nil)(ctx, whose)
		}}
		err := turns.CanRun(t.Context(), ModelsOf{}, p, p)
		require.LessOrEqual(t, asked, 1, "for all agents of a session")
		if lacks == "" {
			require.NoError(t, err, source)
			continue
		}
		require.True(t, fault.Is(err, fault.Unavailable))
		require.ErrorContains(t, err, "needs "+lacks+",", source)
	}
}

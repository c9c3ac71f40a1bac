package driving

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

type broken struct{}

func (broken) Call(context.Context, Asking) sessions.CallEnded { panic("a defect") }

// Given a defect of ours in a call, then the call has failed, and the node lives; whether a write
// was done is not known.
func TestADefectInACallIsAFailureOfIt(t *testing.T) {
	d := drive{Turns: &Turns{Tools: broken{}}}
	for repeat, outcome := range map[bool]sessions.CallOutcome{true: sessions.CallFailed, false: sessions.CallUnknown} {
		of := Asking{Wanted: turns.Wanted{CallOpened: sessions.CallOpened{CallID: "c1", Repeat: repeat}}}
		e := d.call(t.Context(), of)
		require.Equal(t, []any{"c1", outcome, sessions.CodeDefect}, []any{e.of.CallID, e.ended.Outcome, e.ended.Code})
	}
	d.Models = func(context.Context, ModelsOf) (Answerer, error) { panic("a defect") }
	e := d.consult(t.Context(), ModelsOf{}, &turns.Question{CallID: "c2"})
	require.Equal(t, []any{"c2", sessions.CodeDefect}, []any{e.asked, e.answer.Failed})
}

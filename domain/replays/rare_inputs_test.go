package replays_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/replays"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// What is pressed, sent as a file, or said to an agent that is not asked comes with a message, and is played again as
// the log has it.
func TestWhatComesWithAMessageIsDecidedAgain(t *testing.T) {
	r := record(t, "", "shop", `DSL: 1
AGENT: shop
GUARDRAILS: {loud: {ON: output, CHECK: '!text.contains("!")', ACTION: redact, PATTERN: "!"}}
ON_START: {SAY: Welcome!}
FLOW:
  START: offer
  STEPS:
    offer:
      SAY: "What for?"
      RICH: [{KIND: button, ID: book, LABEL: Book it, VALUE: "7"}]
      ON_ACTION: {book: {SAY: "Booked {{ turn.value }}."}}
      NEXT: offer
`)
	r.decides(sessions.Attach{AttachmentID: "f-1", FileName: "a.txt", Blob: "b", At: noon})
	r.says("hello")
	r.says("book it")
	r.says("", func(in *turns.Receive) { in.Action = &sessions.Chosen{ID: "book", Value: json.RawMessage(`"8"`)} })
	r.says("", func(in *turns.Receive) { in.Action = &sessions.Chosen{ID: "fly"} })
	r.says("see", func(in *turns.Receive) {
		in.Attached = []string{"f-1"}
		in.Files = []sessions.ToldFile{{AttachmentID: "f-1", Name: "a.txt"}, {Name: "b.txt", Problem: "is too large"}}
	})
	r.says("and this", func(in *turns.Receive) { in.Attached, in.IgnoredAgent = []string{"f-1", "f-1"}, "desk" })
	again(t, r, 6)
}

// What a test brought along is judged by the sources of the replay, and stands on the log as it was.
func TestAReplayLeavesTheRecordAsItWas(t *testing.T) {
	const source = "DSL: 1\nAGENT: form\nGATHER: {n: {TYPE: string}}\nFLOW: {START: a, STEPS: {a: {GATHER: [n], NEXT: b}, b: {SAY: Yes.}}}\n"
	r := record(t, "", "form", source)
	r.says("hi", func(in *turns.Receive) { in.Slots = map[string]json.RawMessage{"n": json.RawMessage(`"7"`)} })
	was, err := json.Marshal(r.commits)
	require.NoError(t, err)
	d := replays.Replay(r.commits, programsOf(t, replaced(t, source, "string", "number")), true).Difference
	require.Equal(t, []string{"message-received", "message-received"}, []string{d.Expected.Name, d.Got.Name})
	is, err := json.Marshal(r.commits)
	require.NoError(t, err)
	require.JSONEq(t, string(was), string(is))
}

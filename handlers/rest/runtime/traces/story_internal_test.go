package traces

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// in is a turn, so many seconds after noon.
func in(turn, seconds int) sessions.InTurn {
	return sessions.InTurn{Turn: turn, At: noon.Add(time.Duration(seconds) * time.Second)}
}

// told is the story of a session with these events.
func told(events ...event.Payload) story {
	var recorded []eventstore.Recorded
	for i, e := range events {
		recorded = append(recorded, eventstore.Recorded{Record: &eventstore.Record{ID: fmt.Sprint("e", i+1)}, Payload: e})
	}
	return storyOf("s", recorded)
}

// A turn that begins with an agent, goes through its steps, to another agent and back.
func handover() story {
	return told(sessions.Opened{SessionID: "s", At: noon},
		sessions.MessageReceived{InTurn: in(1, 1)},
		sessions.Said{InTurn: in(1, 1), Agent: "a", Text: "Hello"},
		sessions.StepEntered{InTurn: in(1, 2), Agent: "a", Step: "x"},
		sessions.Said{InTurn: in(1, 2), Agent: "a", Step: "x", Text: "Your PIN?"},
		sessions.TurnEnded{InTurn: in(1, 3)},
		sessions.MessageReceived{InTurn: in(2, 10)},
		sessions.SlotsFilled{InTurn: in(2, 11), Agent: "a"},
		sessions.HandedOff{InTurn: in(2, 12), From: "a", To: "b"},
		sessions.StepEntered{InTurn: in(2, 13), Agent: "b", Step: "y"},
		sessions.StepEntered{InTurn: in(2, 14), Agent: "b", Step: "y"},
		sessions.HandedBack{InTurn: in(2, 15), From: "b", To: "a"},
		sessions.SlotsFilled{InTurn: in(2, 15), Agent: "a"},
		sessions.TurnEnded{InTurn: in(2, 16), Failed: "STEP_LIMIT"},
		sessions.FeedbackGiven{At: noon})
}

func TestSpansLieInEachOther(t *testing.T) {
	s := handover()
	var lines []string
	for _, x := range s.spans {
		lines = append(lines, fmt.Sprintf("%s in %s: %s %s, %d events, %v to %v %s", x.id, x.parent, x.kind, x.name, x.events,
			x.begun.Sub(noon), x.ended.Sub(noon), x.failed))
	}
	require.Equal(t, []string{
		"s in : session , 11 events, 1s to 16s ",
		"s.1 in s: turn 1, 3 events, 1s to 3s ",
		"s.1.1 in s.1: agent a, 1 events, 1s to 2s ",
		"s.1.2 in s.1.1: step x, 1 events, 2s to 2s ",
		"s.2 in s: turn 2, 8 events, 10s to 16s STEP_LIMIT",
		"s.2.1 in s.2: agent a, 2 events, 11s to 12s ",
		"s.2.2 in s.2.1: step x, 2 events, 11s to 12s ",
		"s.2.3 in s.2: agent b, 3 events, 13s to 15s ",
		"s.2.4 in s.2.3: step y, 1 events, 13s to 13s ",
		"s.2.5 in s.2.3: step y, 2 events, 14s to 15s ",
		"s.2.6 in s.2: agent a, 1 events, 15s to 15s ",
	}, lines)
	ids := func(parent string) (out []string) {
		for _, c := range s.children(parent) {
			out = append(out, c.id)
		}
		return out
	}
	require.Equal(t, []string{"s.1", "s.2"}, ids("s"))
	require.Equal(t, []string{"s.2.1", "s.2.3", "s.2.6"}, ids("s.2"))
	require.Empty(t, ids("s.2.5"))
}

// A span holds what is in those below it, and nothing of one whose number begins like its own.
func TestEventsAreWithinTheirSpans(t *testing.T) {
	events := []event.Payload{}
	for turn := range 12 {
		events = append(events, sessions.MessageReceived{InTurn: in(turn+1, turn)}, sessions.StepEntered{InTurn: in(turn+1, turn), Agent: "a",
			Step: "x"}, sessions.TurnEnded{InTurn: in(turn+1, turn)})
	}
	s := told(events...)
	require.Len(t, s.traces(func(h happened) bool { return s.within(h.span, "s.1") }), 3)
	require.Len(t, s.traces(func(h happened) bool { return s.within(h.span, "s.1.2") }), 1)
	require.Len(t, s.traces(func(h happened) bool { return s.within(h.span, "s") }), 36)
	require.Empty(t, s.traces(func(h happened) bool { return s.within(h.span, "s.13") }))
}

// After a reset nobody stands at a step any more.
func TestAResetForgetsTheStep(t *testing.T) {
	s := told(sessions.StepEntered{InTurn: in(1, 0), Agent: "a", Step: "x"}, sessions.WasReset{},
		sessions.SlotsFilled{InTurn: in(2, 0), Agent: "a"})
	require.Equal(t, "s.2.1", s.happened[2].span.id)
	require.Equal(t, ofAgent, s.happened[2].span.kind)
}

// later is an event that is not known here, of a turn.
type later struct {
	event.Payload
	sessions.InTurn
}

// An event of a kind that comes later is where the one before it was.
func TestAnEventThatIsNotKnownIsWhereItHappened(t *testing.T) {
	s := told(sessions.MessageReceived{InTurn: in(1, 0)}, later{InTurn: in(1, 1)},
		sessions.StepEntered{InTurn: in(1, 2), Agent: "a", Step: "x"}, later{InTurn: in(1, 3)},
		sessions.MessageReceived{InTurn: in(2, 4)}, later{InTurn: in(2, 5)})
	require.Equal(t, []string{"s.1", "s.1.2", "s.2"}, []string{s.happened[1].span.id, s.happened[3].span.id, s.happened[5].span.id})
}

func TestCellsThatAreNoFormulas(t *testing.T) {
	for cell, want := range map[string]string{"": "", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"\n=1": "'\n=1", "a=1": "a=1", "'=1": "'=1", "Grüße": "Grüße"} {
		require.Equal(t, want, plain(cell))
	}
}

// Given a model that was cut off, when what it took is told while the next turn runs, then it belongs to its call, and no turn
// is there twice.
func TestWhatIsCountedLateIsOfItsTurn(t *testing.T) {
	s := told(heard(1), sessions.ModelAsked{InTurn: in(1, 10), CallID: "c1", Agent: "a"},
		sessions.ModelAnswered{InTurn: in(1, 12), CallID: "c1", Agent: "a", Failed: sessions.CodeCancelled}, ended(1, ""), heard(2),
		sessions.ModelCounted{InTurn: in(1, 21), CallID: "c1", Agent: "a", TokensIn: 7},
		sessions.StepEntered{InTurn: in(2, 22), Agent: "a", Step: "x"}, ended(2, ""))
	var ids []string
	for _, x := range s.spans {
		ids = append(ids, x.id+" "+x.kind+" "+x.ended.Sub(x.begun).String())
	}
	require.Equal(t, []string{"s session 10s", "s.1 turn 0s", "s.1.1 agent 2s", "s.1.2 model 2s", "s.2 turn 0s", "s.2.1 agent 0s",
		"s.2.2 step 0s"}, ids)
	require.Equal(t, int64(7), s.measures()[1].in)
}

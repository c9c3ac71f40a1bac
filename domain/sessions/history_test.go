package sessions_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Given a message, then a model sees its text, or else what was chosen, or else that files came.
func TestHowAMessageReads(t *testing.T) {
	gas := &sessions.Chosen{ID: "gas"}
	five := &sessions.Chosen{ID: "reading", Value: json.RawMessage(`5`)}
	for name, c := range map[string]struct {
		text   string
		action *sessions.Chosen
		files  []string
		reads  string
	}{
		"words":                     {"Hello", nil, nil, "Hello"},
		"words with a choice":       {"Gas, please", gas, nil, "Gas, please"},
		"a choice":                  {"", gas, nil, "gas"},
		"a value":                   {"", five, nil, "reading 5"},
		"a value with a file":       {"", five, []string{"f1"}, "reading 5"},
		"a file":                    {"", nil, []string{"f1"}, "(a file)"},
		"words with a file":         {"This one", nil, []string{"f1"}, "This one"},
		"nothing, as it is blocked": {"", nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var want []sessions.Line
			if c.reads != "" {
				want = []sessions.Line{{Text: c.reads, N: 1, Files: c.files}}
			}
			for _, e := range []event.Payload{
				sessions.MessageReceived{InTurn: turn1, Text: c.text, Action: c.action, Attachments: c.files},
				sessions.PassedOn{Text: c.text, Action: c.action, Attachments: c.files},
			} {
				require.Equal(t, want, sessions.Sessions.State(chat, e).Talk.History)
			}
		})
	}
}

// Given more than a model sees, then the oldest texts go, and it is counted how many nobody was told of; the
// last one stays however long it is.
func TestTheOldestTextsGo(t *testing.T) {
	says := func(bytes int) event.Payload {
		return sessions.Said{InTurn: turn1, Agent: "front", Text: strings.Repeat("a", bytes)}
	}
	texts := func(n int) (out []event.Payload) {
		for range n {
			out = append(out, says(1))
		}
		return out
	}
	told := sessions.Noticed{InTurn: turn1, Kind: sessions.HistoryTrimmed, Agent: "front"}
	for name, c := range map[string]struct {
		past                 []event.Payload
		lines, first, missed int
	}{
		"as many as it sees":  {texts(100), 100, 1, 0},
		"one more":            {texts(101), 100, 2, 1},
		"it was told":         {append(texts(101), told), 100, 2, 0},
		"it was told of less": {append(append(texts(101), told), texts(2)...), 100, 4, 2},
		"as long as it sees":  {[]event.Payload{says(28 << 10), says(100 << 10)}, 2, 1, 0},
		"a byte more":         {[]event.Payload{says(28 << 10), says(100<<10 + 1)}, 1, 2, 1},
		"one that is longer":  {[]event.Payload{says(1), says(200 << 10)}, 1, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			talk := sessions.Sessions.State(append([]event.Payload{chat}, c.past...)...).Talk
			require.Equal(t, []int{c.lines, c.first, c.missed}, []int{len(talk.History), talk.History[0].N, talk.Trimmed})
		})
	}
}

// Given a call that a model wanted, then it is told what came of it: a result that is too long is cut, and
// why there is none is said in the words of the tool as well.
func TestWhatAModelIsToldOfACall(t *testing.T) {
	long := strings.Repeat("9", 64<<10)
	for name, c := range map[string]struct {
		outcome       sessions.CallOutcome
		code, problem string
		result, told  string
	}{
		"a result":                 {sessions.CallOK, "", "", `{"id":1}`, `{"id":1}`},
		"none":                     {sessions.CallOK, "", "", "", `{"ok":true}`},
		"one as long as may be":    {sessions.CallOK, "", "", long, long},
		"one that is too long":     {sessions.CallOK, "", "", long + "9", long + " (cut here)"},
		"it failed":                {sessions.CallFailed, "TIMEOUT", "", "", `{"error":"TIMEOUT"}`},
		"it failed, and says more": {sessions.CallFailed, "HTTP_409", "sold out", "", `{"error":"HTTP_409","problem":"sold out"}`},
		"nobody waits for it":      {sessions.CallCancelled, "CANCELLED", "", "", `{"error":"CANCELLED"}`},
		"nobody knows": {sessions.CallUnknown, "", "", "",
			`{"error":"UNKNOWN_OUTCOME","hint":"Nobody knows whether this was done. Do not do it again."}`},
	} {
		t.Run(name, func(t *testing.T) {
			over := sessions.CallEnded{InTurn: turn1, CallID: "c4", Agent: "front", Tool: "find", Wish: "w1", Outcome: c.outcome, Code: c.code,
				Problem: c.problem, Result: json.RawMessage(c.result)}
			s := sessions.Sessions.State(chat, heard, askedMind, thought, wishOpened, over)
			find := sessions.Wish{ModelCall: thought.ToolCalls[0], Done: true, Result: c.told}
			require.Equal(t, &find, s.Talk.Wish("w1"))
			require.Equal(t, []sessions.Wish{{ModelCall: thought.ToolCalls[1]}}, s.Talk.Wishes())
			var unsure []sessions.Unsure
			if c.outcome == sessions.CallUnknown {
				unsure = []sessions.Unsure{{Turn: 1, Tool: "find", Sum: find.Sum()}}
			}
			require.Equal(t, unsure, s.Talk.Unsure)
		})
	}
}

// Given a handoff that tells the other less, then it sees so many texts before what the user said last, and all
// from that on, with what it is told in their place; who gets the conversation back sees all again.
func TestWhatAnAgentSeesThatWasHandedTheConversation(t *testing.T) {
	hears := func(text string) event.Payload { return sessions.MessageReceived{InTurn: turn1, Text: text} }
	says := func(text string) event.Payload { return sessions.Said{InTurn: turn1, Agent: "front", Text: text} }
	past := []event.Payload{chat, hears("1"), says("2"), hears("3"), says("4"), hears("5"), says("6")}
	hands := func(n int) sessions.HandedOff {
		return sessions.HandedOff{InTurn: turn1, From: "front", To: "desk", History: &n}
	}
	sees := func(events ...event.Payload) (seen string) {
		s := sessions.Sessions.State(append(past, events...)...)
		for _, l := range s.Talk.Viewed() {
			seen += l.Text
		}
		return seen
	}
	for n, want := range map[int]string{0: "56", 1: "456", 3: "23456", 4: "123456", 5: "123456"} {
		require.Equal(t, want, sees(hands(n)), n)
	}
	on := sessions.HandedOff{InTurn: turn1, From: "desk", To: "back"}
	returned := sessions.HandedBack{InTurn: turn1, From: "desk", To: "front"}
	require.Equal(t, "456", sees(hands(1), on), "who sees less passes on no more")
	require.Equal(t, "123456", sees(hands(1), returned))
	require.Equal(t, "123456", sees(on))
	require.Equal(t, "56wish", sees(hands(0), says("wish")), "and all that comes")

	wants := sessions.ModelAnswered{InTurn: turn1, Agent: "desk", ToolCalls: thought.ToolCalls}
	wanting := sessions.Sessions.State(append(past, hands(0), wants)...).Talk
	require.Len(t, wanting.Viewed(), 3, "also what its model wants, which has no text yet")

	short := hands(1)
	short.Summary, short.Stores = "Ann wants a room.", []string{"profile"}
	s := sessions.Sessions.State(append(past, short)...)
	require.Equal(t, map[string]sessions.View{"desk": {From: 3, Summary: short.Summary, Giver: "front", Stores: short.Stores}}, s.Talk.Views)
	sessions.Sessions.Fold(&s, on)
	require.Equal(t, sessions.View{From: 3, Summary: short.Summary, Giver: "desk"}, s.Talk.Views["back"], "and so does its summary")
	sessions.Sessions.Fold(&s, returned)
	require.NotContains(t, s.Talk.Views, "desk")
}

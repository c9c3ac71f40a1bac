package agui

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

func happening(all ...event.Payload) (n driving.News) {
	for _, p := range all {
		n.Events = append(n.Events, eventstore.Recorded{Payload: p})
	}
	return n
}

func saying(call, text string) driving.News {
	return driving.News{Deltas: []driving.Delta{{CallID: call, Agent: "host", Text: text}}}
}

// Given what goes on in a turn, then it is told in the order of the protocol: what begins is ended, and
// what was told that is not said is corrected.
func TestATurnInEventsOfTheProtocol(t *testing.T) {
	answered := sessions.ModelAnswered{CallID: "c1", Text: "Hi."}
	said := sessions.Said{MessageID: "m1", Text: "Hi."}
	const end = " STATE_SNAPSHOT RUN_FINISHED"
	for name, c := range map[string]struct {
		news []driving.News
		want string
	}{
		"nothing is said": {nil, "RUN_STARTED" + end},
		"a text": {[]driving.News{happening(said)},
			"RUN_STARTED TEXT_MESSAGE_START:m1 TEXT_MESSAGE_CONTENT:m1 TEXT_MESSAGE_END:m1" + end},
		"while it is spoken": {[]driving.News{saying("c1", "H"), saying("c1", "i."), happening(answered, said)},
			"RUN_STARTED TEXT_MESSAGE_START:c1 TEXT_MESSAGE_CONTENT:c1 TEXT_MESSAGE_CONTENT:c1 TEXT_MESSAGE_END:c1 CUSTOM" + end},
		"said otherwise": {[]driving.News{saying("c1", "Ho"), happening(answered, said)},
			"RUN_STARTED TEXT_MESSAGE_START:c1 TEXT_MESSAGE_CONTENT:c1 TEXT_MESSAGE_END:c1 MESSAGES_SNAPSHOT CUSTOM" + end},
		"taken back": {[]driving.News{saying("c1", "Ho"), happening(sessions.ModelAnswered{CallID: "c1", Failed: "TIMEOUT"}), happening(said)},
			"RUN_STARTED TEXT_MESSAGE_START:c1 TEXT_MESSAGE_CONTENT:c1 TEXT_MESSAGE_END:c1 MESSAGES_SNAPSHOT " +
				"TEXT_MESSAGE_START:m1 TEXT_MESSAGE_CONTENT:m1 TEXT_MESSAGE_END:m1" + end},
		"cut off while it is spoken": {[]driving.News{saying("c1", "Ho")},
			"RUN_STARTED TEXT_MESSAGE_START:c1 TEXT_MESSAGE_CONTENT:c1 TEXT_MESSAGE_END:c1" + end},
		"steps": {[]driving.News{happening(sessions.StepEntered{Agent: "a", Step: "x"}, sessions.StepEntered{Agent: "a", Step: "x"})},
			"RUN_STARTED STEP_STARTED STEP_FINISHED STEP_STARTED STEP_FINISHED" + end},
		"a tool": {[]driving.News{happening(sessions.CallOpened{CallID: "t1", Tool: "look"}, sessions.CallEnded{CallID: "t1"})},
			"RUN_STARTED TOOL_CALL_START TOOL_CALL_END TOOL_CALL_RESULT" + end},
		"buttons": {[]driving.News{happening(sessions.Said{MessageID: "m2", Rich: []sessions.Element{{Kind: "button", ID: "yes"}}})},
			"RUN_STARTED CUSTOM" + end},
	} {
		t.Run(name, func(t *testing.T) {
			var told []string
			r := &run{thread: "s", id: "r", before: []json.RawMessage{json.RawMessage(`{"id":"u","role":"user","content":"Hello"}`)}}
			r.send = func(e fields) error {
				kind := e["type"].(string)
				if id, ok := e["messageId"].(string); ok && strings.HasPrefix(kind, "TEXT") {
					kind += ":" + id
				}
				told = append(told, kind)
				return nil
			}
			r.begin()
			for _, n := range c.news {
				require.NoError(t, r.tell(n))
			}
			r.finish(runtime.ChatOutcome{}, runtime.ChatState{})
			require.Equal(t, c.want, strings.Join(told, " "))
		})
	}
}

func TestWhatARunSays(t *testing.T) {
	list := func(all ...string) (out []jsontext.Anything) {
		for _, m := range all {
			out = append(out, jsontext.Anything(m))
		}
		return out
	}
	ok := RunAgentInput{ThreadID: "s", RunID: "r", Messages: list(`{"role":"assistant","content":"Hi"}`,
		`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`), State: jsontext.Anything(`{"x":1}`),
		ForwardedProps: jsontext.Anything(`{"action":{"id":"yes","value":1},"own":2}`)}
	m, before, err := ok.message("s")
	require.NoError(t, err)
	require.Equal(t, []any{"s", "a\nb", "yes", "1", 2}, []any{m.SessionID, m.Text, m.Action.ID, string(m.Action.Value), len(before)})
	require.JSONEq(t, `{"state":{"x":1},"forwardedProps":{"own":2}}`, string(m.Metadata))
	for field, change := range map[string]func(*RunAgentInput){
		"threadId": func(in *RunAgentInput) { in.ThreadID = "" }, "runId": func(in *RunAgentInput) { in.RunID = "" },
		"there is no such session":   func(in *RunAgentInput) { in.ThreadID = "other" },
		"a part that is no text":     func(in *RunAgentInput) { in.Messages = list(`{"role":"user","content":[{"type":"binary"}]}`) },
		"no list of parts":           func(in *RunAgentInput) { in.Messages = list(`{"role":"user","content":7}`) },
		"must end with a message":    func(in *RunAgentInput) { in.ForwardedProps, in.Messages = nil, list(`{"role":"tool","content":"x"}`) },
		"messages must end with a":   func(in *RunAgentInput) { in.ForwardedProps, in.Messages = nil, nil },
		"state with context and":     func(in *RunAgentInput) { in.State = jsontext.Anything(`{"a":[[[[1]]]]}`) },
		"forwardedProps must be an":  func(in *RunAgentInput) { in.ForwardedProps = jsontext.Anything(`[1]`) },
		"forwardedProps.action must": func(in *RunAgentInput) { in.ForwardedProps = jsontext.Anything(`{"action":{"id":""}}`) },
	} {
		in := ok
		change(&in)
		_, _, err := in.message("s")
		require.ErrorContains(t, err, field)
	}
}

// A front end sends back with each run what it was told of the session, however large that has become; what it has
// beside that is its own.
func TestWhatWasToldOfTheSessionIsNotSaidToIt(t *testing.T) {
	snapshot := `"status":"active","agentName":"a","step":"","gathered":{},"variables":{"order":{"lines":[{"of":{"x":"` +
		strings.Repeat("x", 17<<10) + `"}}]}}`
	for state, want := range map[string]string{`{` + snapshot + `}`: "", `{"cart":[1],` + snapshot + `}`: `{"state":{"cart":[1]}}`,
		`{"status":"mine"}`: `{"state":{"status":"mine"}}`, `"a text"`: `{"state":"a text"}`, `null`: ""} {
		in := RunAgentInput{ThreadID: "s", RunID: "r", State: jsontext.Anything(state),
			Messages: []jsontext.Anything{jsontext.Anything(`{"role":"user","content":"Hi"}`)}}
		m, _, err := in.message("s")
		require.NoError(t, err)
		require.Equal(t, want, string(m.Metadata))
	}
}

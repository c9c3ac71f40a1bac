//go:build !apache

package node_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// The built-in model answers by rules: it calls a tool that the user names, with the object in the
// text as its arguments, tells what a tool answered, and else repeats what was said.
const hostAgent = `DSL: 1
AGENT: host
GOAL: Welcome guests.
TOOLS:
  find: {KIND: http, URL: "https://rooms.example.com/", PARAMS: {type: object, required: [id], properties: {id: {type: integer}}}}
GATHER: {city: {TYPE: enum, OPTIONS: [rome, oslo], PROMPT: "Where?"}}
HANDOFF: [{TO: desk, INTENT: wants a person}]
COMPLETE: [{WHEN: has(session.bye), SAY: Goodbye.}]
`

const deskAgent = `DSL: 1
AGENT: desk
GOAL: Take notes.
FLOW:
  START: note
  STEPS:
    note: {MODE: model, GOAL: Note what is wanted, EXIT_WHEN: has(session.noted), NEXT: end}
    end: {SAY: "Noted: {{ session.noted }}.", END: true}
`

func newHost(t *testing.T) talkWorld {
	w := newTalkWorld(t)
	w.apply(t, "Agent", "a-host", "host", fields{"projectId": mainApp, "dslContent": hostAgent})
	w.apply(t, "Agent", "a-desk", "desk", fields{"projectId": mainApp, "dslContent": deskAgent})
	return w
}

func TestAModelLeadsAConversation(t *testing.T) {
	t.Parallel()
	w := newHost(t)
	id := w.begin(t, "host")
	hello := w.say(t, id, "Hello there")
	require.Contains(t, hello.Response, "You said: Hello there")
	require.Contains(t, hello.Response, "Your goal: Welcome guests.")
	require.Equal(t, []string{"turn_started", "llm_call", "turn_ended"}, hello.traces())
	call := hello.TraceEvents[1].Data
	require.Equal(t, "local", call["model"])
	usage := call["usage"].(map[string]any)
	require.Positive(t, usage["inputTokens"])
	require.Positive(t, usage["outputTokens"])

	kept := w.say(t, id, `remember {"city":"Oslo","pet":"dog"}`)
	require.Equal(t, map[string]any{"city": "oslo"}, kept.State.Gathered)
	require.Contains(t, kept.Response, `The tool answered: {"refused":{"pet":"there is no such value"},"remembered":["city"]}`)
	require.Equal(t, []string{"turn_started", "llm_call", "gather", "llm_call", "turn_ended"}, kept.traces())

	desk := w.say(t, id, "hand_off_to_desk please")
	require.Equal(t, "desk", desk.State.AgentName)
	require.Contains(t, desk.Response, "Your goal now: Note what is wanted")
	last := w.say(t, id, `remember {"session":{"noted":"a room"}}`)
	require.Equal(t, []string{"Noted: a room.", "end"}, []string{last.Response, last.Action.Type})

	var one struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+id, nil).must(t, 200).into(t, &one)
	require.Equal(t, "ended", one.Session["status"])
	require.Positive(t, one.Session["tokenCount"], "what models took is the session's")
	var used chatUsage
	w.ask(t, "GET", usagePath, nil).must(t, 200).into(t, &used)
	require.EqualValues(t, 6, used.Summary["requestCount"], "and the project's")
}

// Given a tool of an agent, when the model has it called, then it is asked with the model's
// arguments, and its answer, or that it has none, is what the model is told.
func TestAModelCallsATool(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1m")
	w.apply(t, "Agent", "a-guide", "guide", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: guide
GOAL: Find people.
TOOLS: {look_up: {KIND: http, URL: "` + w.server.URL + `/customers", QUERY: {name: "{{ args.name }}"}, RETRY: {MAX: 0},
  PARAMS: {type: object, required: [name], properties: {name: {type: string}}}}}
`})
	id := w.begin(t, "guide")
	out := w.say(t, id, `look_up {"name":"Ann & Bob"}`)
	require.Equal(t, `The tool answered: {"id":7,"name":"Ann & Bob"}`, out.Response)
	asked, _ := w.seen()
	require.Equal(t, "Ann & Bob", asked[0].URL.Query().Get("name"))
	require.Contains(t, w.say(t, id, "look_up").Response, "The tool answered: {\"error\":\"ARGUMENTS\"", "there is no name")
	w.answering(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusNotFound) })
	require.Equal(t, `The tool answered: {"error":"HTTP_404"}`, w.say(t, id, `look_up {"name":"Zoe"}`).Response)
}

// Given a test that brings what a tool answers, when the model has it called, then it is told. Who
// asks again hears from the log what the driver knew.
func TestAModelHasAToolCalled(t *testing.T) {
	t.Parallel()
	w := newHost(t)
	w.deploy(t, "production", fields{"entryAgentName": "host"})
	ask := func() *answer {
		return w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": `find {"id":7}`, "testContext": fields{
			"toolMocks": []fields{{"tool": "find", "result": fields{"room": 70}}}}}, "Idempotency-Key", "find").must(t, 200)
	}
	var out chatAnswer
	first := ask()
	first.into(t, &out)
	require.Equal(t, `The tool answered: {"room":70}`, out.Response)
	require.Equal(t, []string{"turn_started", "llm_call", "tool_call", "llm_call", "turn_ended"}, out.traces())
	require.Equal(t, first.Text, ask().Text)
}

// Given a flow whose slots have EXTRACT: model, when the user says several things at once, then the
// built-in model finds them by its rules, and the flow asks for the rest.
func TestAModelFindsValuesOfSlots(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.apply(t, "Agent", "a-trips", "trips", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: trips
GATHER:
  city: {TYPE: string, PROMPT: "Where to?", EXTRACT: model}
  start: {TYPE: date, PROMPT: "When?", EXTRACT: model, VALIDATE: value > now, RETRY_PROMPT: "That day is past."}
  nights: {TYPE: integer, PROMPT: "How many nights?", EXTRACT: model}
  kind: {TYPE: enum, OPTIONS: [beach, sights], PROMPT: "Beach or sights?", EXTRACT: model}
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [city, start, nights, kind], NEXT: done}
    done: {SAY: "{{ gather.city }}, {{ gather.start }}, {{ gather.nights }}, {{ gather.kind }}.", END: true}
`})
	id := w.begin(t, "trips")
	first := w.say(t, id, "I want 3 nights at a beach")
	require.Equal(t, "Where to?", first.Response)
	require.Equal(t, map[string]any{"nights": 3.0, "kind": "beach"}, first.State.Gathered)
	require.Equal(t, []string{"turn_started", "llm_call", "gather", "step", "turn_ended"}, first.traces())
	require.Equal(t, "extract", first.TraceEvents[1].Data["purpose"])
	require.Equal(t, "When?", w.say(t, id, "New York").Response)
	require.Equal(t, "That day is past.", w.say(t, id, "on 2020-01-01").Response)
	last := w.say(t, id, "2099-12-24")
	require.Equal(t, []string{"New York, 2099-12-24, 3, beach.", "end"}, []string{last.Response, last.Action.Type})
	require.NotContains(t, last.traces(), "llm_call", "what is a value as it stands needs no model")
}

//go:build !apache

package node_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

const barberAgent = `DSL: 1
AGENT: barber
MEMORY:
  profile: {SCOPE: contact, TTL: 30d}
  rates: {SCOPE: project, ACCESS: read}
  notes: {SCOPE: session, SCHEMA: {type: object, properties: {visits: {type: integer}}}}
GATHER: {name: {TYPE: string, PROMPT: "Your name?"}, more: {TYPE: string, PROMPT: "More?"}}
ON_START: {SAY: "Hello {{ has(memory.profile.name) ? memory.profile.name : 'you' }}."}
FLOW:
  START: know
  STEPS:
    know: {WHEN: '!has(memory.profile.name)', GATHER: [name], SET: {memory.profile.name: gather.name}, NEXT: count}
    count: {SET: {memory.notes.visits: "has(memory.notes.visits) ? memory.notes.visits + 1 : 1", gather.more: "null"}, NEXT: offer}
    offer:
      NEXT: again
      SAY: "A cut is {{ has(memory.rates.cut) ? memory.rates.cut : 'dear' }}, visit {{ memory.notes.visits }}."
    again: {GATHER: [more], NEXT: count}
`

// Given an agent that remembers who talks, when the same contact talks in another session, at
// another node, then the agent knows what it was told; who is not known is asked.
func TestAnAgentRemembersAContact(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t)
	w.apply(t, "Agent", "a-barber", "barber", fields{"projectId": mainApp, "dslContent": barberAgent})
	var made struct{ Data map[string]any }
	w.ask(t, "POST", contactsPath, fields{"displayName": "Ann"}).must(t, 201).into(t, &made)
	talking := func() string {
		session := w.begin(t, "barber")
		w.ask(t, "POST", contactsPath+"/"+made.Data["id"].(string)+"/link-session", fields{"sessionId": session}).must(t, 200)
		return session
	}
	first := talking()
	out := w.say(t, first, "Hi")
	require.Equal(t, "Hello you.\nYour name?", out.Response)
	require.Contains(t, out.traces(), "memory")
	require.Equal(t, "A cut is dear, visit 1.\nMore?", w.say(t, first, "Ann").Response)

	code := w.code(t, of(first))
	w.use(t, code, "get", "profile", nil).is(t, `{"success":true,"data":{"name":"Ann"},"version":1}`)
	w.use(t, code, "set", "rates", holding(fields{"cut": "20 euro"})).must(t, 200)
	w.use(t, code, "set", "notes", holding(fields{"visits": 7, "more": true})).must(t, 200)
	require.Equal(t, "A cut is 20 euro, visit 8.\nMore?", w.say(t, first, "Another").Response, "what code has written is seen")
	w.use(t, code, "get", "notes", nil).is(t, `{"success":true,"data":{"visits":8,"more":true},"version":3}`)

	require.Equal(t, "Hello Ann.\nA cut is 20 euro, visit 1.\nMore?", w.say(t, talking(), "Hi").Response)
	stranger := w.begin(t, "barber")
	require.Equal(t, "Hello you.\nYour name?", w.say(t, stranger, "Hi").Response)
	bob := w.say(t, stranger, "Bob")
	require.Contains(t, bob.traces(), "memory", "nobody knows whose profile it would be")
	require.Equal(t, "A cut is 20 euro, visit 1.\nMore?", bob.Response)
	w.use(t, w.code(t, of(stranger), func(g *tokens.SandboxGrant) { g.ToolCallID = "tc-2" }), "get", "notes", nil).
		is(t, `{"success":true,"data":{"visits":1},"version":1}`)
}

// Given a token of a call, then it opens memory for as long as that call runs; what is written has
// to be as the source of the agent says.
func TestMemoryIsOpenWhileTheCallRuns(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1m")
	w.apply(t, "Agent", "a-count", "count", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: count
MEMORY: {notes: {SCOPE: session, SCHEMA: {type: object, properties: {n: {type: integer}}}}}
TOOLS: {find: {KIND: http, URL: "` + w.server.URL + `/x"}}
FLOW: {START: a, STEPS: {a: {CALL: find, NEXT: b}, b: {SAY: Done., END: true}}}
`})
	m := &memoryWorld{w.talkWorld, w.begin(t, "count")}
	code := m.code(t, func(g *tokens.SandboxGrant) { g.ToolCallID, g.Trial = sessions.CallID(m.session, 2), false })
	m.use(t, code, "get", "notes", nil).refused(t, 404, fault.NotFound)
	var set, misfit *answer
	w.answering(func(out http.ResponseWriter, _ *http.Request) {
		set, misfit = m.use(t, code, "set", "notes", holding(fields{"n": 1})), m.use(t, code, "set", "notes", holding(fields{"n": "one"}))
	})
	require.Equal(t, "Done.", w.say(t, m.session, "Hi").Response)
	set.is(t, `{"success":true,"data":{"version":1}}`)
	misfit.refused(t, 400, fault.Validation, "payload.content")
	m.use(t, code, "get", "notes", nil).refused(t, 404, fault.NotFound)
}

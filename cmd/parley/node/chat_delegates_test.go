//go:build !apache

package node_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	plannerAgent = `DSL: 1
AGENT: planner
DELEGATE:
  - {ID: air, GROUP: offers, AGENT: finder, PURPOSE: Find a flight, INPUT: {kind: '"air"'}, RETURNS: {price: session.air}}
  - {ID: rail, GROUP: offers, AGENT: finder, INPUT: {kind: '"rail"'}, RETURNS: {price: session.rail}, TIMEOUT: %s, ON_FAIL: continue}
FAN_OUT: {offers: {JOIN: %s}}
FLOW:
  START: search
  STEPS:
    search: {DELEGATE: offers, NEXT: tell}
    tell: {SAY: "air {{ has(session.air) ? session.air : '-' }}, rail {{ has(session.rail) ? session.rail : '-' }}"}
`
	finderAgent = `DSL: 1
AGENT: finder
TOOLS:
  find: {KIND: http, URL: "%s/offers", QUERY: {kind: "{{ args.kind }}"}, PARAMS: {type: object, properties: {kind: {type: string}}},
    TIMEOUT: 60s}
GATHER: {kind: {TYPE: string}}
COMPLETE: [{WHEN: has(session.found), RESULT: {price: "{{ string(session.found.price) }}"}}]
FLOW: {START: a, STEPS: {a: {CALL: find, WITH: {kind: gather.kind}, AS: session.found, END: true}}}
`
)

// Given an agent that has two others ask at the same time, then both are asked before either is
// answered, by whichever node takes the message; and the user hears one answer.
func TestDelegatesAskAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	var mu sync.Mutex
	seen, least, both := 0, 2, make(chan struct{})
	slow := make(chan struct{}) // rail answers when it is closed
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if seen++; seen == least {
			close(both)
		}
		together := both
		mu.Unlock()
		select {
		case <-together:
		case <-r.Context().Done():
			return
		}
		if r.URL.Query().Get("kind") == "rail" {
			select {
			case <-slow:
			case <-r.Context().Done():
				return
			}
		}
		out.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(out, `{"price":%d}`, len(r.URL.Query().Get("kind")))
	}))
	defer server.Close()
	w.apply(t, "Agent", "a-finder", "finder", fields{"projectId": mainApp, "dslContent": fmt.Sprintf(finderAgent, server.URL)})
	plan := func(join, patient string, asked int) { // nobody is answered before so many are asked
		w.apply(t, "Agent", "a-planner", "planner", fields{"projectId": mainApp, "dslContent": fmt.Sprintf(plannerAgent, patient, join)})
		mu.Lock()
		defer mu.Unlock()
		seen, least, both = 0, asked, make(chan struct{})
	}

	plan("all", "2s", 1) // by then rail may not even have been asked
	out := w.say(t, w.begin(t, "planner"), "Hello")
	require.Equal(t, "air 3, rail -", out.Response, "rail takes longer than it may")
	require.Equal(t, 2, strings.Count(strings.Join(out.traces(), " "), "delegate"))

	plan("any", "50s", 2)
	began := time.Now()
	require.Equal(t, "air 3, rail -", w.say(t, w.begin(t, "planner"), "Hello").Response)
	require.Less(t, time.Since(began), 50*time.Second, "nobody waits for the rest")

	close(slow)
	plan("all", "50s", 2)
	session := w.begin(t, "planner")
	require.Equal(t, "air 3, rail 4", w.say(t, session, "Hello").Response)
	var traces struct {
		Events []struct {
			Type, SpanID string
			Data         map[string]any
		}
	}
	w.ask(t, "GET", sessionsPath+"/"+session+"/traces?eventType=delegate", nil).must(t, http.StatusOK).into(t, &traces)
	require.Len(t, traces.Events, 2)
	require.Equal(t, []any{"planner", "finder", "ok"}, []any{traces.Events[0].Data["fromAgent"], traces.Events[0].Data["toAgent"],
		traces.Events[0].Data["outcome"]})
	require.NotContains(t, w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, http.StatusOK).Text, "finder")
}

// Given a delegate whose tool answers by a callback that never comes, then nobody makes a call any more,
// and the timer of the turn says that it took too long.
func TestADelegateThatWaitsForNobodyIsLate(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusNoContent) }))
	defer server.Close()
	w.apply(t, "Agent", "a-clerk", "clerk", fields{"projectId": mainApp, "dslContent": fmt.Sprintf(`DSL: 1
AGENT: clerk
TOOLS: {pay: {KIND: callback, METHOD: POST, URL: "%s/", BODY: {notify: "{{ callback.url }}"}}}
FLOW: {START: a, STEPS: {a: {CALL: pay, END: true}}}
`, server.URL)})
	w.apply(t, "Agent", "a-boss", "boss", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: boss
DELEGATE: [{AGENT: clerk, TIMEOUT: 1s}]
FLOW: {START: a, STEPS: {a: {DELEGATE: clerk, ON_ERROR: {SAY: Too late., STOP: true}}}}
`})
	require.Equal(t, "Too late.", w.say(t, w.begin(t, "boss"), "Hello").Response)
}

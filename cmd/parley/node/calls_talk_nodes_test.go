package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

const payingOnCall = `DSL: 1
AGENT: meter-line
TOOLS:
  pay: {KIND: callback, METHOD: POST, URL: "%s", BODY: {id: "{{ callback.id }}"}}
GATHER: {sure: {TYPE: string, PROMPT: "Are you sure?"}}
FLOW:
  START: pay
  STEPS:
    pay: {SAY: "%s", CALL: pay, AS: session.paid, NEXT: sure}
    sure: {GATHER: [sure], NEXT: done}
    done: {SAY: "It is {{ session.paid.state }}, {{ gather.sure }}.", END: true}
`

// Given what is deployed, and a working copy that was changed since, when a tool answers later and another node gets the answer, then the
// node that has the line goes on with the call: nothing that was heard meanwhile is lost.
func TestACallGoesOnWithACallbackToAnotherNode(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, nil)
	w := talkLine(t, fmt.Sprintf(payingOnCall, r.url, "One moment."), nobodyDials)
	deployed := fields{"environment": "dev", "entryAgentName": "meter-line", "agentVersionManifest": "auto"}
	w.ask(t, "POST", agentDeployments, deployed).must(t, 201)
	w.ask(t, "PUT", agentsPath+"/meter-line/dsl", fields{"dslContent": fmt.Sprintf(payingOnCall, r.url, "Changed.")}).must(t, 200)
	w.cluster.start(t, speed(2)) // who is told nothing for ten minutes hangs up
	id := w.dialOut(t, aTalk("quite")).CallID
	until(t, "the line", func() bool { return len(w.spokenIn(t, id)) == 2 })
	require.Equal(t, []string{"said One moment.", "heard quite"}, w.spokenIn(t, id))
	until(t, "the tool to be asked", func() bool { return len(r.all()) == 1 })
	time.Sleep(500 * time.Millisecond)
	require.True(t, w.call(t, id).Answered(), "the line stays open")

	callback := r.all()[0].members(t)["id"].(string)
	w.ask(t, "POST", "/api/v1/callbacks/"+callback, fields{"state": "paid"}).must(t, 200)
	call := w.ended(t, id)
	want := []string{"said One moment.", "heard quite", "said Are you sure?", "said It is paid, quite."}
	require.Equal(t, want, w.spokenIn(t, id))
	require.Equal(t, calls.ReasonBotDisconnected, call.ReasonCode)
	require.NotEmpty(t, call.Agent.DeploymentID)
	require.Equal(t, []string{"said One moment.", "said Are you sure?", "heard quite", "said It is paid, quite."},
		w.transcript(t, call.SessionID), "the message is where the agent took it")
}

// Given a node that died after the answer of a call whose agent can be run, then the call ends by its lease, and its session was opened
// as the answer says, and has ended.
func TestACallThatTalkedOnANodeThatDied(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials)
	now := time.Now().UTC().Truncate(time.Millisecond)
	c := w.dialled(t, w.requested(t, &pastCall{on: w.one, bot: mainApp, requested: now.Add(-20 * time.Second)}), now.Add(-time.Second))
	agent := &calls.Agent{DeploymentID: "dp-1", Environment: "dev", Language: "en",
		Manifest: map[string]sessions.Pinned{"greeter": {Version: 1, Hash: "abc"}}}
	w.happened(t, c, calls.Answer{SessionID: c.session, Agent: agent, At: now.Add(-15 * time.Second)}.Decide)
	w.happened(t, c, calls.Hear{Number: 1, Text: "Hello?", At: now.Add(-14 * time.Second)}.Decide)

	w.cluster.start(t)

	call := w.ended(t, c.id)
	require.Equal(t, []any{calls.ReasonGatewayDisconnected, 1}, []any{call.ReasonCode, call.Heard})
	s := w.endedSession(t, c.session)
	require.Equal(t, []any{agent.Manifest, "dp-1", "en", c.id}, []any{s.Talk.Manifest, s.Talk.DeploymentID, s.Talk.Language, s.CallID})
	require.JSONEq(t, `"+15550000001"`, string(s.Talk.Caller["userId"]))
	told, err := eventstore.History(t.Context(), w.Store(), sessions.Sessions, sessions.Sessions.Stream(c.session))
	require.NoError(t, err)
	require.Len(t, told.Events, 2, "opened and ended: nobody runs the agent for nobody")
}

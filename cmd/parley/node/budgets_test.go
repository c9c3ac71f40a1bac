//go:build !apache

package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/eventstore"
)

const spendingAgent = `DSL: 1
AGENT: spender
GOAL: Talk.
MODEL: {TIER: fast}
`

// newSpender is a tenant whose model of the tier fast takes 0.15 USD for each answer; what the tier balanced costs nobody knows.
func newSpender(t *testing.T, agent string) (talkWorld, *modelPeer) {
	w, peer := newTalkWorld(t), newGreeter(t, 1_000_000, 0)
	w.posted(t, nil, ownProvider(peer, "sk", nil)).must(t, 200)
	w.apply(t, "Agent", "a-spender", "spender", fields{"projectId": mainApp, "dslContent": agent})
	w.deploy(t, "dev", fields{"entryAgentName": "spender"})
	return w, peer
}

// broke is a refusal that says which budget is spent, and that waiting does not help.
func (a *answer) broke(t *testing.T, budget string) {
	t.Helper()
	a.refused(t, 429, fault.BudgetExceeded)
	require.Contains(t, a.Text, budget)
	require.Empty(t, a.Header.Get("Retry-After"))
	require.NotContains(t, a.Text, "retryAfterMs")
}

// Given a budget of a month, when completions and turns have cost it, then neither is taken any more, on any node, and it was told
// once that most of it is spent, and once that all of it is. What has no price counts nothing, and is counted.
func TestAProjectSpendsNoMoreInAMonthThanItMay(t *testing.T) {
	t.Parallel()
	w, peer := newSpender(t, spendingAgent)
	w.posted(t, nil, settingsOf(fields{"budgets": fields{"monthUsd": 0.3}})).must(t, 200)
	complete := func(more fields, headers ...string) *answer {
		return w.ask(t, "POST", completePath, chatBody(fields{"tier": "fast"}.and(more)), headers...)
	}
	talk := func(more fields) *answer {
		return w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": "Hi"}.and(more))
	}
	complete(fields{"tier": "balanced"}).must(t, 200)
	first := complete(nil, "Idempotency-Key", "one").must(t, 200)
	var heard chatAnswer
	talk(fields{"testContext": fields{}}).must(t, 200).into(t, &heard)
	require.Equal(t, "Hello", heard.Response)

	_, _, asked := peer.last()
	complete(nil).broke(t, "monthUsd")
	require.Equal(t, first.Text, complete(nil, "Idempotency-Key", "one").must(t, 200).Text, "what was paid is told")
	w.ask(t, "POST", streamPath, chatBody(nil)).broke(t, "0.3 of 0.3 USD")
	openAI := w.ask(t, "POST", "/v1/chat/completions", fields{"model": "own-small", "messages": []fields{said("user", "Hi")}},
		"OpenAI-Project", mainApp)
	require.Equal(t, 429, openAI.Status)
	require.Contains(t, openAI.Text, "BUDGET_EXCEEDED")
	talk(nil).broke(t, "monthUsd")
	talk(fields{"sessionId": heard.SessionID}).broke(t, "monthUsd")
	w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": heard.SessionID, "message": "Hi"}).broke(t, "monthUsd")
	_, _, now := peer.last()
	require.Equal(t, asked, now, "nobody was asked")
	w.ask(t, "POST", completePath, chatBody(fields{"projectId": otherApp})).must(t, 200)

	told := func() (out []projectsettings.BudgetReached) {
		history, err := eventstore.History(t.Context(), w.on.Store(), projectsettings.ProjectSettings, projectsettings.Stream(w.id, mainApp))
		require.NoError(t, err)
		for _, e := range history.Events {
			if reached, is := e.Payload.(projectsettings.BudgetReached); is {
				out = append(out, reached)
			}
		}
		return out
	}
	until(t, "both parts of the budget are told", func() bool { return len(told()) == 2 })
	for i, percent := range []int{80, 100} {
		e := told()[i]
		require.Equal(t, []any{percent, completions.Pico(0.3), completions.Pico(0.3), int64(1), mainApp},
			[]any{e.Percent, e.BudgetPico, e.SpentPico, e.Unpriced, e.ProjectID})
	}
	until(t, "reports have it", func() bool {
		var out struct {
			Data struct {
				Events []map[string]any
			}
		}
		w.ask(t, "GET", "/api/projects/"+mainApp+"/analytics/events?category=system&eventTypes=budget_reached", nil).must(t, 200).into(t, &out)
		return len(out.Data.Events) == 2
	})

	w.posted(t, nil, settingsOf(fields{"budgets": fields{"monthUsd": 10}})).must(t, 200)
	complete(nil).must(t, 200)
	talk(fields{"sessionId": heard.SessionID}).must(t, 200)
	w.posted(t, nil, settingsOf(nil)).must(t, 200)
	complete(nil).must(t, 200)
	require.Len(t, told(), 2)
}

// Given a budget of sessions, when what one has asked has cost it, then it takes no message, its analysis says where, and others go on.
func TestASessionSpendsNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	w, _ := newSpender(t, spendingAgent)
	w.posted(t, nil, settingsOf(fields{"budgets": fields{"sessionUsd": 0.18}})).must(t, 200)
	talk := func(more fields) *answer {
		return w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": "Hi"}.and(more))
	}
	var said chatAnswer
	talk(nil).must(t, 200).into(t, &said)
	require.Equal(t, []string{"turn_started", "llm_call", "budget", "turn_ended"}, said.traces())
	talk(fields{"sessionId": said.SessionID}).must(t, 200)
	talk(fields{"sessionId": said.SessionID}).broke(t, "sessionUsd")
	talk(nil).must(t, 200)
	var out struct{ Findings []map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+said.SessionID+"/analysis", nil).must(t, 200).into(t, &out)
	require.Equal(t, []any{"budget", "warning"}, []any{out.Findings[0]["kind"], out.Findings[0]["severity"]})
	require.NotEmpty(t, out.Findings[0]["spanId"])
}

// Given an agent with COST_USD, when its session has cost that, then its turns fail, and say why.
func TestAnAgentCostsNoMoreThanItsSourceSays(t *testing.T) {
	t.Parallel()
	w, peer := newSpender(t, spendingAgent+"LIMITS: {COST_USD: 0.1}\n")
	id := w.begin(t, "spender")
	fine := w.say(t, id, "Hi")
	require.Equal(t, []string{"Hello", ""}, []string{fine.Response, fine.Action.Error})
	broke := w.say(t, id, "Hi")
	require.Empty(t, broke.Response)
	require.Equal(t, []string{"continue", "COST_LIMIT"}, []string{broke.Action.Type, broke.Action.Error})
	require.Equal(t, []string{"turn_started", "budget", "turn_ended"}, broke.traces())
	require.Equal(t, "COST_LIMIT", broke.TraceEvents[2].Data["error"])
	_, _, asked := peer.last()
	require.Equal(t, 1, asked)
	var out struct{ Findings []map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+id+"/analysis?severity=error", nil).must(t, 200).into(t, &out)
	require.Equal(t, []any{"turn_failed", "budget"}, []any{out.Findings[1]["kind"], out.Findings[0]["kind"]})
}

package node_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
)

const (
	talker      = "tel:+15550000011"
	meterCaller = "15550110"
	meterOnCall = `DSL: 1
AGENT: meter-line
GATHER:
  kind: {TYPE: enum, OPTIONS: [electricity, gas], PROMPT: "Electricity or gas?"}
  reading: {TYPE: integer, PROMPT: "What does the meter say?"}
ON_START: {SAY: "Hello {{ context.session.UserSession.metadata.name }}."}
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [kind, reading], NEXT: done}
    done:
      SAY: "{{ gather.reading }} for {{ gather.kind }} of {{ caller.userId }}, {{ context.session.UserSession.amd[0] }}. Goodbye."
      END: true
`
)

// talkLine is a call world with a number whose agent hears and answers.
func talkLine(t *testing.T, source string, change ...func(*node.Config)) *callWorld {
	w := newCallWorld(t, append([]func(*node.Config){speed(10)}, change...)...)
	w.one.apply(t, "Agent", "a-line", "meter-line", fields{"projectId": mainApp, "dslContent": source})
	w.one.apply(t, "ExperienceFlow", "cf-line", "line", fields{"projectId": mainApp, "number": meterCaller, "agentName": "meter-line",
		"language": "en"})
	return w
}

func aTalk(says ...string) fields {
	return fields{"botId": mainApp, "target": talker, "caller": meterCaller, "metadata": fields{"name": "Ada", "says": says}}
}

// spokenIn are what was said and heard in a call, in the order of its stream.
func (w *callWorld) spokenIn(t *testing.T, callID string) (lines []string) {
	t.Helper()
	for _, r := range w.events(t, calls.Calls.Stream(callID)) {
		var e struct{ Text string }
		require.NoError(t, json.Unmarshal(r.Data, &e))
		switch r.Type {
		case "parley.calls.said.v1":
			lines = append(lines, "said "+e.Text)
		case "parley.calls.heard.v1":
			lines = append(lines, "heard "+e.Text)
		}
	}
	return lines
}

// transcript is what was said in a session, as the API shows it.
func (w *callWorld) transcript(t *testing.T, session string) (lines []string) {
	t.Helper()
	var out struct {
		Messages []struct{ Role, Content, AgentName string }
	}
	w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, 200).into(t, &out)
	for _, m := range out.Messages {
		lines = append(lines, map[string]string{"user": "heard ", "assistant": "said "}[m.Role]+m.Content)
	}
	return lines
}

// Given an agent that asks, when a callee is called who answers its questions, then both are on the call and in the transcript of its
// session, in order; the agent knows what the dial-out and the detection say; and its end hangs up.
func TestACallTalks(t *testing.T) {
	t.Parallel()
	// The detection waits for the first word, which the callee has when it has heard ours: on a busy machine that begins late.
	w, patient := talkLine(t, meterOnCall, speed(2)), fields{"noSpeechTimeoutMs": 60_000, "decisionTimeoutMs": 60_000}
	id := w.dialOut(t, aTalk("hello there", "gas", "4711").and(fields{"machineDetection": "detect", "timers": patient})).CallID
	call := w.ended(t, id)
	want := []string{"said Hello Ada.", "heard hello there", "said Electricity or gas?", "heard gas", "said What does the meter say?",
		"heard 4711", "said 4711 for gas of +15550000011, amd_human_detected. Goodbye."}
	require.Equal(t, want, w.spokenIn(t, id))
	require.Equal(t, []any{calls.PhaseCompleted, calls.ReasonBotDisconnected}, []any{call.Phase, call.ReasonCode})
	require.Equal(t, want, w.transcript(t, call.SessionID))

	var session struct{ Session map[string]any }
	w.ask(t, "GET", "/api/projects/"+mainApp+"/sessions/"+call.SessionID, nil).must(t, 200).into(t, &session)
	require.Subset(t, session.Session, map[string]any{"status": "ended", "channel": "voice", "messageCount": 7.0})
	w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": call.SessionID, "message": "Hi"}).
		refused(t, 409, fault.Conflict)

	now, counted := time.Now(), map[string]float64{}
	query := fields{"timeRange": fields{"from": now.Add(-time.Hour), "to": now.Add(time.Hour)}, "groupBy": []string{"event_type"},
		"metrics": []string{"count"}, "filters": fields{"category": "message"}}
	until(t, "the analytics", func() bool {
		var out struct {
			Data struct {
				Buckets []struct {
					EventType string `json:"event_type"`
					Count     float64
				}
			}
		}
		w.ask(t, "POST", "/api/projects/"+mainApp+"/analytics/aggregate", query).must(t, 200).into(t, &out)
		for _, b := range out.Data.Buckets {
			counted[b.EventType] = b.Count
		}
		return counted["call_said"] == 4
	})
	require.Equal(t, map[string]float64{"call_said": 4, "call_heard": 3}, counted, "each text once")
}

// Given a callee who says nothing more, then the call goes on until somebody hangs up: here who ends its session.
func TestACallWaitsForItsCallee(t *testing.T) {
	t.Parallel()
	w := talkLine(t, meterOnCall, speed(2)) // who is told nothing for ten minutes hangs up
	id := w.dialOut(t, aTalk("hello")).CallID
	until(t, "the question", func() bool { return len(w.spokenIn(t, id)) == 3 })
	time.Sleep(time.Second)
	call := w.call(t, id)
	require.True(t, call.Answered(), "it waits")
	w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": call.SessionID, "message": "gas"}).
		refused(t, 409, fault.Conflict)
	w.ask(t, "POST", "/api/projects/"+mainApp+"/sessions/"+call.SessionID+"/reset", nil).refused(t, 409, fault.Conflict)
	w.ask(t, "DELETE", "/api/projects/"+mainApp+"/sessions/"+call.SessionID, nil).must(t, 200)
	call = w.ended(t, id)
	require.Equal(t, calls.ReasonBotDisconnected, call.ReasonCode)
}

// Given lines that are none, then the dial-out is refused by the field; to others the metadata is the caller's own.
func TestWhatACalleeSaysIsTexts(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials)
	for _, wrong := range []any{"hello", []any{1}, fields{}, make([]string, calls.MostSays+1)} {
		body := aTalk().and(fields{"metadata": fields{"says": wrong}})
		w.ask(t, "POST", dialOutPath, body).refused(t, 400, fault.Validation, "metadata.says")
		w.dialOut(t, body.and(fields{"target": human}))
	}
	w.dialOut(t, aTalk())
	w.dialOut(t, aTalk().and(fields{"metadata": nil}))
}

//go:build !apache

package node_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/deliveries"
)

var lives = []life{
	{"a human", "0001", nil, []string{"Answered", "completed"}, byCaller, "", whole, "completed"},
	{"a human, detect", "0001", fields{"machineDetection": "detect"}, []string{"Answered", "human_detected", "stopped", "completed"}, byCaller,
		"amd_human_detected", whole, "completed"},
	{"a human, disconnect", "0001", fields{"machineDetection": "disconnect"}, []string{"Answered", "human_detected", "stopped", "completed"},
		byCaller, "amd_human_detected", whole, "completed"},
	{"a machine", "0002", nil, []string{"Answered", "completed"}, byCaller, "", whole, "completed"},
	{"a machine, detect", "0002", fields{"machineDetection": "detect"}, []string{"Answered", "machine_detected", "machine_stopped_speaking",
		"stopped", "completed"}, byCaller, "amd_machine_detected", whole, "completed"},
	{"a machine, disconnect", "0002", fields{"machineDetection": "disconnect"}, []string{"Answered", "machine_detected", "stopped",
		"completed"}, byUs, "amd_machine_detected", 0, "machineDetected"},
	{"a machine with a beep", "0003", fields{"machineDetection": "detect", "timers": fields{"greetingCompletionTimeoutMs": 3000}},
		[]string{"Answered", "machine_detected", "tone_detected", "machine_stopped_speaking", "stopped", "completed"}, byCaller,
		"amd_machine_detected", whole, "completed"},
	{"a machine that is given more words", "0002", fields{"machineDetection": "disconnect", "thresholdWordCount": 100},
		[]string{"Answered", "human_detected", "stopped", "completed"}, byCaller, "amd_human_detected", whole, "completed"},
	{"no decision in time", "0002", fields{"machineDetection": "disconnect", "thresholdWordCount": 100,
		"timers": fields{"decisionTimeoutMs": 2000}},
		[]string{"Answered", "decision_timeout", "stopped", "completed"}, byCaller, "amd_decision_timeout", whole, "completed"},
	{"silence", "0004", fields{"machineDetection": "disconnect", "timers": fields{"noSpeechTimeoutMs": 3000}},
		[]string{"Answered", "no_speech_detected", "stopped", "completed"}, byCaller, "amd_no_speech_detected", whole, "completed"},
	{"busy", "0005", fields{"machineDetection": "detect"}, []string{"Failed"}, "Busy Here / 486 Busy Here", "", 0, "failed"},
	{"declined", "0006", nil, []string{"Failed"}, "Temporarily Unavailable / 603 Decline", "", 0, "failed"},
	{"unavailable", "0007", nil, []string{"Failed"}, "Service Unavailable / 503 Service Unavailable", "", 0, "failed"},
	{"never answered", "0008", fields{"timeoutInMs": 2000}, []string{"Failed"}, "Temporarily Unavailable / 487 Request Terminated", "", 0,
		"failed"},
	{"a human who hangs up", "0009", nil, []string{"Answered", "completed"}, byCaller, "", 5 / worldSpeed, "completed"},
	{"detection error", "0010", fields{"machineDetection": "detect"}, []string{"Answered", "error", "stopped", "completed"}, byGateway,
		"amd_error", 0, "completed"},
	{"detection error without detection", "0010", nil, []string{"Answered", "completed"}, byCaller, "", whole, "completed"},
	{"no AMD events", "0002", fields{"machineDetection": "disconnect", "amdEventsSubscription": []string{}}, []string{"Answered", "completed"},
		byUs, "amd_machine_detected", 0, "machineDetected"},
	{"some AMD events", "0002", fields{"machineDetection": "disconnect", "amdEventsSubscription": []string{"amd_stopped"}},
		[]string{"Answered", "stopped", "completed"}, byUs, "amd_machine_detected", 0, "machineDetected"},
	{"no agent", "0011", fields{"caller": nobodyTakes}, []string{"Answered", "completed"}, byUs, "", 0, "completed"}, // who does not hang up
}

// All calls are placed at once; each is told of in full and in order.
func TestNotificationsOfEveryKindOfCall(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, speed(worldSpeed))
	receivers, ids := map[string]*receiver{}, map[string]string{}
	for _, l := range lives {
		r := newReceiver(t, nil)
		p := w.dialOut(t, aCall().and(fields{"target": "tel:+1555000" + l.callee, "notifyurl": r.url, "metadata": fields{"order": "A <1>"},
			"notifyHeaders": fields{"Authorization": "Bearer of-the-dialer", "x-env": "test"}}).and(l.with))
		receivers[l.name], ids[l.name] = r, p.CallID
	}
	for _, l := range lives {
		t.Run(l.name, func(t *testing.T) {
			r, callID := receivers[l.name], ids[l.name]

			w.delivered(t, callID, len(l.notices))

			require.Equal(t, l.notices, r.kinds(t))
			for _, n := range r.all() {
				checkEnvelope(t, n, callID)
				checkMembers(t, n, l.with["machineDetection"] != nil)
			}
			last := r.all()[len(l.notices)-1]
			checkEnd(t, last, l)
			checkSession(t, w, callID, last, l)
			checkInteraction(t, w, callID, l)
		})
	}
	t.Run("without notifyurl", func(t *testing.T) {
		p := w.dialOut(t, aCall().and(fields{"target": "tel:+15550000005"}))
		w.ended(t, p.CallID)
		later := newReceiver(t, nil)
		q := w.dialOut(t, aCall().and(fields{"target": "tel:+15550000005", "notifyurl": later.url}))
		w.delivered(t, q.CallID, 1)
		require.Empty(t, w.events(t, deliveries.Deliveries.Stream(calls.Calls.Stream(p.CallID))), "nothing is even put in line")
	})
	t.Run("one key dials once", func(t *testing.T) {
		r := newReceiver(t, nil)
		body := aCall().and(fields{"target": "tel:+15550000005", "notifyurl": r.url})
		together(20, func(int) { _, _ = w.try("POST", dialOutPath, body, "auth", w.auth, "Idempotency-Key", "dial-once") })
		var p placed
		w.ask(t, "POST", dialOutPath, body, "Idempotency-Key", "dial-once").must(t, 200).into(t, &p)
		require.Equal(t, []string{"200 after 1"}, w.delivered(t, p.CallID, 1))
		later := newReceiver(t, nil)
		w.delivered(t, w.dialOut(t, body.and(fields{"notifyurl": later.url})).CallID, 1) // whatever else was dialled has ended too
		require.Equal(t, []string{"Failed"}, r.kinds(t))
	})
	t.Run("a megabyte of metadata reaches the session", func(t *testing.T) {
		frame := `{"botId":"bot","caller":"15550100","metadata":{"k":""},"target":"tel:+15550000002","machineDetection":"disconnect"}`
		value := strings.Repeat("<", 1<<20-len(frame))
		p := w.dialOut(t, strings.Replace(frame, `""`, `"`+value+`"`, 1))
		s := w.endedSession(t, w.ended(t, p.CallID).SessionID)
		require.True(t, string(s.UserSession["metadata"]) == `{"k":"`+value+`"}`, "as it was sent")
		require.Contains(t, s.UserSession, "amd")
	})
}

func checkEnvelope(t *testing.T, n notified, callID string) {
	t.Helper()
	require.Equal(t, "application/json", n.header.Get("Content-Type"))
	require.Equal(t, "Bearer of-the-dialer", n.header.Get("Authorization"))
	require.Equal(t, "test", n.header.Get("X-Env"))
	require.NoError(t, uuid.Validate(n.header.Get("X-Delivery-Id")))
	checkSignature(t, n)
	require.Equal(t, callID, n.members(t)["conversationId"])
}

func checkEnd(t *testing.T, n notified, l life) {
	t.Helper()
	m := n.members(t)
	require.Equal(t, l.reason, fmt.Sprintf("%s / %s", m["reasonCode"], m["reason"]))
	if m["status"] != "completed" {
		return
	}
	if l.verdict != "" {
		require.Equal(t, l.verdict, m["machineDetection"])
	}
	connected, err := time.Parse("2006-01-02T15:04:05.000Z", m["callConnectTime"].(string))
	require.NoError(t, err)
	disconnected, err := time.Parse("2006-01-02T15:04:05.000Z", m["callDisconnectTime"].(string))
	require.NoError(t, err)
	require.Equal(t, float64(disconnected.Sub(connected)/time.Second), m["callDuration"], "whole seconds")
	require.Equal(t, m["callDuration"], m["duration"])
	require.GreaterOrEqual(t, m["callDuration"], float64(l.seconds))
}

// checkSession: it is the one of the notice, it knows what the detection heard, and
// it has ended.
func checkSession(t *testing.T, w *callWorld, callID string, n notified, l life) {
	t.Helper()
	call := w.call(t, callID)
	if l.status == "failed" {
		require.Empty(t, call.SessionID)
		return
	}
	require.Equal(t, call.SessionID, n.members(t)["sessionId"])
	s := w.endedSession(t, call.SessionID)
	require.Equal(t, []string{callID, "voice", mainApp, w.one.id}, []string{s.CallID, s.Channel, s.ProjectID, s.TenantID})
	if l.with["caller"] == nobodyTakes {
		require.Empty(t, call.Said)
		require.GreaterOrEqual(t, call.DurationMs, int64(2000/worldSpeed), "we hang up after two seconds")
	} else {
		require.Equal(t, []string{callGreeting}, call.Said)
	}
	require.Equal(t, call.AnsweredAt, s.OpenedAt)
	require.Equal(t, call.EndedAt, s.EndedAt)
	require.Equal(t, `{"order":"A \u003c1\u003e"}`, string(s.UserSession["metadata"]), "byte for byte as this test's encoder sent it")
	if l.verdict == "" {
		require.NotContains(t, s.UserSession, "amd")
		return
	}
	var heard []string
	require.NoError(t, json.Unmarshal(s.UserSession["amd"], &heard))
	require.Contains(t, heard, l.verdict)
	require.Equal(t, "amd_stopped", heard[len(heard)-1])
	var info calls.AMDInfo
	require.NoError(t, json.Unmarshal(s.UserSession["amdInfo"], &info))
	require.Len(t, info.Events, len(heard), "all of them, whatever was subscribed to")
	require.NotNil(t, info.ConnectDurationMs)
	if l.verdict == "amd_machine_detected" {
		require.Equal(t, "long greeting", info.Reason)
		require.True(t, strings.HasPrefix(info.Greeting, "Thanks for calling"), info.Greeting)
	}
}

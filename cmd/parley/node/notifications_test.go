package node_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// notified is one notification as it came in.
type notified struct {
	header http.Header
	body   []byte
	at     time.Time
}

// members of its JSON.
func (n notified) members(t *testing.T) map[string]any {
	t.Helper()
	m := map[string]any{}
	require.NoError(t, json.Unmarshal(n.body, &m), "%s", n.body)
	return m
}

// kind is the status, and the AMD result of a Call-In-Progress.
func (n notified) kind(t *testing.T) string {
	t.Helper()
	m := n.members(t)
	if m["status"] == "Call-In-Progress" {
		return strings.TrimPrefix(m["machineDetection"].(string), "amd_")
	}
	return m["status"].(string)
}

// receiver is somebody's dialer application. It answers 200 unless told otherwise.
type receiver struct {
	url    string
	answer func(attempt int, n notified) int // of any notice, counted from 1

	mu  sync.Mutex
	got []notified
}

func newReceiver(t *testing.T, answer func(attempt int, n notified) int) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		n := notified{q.Header.Clone(), body, time.Now()}
		r.mu.Lock()
		r.got = append(r.got, n)
		count := len(r.got)
		r.mu.Unlock()
		status := http.StatusOK
		if r.answer != nil {
			status = r.answer(count, n)
		}
		if status >= 300 && status < 400 {
			w.Header().Set("Location", "http://169.254.169.254/latest/meta-data")
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	r.url = s.URL + "/notifications"
	return r
}

func (r *receiver) all() []notified {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// kinds lists what came, in order.
func (r *receiver) kinds(t *testing.T) (out []string) {
	t.Helper()
	for _, n := range r.all() {
		out = append(out, n.kind(t))
	}
	return out
}

// delivered waits until the call has ended and nothing of it is left to be sent, and
// gives what became of each notice, in order.
func (w *callWorld) delivered(t *testing.T, callID string, notices int) (outcomes []string) {
	t.Helper()
	w.ended(t, callID)
	stream := deliveries.Deliveries.Stream(calls.Calls.Stream(callID))
	until(t, "the notices to be done with", func() bool {
		s, err := eventstore.Read(t.Context(), w.Store(), deliveries.Deliveries, stream)
		require.NoError(t, err)
		return len(s.State.Finished) == notices && len(s.State.Queue) == 0
	})
	for _, r := range w.events(t, stream) {
		p, err := deliveries.Deliveries.Decode(r.Type, r.Data)
		require.NoError(t, err)
		switch e := p.(type) {
		case deliveries.Delivered:
			outcomes = append(outcomes, fmt.Sprintf("%d after %d", e.Status, e.Attempt))
		case deliveries.Undelivered:
			outcomes = append(outcomes, fmt.Sprintf("%s %d after %d", e.Reason, e.Status, e.Attempts))
		}
	}
	return outcomes
}

// life is what a simulated callee makes of a call, and what the caller is told.
type life struct {
	name    string
	callee  string // last four digits
	with    fields
	notices []string
	reason  string // of the last notice: reasonCode / reason
	verdict string
	seconds int // of the conversation, at the world's speed
	status  string
}

const (
	worldSpeed = 4
	byCaller   = "Caller-disconnected / 200 OK"
	byUs       = "Bot-disconnected / 200 OK"
	byGateway  = "Gateway-disconnected / 200 OK"
	whole      = 10 / worldSpeed // seconds until a callee hangs up, and a half
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
	{"no agent", "0001", fields{"caller": nobodyTakes}, []string{"Answered", "completed"}, byUs, "", 0, "completed"},
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

func checkSignature(t *testing.T, n notified) {
	t.Helper()
	stamp, digest, ok := strings.Cut(strings.TrimPrefix(n.header.Get("SAVG-Signature"), "t="), ",v1=")
	require.True(t, ok, n.header.Get("SAVG-Signature"))
	mac := hmac.New(sha256.New, []byte(callSecret))
	mac.Write([]byte(stamp + "." + string(n.body)))
	require.Equal(t, hex.EncodeToString(mac.Sum(nil)), digest)
}

// checkMembers: the members of each status, all of them and no others.
func checkMembers(t *testing.T, n notified, detection bool) {
	t.Helper()
	want := []string{"callConnectTime", "connectDurationInMS", "conversationId", "reason", "reasonCode", "ringDurationInMS", "status"}
	m := n.members(t)
	status := m["status"].(string)
	switch status {
	case "completed":
		want = append(want, "callDisconnectTime", "callDuration", "duration", "sessionId")
	case "Failed":
		want = append(want, "callDisconnectTime")
	default:
		require.Equal(t, []any{"OK", "200 OK"}, []any{m["reasonCode"], m["reason"]})
	}
	if status == "Call-In-Progress" || status == "completed" && detection {
		want = append(want, "machineDetection", "machinedetection")
		require.Equal(t, m["machineDetection"], m["machinedetection"])
	}
	var have []string
	for name := range m {
		have = append(have, name)
	}
	require.ElementsMatch(t, want, have, "%s", n.body)
	for _, name := range []string{"ringDurationInMS", "connectDurationInMS"} {
		require.GreaterOrEqual(t, m[name], 0.0)
	}
	require.LessOrEqual(t, m["ringDurationInMS"], m["connectDurationInMS"])
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

// endedSession waits for the end of a session.
func (w *callWorld) endedSession(t *testing.T, id string) (s sessions.State) {
	t.Helper()
	until(t, "the end of the session", func() bool {
		loaded, err := eventstore.Read(t.Context(), w.Store(), sessions.Sessions, sessions.Sessions.Stream(id))
		require.NoError(t, err)
		s = loaded.State
		return s.Status == sessions.Ended
	})
	return s
}

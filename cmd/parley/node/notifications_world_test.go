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

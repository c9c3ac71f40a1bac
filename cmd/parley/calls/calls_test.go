package calls

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

func TestATargetIsWrittenAsPeopleDo(t *testing.T) {
	for text, want := range map[string]string{"+1 (555) 000-0001": "tel:+15550000001", "15550000001": "tel:15550000001", "tel:+1": "tel:+1",
		"desk@pbx:5060": "sip:desk@pbx:5060", "sip:a@b": "sip:a@b", " +1 ": "tel:+1", "": "tel:", "nonsense": "tel:nonsense"} {
		require.Equal(t, want, target(text))
	}
}

// node is a node with one call, which ends as it is told.
type node struct {
	*httptest.Server
	body     map[string]any
	key      string
	statuses []string // that get-dial-out answers, one after the other
	events   string   // of the stream; none: it is forbidden
	since    string
}

func newNode(t *testing.T, events string, statuses ...string) *node {
	t.Helper()
	n := &node{events: events, statuses: statuses}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/1.1/public/bot/acme-bot/assist/dialout", func(w http.ResponseWriter, r *http.Request) {
		n.key = r.Header.Get("Idempotency-Key")
		_ = json.NewDecoder(r.Body).Decode(&n.body)
		_, _ = io.WriteString(w, `{"sid":"s-1","callId":"c-1"}`)
	})
	mux.HandleFunc("GET /api/1.1/public/bot/acme-bot/assist/dialout/c-1", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"conversationId":"c-1","status":%q,"userId":"+1","centerId":"2","reason":"486 Busy Here","reasonCode":"Busy",
			"more":1}`,
			n.statuses[0])
		n.statuses = n.statuses[min(1, len(n.statuses)-1):]
	})
	mux.HandleFunc("GET /api/v1/events/stream", func(w http.ResponseWriter, r *http.Request) {
		n.since = r.URL.Query().Get("since")
		if n.events == "" || r.URL.Query().Get("stream") != "call-c-1" {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"error":{"code":"FORBIDDEN","message":"no"}}`)
			return
		}
		_, _ = io.WriteString(w, n.events)
	})
	n.Server = httptest.NewServer(mux)
	t.Cleanup(n.Close)
	return n
}

// dial runs the command, and returns what it printed and what it said beside.
func (n *node) dial(ctx context.Context, out *show.Out, c DialCmd) (notes string, err error) {
	var beside bytes.Buffer
	c.Project, c.Caller, c.MachineDetection = "acme-bot", "2", "detect"
	c.Flags = api.Flags{Server: api.Server{URL: n.URL}, Token: api.Token{Token: "t"}}
	err = c.run(ctx, out, &beside)
	return beside.String(), err
}

func TestACallIsAskedForAsItWasSaid(t *testing.T) {
	n := newNode(t, "")
	var out bytes.Buffer
	notes, err := n.dial(t.Context(), show.On(&out, 0, false), DialCmd{Target: "+1", Metadata: `{"order":17}`, Words: 20, Trunk: "main",
		Timeout: 30 * time.Second, NotifyURL: "https://x", NotifyHeader: map[string]string{"A": "b"}, IdempotencyKey: "order-17"})
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Equal(t, "call c-1 is placed; what becomes of it: parley calls c-1\n", out.String())
	require.Equal(t, "order-17", n.key)
	require.Equal(t, map[string]any{"botId": "acme-bot", "target": "tel:+1", "caller": "2", "machineDetection": "detect",
		"metadata": map[string]any{"order": 17.0}, "thresholdWordCount": 20.0, "trunk": "main", "timeoutInMs": 30000.0, "notifyurl": "https://x",
		"notifyHeaders": map[string]any{"A": "b"}}, n.body)

	n.body = nil
	out.Reset()
	_, err = n.dial(t.Context(), show.To(&out, show.Flags{Output: show.JSON}), DialCmd{Target: "+1"})
	require.NoError(t, err)
	require.JSONEq(t, `{"callId":"c-1","sid":"s-1"}`, out.String())
	require.NotContains(t, n.body, "timeoutInMs", "what is not said the API decides")

	_, err = n.dial(t.Context(), show.On(&out, 0, false), DialCmd{Target: "+1", Metadata: "{order:17}"})
	require.ErrorContains(t, err, "--metadata")
	require.Equal(t, exit.Change, exit.Of(err))
}

const busy = `id: p1
data: {"type":"parley.calls.ringing.v1","stream":"call-c-1","time":"2026-11-23T10:00:00Z","data":{}}

id: p2
data: {"type":"parley.calls.lease-renewed.v1","stream":"call-c-1","time":"2026-11-23T10:00:01Z","data":{}}

id: p3
data: {"type":"parley.calls.failed.v1","stream":"call-c-1","time":"2026-11-23T10:00:02Z","data":{"reason":"486 Busy Here"}}

`

// A call that is followed is told to its end, and its failure is the command's code.
func TestACallIsFollowedToItsEnd(t *testing.T) {
	n := newNode(t, busy, "ringing", "failed") // what was seen on the log is read a moment later
	var out bytes.Buffer
	_, err := n.dial(t.Context(), show.On(&out, 0, false), DialCmd{Target: "+1", Follow: true})
	require.Equal(t, exit.Nothing, exit.Of(err))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3, "no signs of life: %s", out.String())
	require.Contains(t, lines[0], "calls.ringing")
	require.Contains(t, lines[1], "486 Busy Here")
	require.Equal(t, "failed  486 Busy Here", lines[2])
	since, err := time.Parse(time.RFC3339Nano, n.since)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), since, 10*time.Minute, "from before it was asked for")

	out.Reset()
	n = newNode(t, busy, "failed")
	notes, err := n.dial(t.Context(), show.To(&out, show.Flags{Output: show.JSON}), DialCmd{Target: "+1", Follow: true})
	require.Equal(t, exit.Nothing, exit.Of(err))
	require.Empty(t, notes)
	require.Contains(t, out.String(), `"more":1`, "as the API says it")
	require.Equal(t, 1, strings.Count(out.String(), "\n"), out.String())
}

// Who may not read events sees the status; Ctrl-C leaves the call to itself.
func TestWhoMayNotReadEventsSeesTheStatus(t *testing.T) {
	n := newNode(t, "", "dialing", "ringing", "ringing", "completed")
	var out bytes.Buffer
	notes, err := n.dial(t.Context(), show.On(&out, 0, false), DialCmd{Target: "+1", Follow: true})
	require.NoError(t, err)
	require.Contains(t, notes, "audit:read")
	require.Equal(t, 1, strings.Count(out.String(), "ringing"), "once")
	require.Contains(t, out.String(), "completed  Busy\n")

	ended, end := context.WithCancel(t.Context())
	n = newNode(t, busy[:strings.Index(busy, "id: p2")], "ringing")
	mux := n.Config.Handler
	n.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stream") {
			defer end()
		}
		mux.ServeHTTP(w, r)
	})
	notes, err = n.dial(ended, show.On(io.Discard, 0, false), DialCmd{Target: "+1", Follow: true})
	require.NoError(t, err)
	require.Contains(t, notes, "the call goes on; what becomes of it: parley calls c-1")
}

//go:build !apache

package node_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/fault"
)

// shows is the value of a metric of the node, with its labels as they are written; 0: there is none.
func (s *server) shows(t *testing.T, metric string) float64 {
	t.Helper()
	text := s.do(t, "GET", "/metrics", nil).must(t, 200).Text
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(metric) + ` (\S+)$`).FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	value, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	return value
}

// Given a node that makes the calls of two turns and on which one message may wait, when more come,
// then they are refused with the time after which to come again; what is at work, waits and is
// suspended is measured, and so are the calls.
func TestANodeTakesSoManyTurnsAndMessages(t *testing.T) {
	t.Parallel()
	hold, asked := make(chan struct{}), atomic.Int32{}
	tools := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			asked.Add(1)
			<-hold
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{}`)
	}))
	t.Cleanup(tools.Close)
	release := sync.OnceFunc(func() { close(hold) })
	t.Cleanup(release)
	w := newCallWorld(t, func(cfg *node.Config) { cfg.Turns, cfg.WaitingMessages = 2, 1 })
	w.one.apply(t, "Agent", "a-slow", "slow", fields{"projectId": mainApp, "dslContent": fmt.Sprintf(`DSL: 1
AGENT: slow
TOOLS:
  wait: {KIND: http, URL: "%[1]s/slow", TIMEOUT: 60s}
  pay: {KIND: callback, METHOD: POST, URL: "%[1]s/pay", BODY: {notify: "{{ callback.url }}"}, EXPIRES: 1h}
FLOW: {START: wait, STEPS: {wait: {CALL: wait, NEXT: pay}, pay: {CALL: pay, NEXT: end}, end: {SAY: Done., END: true}}}
`, tools.URL)})
	begin := func() string {
		var begun struct{ Session map[string]string }
		w.ask(t, "POST", sessionsPath, fields{"agentId": "slow"}).must(t, 201).into(t, &begun)
		return begun.Session["id"]
	}
	say := func(session string) *answer {
		return w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": session, "message": "Hello"})
	}
	full := func(session string) {
		var refusal struct{ Error struct{ RetryAfterMs int } }
		say(session).refused(t, http.StatusTooManyRequests, fault.QueueFull).into(t, &refusal)
		require.Positive(t, refusal.Error.RetryAfterMs)
	}

	one, two, three, codes := begin(), begin(), begin(), make(chan int, 3)
	go func() { codes <- say(one).Status }()
	until(t, "a turn", func() bool { return asked.Load() == 1 && w.shows(t, "parley_turns_running") == 1 })
	go func() { codes <- say(one).Status }()
	until(t, "a message that waits", func() bool { return w.shows(t, "parley_turns_waiting") == 1 })
	full(one)
	go func() { codes <- say(two).Status }()
	until(t, "another turn", func() bool { return w.shows(t, "parley_turns_running") == 2 })
	full(three)
	release()
	got := []int{<-codes, <-codes, <-codes}
	require.ElementsMatch(t, []int{200, 200, 409}, got, "what has waited finds a session that is suspended")
	until(t, "turns that are suspended", func() bool {
		return w.shows(t, `parley_timers{state="waiting",timer="callback-of-a-turn"}`) == 2
	})
	for metric, want := range map[string]float64{"parley_turns_running": 0, "parley_turns_waiting": 0,
		`parley_timers{state="waiting",timer="call-of-a-turn"}`: 0, `parley_turns_total{outcome="suspended"}`: 2,
		`parley_tool_seconds_count{kind="http",outcome="ok"}`: 2, `parley_tool_seconds_count{kind="callback",outcome="ok"}`: 2} {
		until(t, metric, func() bool { return w.shows(t, metric) == want }) // an answer is given a moment before it is counted
	}
	for _, id := range []string{one, two} {
		w.ask(t, "POST", sessionsPath+"/"+id+"/cancel", nil).must(t, 200)
	}
	until(t, "that nothing is suspended", func() bool {
		return w.shows(t, `parley_timers{state="waiting",timer="callback-of-a-turn"}`) == 0
	})
}

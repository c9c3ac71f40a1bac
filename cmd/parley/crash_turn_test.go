package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
)

const crashingAgent = `DSL: 1
AGENT: crashing
TOOLS:
  look: {KIND: http, URL: "%[1]s/look", TIMEOUT: 60s}
  write: {KIND: http, METHOD: POST, URL: "%[1]s/write", TIMEOUT: 60s}
  later: {KIND: callback, URL: "%[1]s/later", BODY: {notify: "{{ callback.id }}"}, TIMEOUT: 60s}
FLOW:
  START: begin
  STEPS:
    begin:
      BRANCH: [{IF: 'turn.text == "look"', GOTO: look}, {IF: 'turn.text == "write"', GOTO: write}, {ELSE: true, GOTO: later}]
    look: {CALL: look, AS: session.seen, NEXT: seen}
    seen: {SAY: "Seen {{ session.seen.n }}."}
    write: {CALL: write, ON_ERROR: {RETRY: 3, SAY: Nobody knows., STOP: true}, NEXT: written}
    written: {SAY: Written.}
    later: {CALL: later, AS: session.answer, NEXT: answered}
    answered: {SAY: "It is {{ session.answer.state }}."}
`

// toolServer is where the tools of the crashing agent are. The first request of each path hangs.
type toolServer struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	hold  chan struct{}
}

func newToolServer(t *testing.T) *toolServer {
	s := &toolServer{asked: map[string]int{}, hold: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.mu.Lock()
		s.asked[r.URL.Path]++
		first := s.asked[r.URL.Path] == 1 && r.URL.Path != "/later"
		s.mu.Unlock()
		if first {
			select {
			case <-s.hold:
			case <-r.Context().Done():
			}
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"n":2}`)
	}))
	t.Cleanup(func() { close(s.hold); s.Close() })
	return s
}

func (s *toolServer) times(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// talk begins a session with the crashing agent.
func (c client) talk(t *testing.T, tools *toolServer) (session string) {
	t.Helper()
	path := "/api/projects/" + c.env["BOT_ID"]
	a, err := c.do(http.MethodPost, path+"/agents", map[string]any{"name": "crashing", "dslContent": fmt.Sprintf(crashingAgent, tools.URL)},
		"auth", c.env["PARLEY_TOKEN"])
	require.NoError(t, err)
	require.Contains(t, []int{http.StatusCreated, http.StatusConflict}, a.status, "%s", a)
	a, err = c.do(http.MethodPost, path+"/sessions", map[string]any{"agentId": "crashing"}, "auth", c.env["PARLEY_TOKEN"])
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	var out struct{ Session struct{ ID string } }
	a.read(t, &out)
	return out.Session.ID
}

func (c client) chat(session, message string) (answer, error) {
	return c.do(http.MethodPost, "/api/v1/chat/agent", map[string]any{"projectId": c.env["BOT_ID"], "sessionId": session,
		"message": message}, "auth", c.env["PARLEY_TOKEN"])
}

func (c client) transcript(t *testing.T, session string) string {
	t.Helper()
	a, err := c.do(http.MethodGet, "/api/v1/sessions/"+session+"/transcripts", nil, "auth", c.env["PARLEY_TOKEN"])
	require.NoError(t, err)
	return a.String()
}

// Given two nodes, when the one that asks a tool is killed, then the other asks it again, and the
// turn has its one answer.
func TestTheTurnOfAKilledNodeGoesOnAtAnother(t *testing.T) {
	t.Parallel()
	tools := newToolServer(t)
	first, second := dataFolder(t), dataFolder(t)
	brokers, database := embeddedtest.Parts(t)
	shared := []string{"--kafka-brokers", strings.Join(brokers, ","), "--database-url", database, "--keyset",
		filepath.Join(first, "shared.json")}
	one := serveDev(t, first, freeAddress(t), shared...)
	two := serve(t, second, freeAddress(t), append(shared, "--dev")...)
	atOne := clientOf(one)
	atTwo := client{url: two.url, env: atOne.env}
	session := atOne.talk(t, tools)
	go func() { _, _ = atOne.chat(session, "look") }()
	one.await("the tool to be asked", func() bool { return tools.times("/look") == 1 })
	one.kill()
	killed := time.Now()
	two.await("the turn to go on", func() bool { return strings.Contains(atTwo.transcript(t, session), "Seen 2.") })
	t.Logf("the turn went on %s after the kill", time.Since(killed).Round(time.Millisecond))
	require.Equal(t, 2, tools.times("/look"))
	a, err := atTwo.chat(session, "write me")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
}

// Given a node that is killed while it writes, then after its return nothing is written twice, and
// the agent is told that nobody knows. What waits for somebody outside still does.
func TestTheTurnOfANodeThatIsKilledGoesOnAfterItsReturn(t *testing.T) {
	t.Parallel()
	tools := newToolServer(t)
	data, listen := dataFolder(t), freeAddress(t)
	node := serveDev(t, data, listen)
	c := clientOf(node)
	writes, waits := c.talk(t, tools), c.talk(t, tools)
	a, err := c.chat(waits, "later")
	require.NoError(t, err)
	var out struct {
		Action struct{ Type, CallbackID string }
	}
	a.read(t, &out)
	require.Equal(t, "suspended", out.Action.Type, "%s", a)
	go func() { _, _ = c.chat(writes, "write") }()
	node.await("the tool to be asked", func() bool { return tools.times("/write") == 1 })
	node.kill()

	node = serveDev(t, data, listen)
	back := time.Now()
	c = clientOf(node)
	node.await("the turn to go on", func() bool { return strings.Contains(c.transcript(t, writes), "Nobody knows.") })
	t.Logf("the turn went on %s after the return", time.Since(back).Round(time.Millisecond))
	require.Equal(t, 1, tools.times("/write"), "a write is made once")
	a, err = c.do(http.MethodPost, "/api/v1/callbacks/"+out.Action.CallbackID, map[string]any{"state": "done"})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	require.Contains(t, a.String(), `"processed"`)
	node.await("the answer", func() bool { return strings.Contains(c.transcript(t, waits), "It is done.") })
	require.Equal(t, 1, tools.times("/later"))
}

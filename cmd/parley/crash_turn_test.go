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

const (
	fanningAgent = `DSL: 1
AGENT: fanning
DELEGATE:
  - {ID: one, GROUP: both, AGENT: looking, INPUT: {at: '"one"'}, RETURNS: {n: session.one}, TIMEOUT: 60s}
  - {ID: two, GROUP: both, AGENT: looking, INPUT: {at: '"two"'}, RETURNS: {n: session.two}, TIMEOUT: 60s}
FLOW: {START: a, STEPS: {a: {DELEGATE: both, NEXT: b}, b: {SAY: "Both: {{ session.one }} and {{ session.two }}."}}}
`
	lookingAgent = `DSL: 1
AGENT: looking
TOOLS: {look: {KIND: http, URL: "%[1]s/{{ args.at }}", TIMEOUT: 60s, PARAMS: {type: object, properties: {at: {type: string}}}}}
COMPLETE: [{WHEN: has(session.seen), RESULT: {n: "{{ session.seen.n }}"}}]
FLOW: {START: a, STEPS: {a: {CALL: look, WITH: {at: session.at}, AS: session.seen, END: true}}}
`
)

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
	c.writes(t, "crashing", fmt.Sprintf(crashingAgent, tools.URL))
	return c.begins(t, "crashing")
}

// writes makes an agent that is not there yet.
func (c client) writes(t *testing.T, agent, source string) {
	t.Helper()
	a, err := c.do(http.MethodPost, "/api/projects/"+c.env["BOT_ID"]+"/agents", map[string]any{"name": agent, "dslContent": source},
		"auth", c.env["PARLEY_TOKEN"])
	require.NoError(t, err)
	require.Contains(t, []int{http.StatusCreated, http.StatusConflict}, a.status, "%s", a)
}

// begins begins a session with the working copy of an agent.
func (c client) begins(t *testing.T, agent string) (session string) {
	t.Helper()
	a, err := c.do(http.MethodPost, "/api/projects/"+c.env["BOT_ID"]+"/sessions", map[string]any{"agentId": agent},
		"auth", c.env["PARLEY_TOKEN"])
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

// twoNodes share a log and a database.
func twoNodes(t *testing.T) (one, two *process) {
	t.Helper()
	first, second := dataFolder(t), dataFolder(t)
	brokers, database := embeddedtest.Parts(t)
	shared := []string{"--kafka-brokers", strings.Join(brokers, ","), "--database-url", database, "--keyset",
		filepath.Join(first, "shared.json")}
	one = serveDev(t, first, freeAddress(t), shared...)
	return one, serve(t, second, freeAddress(t), append(shared, "--dev")...)
}

// Given two nodes, when the one that asks a tool is killed, then the other asks it again, and the
// turn has its one answer.
func TestTheTurnOfAKilledNodeGoesOnAtAnother(t *testing.T) {
	t.Parallel()
	tools := newToolServer(t)
	one, two := twoNodes(t)
	atOne := clientOf(one)
	atTwo := client{url: two.url, env: atOne.env}
	session := atOne.talk(t, tools)
	go func() { _, _ = atOne.chat(session, "look") }()
	one.await("the tool to be asked", func() bool { return tools.times("/look") == 1 })
	one.kill()
	killed := time.Now()
	two.await("the turn to go on", func() bool { return strings.Contains(atTwo.transcript(t, session), "Seen 2.") })
	t.Logf("the turn went on %s after the kill", time.Since(killed).Round(time.Millisecond))
	require.GreaterOrEqual(t, tools.times("/look"), 2, "who reads may ask more often on a machine that stands still")
	a, err := atTwo.chat(session, "write me")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
}

// Given two delegates that ask at the same time, when their node is killed, then the other node asks
// both again, and the turn has its one answer.
func TestDelegatesOfAKilledNodeGoOnAtAnother(t *testing.T) {
	t.Parallel()
	tools := newToolServer(t)
	one, two := twoNodes(t)
	atOne := clientOf(one)
	atTwo := client{url: two.url, env: atOne.env}
	atOne.writes(t, "looking", fmt.Sprintf(lookingAgent, tools.URL))
	atOne.writes(t, "fanning", fanningAgent)
	session := atOne.begins(t, "fanning")
	go func() { _, _ = atOne.chat(session, "look") }()
	one.await("both tools to be asked", func() bool { return tools.times("/one") == 1 && tools.times("/two") == 1 })
	one.kill()
	two.await("the turn to go on", func() bool { return strings.Contains(atTwo.transcript(t, session), "Both: 2 and 2.") })
	require.GreaterOrEqual(t, min(tools.times("/one"), tools.times("/two")), 2)
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

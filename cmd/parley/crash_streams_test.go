package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Given a turn that waits for a tool, when the database is dropped, then the outcome is kept until there
// is one again, and the turn ends once, with nothing asked twice.
func TestTheDatabaseIsDroppedInTheMiddleOfATurn(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	hold := make(chan struct{})
	open := sync.OnceFunc(func() { close(hold) })
	tool := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		<-hold
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"n":2}`)
	}))
	t.Cleanup(func() { open(); tool.Close() })
	node := serveDev(t, dataFolder(t), freeAddress(t))
	c := clientOf(node)
	c.writes(t, "crashing", fmt.Sprintf(crashingAgent, tool.URL))
	reads, writes := c.begins(t, "crashing"), c.begins(t, "crashing")
	answers := make(chan answer, 2)
	say := func(session, text string) {
		for {
			a, err := c.do(http.MethodPost, "/api/v1/chat/agent", map[string]any{"projectId": c.env["BOT_ID"], "sessionId": session,
				"message": text}, "auth", c.env["PARLEY_TOKEN"], "Idempotency-Key", session)
			if err == nil && a.status != http.StatusServiceUnavailable {
				answers <- a
				return
			}
			<-time.After(50 * time.Millisecond)
		}
	}
	go say(reads, "look")
	go say(writes, "write")
	node.await("both tools to be asked", func() bool { return asked.Load() == 2 })

	administer(t, c.env["DATABASE_URL"], `DROP DATABASE parley WITH (FORCE)`)
	node.await("/readyz to say no", func() bool { return node.readyz() == http.StatusServiceUnavailable })
	open()
	administer(t, c.env["DATABASE_URL"], `CREATE DATABASE parley`)
	node.awaitReady()

	for range 2 {
		a := <-answers
		require.Equal(t, http.StatusOK, a.status, "%s", a)
	}
	require.Equal(t, 1, strings.Count(c.transcript(t, reads), "Seen 2."))
	require.Equal(t, 1, strings.Count(c.transcript(t, writes), "Written."))
	require.EqualValues(t, 2, asked.Load())
}

// streamer talks in one session, with its turns streamed to it, at whichever node answers.
type streamer struct {
	session string
	turns   atomic.Int32
	repeats int // of messages, whose stream broke
	wrong   error
}

// talk says one thing after the other until it is told to stop: each is repeated under its key until
// its stream has come to its end.
func (s *streamer) talk(stop <-chan struct{}, clients []client) {
	for n := 1; s.wrong == nil; n++ {
		select {
		case <-stop:
			return
		default:
		}
		s.wrong = s.says(n, clients)
		s.turns.Add(1)
	}
}

func (s *streamer) says(n int, clients []client) error {
	text := fmt.Sprint("word ", n)
	for try := n; ; try++ {
		c := clients[try%len(clients)]
		a, err := c.do(http.MethodPost, "/api/v1/chat/agent", map[string]any{"projectId": c.env["BOT_ID"], "sessionId": s.session,
			"message": text}, "auth", c.env["PARLEY_TOKEN"], "Accept", "text/event-stream", "Idempotency-Key", s.session+text)
		switch {
		case err != nil, a.status == http.StatusServiceUnavailable, a.status == http.StatusTooManyRequests:
		case a.status != http.StatusOK:
			return fmt.Errorf("%s: %s", text, a)
		case strings.Contains(string(a.body), "event: complete"):
			if !strings.Contains(string(a.body), text) {
				return fmt.Errorf("%s was answered with %s", text, a.body)
			}
			return nil
		}
		s.repeats++
		<-time.After(50 * time.Millisecond)
	}
}

// follower reads a session's stream to the end of the session.
type follower struct {
	session string
	last    int // the version of the event that it saw last
	ended   bool
	wrong   error
}

// follow goes on behind what it has seen wherever a stream ends.
func (f *follower) follow(ctx context.Context, clients []client) {
	for n := 0; ctx.Err() == nil && !f.ended && f.wrong == nil; n++ {
		c := clients[n%len(clients)]
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/api/projects/"+c.env["BOT_ID"]+"/sessions/"+f.session+"/stream", nil)
		if err != nil {
			f.wrong = err
			return
		}
		r.Header.Set("auth", c.env["PARLEY_TOKEN"])
		r.Header.Set("Last-Event-ID", strconv.Itoa(f.last))
		if res, err := callers.Do(r); err == nil {
			f.read(res)
		}
		<-time.After(20 * time.Millisecond)
	}
}

func (f *follower) read(res *http.Response) {
	defer func() { _ = res.Body.Close() }()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if f.ended = strings.Contains(lines.Text(), "parley.sessions.ended"); f.ended {
			return
		}
		id, is := strings.CutPrefix(lines.Text(), "id: ")
		if !is {
			continue
		}
		n, err := strconv.Atoi(id)
		if err != nil || n != f.last && n != f.last+1 { // the same: it says where it stands
			f.wrong = fmt.Errorf("the event %q follows %d", id, f.last)
			return
		}
		f.last = n
	}
}

// Given clients who have turns streamed to them and follow their sessions, when all nodes are restarted
// one after the other, then who asks again under its key has every answer, once and in order, and who
// goes on by Last-Event-ID sees every event, once and in order.
func TestARollingRestartUnderStreamingClients(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	nodes := []*process{f.node(), f.node()}
	clients := []client{f.client(nodes[0]), f.client(nodes[1])}
	clients[0].writes(t, "streaming", "DSL: 1\nAGENT: streaming\nGOAL: Repeat what is said.\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stop := make(chan struct{})
	var talking, following sync.WaitGroup
	var streamers []*streamer
	var followers []*follower
	for range 4 {
		s := &streamer{session: clients[0].begins(t, "streaming")}
		fo := &follower{session: s.session}
		streamers, followers = append(streamers, s), append(followers, fo)
		talking.Go(func() { s.talk(stop, clients) })
		following.Go(func() { fo.follow(ctx, clients) })
	}
	more := func(p *process) {
		enough := map[*streamer]int32{}
		for _, s := range streamers {
			enough[s] = s.turns.Load() + 2
		}
		p.await("each client to have two more answers", func() bool {
			for s, n := range enough {
				if s.turns.Load() < n {
					return false
				}
			}
			return true
		})
	}
	more(nodes[0])
	for i, p := range nodes {
		p.terminate()
		require.Zero(t, p.exit(drainTimeout+patience), p.out.tail())
		nodes[i] = serve(t, p.data, strings.TrimPrefix(p.url, "http://"), append([]string{"--sim-speed", "20"}, f.shared...)...)
		more(nodes[i])
	}
	close(stop)
	talking.Wait()
	for _, s := range streamers {
		require.NoError(t, s.wrong)
		require.Equal(t, int(s.turns.Load()), clients[0].answered(t, s.session), "each message has one answer, in order")
		a, err := clients[1].do(http.MethodDelete, "/api/projects/"+f.env["BOT_ID"]+"/sessions/"+s.session, nil, "auth", f.env["PARLEY_TOKEN"])
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.status, "%s", a)
		t.Logf("%d turns, %d requests were repeated", s.turns.Load(), s.repeats)
	}
	time.AfterFunc(patience, cancel) // to see the end
	following.Wait()
	for _, fo := range followers {
		require.NoError(t, fo.wrong)
		require.True(t, fo.ended, "it saw %d events, and not the end", fo.last)
	}
}

// answered counts the answers of a session, each of which must be to the message before it.
func (c client) answered(t *testing.T, session string) (n int) {
	t.Helper()
	a, err := c.do(http.MethodGet, "/api/v1/sessions/"+session+"/transcripts?limit=200", nil, "auth", c.env["PARLEY_TOKEN"])
	require.NoError(t, err)
	var page struct {
		Messages []struct{ Role, Content string }
	}
	a.read(t, &page)
	for i, m := range page.Messages {
		if i%2 == 0 {
			require.Equal(t, []string{"user", fmt.Sprint("word ", i/2+1)}, []string{m.Role, m.Content})
			continue
		}
		require.Contains(t, m.Content, fmt.Sprint("You said: word ", i/2+1))
		n++
	}
	return n
}

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// rooms is a server of rooms, which makes a room once. It lives on when nodes die.
type rooms struct {
	*httptest.Server

	mu             sync.Mutex
	entered        map[string][]string // by room: what the agents were told that came into it
	before, behind func()              // it makes a room
}

func newRooms(t *testing.T) *rooms {
	r := &rooms{entered: map[string][]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var asked struct {
			Name   string
			Agents []struct{ Metadata string }
		}
		if err := json.NewDecoder(req.Body).Decode(&asked); err != nil || !strings.HasSuffix(req.URL.Path, "/CreateRoom") {
			http.Error(w, "{}", http.StatusNotFound)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.before != nil {
			r.before()
			return
		}
		if _, is := r.entered[asked.Name]; !is {
			r.entered[asked.Name] = []string{}
			for _, a := range asked.Agents {
				r.entered[asked.Name] = append(r.entered[asked.Name], a.Metadata)
			}
		}
		if r.behind != nil {
			r.behind()
			return
		}
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(r.Close)
	return r
}

// does has somebody be told before a room is made, and behind that.
func (r *rooms) does(before, behind func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before, r.behind = before, behind
}

// of is what the agents of a room were told.
func (r *rooms) of(name string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.entered[name]
}

// A node that is killed when it has a room made, before that is done or behind it, leaves one that is made when
// somebody asks again: with one agent, who was told of the session that people come into.
func TestARoomOfANodeThatIsKilled(t *testing.T) {
	r := newRooms(t)
	t.Setenv("LIVEKIT_URL", r.URL)
	t.Setenv("LIVEKIT_API_KEY", "APIroom")
	t.Setenv("LIVEKIT_API_SECRET", "a secret of rooms that is long enough")
	data, listen := dataFolder(t), freeAddress(t)
	node := serveDev(t, data, listen)
	enters := func(session string) (answer, error) {
		c := clientOf(node)
		return c.do(http.MethodPost, "/api/v1/rtc/token", map[string]any{"projectId": c.env["BOT_ID"], "sessionId": session,
			"agentName": "desk"}, "Authorization", "Bearer "+c.env["PARLEY_TOKEN"])
	}
	for session, dies := range map[string]func(kill func()){
		"s-before": func(kill func()) { r.does(kill, nil) }, "s-behind": func(kill func()) { r.does(nil, kill) }} {
		dies(node.kill)
		_, err := enters(session)
		require.Error(t, err, "nobody answers")
		r.does(nil, nil)
		node = serveDev(t, data, listen)
		a, err := enters(session)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.status, "%s", a)
		var got struct{ RoomName, SessionID string }
		a.read(t, &got)
		told := r.of(got.RoomName)
		require.Len(t, told, 1)
		require.Contains(t, told[0], got.SessionID)
	}
}

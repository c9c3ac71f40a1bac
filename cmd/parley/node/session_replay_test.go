//go:build !apache

package node_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

// replayed is what replay-session answers.
type replayed struct {
	Same       bool
	Turns      int
	Decisions  int
	Passed     int
	Versions   map[string]string
	Difference *struct {
		Turn                   int
		AgentName, Step, Input string
		Expected, Got          *struct {
			Type string
			Data map[string]any
		}
	}
}

func (w talkWorld) replay(t *testing.T, session string, body fields) replayed {
	t.Helper()
	var out struct{ Replay replayed }
	w.ask(t, "POST", sessionsPath+"/"+session+"/replay", body).must(t, http.StatusOK).into(t, &out)
	return out.Replay
}

// Given a session with tools, a callback and a handoff, then deciding it again comes to its events;
// another version of its source is shown where it parts from them.
func TestASessionIsDecidedAgain(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1m")
	session, callback := w.suspend(t)
	w.callback(t, w.a, callback, paid, "sign-with-this").must(t, http.StatusOK)
	got := w.replay(t, session, fields{})
	require.Equal(t, []any{true, 2, 5, 0}, []any{got.Same, got.Turns, got.Decisions, got.Passed})
	require.Equal(t, map[string]string{"shop": "working-copy"}, got.Versions)

	source := strings.Replace(fmt.Sprintf(tooledAgent, w.server.URL, "1m"), "It is {{", "So it is {{", 1)
	w.ask(t, "PUT", agentsPath+"/shop/dsl", fields{"dslContent": source}).must(t, http.StatusOK)
	require.True(t, w.replay(t, session, fields{}).Same, "it goes by what it began with")
	w.ask(t, "POST", agentsPath+"/shop/versions", nil).must(t, http.StatusOK)
	for _, body := range []fields{{"version": "working-copy"}, {"version": "1"}, {"versions": fields{"shop": "1"}}} {
		got = w.replay(t, session, body)
		require.False(t, got.Same)
		d := got.Difference
		require.Equal(t, []any{2, "shop", "pay", "said", "It is paid.", "So it is paid."}, []any{d.Turn, d.AgentName, d.Step, d.Expected.Type,
			d.Expected.Data["text"], d.Got.Data["text"]})
	}

	path := sessionsPath + "/" + session + "/replay"
	require.Contains(t, w.ask(t, "POST", path, nil).must(t, http.StatusOK).Text, `"same":true`, "by what it went by")
	none := w.ask(t, "POST", path, fields{"version": "2"}).refused(t, http.StatusBadRequest, fault.Validation, "version")
	require.Contains(t, none.Text, `"message":"version \"2\" is no version of shop"`)
	w.ask(t, "POST", path, fields{"versions": fields{"shop": "2"}}).refused(t, http.StatusBadRequest, fault.Validation, "versions.shop")
	w.ask(t, "POST", path, fields{"version": "x"}).refused(t, http.StatusBadRequest, fault.Validation, "version")
	w.ask(t, "POST", path, fields{"versions": fields{"none": "1"}}).refused(t, http.StatusBadRequest, fault.Validation, "versions.none")
	w.ask(t, "POST", sessionsPath+"/none/replay", fields{}).refused(t, http.StatusNotFound, fault.NotFound)
	w.b.do(t, "POST", path, fields{}, "auth", w.grant(t, testClient, access.PermSessionRead)).refused(t, http.StatusForbidden, fault.Forbidden)
	w.b.do(t, "POST", path, fields{}, "auth", w.cluster.tenant(t, "").token(t)).refused(t, http.StatusNotFound, fault.NotFound)
}

// A session that a model leads is decided again by what the model answered, and what it was asked.
func TestASessionOfAModelIsDecidedAgain(t *testing.T) {
	t.Parallel()
	w := newHost(t)
	id := w.begin(t, "host")
	w.say(t, id, `remember {"city":"Oslo","pet":"dog"}`)
	w.say(t, id, "hand_off_to_desk please", fields{"metadata": fields{"page": "/x"}})
	w.say(t, id, `remember {"session":{"noted":"a room"}}`)
	got := w.replay(t, id, fields{})
	require.Equal(t, []any{true, 3, 0}, []any{got.Same, got.Turns, got.Passed})
	w.ask(t, "GET", sessionsPath+"/"+id+"/testcase", nil).refused(t, http.StatusConflict, fault.Conflict)
}

// Given a session, when it is saved as a suite, then that can be applied, and passes.
func TestASessionIsSavedAsASuite(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1m")
	session, callback := w.suspend(t)
	w.callback(t, w.a, callback, paid, "sign-with-this").must(t, http.StatusOK)
	w.say(t, session, "Again?")
	var out struct {
		Suite  fields
		Notes  []string
		Played struct{ Passed bool }
	}
	path := sessionsPath + "/" + session + "/testcase"
	for _, name := range []string{"%0A", "%20", strings.Repeat("a", 101), "%E2%80%AE"} { // which no suite can have
		w.ask(t, "GET", path+"?name="+name, nil).refused(t, http.StatusBadRequest, fault.Validation, "name")
	}
	w.ask(t, "GET", path+"?name=paid", nil).must(t, http.StatusOK).into(t, &out)
	require.True(t, out.Played.Passed)
	require.Empty(t, out.Notes)
	w.posted(t, nil, ofKind("TestSuite", "recorded", out.Suite)).must(t, http.StatusOK)
	run := tested{w.talkWorld}.run(t, "recorded", nil)
	require.Equal(t, "passed", run.Status, run)
	w.b.do(t, "GET", path, nil, "auth", w.grant(t, testClient, access.PermSessionRead)).refused(t, http.StatusForbidden, fault.Forbidden)
}

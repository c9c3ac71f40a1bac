//go:build !apache

package node_test

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections/voice"
)

func doing(roles ...node.Role) func(*node.Config) {
	return func(c *node.Config) { c.Roles = roles }
}

// answering is a trunk whose callee picks up, says that it is there when it is asked, and does not hang up.
func (w *callWorld) answering(t *testing.T, name string, calls int) *Peer {
	t.Helper()
	peer := SIPp(t, Scenario(Reply(100, "Trying"), ReplySDP(200, "OK", Sound("[rtpstream_audio_port]")), ACK, BYE, ReplyOK), calls, "-aa")
	w.one.apply(t, "Trunk", "", name, fields{"provider": "sip", "address": fmt.Sprintf("%s:%d", Host, peer.Port), "optionsSeconds": 0})
	return peer
}

// media are the nodes that say that they carry calls.
func (w *callWorld) media(t *testing.T) []voice.MediaNode {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), w.DatabaseURL())
	require.NoError(t, err)
	defer pool.Close()
	live, err := voice.NewMediaNodes(pool).Live(t.Context())
	require.NoError(t, err)
	return live
}

// Given a node that carries calls and does nothing else, and another that does all the rest, then calls over trunks are the former's, and
// those of the simulated carrier the latter's. With as many as it carries, one that was placed before anybody knew waits for room, and
// the next is refused until there is.
func TestCallsOverTrunksAreAMediaNodes(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, doing(node.RoleAPI, node.RoleProjector, node.RoleReactor), speed(10))
	most := runtime.GOMAXPROCS(0)
	peer := w.answering(t, "answers", most+2)
	over := aCall().and(fields{"trunk": "answers"})
	var all []string
	for range most + 1 { // nobody carries calls yet: they wait
		all = append(all, w.dialOut(t, over).CallID)
	}
	media := w.cluster.start(t, doing(node.RoleMedia), overSIP(t), func(c *node.Config) { c.MediaCalls = 1 })
	simulated := w.dialOut(t, aCall()).CallID
	until(t, "a full node", func() bool {
		live := w.media(t)
		return len(live) == 1 && live[0].Most == most && live[0].Calls > most
	})
	full := w.ask(t, "POST", dialOutPath, over).refused(t, http.StatusTooManyRequests, fault.QueueFull)
	require.NotEmpty(t, full.Header.Get("Retry-After"))
	w.dialOut(t, aCall())
	for _, part := range []string{"parley_media_calls_limit", `parley_media_refused_total{way="outbound"}`,
		"parley_media_round_late_seconds_count"} {
		require.Contains(t, media.do(t, "GET", "/metrics", nil).Text, part)
	}

	for talking := 0; len(all) > 0; all = slices.Delete(all, talking, talking+1) {
		until(t, "a call that has room", func() bool {
			talking = slices.IndexFunc(all, func(id string) bool { return w.call(t, id).Answered() })
			return talking >= 0
		})
		w.hangsUp(t, all[talking])
		s := w.ended(t, all[talking])
		require.Equal(t, []any{calls.PhaseCompleted, media.ID()}, []any{s.Phase, s.Node})
	}
	require.Equal(t, w.ID(), w.ended(t, simulated).Node)
	var last placed
	until(t, "room", func() bool {
		got := w.ask(t, "POST", dialOutPath, over)
		if got.Status == http.StatusOK {
			got.into(t, &last)
		}
		return got.Status == http.StatusOK
	})
	w.hangsUp(t, last.CallID)
	peer.Satisfied()

	media.stop()
	require.Empty(t, w.media(t), "it said that it takes none any more")
}

// Given a node that is to end while people talk over it, then it is not ready, takes no call, and lets those calls end. What has not
// ended in time goes on at another node that carries calls.
func TestCallsEndBeforeTheirNode(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, doing(node.RoleAPI, node.RoleProjector, node.RoleReactor))
	drains := func(d time.Duration) func(*node.Config) {
		return func(c *node.Config) { c.CallDrain = d }
	}
	first := w.cluster.start(t, doing(node.RoleMedia), overSIP(t), drains(time.Minute))
	callee, _ := PicksUp(t)
	w.one.apply(t, "Trunk", "", "short", fields{"provider": "sip", "address": callee.LocalAddr().String(), "optionsSeconds": 0})
	talks := func(trunk string) string {
		t.Helper()
		id := w.dialOut(t, aCall().and(fields{"trunk": trunk})).CallID
		until(t, "an answer", func() bool { return w.call(t, id).Dialog != nil })
		return id
	}
	short, stopped := talks("short"), make(chan struct{})
	go func() {
		defer close(stopped)
		first.stop()
	}()
	until(t, "the node not to be ready", func() bool {
		got, err := first.try("GET", "/readyz", nil)
		return err == nil && got.Status == http.StatusServiceUnavailable
	})
	callee.Asks("BYE", "", "")
	<-stopped
	s := w.ended(t, short)
	require.Equal(t, []any{calls.ReasonCallerDisconnected, first.ID()}, []any{s.ReasonCode, s.Node})

	phone := Telephone(t, "+15550000001")
	w.one.apply(t, "Trunk", "", "phone", fields{"provider": "sip", "address": fmt.Sprintf("%s:%d", Host, phone.Port), "optionsSeconds": 0,
		"rtpNat": true})
	second := w.cluster.start(t, doing(node.RoleMedia), overSIP(t), drains(100*time.Millisecond))
	long := talks("phone")
	third := w.cluster.start(t, doing(node.RoleMedia), overSIP(t), drains(100*time.Millisecond))
	until(t, "two nodes", func() bool { return len(w.media(t)) == 2 })
	second.stop()
	until(t, "the other node", func() bool { return w.call(t, long).Node == third.ID() })
	require.Equal(t, calls.PhaseAnswered, w.call(t, long).Phase)
	until(t, "its sound there", func() bool {
		return strings.Contains(third.do(t, "GET", "/metrics", nil).Text, "parley_media_lines 1\n")
	})
	require.NotContains(t, phone.Output(), "session closed")
	third.stop()
	require.Equal(t, calls.ReasonGatewayDisconnected, w.ended(t, long).ReasonCode, "there is no other any more")
	until(t, "the telephone to be told", func() bool { return strings.Contains(phone.Output(), "session closed") })
}

// Given a node that lets its calls end, then each of them is found and hung up by the API of any node, its own too; somebody who goes on
// with one at another node is told that it is there; and what is placed meanwhile goes elsewhere.
func TestCallsOfANodeThatEndsAreFound(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, doing(node.RoleAPI, node.RoleProjector, node.RoleReactor))
	has, other := FreePort(t), FreePort(t)
	ends := w.cluster.start(t, doing(node.RoleAPI, node.RoleMedia), overSIPAt(has), func(c *node.Config) { c.CallDrain = 2 * time.Minute })
	talks := func(trunk string) (id string, over <-chan struct{}) {
		t.Helper()
		callee, over := PicksUp(t)
		w.one.apply(t, "Trunk", "", trunk, fields{"provider": "sip", "address": callee.LocalAddr().String(), "optionsSeconds": 0})
		id = w.dialOut(t, aCall().and(fields{"trunk": trunk})).CallID
		until(t, "an answer", func() bool { return w.call(t, id).Dialog != nil })
		return id, over
	}
	one, oneOver := talks("one")
	two, twoOver := talks("two")
	another := w.cluster.start(t, doing(node.RoleMedia), overSIPAt(other))
	until(t, "two nodes", func() bool { return len(w.media(t)) == 2 })
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		ends.stop()
	}()
	until(t, "the node to take no more", func() bool { return len(w.media(t)) == 1 })

	asked := goesOnWith(t, other, *w.call(t, one).Dialog)
	require.Contains(t, asked, fmt.Sprintf("@%s:%d?Replaces=", Host, has))
	third, _ := talks("three")
	require.Equal(t, another.ID(), w.call(t, third).Node)
	hangsUp := func(at *server, id string) {
		t.Helper()
		session := "/api/projects/" + mainApp + "/sessions/" + w.call(t, id).SessionID
		at.do(t, "GET", session, nil, "auth", w.auth).must(t, 200)
		at.do(t, "DELETE", session, nil, "auth", w.auth).must(t, 200)
	}
	hangsUp(w.server, one)
	<-oneOver
	hangsUp(ends, two)
	<-twoOver
	<-stopped
	for _, id := range []string{one, two} {
		s := w.ended(t, id)
		require.Equal(t, []any{calls.ReasonBotDisconnected, ends.ID()}, []any{s.ReasonCode, s.Node})
	}
	w.hangsUp(t, third)
	w.ended(t, third)
}

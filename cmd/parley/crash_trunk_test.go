//go:build !apache

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// Calls over trunks when a node is killed: so many talk, so many ring, and so many were placed a moment ago.
const talkingCalls, ringingCalls, newCalls = 200, 20, 40

// staysOn is a callee that picks up, takes who else speaks to it in the call, and hangs up by itself never.
func staysOn() string {
	const route = "[last_Record-Route:]\n"
	again := strings.Replace(ReplySDP(200, "OK", Sound("[media_port]"), route), "[last_To:];tag="+Tag, "[last_To:]", 1)
	return Scenario(Reply(180, "Ringing", route), ReplySDP(200, "OK", Sound("[media_port]"), route), ACK,
		`<label id="1"/><recv request="INVITE" optional="true" next="2"/><recv request="ACK" optional="true" next="1"/><recv request="BYE"/>`,
		strings.Replace(ReplyOK, "<send>", `<send next="3">`, 1),
		`<label id="2"/>`, again, `<recv request="ACK" next="1"/><label id="3"/>`)
}

// onTrunk is what stands on the log of a call.
type onTrunk struct {
	began              string // the node that did
	established, rings bool
	adopted, over      int
	alive              bool // since it was adopted
}

// onTrunks reads the log.
func onTrunks(t *testing.T, brokers []string) map[string]*onTrunk {
	t.Helper()
	time.Sleep(time.Second) // between two looks, which take their time of a busy machine
	all := map[string]*onTrunk{}
	for _, r := range accepted(t, strings.Join(brokers, ","), calls.Calls.Topic()) {
		id := calls.Calls.StreamID(r.Stream)
		c := all[id]
		if c == nil {
			c = &onTrunk{}
			all[id] = c
		}
		switch strings.Split(r.Type, ".")[2] {
		case "attempt-started":
			var e struct{ Node string }
			require.NoError(t, json.Unmarshal(r.Data, &e))
			c.began = e.Node
		case "ringing":
			c.rings = true
		case "leg-established":
			c.established = true
		case "adopted":
			c.adopted++
		case "lease-renewed":
			c.alive = c.adopted > 0
		case "completed", "failed":
			c.over++
		}
	}
	return all
}

// count counts the calls of which something is true.
func count(all map[string]*onTrunk, is func(*onTrunk) bool) (n int) {
	for _, c := range all {
		if is(c) {
			n++
		}
	}
	return n
}

// Given two nodes and a trunk, when one is killed in the middle of its calls, then the other goes on with those in which somebody
// talks, until it hangs up; of those that ring each has its end; and none has two.
func TestCallsOverATrunkWhoseNodeIsKilled(t *testing.T) {
	t.Parallel()
	first, second := dataFolder(t), dataFolder(t)
	brokers, database := embeddedtest.Parts(t)
	shared := func() []string {
		return []string{"--kafka-brokers", strings.Join(brokers, ","), "--database-url", database, "--keyset",
			filepath.Join(first, "shared.json"), "--call-lease", "30s", "--sip-listen", fmt.Sprintf("%s:%d", Host, FreePort(t))}
	}
	one := serveDev(t, first, freeAddress(t), shared()...)
	two := serveDev(t, second, freeAddress(t), shared()...)
	nodes := []client{clientOf(one), {url: two.url, env: environment(t, first)}}

	// given calls that talk, through a proxy that answers whoever speaks in them, and calls that ring
	callee := SIPp(t, staysOn(), talkingCalls, "-aa", "-default_behaviors", "all,-abortunexp")
	proxy := Kamailio(t, 0, callee.Port)
	hasty := SIPp(t, staysOn(), newCalls, "-aa", "-default_behaviors", "all,-abortunexp")
	ringer := SIPp(t, Scenario(Reply(180, "Ringing"), Pause(60_000)), ringingCalls, "-default_behaviors", "all,-abortunexp")
	trunk := func(name string, port int) map[string]any {
		return map[string]any{"kind": "Trunk", "metadata": map[string]any{"name": name, "tenant": "acme"}, "spec": map[string]any{
			"provider": "sip", "address": Host + ":" + strconv.Itoa(port), "optionsSeconds": 0, "username": "acme", "password": Password,
			"register": false}}
	}
	nodes[0].must(t, http.MethodPost, "/api/v1/admin/apply", map[string]any{"manifests": []any{trunk("carrier", proxy.Port),
		trunk("bell", ringer.Port), trunk("late", hasty.Port)}}, "auth", nodes[0].env["PARLEY_TOKEN"])
	l := newLedger()
	place := func(trunk string, n int) {
		for i := range n {
			key, body := fmt.Sprint(trunk, "-", i), nodes[0].callBody()
			body["trunk"] = trunk
			l.asked(key)
			a := nodes[i%2].must(t, http.MethodPost, nodes[0].dialOutPath(), body, "auth", nodes[0].env["PARLEY_TOKEN"], "Idempotency-Key", key)
			require.True(t, l.heard(key, a), "%s", a)
		}
	}
	place("carrier", talkingCalls)
	place("bell", ringingCalls)
	var all map[string]*onTrunk
	two.await("the calls to talk, and to ring", func() bool {
		all = onTrunks(t, brokers)
		return count(all, func(c *onTrunk) bool { return c.established }) == talkingCalls &&
			count(all, func(c *onTrunk) bool { return c.rings && !c.established }) == ringingCalls
	})
	talking, began := map[string]bool{}, map[string]int{}
	for id, c := range all {
		if c.established {
			talking[id] = true
			began[c.began]++
		}
	}
	t.Logf("calls that talk, by node: %v", began)
	require.Len(t, began, 2)

	place("late", newCalls)
	one.kill()

	// then they go on at the other, and with none of its own anything has happened
	dead := ""
	two.await("all calls of the node that was killed to go on", func() bool {
		all = onTrunks(t, brokers)
		for _, c := range all {
			if c.adopted > 0 {
				dead = c.began
			}
		}
		return dead != "" && began[dead] == count(all, func(c *onTrunk) bool { return c.alive })
	})
	for id, c := range all {
		if talking[id] {
			require.Equal(t, []any{c.began == dead, 0}, []any{c.adopted == 1, c.over}, "%s: %+v", id, c)
		}
	}
	two.await("what becomes of the calls that had just begun", func() bool {
		all = onTrunks(t, brokers)
		return len(all) == talkingCalls+ringingCalls+newCalls && count(all, func(c *onTrunk) bool {
			return c.over == 0 && !c.established && !(c.rings && c.began != dead)
		}) == 0
	})
	t.Logf("calls that have ended: %d", count(all, func(c *onTrunk) bool { return c.over > 0 }))
	two.terminate()
	require.Zero(t, two.exit(patience), two.out.tail())
	callee.Satisfied()
	requireOneEndEach(t, strings.Join(brokers, ","), l)
}

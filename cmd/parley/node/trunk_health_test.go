//go:build !apache

package node_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/eventstore"
)

// Given a trunk that registers us, when its peer is gone, then calls over it fail at once, or take another trunk, and /readyz
// says how many, and not which; and when it is back, they go over it again.
func TestATrunkThatGoesAndComesBack(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, overSIP(t))
	callee := SIPp(t, Scenario(Reply(486, "Busy Here"), ACK), 2)
	proxy := Kamailio(t, 0, callee.Port)
	spare := SIPp(t, Scenario(Reply(603, "Decline"), ACK), 1)
	carrier := fields{"provider": "sip", "address": fmt.Sprintf("%s:%d", Host, proxy.Port), "username": "acme", "password": Password,
		"optionsSeconds": 5}
	w.one.apply(t, "Trunk", "", "spare", fields{"provider": "sip", "address": fmt.Sprintf("%s:%d", Host, spare.Port), "optionsSeconds": 0})
	w.one.apply(t, "Trunk", "", "carrier", carrier)
	w.one.apply(t, "Trunk", "", "safe", carrier.and(fields{"fallbacks": []string{"spare"}, "register": false}))
	health := func(name string) trunks.Health {
		s, err := eventstore.Read(t.Context(), w.Store(), trunks.Trunks, trunks.Stream(w.one.id))
		require.NoError(t, err)
		return s.State.Health[name]
	}
	dial := func(trunk string) calls.State {
		return w.ended(t, w.dialOut(t, aCall().and(fields{"trunk": trunk})).CallID)
	}
	until(t, "the registration", func() bool { return health("carrier").Registered })
	require.Equal(t, "486 Busy Here", dial("carrier").Reason)

	proxy.Kill()
	until(t, "both trunks to be missed", func() bool { return health("carrier").Unreachable != "" && health("safe").Unreachable != "" })
	failed := dial("carrier")
	require.Equal(t, "503 Service Unavailable", failed.Reason)
	require.Less(t, failed.EndedAt.Sub(failed.DialedAt), 30*time.Second, "sooner than one that does not answer is given up")
	require.Equal(t, "603 Decline", dial("safe").Reason, "over another trunk")
	var body []byte
	until(t, "the node to be ready", func() bool {
		r, err := http.Get(w.URL() + "/readyz")
		require.NoError(t, err)
		defer r.Body.Close()
		body, err = io.ReadAll(r.Body)
		require.NoError(t, err)
		return r.StatusCode == http.StatusOK
	})
	require.Contains(t, string(body), `{"name":"trunks","ready":true,"degraded":true,"detail":{"unreachable":2,"notRegistered":0}}`)
	for _, secret := range []string{"carrier", "safe", w.one.id, Host} {
		require.NotContains(t, string(body), secret, "anybody may ask")
	}

	Kamailio(t, proxy.Port, callee.Port)
	until(t, "both trunks to be back", func() bool { return health("carrier").Unreachable == "" && health("safe").Unreachable == "" })
	require.Equal(t, "486 Busy Here", dial("safe").Reason)
}

// registrar takes whoever registers, for ten seconds, and notes each by the address of its contact, and those who take that back.
func registrar(t *testing.T) (address string, registered func() (by, left []string)) {
	t.Helper()
	peer := Listens(t)
	var mu sync.Mutex
	var by, left []string
	go func() {
		for {
			asked, err := peer.Next()
			if err != nil {
				return
			}
			contact, expires := asked.Get("Contact"), "Contact: "+asked.Get("Contact")+";expires=10\r\n"
			mu.Lock()
			if asked.Get("Expires") == "0" {
				left, expires = append(left, contact), ""
			} else {
				by = append(by, contact)
			}
			mu.Unlock()
			peer.Answers("200 OK", expires, "")
		}
	}()
	return peer.LocalAddr().String(), func() ([]string, []string) {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(by), slices.Clone(left)
	}
}

// Given two nodes and a trunk that registers, then one of them is registered, again and again, and never the other; when it ends, it
// takes that back, and the other registers.
func TestOneOfTwoNodesIsRegistered(t *testing.T) {
	t.Parallel()
	first, second := FreePort(t), FreePort(t)
	w := newCallWorld(t, overSIPAt(first))
	other := w.cluster.start(t, overSIPAt(second))
	address, registered := registrar(t)
	w.one.apply(t, "Trunk", "", "carrier", fields{"provider": "sip", "address": address, "username": "acme", "password": Password,
		"optionsSeconds": 0})
	until(t, "three registrations", func() bool { by, _ := registered(); return len(by) >= 3 })
	by, left := registered()
	require.Empty(t, left)
	require.Len(t, slices.Compact(slices.Clone(by)), 1, "of one node: %v", by)

	holds, waits := w.server, second
	if strings.Contains(by[0], fmt.Sprint(second)) {
		holds, waits = other, first
	}
	holds.stop()
	_, left = registered()
	require.Equal(t, by[:1], left)
	until(t, "the other to register", func() bool { now, _ := registered(); return len(now) > len(by) })
	now, _ := registered()
	require.Contains(t, now[len(now)-1], fmt.Sprint(waits))
}

//go:build !apache

package node_test

import (
	"fmt"
	"io"
	"net/http"
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

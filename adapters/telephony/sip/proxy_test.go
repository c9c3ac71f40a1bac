package sip_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// Given a proxy that wants a password, stays in the way and registers us, then calls go through it, by it to their end, and a
// wrong password is refused.
func TestAProxyThatWantsAPassword(t *testing.T) {
	t.Parallel()
	callee := SIPp(t, Scenario(Reply(180, "Ringing", "[last_Record-Route:]\n"), Pause(100), ReplySDP(200, "OK", Sound(answer),
		"[last_Record-Route:]\n"), ACK, BYE, ReplyOK), 1)
	proxy := Kamailio(t, 0, callee.Port)
	right := newCaller(t, at(proxy), func(tr *sip.Trunk) { tr.Username, tr.Password = "acme", Password })
	require.NoError(t, right.Reach(t.Context(), "acme", "main"))
	held, err := right.Register(t.Context(), "acme", "main")
	require.NoError(t, err)
	require.Equal(t, 2*time.Minute, held)
	require.NoError(t, right.Unregister(t.Context(), "acme", "main"))

	leg := right.dials(t)
	established := leg.until(calls.FactEstablished)
	require.Len(t, established.Dialog.Routes, 1, "the proxy stays in the way")
	require.NoError(t, leg.HangUp(t.Context()))
	leg.over()
	callee.Satisfied()

	wrong := newCaller(t, at(proxy), func(tr *sip.Trunk) { tr.Username, tr.Password = "acme", "wrong" })
	require.Equal(t, "rejected 407 Proxy Authentication Required", wrong.dials(t).over())
	_, err = wrong.Register(t.Context(), "acme", "main")
	require.ErrorContains(t, err, "401")

	proxy.Kill()
	brief, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.Error(t, right.Reach(brief, "acme", "main"))
}

package sip_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// Given a node that does not know yet which trunks there are, then calls that come in are told to come again, and nobody is offered
// them; behind it they are taken.
func TestCallsWaitUntilTheTrunksAreKnown(t *testing.T) {
	t.Parallel()
	d := newDesk(t, rejects(486, "Busy Here"))
	d.shut.Store(true)
	Calls(t, d.Port(), "+15550100", Invites(ann, Sound(answer)), MayBeTold(100), Told(503), SaysACK(ann, "")).Satisfied()
	peer := connects(t, d.caller)
	peer.asks("OPTIONS", "", "", 1)
	require.Equal(t, "1", peer.hears("SIP/2.0 503").Get("Retry-After"))
	require.Empty(t, d.offered())
	d.shut.Store(false)
	Calls(t, d.Port(), "+15550100", Invites(ann, Sound(answer)), MayBeTold(100), Told(486), SaysACK(ann, "")).Satisfied()
}

// Given a node that closes while a call runs, then that goes on, and the next one is told to come again.
func TestANodeThatClosesTakesNoCalls(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	d := newDesk(t, func(in *sip.Incoming, o calls.Offer) string {
		close(begun)
		<-goOn
		return rejects(486, "Busy Here")(in, o)
	})
	first, next := connects(t, d.caller), connects(t, d.caller)
	first.asks("INVITE", "", pcmu, 1)
	<-begun
	closed := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		closed <- d.Close(ctx)
	}()
	for n, told := 1, ""; told != "SIP/2.0 503 Service Unavailable"; n++ {
		next.asks("OPTIONS", "", "", n)
		told = next.told()
	}
	next.asks("INVITE", "", pcmu, 1)
	next.hears("SIP/2.0 503")
	close(goOn)
	first.hears("SIP/2.0 486")
	first.asks("ACK", "x", "", 1)
	require.NoError(t, <-closed)
	require.Len(t, d.offered(), 1)
}

// Given a node that is to end and has its calls end first, then who asks for another, or whether any may come, is told to go elsewhere; who
// asks whether a call is still there is told so, and what belongs to that call is done.
func TestANodeThatTakesNoNewCalls(t *testing.T) {
	t.Parallel()
	d := newDesk(t, picksUp(t))
	var drains atomic.Bool
	d.Refuses(drains.Load)
	caller, other := connects(t, d.caller), connects(t, d.caller)
	other.asks("OPTIONS", "", "", 1)
	other.hears("SIP/2.0 200")
	tag := caller.calls()
	drains.Store(true)
	for n, method := range []string{"OPTIONS", "INVITE"} {
		sdp := map[string]string{"INVITE": pcmu}[method]
		other.asks(method, "", sdp, n+2)
		require.Equal(t, "1", other.hears("SIP/2.0 503").Get("Retry-After"), method)
	}
	other.asks("OPTIONS", "unknown", "", 9)
	other.hears("SIP/2.0 481")
	caller.asks("OPTIONS", tag, "", 2)
	caller.hears("SIP/2.0 200")
	caller.asks("INVITE", tag, pcmu, 3)
	caller.hears("SIP/2.0 200")
	caller.asks("ACK", tag, "", 3)
	caller.asks("BYE", tag, "", 4)
	caller.hears("SIP/2.0 200")
	d.over(t, 1)
	require.Equal(t, "answered, established, hung-up", d.story())
	drains.Store(false)
	other.asks("OPTIONS", "", "", 10)
	other.hears("SIP/2.0 200")
}

package calls_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

// Given a call, when its callee is to be erased, then it ends as if we had hung up.
func TestACallWhoseCalleeIsErasedEnds(t *testing.T) {
	terminated := func(ring, connect int64) []event.Payload {
		return []event.Payload{calls.Failed{At: after(5_000), SIPCode: 487, ReasonCode: calls.FailureCode(487), Reason: "487 Request Terminated",
			RingDurationMs: ring, ConnectDurationMs: connect}}
	}
	ended := append(connected(t), calls.Completed{At: after(4_500), By: calls.ByCallee})
	for name, c := range map[string]struct{ given, then []event.Payload }{
		"nobody has dialled": {[]event.Payload{requested(t)}, terminated(0, 0)},
		"it rings":           {connected(t)[:3], terminated(3_900, 4_900)},
		"somebody answered": {connected(t), []event.Payload{calls.Completed{At: after(5_000), By: calls.ByBot, Cause: "callee erased",
			ReasonCode: calls.ReasonBotDisconnected, Reason: "200 OK", DurationMs: 900, SessionID: "s-1"}}},
		"it has ended":  {ended, nil},
		"there is none": {nil, nil},
	} {
		got, err := calls.Forget{At: after(5_000)}.Decide(calls.Calls.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
}

package calls_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Given a call that rings, when what followed is decided in turn, then the events are those
// that would have been decided one by one, and the state that was given is as it was.
func TestWhatIsDecidedInTurnIsWhatWouldBeDecidedOneByOne(t *testing.T) {
	all := []func(calls.State) ([]event.Payload, error){calls.Answer{SessionID: "s-1", At: after(4_100)}.Decide,
		calls.Answer{SessionID: "s-2", At: after(4_150)}.Decide, calls.Say{Text: "Good day!", At: after(4_200)}.Decide,
		calls.Complete{By: calls.ByCallee, Cause: "the callee hung up", At: after(9_000)}.Decide,
		calls.Say{Text: "Are you there?", At: after(9_100)}.Decide}
	rings := calls.Calls.State(requested(t), started, rang)
	var want []event.Payload
	now := calls.Calls.State(requested(t), started, rang)
	for _, decide := range all {
		events, err := decide(now)
		require.NoError(t, err)
		for _, e := range events {
			calls.Calls.Fold(&now, e)
		}
		want = append(want, events...)
	}
	got, err := calls.InTurn(all...)(rings)
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.Equal(t, want, got)
	require.Equal(t, calls.Calls.State(requested(t), started, rang), rings)
}

func TestARefusalInTurnRefusesAll(t *testing.T) {
	_, err := calls.InTurn(calls.Ring{At: after(1_100)}.Decide, calls.Detect{Detection: calls.Detection{Result: "?"}}.Decide)(
		calls.Calls.State(requested(t), started))
	require.True(t, fault.Is(err, fault.Validation))
}

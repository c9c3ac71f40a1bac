package voice_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// Given a node that is to end, then it takes no more calls, and those that it has go on to their ends, within a limit.
func TestCallsAreLetEnd(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.Zero(w, w.dialer.Refuse())
	})
	for limit, left := range map[time.Duration]int{time.Minute: 0, 5 * time.Second: 1} {
		inVirtualTime(t, 1, func(w *dialerWorld) {
			w.place("c1")
			w.pass(4 * time.Second)
			w.store.request(w.T, "c2")
			require.Equal(w, 1, w.dialer.Refuse())
			require.True(w, fault.Is(w.dialer.Requested(w.Context(), "c2"), fault.Unavailable), "another node's")
			began := time.Now()
			ctx, cancel := context.WithTimeout(w.Context(), limit)
			defer cancel()
			require.Equal(w, left, w.dialer.Drain(ctx))
			require.LessOrEqual(w, time.Since(began), 10*time.Second)
			require.NoError(w, w.dialer.Close(w.Context()))
			require.Equal(w, left, len(w.carrier.hungUp))
			require.Equal(w, calls.PhaseCompleted, w.store.state("c1").Phase)
		})
	}
}

// others says for how many calls other nodes have room.
func others(n int) func(*voice.DialerConfig) {
	return func(c *voice.DialerConfig) { c.Others = func(context.Context) int { return n } }
}

// Given another node with room, when the node of a call ends, then the other goes on with the call at once, and nobody hangs up.
func TestACallIsLeftToAnotherNode(t *testing.T) {
	onTwoNodesOf(t, others(1), func(n *twoNodes) {
		require.NoError(n, n.dialer.Close(n.Context()))
		require.Equal(n, []int{1, 0}, []int{n.first.left, n.first.hungUp})
		require.Equal(n, calls.PhaseAnswered, n.store.state("c1").Phase)
		require.NoError(n, n.other.Expire(n.Context(), "c1", time.Now()))
		n.pass(time.Second)
		require.Equal(n, "n2", n.store.state("c1").Node)
		n.second.says("17")
		n.pass(time.Second)
		require.Equal(n, []string{"said 1 Good day, Ada!", "heard 1 hello", "said 3 How many?", "heard 2 17", "said 5 17, noted.",
			"Bot-disconnected: the agent ended the conversation"}, n.store.talk("c1"))
	})
}

// Given a person on the line, when the node of the call ends, then they go with the call; one whose telephone rings does not.
func TestAPersonGoesWithTheCall(t *testing.T) {
	for name, c := range map[string]struct {
		facts []calls.FactKind
		want  []int // left, hung up
	}{
		"on the line": {[]calls.FactKind{calls.FactEstablished}, []int{1, 0}},
		"rings":       {nil, []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			onTwoNodesOf(t, others(1), func(n *twoNodes) {
				person := &leftWire{wire: newWire()}
				n.first.line = &soundWire{wire: newWire()}
				n.carrier.legs = func() voice.Leg { return person }
				n.store.do(n.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example",
					At: time.Now()}.Decide)
				n.pass(11 * time.Second)
				for _, kind := range c.facts {
					person.facts <- fact(kind)
				}
				n.pass(time.Second)
				require.NoError(n, n.dialer.Close(n.Context()))
				n.pass(time.Second)
				require.Equal(n, c.want, []int{person.left, person.hungUp})
				require.NoError(n, n.other.Expire(n.Context(), "c1", time.Now()))
				n.pass(time.Second)
				n.second.facts <- fact(calls.FactHungUp)
			})
		})
	}
}

// What nobody can go on with is hung up: no node has room, or the log does not take that the call is let go.
func TestACallThatNobodyGoesOnWithIsHungUp(t *testing.T) {
	onTwoNodesOf(t, others(0), func(n *twoNodes) {
		require.NoError(n, n.dialer.Close(n.Context()))
		require.Equal(n, []int{0, 1}, []int{n.first.left, n.first.hungUp})
		require.Equal(n, "Gateway-disconnected: the node shut down", n.store.talk("c1")[3])
	})
	onTwoNodesOf(t, others(1), func(n *twoNodes) {
		n.without("")
		ctx, cancel := context.WithTimeout(n.Context(), 10*time.Second)
		defer cancel()
		require.Error(n, n.dialer.Close(ctx))
		require.Equal(n, []int{0, 1}, []int{n.first.left, n.first.hungUp})
		n.store.Fail(memory.Faults{})
		n.at.line, n.at.status = nil, calls.LegOver
		n.pass(31 * time.Second)
		require.NoError(n, n.other.Expire(n.Context(), "c1", time.Now()))
		n.pass(time.Second)
		require.Equal(n, "Gateway-disconnected: node lost, and the call was over", n.store.talk("c1")[3])
	})
}

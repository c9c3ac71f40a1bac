package eventstore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

func TestAResultHasTheStateThatItsEventsLeft(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		first := s.do(0, acme("k"), note("a", 2))
		require.NoError(t, first.err)
		require.EqualValues(t, 2, first.res.State.Notes)
		for node := range 2 { // with the stream in the cache and without
			next := s.do(node, acme(""), note("b", 1))
			require.NoError(t, next.err)
			require.EqualValues(t, 3+node, next.res.State.Notes)
		}
		seen, err := s.seen(2)
		require.NoError(t, err)
		require.EqualValues(t, 4, seen.State.Notes)

		again := s.do(1, acme("k"), note("c", 1))
		require.True(t, again.res.Replayed)
		require.Equal(t, first.res.State, again.res.State, "as it was: what came later is not in it")
	})
}

// Given a stream that answered more requests than are kept of it, then each is answered once all the same, as it was, by nodes that
// answered it and by one that reads the stream; and what is new counts.
func TestOldRequestsOfALongStreamAreKnown(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		const many = 12
		for i := range many {
			require.NoError(t, s.do(i%2, acme(fmt.Sprint("r", i)), note("a", 1)).err)
		}
		for node := range 3 {
			for i := range many {
				again := s.do(node, acme(fmt.Sprint("r", i)), note("b", 1))
				require.NoError(t, again.err)
				require.True(t, again.res.Replayed)
				require.EqualValues(t, i+1, again.res.State.Notes)
			}
			other := acme("r5")
			other.RequestHash = "of another request"
			require.True(t, fault.Is(s.do(node, other, note("c", 1)).err, fault.Conflict))
		}
		next := s.do(0, acme("next"), note("d", 1))
		require.NoError(t, next.err)
		require.EqualValues(t, many+1, next.res.State.Notes)
	})
}

func TestAResultKeepsItsStateWhenOthersChangeTheStream(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		first := s.do(0, acme(""), note("a", 2))
		nothing := s.do(0, acme(""), nothingToDo)
		for range 3 {
			require.NoError(t, s.do(0, acme(""), note("b", 2)).err)
		}
		for _, x := range []*told{first, nothing} {
			require.NoError(t, x.err)
			require.EqualValues(t, 2, x.res.State.Notes)
			require.Equal(t, map[int]int64{0: 1, 1: 1}, x.res.State.Parts)
		}
	})
}

func TestADecisionThatNothingIsToDoGivesTheStateOfTheIndex(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		require.NoError(t, s.do(1, acme(""), note("x", 1)).err) // node 0 does not know
		got := s.do(0, acme(""), nothingToDo)
		require.NoError(t, got.err)
		require.EqualValues(t, 2, got.res.State.Notes)
	})
}

func TestNobodyPaysForAStateThatNobodyLooksAt(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		bare := acme("k")
		bare.Stateless = true
		for range 2 { // the second is a replay
			got := s.do(0, bare, note("a", 1))
			require.NoError(t, got.err)
			require.Zero(t, got.res.State)
		}
		bare.RequestID = ""
		require.Zero(t, s.do(0, bare, nothingToDo).res.State)
		require.EqualValues(t, 2, s.do(0, acme(""), note("c", 1)).res.State.Notes)
	})
}

func TestARefusalHasNoState(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		require.Zero(t, s.do(0, acme(""), unless(1, nil)).res)
	})
}

func TestAStreamIsReadAsItStoodAtAVersion(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		for range 3 {
			require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		}
		for asked, want := range map[int64]int64{-1: 0, 0: 0, 2: 2, 3: 3, 9: 3} {
			got, err := s.seenAt(1, asked)
			require.NoError(t, err)
			require.Equal(t, want, got.Version)
			require.Equal(t, want, got.State.Notes)
		}
	})
}

func TestReadingLeavesTheCacheAsItIs(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		seen, err := s.seen(0)
		require.NoError(t, err)
		seen.State.Parts[0] = 7 // it is the reader's own
		next := s.send(0, acme(""), note("b", 1))
		require.Zero(t, s.reads(), "the state is still cached")
		s.until(next)
		require.Equal(t, map[int]int64{0: 2}, next.res.State.Parts)
	})
}

func TestReadingDoesNotWaitForWhatIsOnItsWay(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		var commands []*told
		for range 2 {
			commands = append(commands, s.send(0, acme(""), note("a", 1)))
			s.reads()
		}
		seen, err := s.nodes[0].readNow(s)
		require.NoError(t, err)
		require.Zero(t, seen.Version, "nobody was told of them")
		s.until(commands...)
		seen, err = s.seen(0)
		require.NoError(t, err)
		require.EqualValues(t, 2, seen.Version)
	})
}

// A decision on a chain sees what those before it left, and keeps nothing of it.
func TestEachResultOfAChainHasItsOwnState(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		calls := []*told{s.send(0, acme(""), note("first", 1))}
		s.reads()
		for range 5 {
			calls = append(calls, s.send(0, acme(""), func(n notebook) ([]event.Payload, error) { return note("next", int(n.Notes))(n) }))
		}
		s.until(calls...)
		for i, x := range calls {
			require.NoError(t, x.err)
			require.EqualValues(t, 1<<i, x.res.State.Notes)
			require.True(t, x.res.State.whole())
		}
	})
}

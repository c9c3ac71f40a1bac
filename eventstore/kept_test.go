package eventstore_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
)

// loads is how often a node has read whole streams since it was asked last.
func (s *scene) loads(node int) int64 { return s.nodes[node].loads.Swap(0) }

// Given a node that keeps a stream, when it is read while commits are on their way, then it is what it was before
// them, without being read whole.
func TestReadingWhileACommitIsOnItsWaySparesTheStream(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		s.loads(0)
		calls := []*told{s.send(0, acme(""), note("b", 1)), s.send(0, acme(""), note("c", 1))}
		seen, err := s.nodes[0].readNow(s)
		require.NoError(t, err)
		require.EqualValues(t, 1, seen.Version)
		seen.State.Parts[0] = 7 // it is the reader's own
		again, err := s.nodes[0].readNow(s)
		require.NoError(t, err)
		require.Equal(t, map[int]int64{0: 1}, again.State.Parts)
		s.until(calls...)
		require.Equal(t, map[int]int64{0: 3}, calls[1].res.State.Parts)
		require.Zero(t, s.loads(0))
	})
}

// Given a node whose commit loses to that of another node, then it decides again on what lies behind what it knew before, without
// reading the stream whole, and still knows the requests that it has answered, and those of the other.
func TestWhoLosesReadsOnlyWhatItMissed(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme("first"), note("a", 1)).err)
		s.loads(0)
		require.NoError(t, s.do(1, acme("other"), note("b", 1)).err)
		late := []*told{s.send(0, acme("late"), note("c", 1)), s.send(0, acme("later"), note("d", 1))}
		s.until(late...)
		require.NoError(t, late[0].err)
		require.NoError(t, late[1].err)
		require.ElementsMatch(t, []int64{3, 4}, []int64{late[0].res.State.Parts[0], late[1].res.State.Parts[0]}, "whoever comes first")
		require.Zero(t, s.loads(0))
		for _, key := range []string{"first", "other", "late", "later"} {
			again := s.do(0, acme(key), note("x", 9))
			require.NoError(t, again.err)
			require.True(t, again.res.Replayed, key)
		}
	})
}

// Given a request that is repeated by somebody who does not look at the state, then its own events are read, and not the stream
// that they are in.
func TestWhoLooksAtNoStateIsAnsweredByItsOwnEvents(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		for _, key := range []string{"before", "asked", "behind"} {
			require.NoError(t, s.do(0, acme(key), note(key, 2)).err)
		}
		s.loads(0)
		asked := acme("asked")
		asked.Stateless = true
		again := s.do(0, asked, note("x", 9))
		require.NoError(t, again.err)
		require.True(t, again.res.Replayed)
		require.Equal(t, []int64{3, 4}, []int64{again.res.Events[0].Version, again.res.Events[1].Version})
		require.Len(t, again.res.Events, 2)
		require.Zero(t, again.res.State)
		require.Zero(t, s.loads(0))
	})
}

// Given a command that has not heard yet that it was accepted, when one behind it was, and the next loses to another node, then
// its request is known still.
func TestWhoseAnswerIsLateIsKnownToThoseBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &inMemory{t: t, log: memory.New()}
		for range 2 {
			s.stores = append(s.stores, s.open())
		}
		defer s.close()
		require.NoError(t, s.do(0, acme(""), note("first", 1)).err)
		slow := true
		s.log.Fail(memory.Faults{Verdict: func(commit []*eventstore.Record) error {
			if slow && len(commit) > 0 && commit[0].RequestID == "slow" {
				slow = false
				time.Sleep(time.Second)
			}
			return nil
		}})
		heard := make(chan *told)
		go func() { heard <- s.do(0, acme("slow"), note("a", 1)) }()
		synctest.Wait()
		require.NoError(t, s.do(0, acme(""), note("b", 1)).err)
		require.NoError(t, s.do(1, acme(""), note("x", 1)).err)
		require.NoError(t, s.do(0, acme(""), note("c", 1)).err)
		again := s.do(0, acme("slow"), note("y", 1))
		require.NoError(t, again.err)
		require.True(t, again.res.Replayed)
		require.NoError(t, (<-heard).err)
	})
}

// Given a stream that is never at rest, when nothing is to be done on it, then that is answered from the index, again and again, and
// those who write it keep their places: each decides once, and nobody reads the stream whole.
func TestNothingToDoOnABusyStreamBreaksNoChain(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		s.loads(0)
		decided := int64(0)
		writes := func(name string) *told { return s.send(0, acme(""), counted(&decided, note(name, 1))) }
		calls := []*told{writes("b")}
		idle := s.send(0, acme(""), nothingToDo)
		calls = append(calls, writes("c"))
		for !idle.over.Load() {
			require.Less(t, len(calls), 20, "it is answered while others are on their way")
			s.sends(s.landed) // those that were sent: what came behind them is sent now
			calls = append(calls, writes("d"))
			s.projected()
			s.looked()
			time.Sleep(time.Second) // its pause
			s.reads()
		}
		require.NoError(t, idle.err)
		s.until(calls...)
		for _, c := range calls {
			require.NoError(t, c.err)
		}
		require.EqualValues(t, len(calls), decided, "each decided once")
		require.Zero(t, s.loads(0))
	})
}

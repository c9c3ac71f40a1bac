package eventstore_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// async begins a command that wants to hear when it is on the log.
func (s *scene) async(node int, cmd eventstore.Command, decide func(notebook) ([]event.Payload, error)) *told {
	ctx, cancel := context.WithCancel(s.t.Context())
	x := &told{cancel: cancel}
	store := s.nodes[node].store
	go func() {
		defer cancel()
		x.res, x.err = eventstore.ExecuteAsync(ctx, store, notebooks, hot, cmd, decide)
		x.over.Store(true)
	}()
	synctest.Wait()
	return x
}

func (s *scene) onTheLog(x *told) {
	s.reads()
	s.sends(s.landed)
	synctest.Wait()
	require.True(s.t, x.over.Load(), "nobody has projected anything yet")
}

func TestTheFirstCommitOfAStreamIsAnsweredFromTheLog(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		first := s.async(0, acme("r"), note("a", 2))
		s.onTheLog(first)
		require.NoError(t, first.err)
		require.True(t, first.res.Pending)
		require.Equal(t, []int64{1, 2}, versions(first.res))
		s.finishAll()

		again := s.async(1, acme("r"), note("b", 1))
		s.until(again)
		require.NoError(t, again.err)
		require.True(t, again.res.Replayed)
		require.False(t, again.res.Pending, "what is visible is answered as ever")
		require.Equal(t, []string{"a", "a"}, texts(again.res))

		other := acme("r")
		other.RequestHash = "another"
		refused := s.async(1, other, note("b", 1))
		s.until(refused)
		require.Equal(t, fault.Conflict, fault.CodeOf(refused.err))
	})
}

func TestALaterCommitIsWaitedFor(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		later := s.async(0, acme(""), note("b", 1))
		s.reads()
		s.sends(s.landed)
		require.False(t, later.over.Load(), "another may win its version")
		s.until(later)
		require.NoError(t, later.err)
		require.False(t, later.res.Pending)
	})
}

// Two requests with one key that decided at the same moment: both hear of the stream,
// and one of them holds. The one that lost goes on behind its answer, and changes nothing.
func TestACommitThatLosesAfterItsAnswerChangesNothing(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		var decided int64
		one, two := s.async(0, acme("r"), note("a", 1)), s.async(1, acme("r"), counted(&decided, note("b", 1)))
		s.reads()
		s.sends(s.landed)
		s.until(one, two)
		require.True(t, one.res.Pending && two.res.Pending)
		s.finishAll()
		again := s.do(1, acme("r"), note("c", 1))
		require.True(t, again.res.Replayed)
		require.EqualValues(t, 1, atomic.LoadInt64(&decided))
	})
}

func TestACommitWhoseAcknowledgementWasLostIsWaitedFor(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		x := s.async(0, acme("r"), note("a", 1))
		s.reads()
		s.sends(s.ackLost)
		require.False(t, x.over.Load())
		s.until(x)
		require.False(t, x.res.Pending, "what was sent twice is judged before it is told")
	})
}

package engine

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections/sink"
)

// waited is what a command hears that waits for its commit.
type waited struct {
	told bool
	err  error
}

// await has a command wait for a commit at the end of a partition.
func await(ctx context.Context, w *watch, at sink.Place, end int64, commit string) <-chan waited {
	e := w.expect(nil, at, "counter-a", 1, commit, func(sink.Place) string { return "" })
	out := make(chan waited, 1)
	go func() {
		told, err := w.until(ctx, at, end, e.verdict)
		out <- waited{told, err}
	}()
	return out
}

// Given a transaction of this node whose notification is heard before the worker knows that it is through, then who waits hears the
// verdict of the worker, and is not woken to ask the index for it.
func TestOwnNotificationLeavesTheVerdictToTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, at := newWatch(func(stall) {}), sink.Place{Topic: "parley.counters", Partition: 1}
		done := w.writing(at, 5)
		heard := await(t.Context(), w, at, 5, "ours")
		synctest.Wait()
		w.notified(at, 5)
		synctest.Wait()
		require.Empty(t, heard, "it waits for the worker")
		w.moved(at, 5, []verdict{{commit: "ours"}})
		done()
		require.Equal(t, waited{told: true}, <-heard)
	})
}

// Given a transaction of which the worker does not know what became, and that was told of, then who waits is woken when the worker gives
// it up; of one that nobody told of, nobody is.
func TestWhatWasHeardIsToldWhenTheWorkerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, at := newWatch(func(stall) {}), sink.Place{Topic: "parley.counters", Partition: 1}
		heard := await(t.Context(), w, at, 5, "ours")
		w.writing(at, 5)()
		synctest.Wait()
		require.Empty(t, heard, "nothing was told")

		done := w.writing(at, 5)
		w.notified(at, 5)
		done()
		require.Equal(t, waited{}, <-heard)
		require.EqualValues(t, 5, w.passed(at))
	})
}

// Given read models that may have gone back since a transaction was told of, then nobody is told of it any more.
func TestWhatWasHeardIsForgotten(t *testing.T) {
	w, at := newWatch(func(stall) {}), sink.Place{Topic: "parley.counters", Partition: 1}
	done := w.writing(at, 5)
	w.notified(at, 5)
	w.forget()
	done()
	require.EqualValues(t, -1, w.passed(at))
}

// Given a worker that another one of this node has followed, then what was told of the one is not said of the other.
func TestAWorkerThatIsFollowedTellsOnlyOfItself(t *testing.T) {
	w, at := newWatch(func(stall) {}), sink.Place{Topic: "parley.counters", Partition: 1}
	first := w.writing(at, 5)
	w.notified(at, 5)
	second := w.writing(at, 7)
	second()
	require.EqualValues(t, -1, w.passed(at), "7 was told by nobody")
	first()
	require.EqualValues(t, 5, w.passed(at))
}

// Given a transaction under way, when another node tells of its own progress, then who waits for that is woken at once.
func TestProgressOfOthersIsToldWhileAWorkerWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, at := newWatch(func(stall) {}), sink.Place{Topic: "parley.counters", Partition: 1}
		defer w.writing(at, 5)()
		heard := await(t.Context(), w, at, 4, "theirs")
		synctest.Wait()
		w.notified(at, 4)
		require.Equal(t, waited{}, <-heard)
	})
}

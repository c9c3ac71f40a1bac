package acts_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
)

func TestOneAtATimeWorksOnAStreamAndFewWait(t *testing.T) {
	lines := acts.Lines{Most: 1}
	first, err := lines.Enter(t.Context(), "s", "acme")
	require.NoError(t, err)
	second := make(chan func())
	go func() {
		leave, _ := lines.Enter(context.Background(), "s", "acme")
		second <- leave
	}()
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := lines.Enter(ctx, "s", "acme")
		return fault.Is(err, fault.QueueFull)
	}, 5*time.Second, time.Millisecond)
	other, err := lines.Enter(t.Context(), "another", "acme")
	require.NoError(t, err)
	other()
	first()
	(<-second)()
	again, err := lines.Enter(t.Context(), "s", "acme")
	require.NoError(t, err)
	again()
}

// Given as many who wait as may wait on this node, then one more is refused whatever he waits for,
// and who need not wait is not.
func TestSoManyWaitInAllLines(t *testing.T) {
	lines := acts.Lines{MostOfAll: 2}
	busy, err := lines.Enter(t.Context(), "s", "acme")
	require.NoError(t, err)
	entered := make(chan func())
	go func() {
		leave, _ := lines.Enter(context.Background(), "s", "acme")
		entered <- leave
	}()
	require.Eventually(t, func() bool { return lines.Waiting() == 1 }, 5*time.Second, time.Millisecond)
	done, err := lines.Wait("acme")
	require.NoError(t, err)
	_, err = lines.Wait("acme")
	require.True(t, fault.Is(err, fault.QueueFull))
	_, err = lines.Enter(t.Context(), "s", "acme")
	require.True(t, fault.Is(err, fault.QueueFull))
	require.ErrorContains(t, err, "2 messages wait on this node already")
	other, err := lines.Enter(t.Context(), "another", "acme")
	require.NoError(t, err, "nobody is there")
	other()
	done()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = lines.Enter(gone, "s", "acme")
	require.ErrorIs(t, err, context.Canceled)
	busy()
	(<-entered)()
	require.Zero(t, lines.Waiting())
}

// Given an account that waits for all that a node has, then others wait beside it, each a few, until they have as much.
func TestAnAccountLeavesRoomForOthers(t *testing.T) {
	lines := acts.Lines{MostOfAll: 20}
	for range 20 {
		_, err := lines.Wait("slow")
		require.NoError(t, err)
	}
	_, err := lines.Wait("slow")
	require.True(t, fault.Is(err, fault.QueueFull))
	for _, account := range []string{"acme", "globex"} {
		for range 2 {
			_, err = lines.Wait(account)
			require.NoError(t, err)
		}
		_, err = lines.Wait(account)
		require.True(t, fault.Is(err, fault.QueueFull), "it has a tenth")
	}
	require.Equal(t, 24, lines.Waiting())
	require.False(t, acts.Fits(20, map[string]int{"slow": 20, "b": 10, "c": 10}, "d"), "those beside it are as many as there may be")
}

// Given somebody who works on a stream, then who does not wait turns back; who was let in keeps others waiting.
func TestWhoDoesNotWait(t *testing.T) {
	var lines acts.Lines
	leave, is := lines.EnterFree("a")
	require.True(t, is)
	_, is = lines.EnterFree("a")
	require.False(t, is)
	next := make(chan func())
	go func() {
		leave, err := lines.Enter(t.Context(), "a", "acme")
		require.NoError(t, err)
		next <- leave
	}()
	require.Eventually(t, func() bool { return lines.Waiting() == 1 }, time.Minute, time.Millisecond)
	leave()
	second := <-next
	_, is = lines.EnterFree("a")
	require.False(t, is, "somebody who waited works")
	second()
	leave, is = lines.EnterFree("a")
	require.True(t, is)
	leave()
}

// Given somebody who has joined a line and does something else first, then his place counts, and is free when he gives up.
func TestAPlaceIsTakenBeforeTheWait(t *testing.T) {
	lines := acts.Lines{Most: 1}
	busy, err := lines.Enter(t.Context(), "s", "acme")
	require.NoError(t, err)
	place, err := lines.Join("s", "acme")
	require.NoError(t, err)
	require.Equal(t, 1, lines.Waiting())
	_, err = lines.Join("s", "acme")
	require.True(t, fault.Is(err, fault.QueueFull))
	place.GiveUp()
	require.Zero(t, lines.Waiting())
	place, err = lines.Join("s", "acme")
	require.NoError(t, err)
	busy()
	leave, err := place.Enter(t.Context())
	require.NoError(t, err)
	_, is := lines.EnterFree("s")
	require.False(t, is)
	leave()
	place, err = lines.Join("s", "acme")
	require.NoError(t, err, "nobody is there")
	place.GiveUp()
	leave, is = lines.EnterFree("s")
	require.True(t, is)
	leave()
}

// Given work that is under way, when others want the same, then it is done once more for all of them, behind what they came for, and
// again where that fails; who wants it of another stream, or of one at rest, waits for nobody.
func TestWhatIsTheSameForAllIsDoneOnceForWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines acts.Lines
		var began int
		free, broken := make(chan struct{}), errors.New("of the second time")
		work := func() error {
			began++
			mine := began
			<-free
			switch mine {
			case 2:
				return broken
			case 4:
				panic("of the fourth time")
			}
			return nil
		}
		answers := make(chan error, 12)
		ask := func(ctx context.Context) {
			go func() { answers <- lines.Share(ctx, "a", "acme", work) }()
			synctest.Wait()
		}
		ask(t.Context())
		impatient, leave := context.WithCancel(t.Context())
		ask(impatient) // would be the second, and is gone before that
		for range 10 {
			ask(t.Context())
		}
		require.Equal(t, 1, began)
		require.NoError(t, lines.Share(t.Context(), "b", "acme", func() error { return nil }))
		leave()
		require.ErrorIs(t, <-answers, context.Canceled)

		free <- struct{}{}
		require.NoError(t, <-answers)
		synctest.Wait()
		require.Equal(t, 2, began)
		free <- struct{}{}
		require.ErrorIs(t, <-answers, broken)
		synctest.Wait()
		require.Equal(t, 3, began, "nobody has it done yet")
		free <- struct{}{}
		for range 9 {
			require.NoError(t, <-answers)
		}
		require.Equal(t, 3, began)
		require.Zero(t, lines.Waiting())
		close(free)
		require.Panics(t, func() { _ = lines.Share(t.Context(), "a", "acme", work) })
		require.NoError(t, lines.Share(t.Context(), "a", "acme", work), "and the stream is free")
		require.Equal(t, 5, began)
	})
}

package assign

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// Given a round that is under way, when others would serve the line, then they share one that begins behind it; who serves another
// line, or a line at rest, waits for nobody.
func TestThoseWhoComeMeanwhileShareARound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var x Rounds
		var began int
		free, broken := make(chan struct{}), errors.New("of the second round")
		serve := func(context.Context) error {
			began++
			<-free
			if began == 2 {
				return broken
			}
			return nil
		}
		answers := make(chan error, 12)
		ask := func(ctx context.Context) {
			go func() { answers <- x.share(ctx, "a", serve) }()
			synctest.Wait()
		}
		ask(t.Context())
		impatient, leave := context.WithCancel(t.Context())
		ask(impatient) // it begins the second round, and is gone before that
		for range 10 {
			ask(t.Context())
		}
		require.Equal(t, 1, began)
		require.NoError(t, x.share(t.Context(), "b", func(context.Context) error { return nil }))
		leave()
		require.True(t, fault.Is(<-answers, fault.NotExecuted))

		free <- struct{}{}
		require.NoError(t, <-answers)
		synctest.Wait()
		require.Equal(t, 2, began)
		free <- struct{}{}
		for range 10 {
			require.ErrorIs(t, <-answers, broken)
		}
		synctest.Wait()
		require.Empty(t, x.next)
		close(free)
		require.NoError(t, x.share(t.Context(), "a", serve))
		require.Equal(t, 3, began)
	})
}

// Given a line that nobody gets through in time, then who waits for it is told to come again, and the next round begins.
func TestARoundThatTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var x Rounds
		stuck := func(ctx context.Context) error { <-ctx.Done(); return errors.New("a question was cut off") }
		require.True(t, fault.Is(x.share(t.Context(), "a", stuck), fault.NotExecuted))
		require.NoError(t, x.share(t.Context(), "a", func(context.Context) error { return nil }))
	})
}

// Where nothing is shared each serves for himself.
func TestWithoutRoundsEachServes(t *testing.T) {
	began := 0
	var x *Rounds
	for range 2 {
		require.NoError(t, x.share(t.Context(), "a", func(context.Context) error { began++; return nil }))
	}
	require.Equal(t, 2, began)
}

package reactors

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
)

type passed struct{}

func (passed) Await(context.Context, string, int, int64) error { return nil }

// silent answers nothing the first time, as a connection whose other end is gone.
type silent struct{ asked int }

func (s *silent) HeldBy(ctx context.Context, _ string, _ int64, _ string, _ int, _ int64) (bool, error) {
	if s.asked++; s.asked == 1 {
		<-ctx.Done()
		return false, ctx.Err()
	}
	return true, nil
}

// A question for a verdict that nobody answers ends, so that the record is tried again
// on another connection.
func TestVerdictThatNobodyAnswersIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := acceptedOnly{positions: passed{}, verdicts: &silent{}}
		_, err := a.accepts(t.Context(), &eventstore.Record{})
		require.ErrorIs(t, err, context.DeadlineExceeded)

		held, err := a.accepts(t.Context(), &eventstore.Record{})
		require.NoError(t, err)
		require.True(t, held)
	})
}

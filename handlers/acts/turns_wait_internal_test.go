package acts

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// Given read models that catch up for a while, then who waits for a turn waits for them too, until
// he goes away; any other failure is told at once.
func TestWhoWaitsForATurnWaitsForTheReadModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shut, asked := fault.New(fault.CatchingUp, "not yet"), 0
		got, err := patiently(t.Context(), func() (string, error) {
			if asked++; asked < 3 {
				return "", shut
			}
			return "said", nil
		})
		require.NoError(t, err)
		require.Equal(t, []any{"said", 3}, []any{got, asked})

		gone, cancel := context.WithTimeout(t.Context(), lookAgain/2)
		defer cancel()
		_, err = patiently(gone, func() (string, error) { return "", shut })
		require.ErrorIs(t, err, shut)

		broken := errors.New("broken")
		_, err = patiently(t.Context(), func() (string, error) { asked++; return "", broken })
		require.ErrorIs(t, err, broken)
		require.Equal(t, 4, asked)
	})
}

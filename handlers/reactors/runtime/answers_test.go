package runtime_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	"github.com/parley-platform/parley/handlers/reactors/runtime"
	"github.com/parley-platform/parley/projections"
)

// Given an answer that is kept, then it goes when its time is over and not before; while the
// files are away it stays, and once it is gone nothing happens.
func TestAKeptAnswerIsDropped(t *testing.T) {
	noon := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	w := reactorstest.New(t, noon)
	till := noon.Add(completions.AnswerKept)
	stream := completions.Completions.Stream("c-1")
	reactorstest.Given(w, completions.Completions, stream, completions.Finished{Figures: completions.Figures{CompletionID: "c-1",
		TenantID: "acme"}, Blob: "completions/acme/1", KeptTill: &till, At: noon})
	var removed []string
	away := errors.New("away")
	fire := runtime.DropAnswers(w.Store, func(_ context.Context, blob string) error {
		if away != nil {
			return away
		}
		removed = append(removed, blob)
		return nil
	})
	timer := projections.Timer{Stream: stream, Tenant: "acme"}
	require.NoError(t, fire(t.Context(), timer, till.Add(-time.Second)))
	require.ErrorIs(t, fire(t.Context(), timer, till), away)
	require.NotEmpty(t, reactorstest.State(w, completions.Completions, stream).Blob)
	away = nil
	for range 2 {
		require.NoError(t, fire(t.Context(), timer, till))
		require.Equal(t, []string{"completions/acme/1"}, removed)
		require.Empty(t, reactorstest.State(w, completions.Completions, stream).Blob)
	}
}

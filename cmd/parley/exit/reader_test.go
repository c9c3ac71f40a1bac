package exit

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Given a pipe, then the context of who writes goes on as long as somebody reads, also when
// nothing is written, and ends when the reader is gone.
func TestWhoFollowsEndsWhenNobodyReads(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer w.Close()
	ctx, stop := OnSignalOr(w)
	defer stop()
	_, err = w.WriteString("a line\n")
	require.NoError(t, err)
	select {
	case <-ctx.Done():
		t.Fatal("it ended while somebody reads")
	case <-time.After(100 * time.Millisecond):
	}
	require.NoError(t, r.Close())
	requireEnds(t, ctx)
}

// A file has no reader who could go.
func TestWhoWritesAFileEndsBySignalOnly(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer f.Close()
	ctx, stop := OnSignalOr(f)
	require.NoError(t, ctx.Err())
	stop()
	requireEnds(t, ctx)
}

func requireEnds(t *testing.T, ctx context.Context) {
	t.Helper()
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("it did not end")
	}
}

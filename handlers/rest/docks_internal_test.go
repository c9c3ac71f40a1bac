package rest

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/docks"
)

// A caller who waits for a deployment waits no longer than for any command, and the
// operator learns why it was left to the reactor.
func TestASynchronousDeploymentThatCannotFinishIsLeftToTheReactor(t *testing.T) {
	for name, carry := range map[string]func(context.Context) error{
		"the log is away":       func(context.Context) error { return errors.New("no leader") },
		"nothing becomes known": func(ctx context.Context) error { <-ctx.Done(); return errors.New("no leader") },
	} {
		synctest.Test(t, func(t *testing.T) {
			var told strings.Builder
			api := &API{log: slog.New(slog.NewTextHandler(&told, nil))}
			ctx := context.WithValue(t.Context(), exchangeKey{}, &exchange{api: api, id: "tr-1"})
			started := time.Now()
			Docks{Carry: func(ctx context.Context, _ docks.JobRequested) error { return carry(ctx) }}.carry(ctx, docks.JobRequested{JobID: "ds-1"})
			require.LessOrEqual(t, time.Since(started), commandTimeout, name)
			for _, part := range []string{"tr-1", "ds-1", "no leader"} {
				require.Contains(t, told.String(), part, name)
			}
		})
	}
}

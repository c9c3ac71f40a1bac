package runtime

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/handlers/rest"
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
			api := rest.New(rest.Config{Log: slog.New(slog.NewTextHandler(&told, nil))})
			d := Docks{Carry: func(ctx context.Context, _ deployables.JobRequested) error { return carry(ctx) }}
			rest.Declare(api, rest.Operation{ID: "carry", Method: http.MethodGet, Path: "/carry", Summary: "Carry a job out",
				Requirement: access.Public},
				func(ctx context.Context, _ *struct{}) (*struct{}, error) {
					d.carry(ctx, deployables.JobRequested{JobID: "ds-1"})
					return nil, nil
				})
			started, answer := time.Now(), httptest.NewRecorder()
			api.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/carry", nil))
			require.LessOrEqual(t, time.Since(started), rest.CommandTimeout, name)
			for _, part := range []string{answer.Header().Get("X-Request-Id"), "ds-1", "no leader"} {
				require.NotEmpty(t, part, name)
				require.Contains(t, told.String(), part, name)
			}
		})
	}
}

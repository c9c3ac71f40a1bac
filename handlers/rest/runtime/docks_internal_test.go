package runtime

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest"
)

// The operator learns why a deployment was left to the reactor, and of which request.
// (That its caller waits no longer than for any command is tested in handlers/acts.)
func TestTheOperatorLearnsWhichDeploymentWasLeftToTheReactor(t *testing.T) {
	var told strings.Builder
	api := rest.New(rest.Config{Log: slog.New(slog.NewTextHandler(&told, nil))})
	rest.Declare(api, rest.Operation{ID: "carry", Method: http.MethodGet, Path: "/carry", Summary: "Carry a job out",
		Requirement: access.Public},
		func(ctx context.Context, _ *struct{}) (*struct{}, error) {
			tellLeft(ctx, "ds-1", errors.New("no leader"))
			return nil, nil
		})
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/carry", nil))
	for _, part := range []string{answer.Header().Get("X-Request-Id"), "ds-1", "no leader"} {
		require.NotEmpty(t, part)
		require.Contains(t, told.String(), part)
	}
}

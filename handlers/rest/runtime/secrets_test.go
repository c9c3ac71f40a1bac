package runtime_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/secrets"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	models "github.com/parley-platform/parley/projections/runtime"
)

// drawer is a read model with one secret, of the tenant acme.
type drawer struct {
	models.Secret
	down error
}

func (d *drawer) Get(_ context.Context, tenant, id string) (models.Secret, bool, error) {
	return d.Secret, tenant == "acme" && id == d.SecretID, d.down
}

func (d *drawer) List(context.Context, string, string, string, string, int, int) ([]models.Secret, int, error) {
	return []models.Secret{d.Secret}, 1, d.down
}

func (d *drawer) ActedBefore(context.Context, string, string) (bool, error) { return false, d.down }

// Where nothing can be sealed, and where the database is away, nothing is stored.
func TestSecretsThatCannotBeKept(t *testing.T) {
	w := resttest.NewStored(t, nil, access.PermCredentialRead, access.PermCredentialWrite)
	d, sealing := &drawer{Secret: models.Secret{SecretID: "ts-1", ProjectID: "p-1", ToolName: "crm", SecretKey: "K", Environment: "dev"}},
		errors.New("the key is disabled")
	runtime.DeclareSecrets(w.Api, runtime.SecretsAPI{Commands: w.Commands, Secrets: d,
		Seal: func(_, _, _, value string) (string, error) { return "sealed:" + value, sealing }})
	const body = `{"projectId":"main","toolName":"crm","secretKey":"K","value":"v"}`
	got := w.Ask("POST", "/api/tool-secrets", body)
	w.Refused(got, http.StatusServiceUnavailable)
	require.NotContains(t, got.Text, "disabled")
	w.Refused(w.Ask("PUT", "/api/tool-secrets/ts-1", `{"value":"v"}`), http.StatusServiceUnavailable)
	require.Empty(t, w.Since())

	sealing = nil
	require.Equal(t, http.StatusCreated, w.Ask("POST", "/api/tool-secrets", body).Status)
	require.Equal(t, "sealed:v", resttest.Only[secrets.Created](w, secrets.Secrets.Category).Value)
	w.Refused(w.Ask("DELETE", "/api/tool-secrets/ts-2", "", "Idempotency-Key", "once"), http.StatusNotFound)
	d.down = errors.New("away")
	w.Refused(w.Ask("GET", "/api/tool-secrets?projectId=main", ""), http.StatusInternalServerError)
	w.Refused(w.Ask("DELETE", "/api/tool-secrets/ts-1", ""), http.StatusInternalServerError)
}

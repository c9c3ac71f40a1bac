package privacy_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/retention"
	api "github.com/parley-platform/parley/handlers/rest/privacy"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/privacy"
)

// keeps is what projects of "tenant/project" say.
type keeps struct {
	known map[string]models.Retention
	down  error
}

func (k keeps) Get(_ context.Context, tenant, project string) (models.Retention, bool, error) {
	r, ok := k.known[tenant+"/"+project]
	return r, ok, k.down
}

func (k keeps) List(_ context.Context, tenant string, limit, offset int) ([]models.Retention, int, error) {
	return []models.Retention{k.known[tenant+"/p-1"]}, limit + offset, k.down
}

func TestRetention(t *testing.T) {
	w := resttest.NewStored(t, nil, access.PermPrivacyRetain)
	k := &keeps{known: map[string]models.Retention{}}
	api.DeclareRetention(w.Api, api.RetentionAPI{Commands: w.Commands, Rules: k})
	const list, path = "/api/v1/privacy/retention", "/api/v1/privacy/retention/main"
	require.JSONEq(t, `{"success":true,"retention":{"projectId":"p-1","days":{}}}`, w.Ask("GET", path, "").Text, "everything for ever")

	next, job := w.Now.Add(retention.DefaultGrace), "er-1"
	k.known["acme/p-1"] = models.Retention{ProjectID: "p-1", Days: retention.Kept(90, 0, 0, 1), SetAt: w.Now, NextAt: &next}
	const days = `{"calls":90,"messages":1}`
	got := w.Ask("PUT", path, `{"days":`+days+`}`)
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.JSONEq(t, `{"success":true,"retention":{"projectId":"p-1","days":`+days+`,"setAt":"2025-03-01T12:00:00.000Z",
		"nextAt":"2025-03-01T13:00:00.000Z"}}`, got.Text)
	e := resttest.Only[retention.RulesSet](w, retention.Rules.Category)
	require.Equal(t, retention.RulesSet{TenantID: "acme", ProjectID: "p-1", Days: retention.Kept(90, 0, 0, 1), NextAt: &next, At: w.Now}, e)

	k.known["acme/p-1"] = models.Retention{ProjectID: "p-1", Days: retention.Days{}, SetAt: w.Now, LookedAt: &w.Now, ErasureID: &job}
	require.JSONEq(t, `{"success":true,"retention":[{"projectId":"p-1","days":{},"setAt":"2025-03-01T12:00:00.000Z",
		"lookedAt":"2025-03-01T12:00:00.000Z","erasureId":"er-1"}],"pagination":{"total":3,"limit":2,"offset":1}}`,
		w.Ask("GET", list+"?limit=2&offset=1", "").Text)
	for body, field := range map[string]string{`{}`: "days", `{"days":{"calls":0}}`: "days.calls",
		`{"days":{"messages":36501}}`: "days.messages", `{"days":{"recordings":"9"}}`: "days.recordings",
		`{"days":{"shoes":9}}`: "days.shoes"} {
		w.Refused(w.Ask("PUT", path, body), http.StatusBadRequest, field)
	}
	w.Refused(w.Ask("PUT", list+"/p-2", `{"days":{}}`), http.StatusNotFound)
	k.down = errors.New("away")
	w.Refused(w.Ask("GET", path, ""), http.StatusInternalServerError)
	w.Refused(w.Ask("GET", list, ""), http.StatusInternalServerError)
}

package privacy_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/privacy"
	api "github.com/parley-platform/parley/handlers/rest/privacy"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/privacy"
)

// jobs are those of "tenant/id".
type jobs struct {
	known map[string]models.Erasure
	down  error
}

func (j jobs) Get(_ context.Context, tenant, id string) (models.Erasure, bool, error) {
	e, ok := j.known[tenant+"/"+id]
	return e, ok, j.down
}

func (j jobs) List(_ context.Context, tenant string, limit, offset int) ([]models.Erasure, int, error) {
	return []models.Erasure{j.known[tenant+"/er-1"]}, 9, j.down
}

func TestErasures(t *testing.T) {
	w := resttest.NewStored(t, nil, access.PermPrivacyErase)
	j := &jobs{known: map[string]models.Erasure{}}
	api.Declare(w.Api, api.API{Commands: w.Commands, Jobs: j})
	const path = "/api/v1/privacy/erasures"
	got := w.Ask("POST", path, `{"identities":[{"kind":"telephone","value":"+1 555 0001"},{"kind":"email","value":"Ann@example.com"}]}`)
	require.Equal(t, http.StatusAccepted, got.Status, got.Text)
	e := resttest.Only[erasures.Requested](w, erasures.Jobs.Category)
	require.JSONEq(t, `{"success":true,"erasure":{"erasureId":"`+e.ErasureID+`","status":"queued","forgotten":{},
		"requestedAt":"2025-03-01T12:00:00.000Z"}}`, got.Text)
	for _, whom := range []string{"555 0001", "5550001"} {
		require.NotContains(t, got.Text, whom, "whom it is about is not shown")
	}
	require.Equal(t, []privacy.Identity{{Kind: privacy.Telephone, Value: "+15550001"}, {Kind: privacy.Email, Value: "ann@example.com"}},
		e.Identities)

	j.known["acme/er-1"] = models.Erasure{ID: "er-1", Status: erasures.Done, Forgotten: map[string]int{"calls": 2}, RequestedAt: w.Now,
		EndedAt: &w.Now}
	const shown = `{"erasureId":"er-1","status":"done","forgotten":{"calls":2},"requestedAt":"2025-03-01T12:00:00.000Z",
		"endedAt":"2025-03-01T12:00:00.000Z"}`
	require.JSONEq(t, `{"success":true,"erasure":`+shown+`}`, w.Ask("GET", path+"/er-1", "").Text)
	require.JSONEq(t, `{"success":true,"erasures":[`+shown+`],"pagination":{"total":9,"limit":2,"offset":1}}`,
		w.Ask("GET", path+"?limit=2&offset=1", "").Text)
	w.Refused(w.Ask("GET", path+"/er-2", ""), http.StatusNotFound)
	j.down = errors.New("away")
	w.Refused(w.Ask("GET", path, ""), http.StatusInternalServerError)
	w.Refused(w.Ask("GET", path+"/er-1", ""), http.StatusInternalServerError)
}

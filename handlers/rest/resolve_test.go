package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func TestProjectsByIDAndAlias(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, c := range []struct {
		name, id string
		status   int
	}{
		{"by id", "p-1", 200},
		{"by alias", "main", 200},
		{"unknown", "p-7", 404},
		{"of another tenant", "p-2", 404},
		{"what no id can be", "a.b", 404},
		{"endless", strings.Repeat("a", 129), 404},
		{"when the lookup fails", "broken", 500},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.Call(http.MethodPost, "/calls/"+c.id, `{"target":"a"}`, "auth", w.Token())
			require.Equal(t, c.status, got.Status, got.Text)
			if c.status == 200 {
				require.Contains(t, got.Text, `"project":"p-1"`)
			}
		})
	}
	require.Equal(t, 201, w.Call(http.MethodPost, "/apps/main/keys", "", "x-api-key", resttest.FullKey).Status)
	require.Equal(t, 404, w.Call(http.MethodPost, "/apps/p-9/keys", "", "x-api-key", resttest.FullKey).Status, "a key knows its own app only")
}

// docs/api-rules.md "accountId and iid": the headers are required, and name the
// caller's own account and project.
func TestAccountAndInstanceHeaders(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, c := range []struct {
		name, path string
		headers    []string
		status     int
		fields     []string
	}{
		{"both", "acme", []string{"accountId", "acme", "iid", "p-1"}, 200, nil},
		{"in any case", "acme", []string{"ACCOUNTID", "acme", "iId", "main"}, 200, nil},
		{"no account", "acme", []string{"iid", "p-1"}, 400, []string{"accountId"}},
		{"no instance", "acme", []string{"accountId", "acme"}, 400, []string{"iid"}},
		{"neither", "acme", nil, 400, []string{"accountId", "iid"}},
		{"another account in the header", "acme", []string{"accountId", "other", "iid", "p-1"}, 404, nil},
		{"another account in a second header", "acme", []string{"accountId", "acme", "accountId", "other", "iid", "p-1"}, 404, nil},
		{"another account in the path", "other", []string{"accountId", "acme", "iid", "p-1"}, 404, nil},
		{"another tenant's instance", "acme", []string{"accountId", "acme", "iid", "p-2"}, 404, nil},
		{"another instance in a second header", "acme", []string{"accountId", "acme", "iid", "p-1", "iId", "p-9"}, 404, nil},
		{"the same instance by both its names", "acme", []string{"accountId", "acme", "iid", "main", "iId", "p-1"}, 200, nil},
		{"404 comes before missing headers", "other", nil, 404, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.Call(http.MethodPost, "/account/"+c.path+"/calldetails", `{}`, append(c.headers, "auth", w.Token())...)
			require.Equal(t, c.status, got.Status, got.Text)
			require.Equal(t, c.fields, got.Fields())
			if c.status == 200 {
				require.Contains(t, got.Text, "acme/p-1")
			}
		})
	}
}

func TestOutsideOfARequestThereIsNobody(t *testing.T) {
	require.Empty(t, rest.PrincipalOf(t.Context()).Actor())
	require.Empty(t, rest.CorrelationID(t.Context()))
	_, err := rest.ResolveProject(t.Context(), "p-1")
	require.True(t, fault.Is(err, fault.NotFound))
	rest.MarkReplayed(t.Context())
}

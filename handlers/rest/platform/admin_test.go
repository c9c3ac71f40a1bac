package platform_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/platform"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// applier notes what it was asked, and answers what it was told to.
type applier struct {
	request apply.Request
	by      apply.Caller
	report  apply.Report
	err     error
}

func (a *applier) Do(_ context.Context, r apply.Request, by apply.Caller) (apply.Report, error) {
	a.request, a.by = r, by
	return a.report, a.err
}

const adminPath = "/api/v1/admin/apply"

// adminWorld has clients that may apply: one of the tenant, and the operator's.
func adminWorld(t *testing.T) (*resttest.World, *applier) {
	t.Helper()
	w, a := resttest.NewWorld(t), &applier{}
	for _, id := range []string{"console", apply.OperatorClient} {
		w.Clients["acme/"+id] = tokens.ClientRecord{ID: id, TenantID: "acme", Operator: id == apply.OperatorClient, Origin: access.OriginAdmin,
			Alg: access.HS256, Secret: resttest.Secret,
			Permissions: []access.Permission{access.PermAdminApply}}
	}
	mac := func(purpose string, parts ...string) []byte { return resttest.Hash(purpose + strings.Join(parts, "/")) }
	platform.DeclareAdmin(w.Api, platform.Admin{Commands: rest.Commands{Log: acts.Log{MAC: mac}}, Applier: a})
	return w, a
}

func applying(w *resttest.World, client string) string {
	return "Bearer " + w.Token(func(g *tokens.Grant) {
		g.ClientID, g.Scopes, g.Permissions = client, nil, []access.Permission{access.PermAdminApply}
	})
}

func TestManifestsReachTheApplierAsTheyWereSent(t *testing.T) {
	w, a := adminWorld(t)
	a.report = apply.Report{DryRun: true, Results: []apply.Result{{File: "ws.yaml", Line: 3, Kind: "Project", ID: "p", Name: "P",
		Tenant: "acme", Outcome: apply.Created,
		Events:    []apply.Event{{Type: "parley.tenants.project-defined.v1", Stream: "tenant-acme", Data: json.RawMessage(`{"projectId":"p"}`)}},
		Generated: map[string]string{"spec.webhookSecret": "made"}}}}
	got := w.Call("POST", adminPath,
		`{"dryRun":true,"manifests":[{"kind":"Project","metadata":{"id":"p","nmae":"P"},"spec":{"deep":{"unknown":[1,null,"x"]}},"file":"ws.yaml",
			"line":3}]}`,
		"Authorization", applying(w, "console"))
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.JSONEq(t, `{"success":true,"dryRun":true,"results":[{"kind":"Project","id":"p","name":"P","tenant":"acme","outcome":"created",
		"file":"ws.yaml","line":3,
		"events":[{"type":"parley.tenants.project-defined.v1","stream":"tenant-acme","data":{"projectId":"p"}}],
		"generated":{"spec.webhookSecret":"made"}}]}`, got.Text)

	require.True(t, a.request.DryRun)
	m := a.request.Manifests[0]
	require.Equal(t, "Project", m.Kind)
	require.Equal(t, "ws.yaml", m.File)
	require.Equal(t, 3, m.Line)
	require.JSONEq(t, `{"id":"p","nmae":"P"}`, string(m.Metadata), "the kind judges its fields, so none is dropped")
	require.JSONEq(t, `{"deep":{"unknown":[1,null,"x"]}}`, string(m.Spec))
	require.Equal(t, "user:ada@console", a.by.Actor)
	require.Equal(t, "acme", a.by.TenantID)
	require.False(t, a.by.Operator)
	require.Equal(t, got.Header.Get("X-Request-Id"), a.by.CorrelationID)
}

func TestPruneIsAskedForWithTheClientThatAsks(t *testing.T) {
	w, a := adminWorld(t)
	a.report = apply.Report{Results: []apply.Result{{Kind: "Tenant", ID: "acme", Name: "A", Tenant: "acme", Outcome: apply.Unchanged, Line: 1},
		{Kind: "Client", ID: "old", Name: "Old", Tenant: "acme", Outcome: apply.Removed,
			Events: []apply.Event{{Type: "parley.tenants.client-removed.v1", Stream: "tenant-acme"}}}}}
	got := w.Call("POST", adminPath, `{"prune":true,"manifests":[{"kind":"Tenant"}]}`, "Authorization", applying(w, "console"))
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.JSONEq(t, `{"success":true,"results":[{"kind":"Tenant","id":"acme","name":"A","tenant":"acme","outcome":"unchanged","line":1},
		{"kind":"Client","id":"old","name":"Old","tenant":"acme","outcome":"removed","events":[{"type":"parley.tenants.client-removed.v1",
		"stream":"tenant-acme"}]}]}`, got.Text)
	require.True(t, a.request.Prune)
	require.Equal(t, "console", a.by.ClientID, "it must not prune itself")

	a.err = fault.New(fault.Conflict, "prune would remove Client console")
	got = w.Call("POST", adminPath, `{"prune":true,"manifests":[{"kind":"Tenant"}]}`, "Authorization", applying(w, "console"))
	require.Equal(t, http.StatusConflict, got.Status)
	require.Contains(t, got.Text, "Client console")
	w.Call("POST", adminPath, `{"manifests":[{"kind":"Tenant"}]}`, "Authorization", applying(w, "console"))
	require.False(t, a.request.Prune, "nothing is removed unasked")
}

func TestOnlyTheBuiltInIssuerIsTheOperator(t *testing.T) {
	w, a := adminWorld(t)
	body := `{"manifests":[{"kind":"Tenant"}]}`
	got := w.Call("POST", adminPath, body, "Authorization", applying(w, apply.OperatorClient))
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.True(t, a.by.Operator)

	require.Equal(t, http.StatusForbidden, w.Call("POST", adminPath, body, "auth", w.Token()).Status, "without admin:apply")
	require.Equal(t, http.StatusForbidden, w.Call("POST", adminPath, body, "x-api-key", resttest.FullKey).Status, "no API key applies")
	require.Equal(t, http.StatusUnauthorized, w.Call("POST", adminPath, body).Status)
}

func TestFaultsOfManifestsAreDetails(t *testing.T) {
	w, a := adminWorld(t)
	var f fault.Fields
	f.Add(apply.FieldOf(0, "ws.yaml", 7, "spec.slug"), "must be lower case")
	a.err = f.Err()
	got := w.Call("POST", adminPath, `{"manifests":[{"kind":"Project"}]}`, "Authorization", applying(w, "console"))
	require.Equal(t, http.StatusBadRequest, got.Status)
	require.Equal(t, fault.Validation, got.Code())
	require.Equal(t, []string{"manifests[0] (ws.yaml:7) spec.slug"}, got.Fields())

	for body, field := range map[string]string{
		`{}`: "manifests", `{"manifests":[]}`: "manifests",
		`{"manifests":[{"metadata":{}}]}`: "manifests[0].kind", `{"manifests":[{"kind":"X","spec":[]}]}`: "manifests[0].spec",
		`{"manifests":[{"kind":"X","line":-1}]}`:                                 "manifests[0].line",
		`{"manifests":[{"kind":"X","file":"a\nb"}]}`:                             "manifests[0].file",
		`{"manifests":[{"kind":"X","file":"` + strings.Repeat("f", 513) + `"}]}`: "manifests[0].file",
	} {
		got := w.Call("POST", adminPath, body, "Authorization", applying(w, "console"))
		require.Equal(t, http.StatusBadRequest, got.Status, body)
		require.Equal(t, []string{field}, got.Fields(), body)
	}
}

// Given an Idempotency-Key, then the applier is told which request it is a try of, and the answer says when it is that of an earlier one.
func TestAnApplyIsToldWhichRequestItIs(t *testing.T) {
	w, a := adminWorld(t)
	ask := func(body string, headers ...string) *resttest.Reply {
		return w.Call("POST", adminPath, body, append(headers, "Authorization", applying(w, "console"))...)
	}
	const one, other = `{"manifests":[{"kind":"Tenant"}]}`, `{"manifests":[{"kind":"Project"}]}`
	require.Equal(t, 200, ask(one).Status)
	require.Empty(t, a.by.Request.RequestID)
	require.Empty(t, ask(one, "Idempotency-Key", "k-1").Header.Get("Idempotency-Replayed"))
	first := a.by.Request
	require.NotEmpty(t, first.RequestID)
	a.report.Replayed = true
	require.Equal(t, "true", ask(other, "Idempotency-Key", "k-1").Header.Get("Idempotency-Replayed"))
	require.Equal(t, first.RequestID, a.by.Request.RequestID)
	require.NotEqual(t, first.RequestHash, a.by.Request.RequestHash)
}

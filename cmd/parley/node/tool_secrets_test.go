//go:build !apache

package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

const toolSecretsPath = "/api/tool-secrets"

// toolSecretsWorld is a tenant whose token may do everything, asked at both nodes.
type toolSecretsWorld struct {
	*cluster
	*tenant
	auth string
}

func newToolSecretsWorld(t *testing.T) *toolSecretsWorld {
	c := shared(t)
	w := &toolSecretsWorld{cluster: c, tenant: c.tenant(t, "")}
	w.auth = w.token(t)
	return w
}

func (w *toolSecretsWorld) ask(t *testing.T, method, path string, body any, headers ...string) *answer {
	t.Helper()
	return w.b.do(t, method, path, body, append([]string{"Authorization", "Bearer " + w.auth}, headers...)...)
}

func secretBody(more fields) fields {
	return fields{"projectId": mainAlias, "toolName": "find customer", "secretKey": "CRM_TOKEN", "value": "hunter-2-hunter"}.and(more)
}

// create answers the members of a secret that was made.
func (w *toolSecretsWorld) create(t *testing.T, more fields, headers ...string) map[string]any {
	t.Helper()
	var made struct {
		Success bool
		Secret  map[string]any
	}
	w.ask(t, "POST", toolSecretsPath, secretBody(more), headers...).must(t, 201).into(t, &made)
	require.True(t, made.Success)
	return made.Secret
}

func (w *toolSecretsWorld) list(t *testing.T, query string) (ids []any, pagination map[string]int) {
	t.Helper()
	var page struct {
		Success    bool
		Secrets    []map[string]any
		Pagination map[string]int
	}
	w.ask(t, "GET", toolSecretsPath+"?projectId="+mainApp+query, nil).must(t, 200).into(t, &page)
	require.True(t, page.Success)
	for _, s := range page.Secrets {
		ids = append(ids, s["id"])
	}
	return ids, page.Pagination
}

func TestAToolGetsASecret(t *testing.T) {
	t.Parallel()
	w := newToolSecretsWorld(t)
	made := w.create(t, nil, "Idempotency-Key", "once")
	require.ElementsMatch(t, []string{"id", "toolName", "secretKey", "environment", "version", "expiresAt", "createdAt"}, keysOf(made))
	require.Regexp(t, "^ts-"+uuidForm+"$", made["id"])
	require.Regexp(t, isoForm, made["createdAt"])
	require.Equal(t, []any{"find customer", "CRM_TOKEN", "dev", 1., nil}, []any{made["toolName"], made["secretKey"], made["environment"],
		made["version"], made["expiresAt"]})
	require.Equal(t, made, w.create(t, nil, "Idempotency-Key", "once"), "the same request again")
	w.ask(t, "POST", toolSecretsPath, secretBody(nil)).refused(t, 409, fault.Conflict)

	until := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	other := w.create(t, fields{"environment": "production", "expiresAt": until.Format(time.RFC3339Nano)})
	require.Equal(t, until.Format("2006-01-02T15:04:05.000Z"), other["expiresAt"])
	third := w.create(t, fields{"toolName": "a tool", "secretKey": strings.Repeat("k", 256), "value": strings.Repeat("v", 16384)})
	w.create(t, fields{"projectId": otherApp})

	ids, pagination := w.list(t, "")
	require.Equal(t, []any{third["id"], made["id"], other["id"]}, ids)
	require.Equal(t, map[string]int{"total": 3, "limit": 50, "offset": 0}, pagination)
	ids, _ = w.list(t, "&toolName=find%20customer&environment=production")
	require.Equal(t, []any{other["id"]}, ids)
	ids, pagination = w.list(t, "&limit=2&page=2")
	require.Equal(t, []any{other["id"]}, ids)
	require.Equal(t, map[string]int{"total": 3, "limit": 2, "offset": 2}, pagination)
	skipped, _ := w.list(t, "&limit=2&offset=2")
	require.Equal(t, ids, skipped, "as other lists page")
	w.ask(t, "GET", toolSecretsPath+"?page=2&offset=1&projectId="+mainApp, nil).refused(t, 400, fault.Validation, "offset")
	ids, _ = w.list(t, "&page=9")
	require.Empty(t, ids)

	require.NotContains(t, everyRecord(t, w.cluster.brokers), "hunter-2")
	require.NotContains(t, wholeDatabase(t, w.cluster.database), "hunter-2")
	require.NotContains(t, w.ask(t, "GET", toolSecretsPath+"?projectId="+mainApp, nil).Text, "sealed:")
	for _, e := range w.events(t, w.b, "category", "secrets").Events {
		require.NotContains(t, string(e.Data), "hunter-2")
	}
}

func TestASecretIsChangedAndDeleted(t *testing.T) {
	t.Parallel()
	w := newToolSecretsWorld(t)
	made := w.create(t, fields{"expiresAt": time.Now().Add(time.Hour).Format(time.RFC3339)})
	path := toolSecretsPath + "/" + made["id"].(string)
	var changed struct{ Secret map[string]any }
	w.ask(t, "PUT", path, fields{"value": "another"}).must(t, 200).into(t, &changed)
	require.Equal(t, []any{made["id"], 2., nil, made["createdAt"]}, []any{changed.Secret["id"], changed.Secret["version"],
		changed.Secret["expiresAt"], changed.Secret["createdAt"]})
	w.ask(t, "PUT", path, fields{}).refused(t, 400, fault.Validation, "value")
	w.ask(t, "PUT", path, fields{"value": "x", "expiresAt": "2020-01-01T00:00:00Z"}).refused(t, 400, fault.Validation, "expiresAt")

	stranger := w.cluster.tenant(t, "")
	w.b.do(t, "PUT", path, fields{"value": "x"}, "auth", stranger.token(t)).refused(t, 404, fault.NotFound)
	w.b.do(t, "DELETE", path, nil, "X-API-Key", w.key(t, otherScope)).refused(t, 404, fault.NotFound)
	w.b.do(t, "DELETE", path, nil, "auth", stranger.token(t), "Idempotency-Key", "bye").refused(t, 404, fault.NotFound)
	w.b.do(t, "DELETE", path, nil, "X-API-Key", w.key(t, mainScope), "Idempotency-Key", "bye").must(t, 204)
	require.Equal(t, "true", w.ask(t, "DELETE", path, nil, "Idempotency-Key", "bye").must(t, 204).Header.Get("Idempotency-Replayed"))
	w.ask(t, "DELETE", path, nil, "Idempotency-Key", "other").refused(t, 404, fault.NotFound)
	w.ask(t, "DELETE", path, nil).refused(t, 404, fault.NotFound)
	w.ask(t, "PUT", path, fields{"value": "x"}).refused(t, 404, fault.NotFound)
	again := w.create(t, nil)
	require.NotEqual(t, made["id"], again["id"], "its name was free")
	require.Equal(t, 1., again["version"])
}

func TestSecretsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newToolSecretsWorld(t)
	for field, more := range map[string]fields{
		"projectId": {"projectId": nil}, "toolName": {"toolName": ""}, "secretKey": {"secretKey": strings.Repeat("k", 257)},
		"value": {"value": strings.Repeat("v", 16385)}, "environment": {"environment": "moon"}, "expiresAt": {"expiresAt": "soon"},
	} {
		w.ask(t, "POST", toolSecretsPath, secretBody(more)).refused(t, 400, fault.Validation, field)
	}
	w.ask(t, "POST", toolSecretsPath, secretBody(fields{"toolName": "a\u0007"})).refused(t, 400, fault.Validation, "toolName")
	for _, at := range []string{"2020-01-01T00:00:00Z", "9999-12-31T23:59:59-00:01"} { // in UTC that is a year of five digits
		w.ask(t, "POST", toolSecretsPath, secretBody(fields{"expiresAt": at})).refused(t, 400, fault.Validation, "expiresAt")
	}
	w.ask(t, "POST", toolSecretsPath, secretBody(fields{"projectId": "nowhere"})).refused(t, 404, fault.NotFound)
	w.ask(t, "GET", toolSecretsPath, nil).refused(t, 400, fault.Validation, "projectId")
	w.ask(t, "GET", toolSecretsPath+"?projectId=nowhere", nil).refused(t, 404, fault.NotFound)
	w.ask(t, "GET", toolSecretsPath+"?page=0&projectId="+mainApp, nil).refused(t, 400, fault.Validation, "page")
	w.ask(t, "GET", toolSecretsPath+"?page=0&projectId=nobody", nil).refused(t, 404, fault.NotFound)

	w.scope(t, "as-editor", "editor", mainApp, access.AppEdit)
	w.b.do(t, "POST", toolSecretsPath, secretBody(nil), "X-API-Key", w.key(t, "as-editor")).refused(t, 403, fault.Forbidden)
	reader := w.grant(t, testClient, access.PermCredentialRead)
	w.b.do(t, "GET", toolSecretsPath+"?projectId="+mainApp, nil, "auth", reader).must(t, 200)
	w.b.do(t, "POST", toolSecretsPath, secretBody(nil), "auth", reader).refused(t, 403, fault.Forbidden)
}

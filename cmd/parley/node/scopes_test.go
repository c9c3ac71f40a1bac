//go:build !apache

package node_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

func TestGetScope(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	w.scope(t, "as-some", "some", mainApp, access.APIScopeKeyFull, access.RunAPI)
	caller := w.key(t, "as-some")
	scope := shownBy(t, c.b.do(t, http.MethodGet, scopePath(mainAlias, "as-some"), nil, "x-api-key", caller))
	require.Equal(t, "as-some", scope.ScopeID)
	require.Equal(t, "some", scope.ScopeName)
	require.Equal(t, "About some", scope.Description)
	require.Regexp(t, isoForm, scope.CreatedAt)
	for _, p := range access.KeyPermissions() {
		want := access.No
		if p == access.APIScopeKeyFull || p == access.RunAPI {
			want = access.Yes
		}
		require.Equal(t, want, scope.Permissions[string(p)], p)
	}
}

func TestPutScopeMergesAndHoldsAtOnce(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	before := shownBy(t, c.a.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", caller))
	after := shownBy(t, c.a.do(t, http.MethodPut, scopePath(mainApp, mainScope),
		`{"permissions":{"RUN_API":"NO","APP_FULL":"NO","APP_VIEW":"YES"}}`, "x-api-key", caller))
	want := before
	want.Permissions["RUN_API"], want.Permissions["APP_FULL"] = access.No, access.No
	require.Equal(t, want, after)
	for _, node := range c.both() {
		require.Equal(t, want, shownBy(t, node.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", caller)))
	}
	for _, nothing := range []string{`{"permissions":{}}`, `{"permissions":{"RUN_API":"NO"}}`} {
		require.Equal(t, want, shownBy(t, c.b.do(t, http.MethodPut, scopePath(mainApp, mainScope), nothing, "x-api-key", caller)))
	}

	// The calling key can take its own right away; it is gone with the answer.
	c.a.do(t, http.MethodPut, scopePath(mainApp, mainScope), `{"permissions":{"API_SCOPE_KEY_FULL":"NO"}}`, "x-api-key", caller).must(t, 200)
	for _, node := range c.both() {
		node.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", caller).refused(t, 403, fault.Forbidden)
	}
}

func TestPutScopeAllOrNothing(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	read := func() scopeFields {
		return shownBy(t, c.b.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", caller))
	}
	before := read()
	for _, x := range []struct {
		about, body string
		fields      []string
	}{
		{"unknown name", `{"permissions":{"RUN_API":"NO","FLY":"YES"}}`, []string{"permissions.FLY"}},
		{"other case", `{"permissions":{"run_api":"NO"}}`, []string{"permissions.run_api"}},
		{"other value", `{"permissions":{"APP_VIEW":"NO","RUN_API":"MAYBE"}}`, []string{"permissions.RUN_API"}},
		{"value in lower case", `{"permissions":{"RUN_API":"no"}}`, []string{"permissions.RUN_API"}},
		{"empty value", `{"permissions":{"RUN_API":""}}`, []string{"permissions.RUN_API"}},
		{"a boolean", `{"permissions":{"APP_VIEW":"NO","RUN_API":false}}`, []string{"permissions.RUN_API"}},
		{"null", `{"permissions":{"APP_VIEW":"NO","RUN_API":null}}`, []string{"permissions.RUN_API"}},
		{"all faults at once", `{"permissions":{"RUN_API":"MAYBE","APP_VIEW":"NO","FLY":"YES"}}`,
			[]string{"permissions.FLY", "permissions.RUN_API"}},
		{"no permissions", `{}`, []string{"permissions"}},
		{"permissions null", `{"permissions":null}`, []string{"permissions"}},
		{"a list", `{"permissions":["RUN_API"]}`, []string{"permissions"}},
		{"a text", `{"permissions":"RUN_API"}`, []string{"permissions"}},
	} {
		t.Run(x.about, func(t *testing.T) {
			c.a.do(t, http.MethodPut, scopePath(mainApp, mainScope), x.body, "x-api-key", caller).refused(t, 400, fault.Validation, x.fields...)
			require.Equal(t, before, read())
		})
	}
	put := func(body any, path, key string) *answer {
		return c.a.do(t, http.MethodPut, path, body, "x-api-key", key)
	}
	wrong := access.NewSecret(access.SecretKey, [32]byte{9})
	put(strings.Repeat("{", rest.MaxBody+1), scopePath("nowhere", "nothing"), wrong).refused(t, 413, fault.TooLarge)
	put(`{"permissions":`, scopePath("nowhere", "nothing"), wrong).refused(t, 400, fault.BadRequest)
	put(`{}`, scopePath("nowhere", "nothing"), wrong).refused(t, 401, fault.Unauthorized)
	put(`{}`, scopePath(mainApp, mainScope), w.key(t, spareScope)).refused(t, 403, fault.Forbidden)
	put(`{}`, scopePath(mainApp, "as-nothing"), caller).refused(t, 404, fault.NotFound)
	require.Equal(t, before, read())
}

func TestPutScopeReplayed(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	put := func(on *server, body, key string) *answer {
		return on.do(t, http.MethodPut, scopePath(mainApp, mainScope), body, "x-api-key", caller, "Idempotency-Key", key)
	}
	first := put(c.a, `{"permissions":{"RUN_API":"NO"}}`, "k1")
	require.Empty(t, first.Header.Get("Idempotency-Replayed"))
	want := shownBy(t, first)
	put(c.a, `{"permissions":{"APP_VIEW":"NO"}}`, "k2").must(t, 200)
	for _, node := range c.both() {
		again := put(node, ` {"permissions" : {"RUN_API":"NO"}}`, "k1")
		require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
		require.Equal(t, want, shownBy(t, again), "the first result, whatever happened since")
		put(node, `{"permissions":{"APP_VIEW":"NO"}}`, "k1").refused(t, 409, fault.Conflict)
	}
	now := shownBy(t, c.b.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", caller))
	require.Equal(t, access.No, now.Permissions["RUN_API"])
	require.Equal(t, access.No, now.Permissions["APP_VIEW"], "a replay changes nothing")
}

// Each answer shows what its own request left behind, also when that was no change and
// others change the scope at the same moment.
func TestPutScopeShowsWhatItAskedFor(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	var own []access.KeyPermission
	for _, p := range access.KeyPermissions() {
		if p != access.APIScopeKeyFull {
			own = append(own, p)
		}
	}
	together(8, func(i int) {
		node := c.both()[[]string{"a", "b"}[i%2]]
		for range 10 {
			got, err := node.try(http.MethodPut, scopePath(mainApp, mainScope),
				map[string]any{"permissions": map[access.KeyPermission]string{own[i]: "NO"}}, "x-api-key", caller)
			var shown scopeShown
			if !assert.NoError(t, err) || got.Status == http.StatusServiceUnavailable { // too many others
				continue
			}
			assert.NoError(t, json.Unmarshal([]byte(got.Text), &shown), got.Text)
			assert.Equal(t, access.No, shown.Scope.Permissions[string(own[i])], got.Text)
		}
	})
}

func TestTheDocumentDescribesKeysAndScopes(t *testing.T) {
	t.Parallel()
	c := shared(t)
	var doc struct {
		Paths map[string]map[string]struct {
			Summary     string
			Requirement string `json:"x-requirement"`
			Parameters  []struct{ Name, In, Description string }
			Responses   map[string]any
		}
	}
	c.a.do(t, http.MethodGet, "/openapi.json", nil).must(t, 200).into(t, &doc)
	for _, x := range []struct {
		method, path string
		parameters   []string
		statuses     []string
	}{
		{"post", createPath("{appId}"), []string{"appId", "Idempotency-Key"}, []string{"201", "400", "401", "403", "404", "409", "413", "429"}},
		{"delete", keyPath("{appId}", "{keyId}"), []string{"appId", "keyId", "Idempotency-Key"}, []string{"200", "401", "403", "404"}},
		{"get", scopePath("{appId}", "{scopeId}"), []string{"appId", "scopeId"}, []string{"200", "401", "403", "404"}},
		{"put", scopePath("{appId}", "{scopeId}"), []string{"appId", "scopeId", "Idempotency-Key"}, []string{"200", "400", "401", "403", "404",
			"409", "413"}},
	} {
		op := doc.Paths[x.path][x.method]
		require.NotEmpty(t, op.Summary, x.path)
		require.True(t, strings.HasPrefix(op.Requirement, `an API key with "API_SCOPE_KEY_FULL"`), op.Requirement)
		var names []string
		for _, p := range op.Parameters {
			require.NotEmpty(t, p.Description, p.Name)
			names = append(names, p.Name)
		}
		require.ElementsMatch(t, x.parameters, names, x.method)
		for _, status := range x.statuses {
			require.Contains(t, op.Responses, status, x.method)
		}
		require.NotContains(t, op.Responses, "422")
	}
}

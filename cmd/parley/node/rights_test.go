package node_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// grant is a token of a client of the tenant.
func (w *tenant) grant(t testing.TB, client string, permissions ...access.Permission) string {
	t.Helper()
	token, err := tokens.Issue(tokens.Grant{TenantID: w.id, ClientID: client, Subject: "ada", Scopes: access.ClientScopes(),
		Permissions: permissions,
		Issued:      time.Now(), Expires: time.Now().Add(time.Hour)}, []byte(tokenSecret))
	require.NoError(t, err)
	return token
}

// appToken is a token of a client of the App Builder that administers nothing.
func (w *tenant) appToken(t testing.TB) string {
	t.Helper()
	w.apply(t, "Client", "shop", "Shop", map[string]any{"origin": "app", "alg": "HS256", "secret": tokenSecret,
		"scopes": access.ClientScopes(), "permissions": []string{"session:*"}})
	return w.grant(t, "shop", "session:*")
}

// operator is a token of the operator for the tenant.
func (w *tenant) operator(t testing.TB) string {
	t.Helper()
	token, err := tokens.Issue(tokens.Grant{TenantID: w.id, ClientID: apply.OperatorClient, Subject: "ada",
		Permissions: []access.Permission{access.PermAdminApply},
		Issued:      time.Now(), Expires: time.Now().Add(time.Hour)}, w.on.Vault().OperatorSecret(apply.OperatorClient))
	require.NoError(t, err)
	return token
}

// A key that may do nothing but manage keys cannot make itself a stronger one, end
// those of others, or widen its own scope.
func TestAKeyGivesAndTakesOnlyWhatItHolds(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	w.scope(t, "as-keys", "keys", mainApp, access.APIScopeKeyFull)
	w.scope(t, "as-part", "part", mainApp, access.RunAPI)
	weak, strong := w.key(t, "as-keys"), w.key(t, mainScope)
	_, victim := w.keyOfKind(t, spareScope, access.SecretKey)
	for name, node := range c.both() {
		t.Run(name, func(t *testing.T) {
			node.do(t, http.MethodPost, createPath(mainApp), keyBody("main", "stronger"), "x-api-key", weak).refused(t, 403, fault.Forbidden)
			node.do(t, http.MethodPost, createPath(mainApp), keyBody("part", "other"), "x-api-key", weak).refused(t, 403, fault.Forbidden)
			node.do(t, http.MethodPost, createPath(mainApp), `{"scope_name":"main"}`, "x-api-key", weak).refused(t, 403, fault.Forbidden)
			node.do(t, http.MethodDelete, keyPath(mainApp, victim), nil, "x-api-key", weak).refused(t, 403, fault.Forbidden)
			node.do(t, http.MethodPut, scopePath(mainApp, "as-keys"), `{"permissions":{"RUN_API":"YES"}}`, "x-api-key", weak).refused(t, 403,
				fault.Forbidden)
			node.do(t, http.MethodPut, scopePath(mainApp, "as-keys"), `{"permissions":{"RUN_API":"YES","FLY":"YES"}}`, "x-api-key",
				weak).refused(t, 403, fault.Forbidden)
			require.Equal(t, access.No, shownBy(t, node.do(t, http.MethodGet, scopePath(mainApp, "as-keys"), nil, "x-api-key",
				weak)).Permissions["RUN_API"])
		})
	}
	var own keyMade
	c.a.do(t, http.MethodPost, createPath(mainApp), keyBody("keys", "as weak"), "x-api-key", weak).must(t, 201).into(t, &own)
	c.b.do(t, http.MethodDelete, keyPath(mainApp, own.APIKey.KeyID), nil, "x-api-key", weak).must(t, 200)
	c.b.do(t, http.MethodPost, createPath(mainApp), keyBody("part", "weaker"), "x-api-key", strong).must(t, 201)
	c.b.do(t, http.MethodDelete, keyPath(mainApp, victim), nil, "x-api-key", strong).must(t, 200)
}

// What a key took from its own scope it can give back, as far as the scope's manifest says:
// applying that again, unchanged, changes nothing.
func TestAKeyGivesBackWhatItTook(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	w.scope(t, "as-runs", "runs", mainApp, access.APIScopeKeyFull, access.RunAPI)
	key := w.key(t, "as-runs")
	put := func(on *server, body string) *answer {
		return on.do(t, http.MethodPut, scopePath(mainApp, "as-runs"), `{"permissions":`+body+`}`, "x-api-key", key)
	}
	for _, value := range []string{access.No, access.Yes, access.No, access.Yes} {
		require.Equal(t, value, shownBy(t, put(c.a, `{"RUN_API":"`+value+`"}`).must(t, 200)).Permissions["RUN_API"])
	}
	put(c.a, `{"RUN_API":"NO"}`).must(t, 200)
	put(c.b, `{"RUN_API":"YES","SESSIONS_LIST":"YES"}`).refused(t, 403, fault.Forbidden)
	put(c.b, `{"RUN_API":"YES","FLY":"YES"}`).refused(t, 400, fault.Validation, "permissions.FLY")
	require.Equal(t, access.Yes, shownBy(t, put(c.b, `{"RUN_API":"YES"}`).must(t, 200)).Permissions["RUN_API"])
	put(c.a, `{"API_SCOPE_KEY_FULL":"NO"}`).must(t, 200)
	put(c.b, `{"API_SCOPE_KEY_FULL":"YES"}`).refused(t, 403, fault.Forbidden)
}

// The first key of an app is made by who administers: an operator, or a client of the
// Admin Console, as far as its own rights reach.
func TestTheFirstKeyOfAnAppIsMadeByAnAdministrator(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	w.apply(t, "Client", "console", "Console", map[string]any{"origin": "admin", "alg": "HS256", "secret": tokenSecret,
		"permissions": []string{"session:*"}})
	w.scope(t, "as-small", "small", mainApp, access.RunAPI, access.SessionsList)
	create := func(scope, name string, headers ...string) *answer {
		return c.b.do(t, http.MethodPost, createPath(mainApp), keyBody(scope, name), headers...)
	}
	for i, headers := range [][]string{{"auth", w.operator(t)}, {"Authorization", "Bearer " + w.token(t)}} {
		var made keyMade
		create("main", fmt.Sprint("first ", i), headers...).must(t, 201).into(t, &made)
		require.NotEmpty(t, made.APIKey.APIKey)
		shownBy(t, c.a.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", made.APIKey.APIKey))
	}
	create("small", "console's", "auth", w.grant(t, "console", "session:*")).must(t, 201)
	create("main", "too strong", "auth", w.grant(t, "console", "session:*")).refused(t, 403, fault.Forbidden)
	create("small", "cut token", "auth", w.grant(t, "console")).refused(t, 403, fault.Forbidden)
	create("main", "not an administrator", "auth", w.appToken(t)).refused(t, 401, fault.Unauthorized)
	create("main", "wrong key beside a token", "auth", w.operator(t), "x-api-key", access.NewSecret(access.SecretKey,
		[32]byte{1})).refused(t, 401, fault.Unauthorized)
	for _, op := range everyOperation("ak-1")[1:] {
		c.a.call(t, op, "auth", w.operator(t)).refused(t, 401, fault.Unauthorized)
	}
	stranger := c.tenant(t, "")
	c.a.do(t, http.MethodPost, createPath("nowhere"), keyBody("main", "x"), "auth", stranger.operator(t)).refused(t, 404, fault.NotFound)
	create("main", "x", "auth", stranger.operator(t)).must(t, 201) // of the stranger's own app of that name
}

// An administrator that is not the operator applies no client and no scope that may do
// more than its own token.
func TestApplyGivesOnlyWhatTheTokenHolds(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	manifests := func(kind, id string, spec any) map[string]any {
		return map[string]any{"manifests": []any{map[string]any{"kind": kind, "metadata": map[string]string{"id": id, "name": id},
			"spec": spec}}}
	}
	client := func(permissions ...string) any {
		return map[string]any{"alg": "HS256", "secret": tokenSecret, "permissions": permissions}
	}
	post := func(token string, body any) *answer {
		return c.a.do(t, http.MethodPost, "/api/v1/admin/apply", body, "auth", token)
	}
	deployer := w.grant(t, testClient, access.PermAdminApply, access.PermAgentRead)
	post(deployer, manifests("Client", "helper", client("agent:read"))).must(t, 200)
	post(deployer, manifests("Client", "helper", client("agent:read", "credential:read"))).refused(t, 403, fault.Forbidden)
	post(deployer, manifests("Client", "puppet", client("audit:read"))).refused(t, 403, fault.Forbidden)
	post(deployer, manifests("Client", testClient, client("agent:read"))).refused(t, 403, fault.Forbidden)
	post(deployer, manifests("Scope", "as-new", map[string]any{"projectId": mainApp,
		"permissions": map[string]string{"APP_FULL": "YES"}})).refused(t, 403, fault.Forbidden)
	post(deployer, manifests("Scope", "as-new", map[string]any{"projectId": mainApp,
		"permissions": map[string]string{"AGENTS_VIEW": "YES"}})).must(t, 200)
	post(w.operator(t), manifests("Client", "puppet", client("audit:read"))).must(t, 200)
}

// Pages show their public key to everybody. Another account that names it is refused, and takes nothing from whose it is.
func TestAPublicKeyIsOfOneAccount(t *testing.T) {
	t.Parallel()
	c := shared(t)
	text := access.NewSecret(access.PublicKey, uuidBytes())
	post := func(w *tenant, id string) *answer {
		manifest := map[string]any{"kind": "PublicKey", "metadata": map[string]string{"id": id, "name": id},
			"spec": map[string]any{"scopeId": mainScope, "key": text, "allowedOrigins": []string{"https://shop.example"}}}
		return c.a.do(t, http.MethodPost, "/api/v1/admin/apply", map[string]any{"manifests": []any{manifest}}, "auth", w.operator(t))
	}
	w, rival := c.tenant(t, ""), c.tenant(t, "")
	post(w, "ak-page").must(t, 200)
	post(w, "ak-page").must(t, 200)
	post(w, "ak-again").refused(t, 400, fault.Validation, "manifests[0] spec.key")
	post(rival, "ak-page").refused(t, 400, fault.Validation, "manifests[0] spec.key")
}

func uuidBytes() (random [access.SecretBytes]byte) {
	id := uuid.New()
	copy(random[:], id[:])
	return random
}

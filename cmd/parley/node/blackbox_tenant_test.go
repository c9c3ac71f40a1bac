package node_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// The names in every test's tenant.
const (
	mainApp     = "bot"
	mainAlias   = "st-bot"
	otherApp    = "bot-2"
	mainScope   = "as-main"  // of mainApp, everything is YES
	spareScope  = "as-spare" // of mainApp, everything is YES
	otherScope  = "as-other" // of otherApp, everything is YES
	testClient  = "crm"
	tokenSecret = "a client secret of these tests, long enough"
)

// tenant is an account that one test has for itself: two projects with their scopes
// and a client whose tokens may do everything.
type tenant struct {
	id string
	on *server
}

// tenant makes one on the first node. An id is needed only where two clusters must
// have the same.
func (c *cluster) tenant(t testing.TB, id string) *tenant {
	t.Helper()
	on := c.a
	if id == "" {
		id = "t-" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	}
	return newTenant(t, on, id)
}

func newTenant(t testing.TB, on *server, id string) *tenant {
	t.Helper()
	w := &tenant{id: id, on: on}
	w.apply(t, "Tenant", id, "Acme "+id, map[string]any{"orgId": id + "-org"})
	w.apply(t, "Project", mainApp, "The bot", map[string]any{"aliases": []string{mainAlias}})
	w.apply(t, "Project", otherApp, "The other bot", nil)
	w.apply(t, "Client", testClient, "CRM", map[string]any{"origin": "admin", "alg": "HS256", "secret": tokenSecret,
		"scopes": access.ClientScopes(), "permissions": access.Permissions()})
	w.scope(t, mainScope, "main", mainApp, access.KeyPermissions()...)
	w.scope(t, spareScope, "spare", mainApp, access.KeyPermissions()...)
	w.scope(t, otherScope, "other", otherApp, access.KeyPermissions()...)
	return w
}

// apply applies one manifest as the operator.
func (w *tenant) apply(t testing.TB, kind, id, name string, spec any) {
	t.Helper()
	meta := map[string]string{"name": name, "tenant": w.id, "id": id}
	if kind == "Tenant" {
		delete(meta, "tenant")
	}
	if spec == nil {
		spec = map[string]any{}
	}
	m := manifest.Manifest{Kind: kind, Metadata: toJSON(t, meta), Spec: toJSON(t, spec)}
	by := apply.Caller{Actor: "user:operator@" + apply.OperatorClient, Operator: true}
	served(t, func() (any, error) {
		return apply.New(w.on.Store(), w.on.Vault()).Do(context.Background(), apply.Request{Manifests: []manifest.Manifest{m}}, by)
	})
}

// scope makes or changes a scope in which just these permissions are YES.
func (w *tenant) scope(t testing.TB, id, name, app string, yes ...access.KeyPermission) {
	t.Helper()
	permissions := map[access.KeyPermission]string{}
	for _, p := range yes {
		permissions[p] = access.Yes
	}
	w.apply(t, "Scope", id, name, map[string]any{"projectId": app, "description": "About " + name, "permissions": permissions})
}

// key makes an API key in a scope, beside the API, and gives its secret.
func (w *tenant) key(t testing.TB, scopeID string) (secret string) {
	t.Helper()
	secret, _ = w.keyOfKind(t, scopeID, access.SecretKey)
	return secret
}

func (w *tenant) keyOfKind(t testing.TB, scopeID string, kind access.KeyKind, origins ...string) (secret, keyID string) {
	t.Helper()
	secret, keyID = access.NewSecret(kind, uuidBytes()), access.KeyIDPrefix+uuid.NewString()
	cmd := access.CreateKey{KeyID: keyID, Name: "given " + keyID, Kind: kind, Hash: fmt.Sprintf("%x", w.on.HashKey(secret)),
		DisplayPrefix: access.DisplayPrefix(secret), AllowedOrigins: origins, At: time.Now()}
	executed(t, w.on, w.id, access.Scopes, access.ScopeStream(w.id, scopeID), cmd.Decide)
	return secret, keyID
}

// token is a JWT with every scope and permission, unless changed.
func (w *tenant) token(t testing.TB, change ...func(*tokens.Grant)) string {
	t.Helper()
	g := tokens.Grant{TenantID: w.id, ClientID: testClient, Subject: "ada", Scopes: access.ClientScopes(), Permissions: access.Permissions(),
		Issued: time.Now().Add(-time.Minute), Expires: time.Now().Add(time.Hour)}
	for _, ch := range change {
		ch(&g)
	}
	token, err := tokens.Issue(g, []byte(tokenSecret))
	require.NoError(t, err)
	return token
}

func toJSON(t testing.TB, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

func settingsOf(spec fields) fields {
	return ofKind("ProjectSettings", "settings", fields{"projectId": mainAlias}.and(spec))
}

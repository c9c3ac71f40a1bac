package platform_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/platform"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	accessmodels "github.com/parley-platform/parley/projections/access"
)

// registry is the read models of scopes and keys, by "tenant/id".
type registry struct {
	scopes   map[string]accessmodels.ScopeInfo
	keys     map[string]string // the scope of a key
	requests string            // the scope on which every request took effect before
	down     map[string]error  // by method
}

func (r *registry) Scope(_ context.Context, tenant, id string) (accessmodels.ScopeInfo, bool, error) {
	s, ok := r.scopes[tenant+"/"+id]
	return s, ok, r.down["Scope"]
}

func (r *registry) ScopeNamed(_ context.Context, tenant, project, name string) (accessmodels.ScopeInfo, bool, error) {
	for key, s := range r.scopes {
		if strings.HasPrefix(key, tenant+"/") && s.ProjectID == project && s.Name == name {
			return s, true, r.down["ScopeNamed"]
		}
	}
	return accessmodels.ScopeInfo{}, false, r.down["ScopeNamed"]
}

func (r *registry) KeyScope(_ context.Context, tenant, id string) (scope, project string, ok bool, err error) {
	scope, ok = r.keys[tenant+"/"+id]
	return scope, r.scopes[tenant+"/"+scope].ProjectID, ok, r.down["KeyScope"]
}

func (r *registry) ScopeOfRequest(_ context.Context, tenant, request string) (string, error) {
	if tenant != "acme" || request == "" {
		return "", nil
	}
	return r.requests, r.down["ScopeOfRequest"]
}

const (
	keys   = "/aaa/api/public/apps/main/apikeys/create"
	oneKey = "/aaa/api/public/apps/main/apikeys/ak-7"
	main   = "/aaa/api/public/apps/main/scopes/as-1"
	ask    = `{"scope_name":"main","api_key_name":"billing"}`
)

// newRegistry has scope main of the calling key, which holds key ak-7, the narrower scope
// lists, the wider scope chat, and others' scopes.
func newRegistry(t *testing.T, change ...func(*platform.Keys)) (*resttest.Stored, *registry) {
	t.Helper()
	w, r := resttest.NewStored(t, nil), &registry{scopes: map[string]accessmodels.ScopeInfo{}, keys: map[string]string{},
		down: map[string]error{}}
	scope := func(tenant, project, id, name string, permissions ...access.KeyPermission) {
		all := map[access.KeyPermission]string{}
		for _, p := range permissions {
			all[p] = access.Yes
		}
		r.scopes[tenant+"/"+id] = accessmodels.ScopeInfo{ID: id, ProjectID: project, Name: name, Description: "All", CreatedAt: w.Now,
			Permissions: all}
		if tenant == "acme" {
			resttest.Given(w, access.Scopes, access.ScopeStream(tenant, id), access.ScopeDefined{TenantID: tenant, ProjectID: project, ScopeID: id,
				ScopeName: name, Description: "All", CreatedAt: w.Now, Permissions: all, Declared: all})
		}
	}
	scope("acme", "p-1", "as-1", "main", access.APIScopeKeyFull, access.SessionsList)
	scope("acme", "p-1", "as-2", "lists", access.SessionsList)
	scope("acme", "p-1", "as-3", "chat", access.RunAPI)
	scope("acme", "p-9", "as-9", "theirs", access.SessionsList)
	scope("globex", "p-1", "as-8", "globex", access.SessionsList)
	for key, at := range map[string]string{"acme/ak-7": "as-1", "acme/ak-3": "as-3", "acme/ak-9": "as-9", "globex/ak-8": "as-8"} {
		r.keys[key] = at
	}
	resttest.Given(w, access.Scopes, access.ScopeStream("acme", "as-1"), access.KeyCreated{TenantID: "acme", ProjectID: "p-1", ScopeID: "as-1",
		ScopeName: "main", KeyID: "ak-7", Name: "old", Kind: access.SecretKey, Hash: "00", CreatedAt: w.Now})
	api := platform.Keys{Commands: w.Commands, Access: r, Hash: resttest.Hash,
		Random: func() (b [access.SecretBytes]byte) { b[0] = 7; return b }}
	for _, c := range change {
		c(&api)
	}
	platform.DeclareKeys(w.Api, api)
	return w, r
}

// byKey asks with the full key of scope main.
func byKey(w *resttest.Stored, method, path, body string, headers ...string) *resttest.Reply {
	return w.Call(method, path, body, append([]string{"x-api-key", resttest.FullKey}, headers...)...)
}

func TestAKeyIsCreated(t *testing.T) {
	w, _ := newRegistry(t)
	secret := access.NewSecret(access.SecretKey, [access.SecretBytes]byte{7})
	for _, body := range []string{ask, `{"scope_name":" main ","api_key_name":" billing 2 "}`} {
		got := byKey(w, "POST", keys, body)
		require.Equal(t, 201, got.Status, got.Text)
		e := resttest.Only[access.KeyCreated](w, access.Scopes.Category)
		require.Equal(t, access.KeyCreated{TenantID: "acme", ProjectID: "p-1", ScopeID: "as-1", ScopeName: "main", KeyID: e.KeyID, Name: e.Name,
			Kind: access.SecretKey, Hash: hex.EncodeToString(resttest.Hash(secret)), DisplayPrefix: access.DisplayPrefix(secret), CreatedAt: w.Now},
			e)
		require.True(t, access.ValidKeyID(e.KeyID))
		var shown struct {
			Key   map[string]string `json:"api_key"`
			Scope struct {
				ID string `json:"scope_id"`
			}
		}
		got.Decode(t, &shown)
		require.Equal(t, map[string]string{"apikey": secret, "key_id": e.KeyID, "key_name": e.Name, "scope_name": "main"}, shown.Key)
		require.Equal(t, "as-1", shown.Scope.ID)
		for _, r := range w.Events.Accepted() {
			require.NotContains(t, string(r.Data), secret, "nobody but the caller has it")
		}
	}
}

// A repeat names the key and does not show the secret, which nobody has any more.
func TestAKeyIsCreatedOnceForAnIdempotencyKey(t *testing.T) {
	var tries byte
	w, r := newRegistry(t, func(k *platform.Keys) {
		k.Random = func() (b [access.SecretBytes]byte) { tries++; b[0] = tries; return b }
	})
	first := byKey(w, "POST", keys, ask, "Idempotency-Key", "one")
	require.Equal(t, 201, first.Status, first.Text)
	require.Contains(t, first.Text, `"apikey":"sk_`)
	id := resttest.Only[access.KeyCreated](w, access.Scopes.Category).KeyID
	w.Events.Forget()
	r.requests = "as-1"
	again := byKey(w, "POST", keys, ask, "Idempotency-Key", "one")
	require.Equal(t, []any{201, "true"}, []any{again.Status, again.Header.Get("Idempotency-Replayed")}, again.Text)
	require.Contains(t, again.Text, `"key_id":"`+id+`"`)
	require.NotContains(t, again.Text, "apikey\":")
	w.Refused(byKey(w, "POST", keys, strings.Replace(ask, "billing", "other", 1), "Idempotency-Key", "one"), 409)
	w.Refused(byKey(w, "POST", keys, strings.Replace(ask, "main", "lists", 1), "Idempotency-Key", "one"), 409) // in another scope
}

func TestWhatIsWrongWithANewKey(t *testing.T) {
	w, r := newRegistry(t, func(k *platform.Keys) { k.Limit = 2 })
	for _, c := range []struct {
		body   string
		status int
		fields []string
	}{
		{`{}`, 400, []string{"api_key_name", "scope_name"}},
		{`{"scope_name":"unknown"}`, 404, nil}, // before what is wrong with fields
		{`{"scope_name":"theirs"}`, 404, nil}, {`{"scope_name":"globex"}`, 404, nil},
		{`{"scope_name":"chat"}`, 403, nil}, // permits what the calling key may not
		{`{"scope_name":7,"api_key_name":"a"}`, 400, []string{"scope_name"}},
		{`{"scope_name":" ","api_key_name":"a"}`, 400, []string{"scope_name"}},
		{`{"scope_name":"a\nb","api_key_name":"a"}`, 400, []string{"scope_name"}},
		{`{"scope_name":"main","api_key_name":""}`, 400, []string{"api_key_name"}},
		{`{"scope_name":"main","api_key_name":"` + strings.Repeat("n", 101) + `"}`, 400, []string{"api_key_name"}},
		{`{"scope_name":"main","api_key_name":" "}`, 400, []string{"api_key_name"}},
		{`{"scope_name":"main","api_key_name":"old"}`, 409, nil},
	} {
		w.Refused(byKey(w, "POST", keys, c.body), c.status, c.fields...)
	}
	require.Equal(t, 201, byKey(w, "POST", keys, ask).Status)
	w.Since()
	got := byKey(w, "POST", keys, strings.Replace(ask, "billing", "third", 1))
	w.Refused(got, 429)
	require.Equal(t, fault.LimitReached, got.Code())

	w.Refused(byKey(w, "POST", strings.Replace(keys, "main", "p-9", 1), ask), 404) // the key is of another app
	w.Refused(w.Call("POST", keys, ask), 401)
	w.Refused(w.Call("POST", keys, ask, "x-api-key", resttest.ViewKey), 403)
	for _, method := range []string{"ScopeNamed", "ScopeOfRequest"} {
		r.down[method] = errors.New("relation does not exist")
		w.Refused(byKey(w, "POST", keys, ask, "Idempotency-Key", "two"), 500)
		delete(r.down, method)
	}
}

func TestAKeyIsRevoked(t *testing.T) {
	w, r := newRegistry(t)
	got := byKey(w, "DELETE", oneKey, "", "Idempotency-Key", "one")
	require.Equal(t, 200, got.Status, got.Text)
	require.JSONEq(t, `{"success":true,"revoked":{"key_id":"ak-7","status":"revoked"}}`, got.Text)
	e := resttest.Only[access.KeyRevoked](w, access.Scopes.Category)
	require.Equal(t, []any{"acme", "as-1", "ak-7", w.Now}, []any{e.TenantID, e.ScopeID, e.KeyID, e.RevokedAt})

	w.Refused(byKey(w, "DELETE", oneKey, ""), 404) // the read model is behind: the decision says so
	delete(r.keys, "acme/ak-7")
	w.Refused(byKey(w, "DELETE", oneKey, ""), 404)
	w.Refused(byKey(w, "DELETE", oneKey, "", "Idempotency-Key", "two"), 404)
	r.requests = "as-1"
	again := byKey(w, "DELETE", oneKey, "", "Idempotency-Key", "one")
	require.Equal(t, []any{200, got.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("Idempotency-Replayed")},
		"though it is gone")
	require.Empty(t, w.Since())
}

func TestWhatIsWrongWithRevoking(t *testing.T) {
	w, r := newRegistry(t)
	for id, status := range map[string]int{"ak-3": 403, "ak-9": 404, "ak-8": 404, "ak-4": 404, "a%20b": 404} {
		for _, headers := range [][]string{nil, {"Idempotency-Key", "one"}} {
			w.Refused(byKey(w, "DELETE", strings.Replace(oneKey, "ak-7", id, 1), "", headers...), status)
		}
	}
	w.Refused(byKey(w, "DELETE", strings.Replace(oneKey, "main", "p-9", 1), ""), 404)
	w.Refused(w.Call("DELETE", oneKey, "", "x-api-key", resttest.ViewKey), 403)
	for _, method := range []string{"KeyScope", "Scope", "ScopeOfRequest"} {
		w2, r2 := newRegistry(t)
		r2.down[method] = errors.New("relation does not exist")
		if method == "ScopeOfRequest" {
			delete(r2.keys, "acme/ak-7")
		}
		w2.Refused(byKey(w2, "DELETE", oneKey, "", "Idempotency-Key", "one"), 500)
	}
	delete(r.scopes, "acme/as-3") // removed in between: its key is judged on the log
	w.Refused(byKey(w, "DELETE", strings.Replace(oneKey, "ak-7", "ak-3", 1), ""), 404)
}

func shownScope(permissions string) string {
	return fmt.Sprintf(`{"scope_id":"as-1","scope_name":"main","description":"All","created_at":"2025-03-01T12:00:00.000Z","permissions":%s}`,
		permissions)
}

func TestAScopeIsReadByItsOwnKeys(t *testing.T) {
	w, r := newRegistry(t)
	got := byKey(w, "GET", main, "")
	require.JSONEq(t, `{"success":true,"scope":`+shownScope(`{"API_SCOPE_KEY_FULL":"YES","SESSIONS_LIST":"YES"}`)+`,"meta":{"requestId":"`+
		got.Header.Get("X-Request-Id")+`","timestamp":"2025-03-01T12:00:00.000Z"}}`, got.Text)
	for id, status := range map[string]int{"as-2": 403, "as-9": 404, "as-8": 404, "as-4": 404, "a%20b": 404} {
		w.Refused(byKey(w, "GET", strings.Replace(main, "as-1", id, 1), ""), status)
		w.Refused(byKey(w, "PUT", strings.Replace(main, "as-1", id, 1), `{"permissions":7}`), status)
	}
	w.Refused(byKey(w, "GET", strings.Replace(main, "main", "p-9", 1), ""), 404)
	w.Refused(w.Call("GET", main, "", "x-api-key", resttest.ViewKey), 403)
	r.down["Scope"] = errors.New("relation does not exist")
	w.Refused(byKey(w, "GET", main, ""), 500)
}

func TestPermissionsAreTakenAway(t *testing.T) {
	w, _ := newRegistry(t)
	w.Now = w.Now.Add(time.Minute)
	got := byKey(w, "PUT", main, `{"permissions":{"SESSIONS_LIST":"NO"}}`, "Idempotency-Key", "one")
	require.Equal(t, 200, got.Status, got.Text)
	e := resttest.Only[access.PermissionsChanged](w, access.Scopes.Category)
	require.Equal(t, map[access.KeyPermission]string{access.SessionsList: access.No}, e.Changed)
	require.Equal(t, access.Yes, e.Permissions[access.APIScopeKeyFull], "what is not listed stays")
	require.Equal(t, w.Now, e.ChangedAt)
	require.Contains(t, got.Text, `"SESSIONS_LIST":"NO"`, "the answer is what was accepted")
	require.Contains(t, got.Text, `"timestamp":"2025-03-01T12:01:00.000Z"`)
	again := byKey(w, "PUT", main, `{"permissions":{"SESSIONS_LIST":"NO"}}`, "Idempotency-Key", "one")
	require.Equal(t, []any{200, "true"}, []any{again.Status, again.Header.Get("Idempotency-Replayed")})
	w.Refused(byKey(w, "PUT", main, `{"permissions":{}}`, "Idempotency-Key", "one"), 409)
	require.Equal(t, 200, byKey(w, "PUT", main, `{"permissions":{"SESSIONS_LIST":"NO"}}`).Status)
	require.Empty(t, w.Since(), "nothing is new")
}

func TestWhatIsWrongWithPermissions(t *testing.T) {
	w, _ := newRegistry(t)
	for _, c := range []struct {
		body   string
		status int
		fields []string
	}{
		{`{"permissions":{"RUN_API":"YES"}}`, 403, nil},                // not held
		{`{"permissions":{"RUN_API":"YES","UNKNOWN":"NO"}}`, 403, nil}, // before what is wrong with fields
		{`{"permissions":{"UNKNOWN":"YES"}}`, 400, []string{"permissions.UNKNOWN"}},
		{`{"permissions":{"SESSIONS_LIST":"yes"}}`, 400, []string{"permissions.SESSIONS_LIST"}},
		{`{"permissions":{"SESSIONS_LIST":true}}`, 400, []string{"permissions.SESSIONS_LIST"}},
		{`{"permissions":[]}`, 400, []string{"permissions"}},
		{`{}`, 400, []string{"permissions"}},
	} {
		w.Refused(byKey(w, "PUT", main, c.body), c.status, c.fields...)
	}
}

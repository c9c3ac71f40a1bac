//go:build !apache

package node_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

func TestCreateKeyShowsTheSecretAndItsScope(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	got := c.a.do(t, http.MethodPost, createPath(mainApp), keyBody("spare", "  billing service "), "x-api-key", caller).must(t, 201)

	var made keyMade
	got.into(t, &made)
	require.True(t, made.Success)
	require.Regexp(t, `^sk_[0-9A-Za-z]{43}$`, made.APIKey.APIKey)
	require.Regexp(t, `^ak-`+uuidForm+`$`, made.APIKey.KeyID)
	require.Equal(t, "billing service", made.APIKey.KeyName)
	require.Equal(t, "spare", made.APIKey.ScopeName)
	require.Equal(t, spareScope, made.Scope.ScopeID)
	require.Equal(t, "spare", made.Scope.ScopeName)
	require.Equal(t, "About spare", made.Scope.Description)
	require.Regexp(t, isoForm, made.Scope.CreatedAt)
	require.Len(t, made.Scope.Permissions, len(access.KeyPermissions()))
	for _, p := range access.KeyPermissions() {
		require.Equal(t, access.Yes, made.Scope.Permissions[string(p)], p)
	}
	require.Equal(t, "application/json", got.Header.Get("Content-Type"))
	require.Empty(t, got.Header.Get("Idempotency-Replayed"))
	require.NotEmpty(t, got.Header.Get("X-RateLimit-Limit"))

	var members map[string]any // no more than docs/openapi.json lists
	got.into(t, &members)
	require.ElementsMatch(t, []string{"success", "api_key", "scope"}, keysOf(members))
	require.ElementsMatch(t, []string{"apikey", "key_id", "key_name", "scope_name"}, keysOf(members["api_key"]))
	require.ElementsMatch(t, []string{"scope_id", "scope_name", "description", "created_at", "permissions"}, keysOf(members["scope"]))

	for name, node := range c.both() {
		var shown struct{ Scope scopeFields }
		node.do(t, http.MethodGet, scopePath(mainApp, spareScope), nil, "x-api-key", made.APIKey.APIKey).must(t, 200).into(t, &shown)
		require.Equal(t, made.Scope, shown.Scope, "the new key works on node %s at once", name)
	}
}

func TestTheAppMayBeNamedByAnAliasAndTheKeySentAsBearer(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	c.b.do(t, http.MethodPost, createPath(mainAlias), keyBody("main", "one"), "X-API-KEY", caller).must(t, 201)
	c.b.do(t, http.MethodPost, createPath(mainApp), keyBody("main", "two"), "Authorization", "Bearer "+caller).must(t, 201)
}

func TestRevokedIsGoneAtOnceAndForGood(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	made := makeKey(t, c.a, caller, "short-lived")
	read := func(on *server) *answer {
		return on.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", made.APIKey.APIKey)
	}
	read(c.b).must(t, 200)
	got := c.a.do(t, http.MethodDelete, keyPath(mainApp, made.APIKey.KeyID), nil, "x-api-key", caller).must(t, 200)
	require.JSONEq(t, `{"success":true,"revoked":{"key_id":"`+made.APIKey.KeyID+`","status":"revoked"}}`, got.Text)
	read(c.a).refused(t, 401, fault.Unauthorized)
	read(c.b).refused(t, 401, fault.Unauthorized)
	c.b.do(t, http.MethodDelete, keyPath(mainApp, made.APIKey.KeyID), nil, "x-api-key", caller).refused(t, 404, fault.NotFound)

	again := makeKey(t, c.b, caller, "short-lived") // the name is free again, and it is another key
	require.NotEqual(t, made.APIKey.KeyID, again.APIKey.KeyID)
	require.NotEqual(t, made.APIKey.APIKey, again.APIKey.APIKey)
	read(c.a).refused(t, 401, fault.Unauthorized)
}

func TestAKeyCanRevokeItself(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	secret, id := w.keyOfKind(t, mainScope, access.SecretKey)
	c.a.do(t, http.MethodDelete, keyPath(mainApp, id), nil, "x-api-key", secret).must(t, 200)
	c.a.do(t, http.MethodDelete, keyPath(mainApp, id), nil, "x-api-key", secret).refused(t, 401, fault.Unauthorized)
}

func TestOnlyAnAPIKeyOpensThem(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	_, keyID := w.keyOfKind(t, mainScope, access.SecretKey)
	public, _ := w.keyOfKind(t, mainScope, access.PublicKey, "https://shop.example")
	wrong := access.NewSecret(access.SecretKey, [32]byte{1})
	token := w.appToken(t)
	for name, headers := range map[string][]string{
		"nothing":          nil,
		"empty":            {"x-api-key", ""},
		"unknown key":      {"x-api-key", wrong},
		"cut off key":      {"x-api-key", wrong[:20]},
		"not a key":        {"x-api-key", "hello"},
		"a key id":         {"x-api-key", keyID},
		"public key":       {"x-api-key", public},
		"token":            {"auth", token},
		"token in its own": {"Authorization", "Bearer " + token},
		"token as key":     {"x-api-key", token},
	} {
		t.Run(name, func(t *testing.T) {
			for _, op := range everyOperation(keyID) {
				got := c.a.call(t, op, headers...).refused(t, 401, fault.Unauthorized)
				require.NotEmpty(t, got.Header.Get("WWW-Authenticate"), op.method)
			}
		})
	}
}

func TestOnlyFullMayManageKeys(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	_, keyID := w.keyOfKind(t, mainScope, access.SecretKey)
	var all []access.KeyPermission
	for _, p := range access.KeyPermissions() {
		if p != access.APIScopeKeyFull {
			all = append(all, p)
		}
	}
	lesser := map[string][]access.KeyPermission{"none": nil, "all others": all}
	for _, p := range all {
		lesser[string(p)] = []access.KeyPermission{p}
	}
	w.scope(t, "as-lesser", "lesser", mainApp)
	caller := w.key(t, "as-lesser")
	for name, yes := range lesser {
		t.Run(name, func(t *testing.T) {
			w.scope(t, "as-lesser", "lesser", mainApp, yes...)
			for _, op := range everyOperation(keyID) {
				c.b.call(t, op, "x-api-key", caller).refused(t, 403, fault.Forbidden)
			}
		})
	}
	w.scope(t, "as-lesser", "lesser", mainApp, access.APIScopeKeyFull)
	c.b.do(t, http.MethodGet, scopePath(mainApp, "as-lesser"), nil, "x-api-key", caller).must(t, 200)
}

func TestWhatIsNotTheCallersDoesNotExist(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w, stranger := c.tenant(t, ""), c.tenant(t, "")
	caller, otherCaller, strangerCaller := w.key(t, mainScope), w.key(t, otherScope), stranger.key(t, mainScope)
	_, keyID := w.keyOfKind(t, mainScope, access.SecretKey)
	_, otherKeyID := w.keyOfKind(t, otherScope, access.SecretKey)
	w.apply(t, "Project", "own", "Only this tenant's", nil)
	w.scope(t, "as-own", "own", "own", access.APIScopeKeyFull)
	none := "ak-00000000-0000-7000-8000-000000000000"
	for _, x := range []struct {
		about, method, path, key string
		body                     any
	}{
		{"create: another app", http.MethodPost, createPath(otherApp), caller, keyBody("other", "x")},
		{"create: unknown app", http.MethodPost, createPath("nowhere"), caller, keyBody("main", "x")},
		{"create: another tenant's app", http.MethodPost, createPath("own"), strangerCaller, keyBody("own", "x")},
		{"create: app that is no id", http.MethodPost, createPath("a%20b"), caller, keyBody("main", "x")},
		{"create: unknown scope", http.MethodPost, createPath(mainApp), caller, keyBody("nothing", "x")},
		{"create: another app's scope", http.MethodPost, createPath(mainApp), caller, keyBody("other", "x")},
		{"create: a scope's id is not its name", http.MethodPost, createPath(mainApp), caller, keyBody(mainScope, "x")},
		{"create: case counts", http.MethodPost, createPath(mainApp), caller, keyBody("Main", "x")},
		{"revoke: unknown", http.MethodDelete, keyPath(mainApp, none), caller, nil},
		{"revoke: no key id", http.MethodDelete, keyPath(mainApp, "nothing"), caller, nil},
		{"revoke: another app's key", http.MethodDelete, keyPath(mainApp, otherKeyID), caller, nil},
		{"revoke: in another app", http.MethodDelete, keyPath(otherApp, otherKeyID), caller, nil},
		{"revoke: through another app", http.MethodDelete, keyPath(otherApp, keyID), otherCaller, nil},
		{"revoke: another tenant's key", http.MethodDelete, keyPath(mainApp, keyID), strangerCaller, nil},
		{"get: unknown", http.MethodGet, scopePath(mainApp, "as-nothing"), caller, nil},
		{"get: no scope id", http.MethodGet, scopePath(mainApp, "main"), caller, nil},
		{"get: another app's", http.MethodGet, scopePath(mainApp, otherScope), caller, nil},
		{"get: in another app", http.MethodGet, scopePath(otherApp, otherScope), caller, nil},
		{"get: another tenant's", http.MethodGet, scopePath(mainApp, "as-own"), strangerCaller, nil},
		{"put: unknown", http.MethodPut, scopePath(mainApp, "as-nothing"), caller, `{"permissions":{}}`},
		{"put: another app's", http.MethodPut, scopePath(mainApp, otherScope), caller, `{"permissions":{}}`},
		{"put: in another app", http.MethodPut, scopePath(otherApp, otherScope), caller, `{"permissions":{}}`},
		{"put: another tenant's", http.MethodPut, scopePath(mainApp, "as-own"), strangerCaller, `{"permissions":{}}`},
	} {
		t.Run(x.about, func(t *testing.T) {
			c.a.do(t, x.method, x.path, x.body, "x-api-key", x.key).refused(t, 404, fault.NotFound)
		})
	}
	c.a.do(t, http.MethodDelete, keyPath(mainApp, keyID), nil, "x-api-key", caller).must(t, 200) // nobody has taken it
}

func TestAKeyOfAnotherScopeOfTheApp(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, spareScope)
	c.a.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", caller).refused(t, 403, fault.Forbidden)
	c.a.do(t, http.MethodPut, scopePath(mainApp, mainScope), `{"permissions":{"RUN_API":"NO"}}`, "x-api-key", caller).refused(t, 403,
		fault.Forbidden)
	made := makeKey(t, c.a, caller, "made from beside") // keys may be managed in all scopes of the app
	c.a.do(t, http.MethodDelete, keyPath(mainApp, made.APIKey.KeyID), nil, "x-api-key", caller).must(t, 200)
}

func TestNamesAreUniqueInTheScope(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	makeKey(t, c.a, caller, "twice")
	for name, node := range c.both() {
		got := node.do(t, http.MethodPost, createPath(mainApp), keyBody("main", " twice "), "x-api-key", caller).refused(t, 409, fault.Conflict)
		require.Contains(t, got.Text, "twice", name)
	}
	makeKey(t, c.b, caller, "Twice") // case counts
	makeKey(t, c.b, caller, "Cafe\u0301")
	got := c.a.do(t, http.MethodPost, createPath(mainApp), keyBody("main", "Caf\u00e9"), "x-api-key", caller).refused(t, 409, fault.Conflict)
	require.Contains(t, got.Text, "Caf\u00e9", "the same to whoever reads it")
	for _, unseen := range []string{"twice\u200b", "\u202etwice", "\ufefftwice"} {
		c.b.do(t, http.MethodPost, createPath(mainApp), keyBody("main", unseen), "x-api-key", caller).refused(t, 400, fault.Validation,
			"api_key_name")
	}
	w.scope(t, "as-cafe", "Cafe\u0301 \u212b", mainApp, access.APIScopeKeyFull)
	c.a.do(t, http.MethodPost, createPath(mainApp), keyBody("Caf\u00e9 \u00c5", "in it"), "x-api-key", caller).must(t, 201)
	c.a.do(t, http.MethodPost, createPath(mainApp), keyBody("Cafe\u0301 \u00c5", "in it too"), "x-api-key", caller).must(t, 201)
	c.b.do(t, http.MethodPost, createPath(mainApp), keyBody("spare", "twice"), "x-api-key", caller).must(t, 201)
}

func TestTheLimitIsFiftyKeys(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, spareScope)
	var first keyMade
	for i := range access.DefaultKeyLimit {
		made := makeKey(t, []*server{c.a, c.b}[i%2], caller, fmt.Sprint("key ", i))
		if i == 0 {
			first = made
		}
	}
	got := c.a.do(t, http.MethodPost, createPath(mainApp), keyBody("main", "one too many"), "x-api-key", caller).refused(t, 429,
		fault.LimitReached)
	require.Empty(t, got.Header.Get("Retry-After"), "waiting does not help")
	require.NotContains(t, got.Text, "retryAfterMs")
	c.b.do(t, http.MethodPost, createPath(mainApp), keyBody("main", "key 1"), "x-api-key", caller).refused(t, 409, fault.Conflict)
	c.b.do(t, http.MethodDelete, keyPath(mainApp, first.APIKey.KeyID), nil, "x-api-key", caller).must(t, 200)
	makeKey(t, c.a, caller, "one too many")
}

func TestWhatABodyMustSay(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	for _, x := range []struct {
		about, body string
		fields      []string
	}{
		{"nothing", `{}`, []string{"api_key_name", "scope_name"}},
		{"no name", `{"scope_name":"main"}`, []string{"api_key_name"}},
		{"no scope", `{"api_key_name":"x"}`, []string{"scope_name"}},
		{"null", `{"scope_name":"main","api_key_name":null}`, []string{"api_key_name"}},
		{"numbers", `{"scope_name":1,"api_key_name":2}`, []string{"api_key_name", "scope_name"}},
		{"empty name", `{"scope_name":"main","api_key_name":""}`, []string{"api_key_name"}},
		{"blank name", `{"scope_name":"main","api_key_name":"   "}`, []string{"api_key_name"}},
		{"blank scope", `{"scope_name":" ","api_key_name":"x"}`, []string{"scope_name"}},
		{"101 characters", `{"scope_name":"main","api_key_name":"` + strings.Repeat("ä", 101) + `"}`, []string{"api_key_name"}},
		{"line break", `{"scope_name":"main","api_key_name":"a\nb"}`, []string{"api_key_name"}},
		{"U+0000", `{"scope_name":"main","api_key_name":"a\u0000b"}`, []string{"api_key_name"}},
		{"other case", `{"Scope_Name":"main","API_KEY_NAME":"x"}`, []string{"api_key_name", "scope_name"}},
	} {
		t.Run(x.about, func(t *testing.T) {
			c.a.do(t, http.MethodPost, createPath(mainApp), x.body, "x-api-key", caller).refused(t, 400, fault.Validation, x.fields...)
		})
	}
	for _, body := range []string{`{`, `[]`, `"x"`, `{"scope_name":"main"} {}`, "\xff"} {
		c.a.do(t, http.MethodPost, createPath(mainApp), body, "x-api-key", caller).refused(t, 400, fault.BadRequest)
	}
	c.a.do(t, http.MethodPost, createPath(mainApp), nil, "x-api-key", caller).refused(t, 400, fault.Validation, "body")
	c.a.do(t, http.MethodPost, createPath(mainApp), keyBody("main", "x"), "x-api-key", caller, "Idempotency-Key", "ä").
		refused(t, 400, fault.Validation, "Idempotency-Key")

	makeKey(t, c.a, caller, strings.Repeat("ä", 100))
	c.a.do(t, http.MethodPost, createPath(mainApp), `{"scope_name":"main","api_key_name":"x","colour":"red"}`, "x-api-key", caller).must(t,
		201)
	full := `{"scope_name":"main","api_key_name":"y"}`
	c.a.do(t, http.MethodPost, createPath(mainApp), full+strings.Repeat(" ", rest.MaxBody-len(full)), "x-api-key", caller).must(t, 201)
}

// Each request has all faults but those before it in the order.
func TestKeyRefusalsComeInOneOrder(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	w.scope(t, "as-weak", "weak", mainApp, access.APIScopeKeyEdit)
	weak, wrong := w.key(t, "as-weak"), access.NewSecret(access.SecretKey, [32]byte{9})
	makeKey(t, c.a, caller, "taken")
	for _, x := range []struct {
		status    int
		code      fault.Code
		key, path string
		body      string
		fields    []string
	}{
		{413, fault.TooLarge, wrong, createPath("nowhere"), strings.Repeat("{", rest.MaxBody+1), nil},
		{400, fault.BadRequest, wrong, createPath("nowhere"), `{"scope_name":`, nil},
		{401, fault.Unauthorized, wrong, createPath("nowhere"), `{"scope_name":"nothing"}`, nil},
		{403, fault.Forbidden, weak, createPath("nowhere"), `{"scope_name":"nothing"}`, nil},
		{404, fault.NotFound, caller, createPath("nowhere"), `{"scope_name":"nothing"}`, nil},
		{404, fault.NotFound, caller, createPath(mainApp), `{"scope_name":"nothing"}`, nil},
		{400, fault.Validation, caller, createPath(mainApp), `{"scope_name":"main"}`, []string{"api_key_name"}},
		{409, fault.Conflict, caller, createPath(mainApp), `{"scope_name":"main","api_key_name":"taken"}`, nil},
	} {
		c.a.do(t, http.MethodPost, x.path, x.body, "x-api-key", x.key).refused(t, x.status, x.code, x.fields...)
	}
}

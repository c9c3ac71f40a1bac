package node_test

import (
	"net/http"
	"testing"
)

// keyMade and scopeShown are what create-api-key and get-scope answer.
type keyMade struct {
	Success bool `json:"success"`
	APIKey  struct {
		APIKey    string `json:"apikey"`
		KeyID     string `json:"key_id"`
		KeyName   string `json:"key_name"`
		ScopeName string `json:"scope_name"`
	} `json:"api_key"`
	Scope scopeFields `json:"scope"`
}

type scopeFields struct {
	ScopeID     string            `json:"scope_id"`
	ScopeName   string            `json:"scope_name"`
	Description string            `json:"description"`
	CreatedAt   string            `json:"created_at"`
	Permissions map[string]string `json:"permissions"`
}

// Where the operations are, for an app and what is in it.
func createPath(app string) string { return "/aaa/api/public/apps/" + app + "/apikeys/create" }

func keyPath(app, keyID string) string { return "/aaa/api/public/apps/" + app + "/apikeys/" + keyID }

func scopePath(app, scope string) string { return "/aaa/api/public/apps/" + app + "/scopes/" + scope }

func keyBody(scopeName, name string) map[string]string {
	return map[string]string{"scope_name": scopeName, "api_key_name": name}
}

// makeKey makes a key in the main scope over HTTP.
func makeKey(t *testing.T, on *server, secret, name string, headers ...string) keyMade {
	t.Helper()
	var made keyMade
	on.do(t, http.MethodPost, createPath(mainApp), keyBody("main", name), append(headers, "x-api-key", secret)...).must(t, 201).into(t, &made)
	return made
}

const (
	isoForm  = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`
	uuidForm = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
)

func keysOf(v any) []string {
	var out []string
	members, _ := v.(map[string]any)
	for name := range members {
		out = append(out, name)
	}
	return out
}

// Every operation, called as it should be but for one thing.
func everyOperation(keyID string) []struct{ method, path, body string } {
	return []struct{ method, path, body string }{
		{http.MethodPost, createPath(mainApp), `{"scope_name":"main","api_key_name":"never made"}`},
		{http.MethodDelete, keyPath(mainApp, keyID), ""},
		{http.MethodGet, scopePath(mainApp, mainScope), ""},
		{http.MethodPut, scopePath(mainApp, mainScope), `{"permissions":{"RUN_API":"NO"}}`},
	}
}

func (s *server) call(t *testing.T, op struct{ method, path, body string }, headers ...string) *answer {
	t.Helper()
	if op.body == "" {
		return s.do(t, op.method, op.path, nil, headers...)
	}
	return s.do(t, op.method, op.path, op.body, headers...)
}

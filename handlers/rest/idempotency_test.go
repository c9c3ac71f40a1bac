package rest_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

type keyed struct {
	Body struct {
		Has                          bool
		Value, Operation, Path, Hash string
	}
}

func withKeys(t *testing.T) *resttest.World {
	w := resttest.NewWorld(t)
	rest.Declare(w.Api, rest.Operation{ID: "keyed", Method: "POST", Path: "/keyed/{id}", Summary: "Keyed", Requirement: access.Public},
		func(ctx context.Context, _ *struct{ Body *resttest.CallBody }) (*keyed, error) {
			var out keyed
			k, ok := rest.Idempotency(ctx)
			out.Body.Has, out.Body.Value, out.Body.Operation, out.Body.Path = ok, k.Value, k.Operation, k.Path
			out.Body.Hash = hex.EncodeToString(k.Hash)
			if k.Value == "again" {
				rest.MarkReplayed(ctx)
			}
			return &out, nil
		})
	return w
}

func TestIdempotencyKeysReachTheHandler(t *testing.T) {
	w := withKeys(t)
	var out keyed
	w.Call(http.MethodPost, "/keyed/7", "").Decode(t, &out.Body)
	require.False(t, out.Body.Has)
	got := w.Call(http.MethodPost, "/keyed/7", "", "Idempotency-Key", "a key")
	got.Decode(t, &out.Body)
	require.True(t, out.Body.Has)
	require.Equal(t, "a key", out.Body.Value)
	require.Equal(t, "keyed", out.Body.Operation)
	require.Equal(t, "/keyed/7", out.Body.Path)
	require.Len(t, out.Body.Hash, 64)
	require.Empty(t, got.Header.Get("Idempotency-Replayed"))
	require.Equal(t, "true", w.Call(http.MethodPost, "/keyed/7", "", "Idempotency-Key", "again").Header.Get("Idempotency-Replayed"))
}

// Given two names of a project, then a key counts for both of them, and for no other project.
func TestAKeyCountsForAProjectWhateverItIsCalled(t *testing.T) {
	w := resttest.NewWorld(t)
	for path, resolve := range map[string]rest.ResolveFunc{"/renamed/{projectId}/x/{id}": rest.ProjectFrom("projectId"), "/plain/{id}": nil} {
		rest.Declare(w.Api, rest.Operation{ID: "renamed-" + path[1:3], Method: "POST", Path: path, Summary: "Named",
			Requirement: access.Needs(access.PermSessionRead), Resolve: resolve},
			func(ctx context.Context, _ *struct{}) (*keyed, error) {
				var out keyed
				k, _ := rest.Idempotency(ctx)
				out.Body.Path = k.Path
				return &out, nil
			})
	}
	for called, want := range map[string]string{"/renamed/main/x/main": "/renamed/p-1/x/main", "/renamed/p-1/x/7": "/renamed/p-1/x/7",
		"/renamed/main/x/a%2Fb": "/renamed/p-1/x/a/b", "/plain/main": "/plain/main"} {
		var out keyed
		w.Call(http.MethodPost, called, "", "auth", w.Token(), "Idempotency-Key", "a key").Decode(t, &out.Body)
		require.Equal(t, want, out.Body.Path, called)
	}
}

// The hash is that of what was asked for, not of how it was written.
func TestWhichRequestsAreTheSame(t *testing.T) {
	w := withKeys(t)
	hashOf := func(target, body string) string {
		var out keyed
		w.Call(http.MethodPost, target, body, "Idempotency-Key", "k").Decode(t, &out.Body)
		return out.Body.Hash
	}
	first := hashOf("/keyed/7?a=1&b=2", `{"target":"a","metadata":{"x":1,"y":[1,2]}}`)
	for _, c := range []struct {
		name, target, body string
		same               bool
	}{
		{"written otherwise", "/keyed/7?b=2&a=1", "{ \"metadata\" : {\"y\":[1,2],\"x\":1},\n\"target\":\"\\u0061\"}", true},
		{"another value", "/keyed/7?a=1&b=2", `{"target":"b","metadata":{"x":1,"y":[1,2]}}`, false},
		{"another order of a list", "/keyed/7?a=1&b=2", `{"target":"a","metadata":{"x":1,"y":[2,1]}}`, false},
		{"a member that is ignored", "/keyed/7?a=1&b=2", `{"target":"a","more":1,"metadata":{"x":1,"y":[1,2]}}`, false},
		{"another query", "/keyed/7?a=1&b=3", `{"target":"a","metadata":{"x":1,"y":[1,2]}}`, false},
		{"no body", "/keyed/7?a=1&b=2", ``, false},
	} {
		require.Equal(t, c.same, hashOf(c.target, c.body) == first, c.name)
	}
}

func TestIdempotencyKeysHaveAForm(t *testing.T) {
	w := withKeys(t)
	for _, c := range []struct {
		name    string
		headers []string
		ok      bool
	}{
		{"one character", []string{"Idempotency-Key", "a"}, true},
		{"255 characters", []string{"idempotency-key", strings.Repeat("a", 255)}, true},
		{"256 characters", []string{"Idempotency-Key", strings.Repeat("a", 256)}, false},
		{"empty", []string{"Idempotency-Key", ""}, false},
		{"not ASCII", []string{"Idempotency-Key", "schlüssel"}, false},
		{"a control character", []string{"Idempotency-Key", "a\tb"}, false},
		{"two of them", []string{"Idempotency-Key", "a", "Idempotency-Key", "b"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.Call(http.MethodPost, "/keyed/7", "", c.headers...)
			if c.ok {
				require.Equal(t, 200, got.Status)
				return
			}
			require.Equal(t, fault.Validation, got.Code())
			require.Equal(t, []string{"Idempotency-Key"}, got.Fields())
		})
	}
}

// Of what changes nothing, and of what is called by nobody who has an account, there is no
// first result to be answered again: a key is passed over, and the document says so.
func TestWhereNoKeyIsRead(t *testing.T) {
	w := withKeys(t)
	for path, op := range map[string]rest.Operation{"/read": {ID: "read", Reads: true}, "/strange": {ID: "strange", Unkeyed: true}} {
		op.Method, op.Path, op.Summary, op.Requirement = "POST", path, "Unkeyed", access.Public
		rest.Declare(w.Api, op, func(ctx context.Context, _ *struct{}) (*keyed, error) {
			var out keyed
			_, out.Body.Has = rest.Idempotency(ctx)
			return &out, nil
		})
		var out keyed
		w.Call(http.MethodPost, path, "", "Idempotency-Key", strings.Repeat("a", 256)).Decode(t, &out.Body)
		require.False(t, out.Body.Has, path)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	w.Call(http.MethodGet, "/openapi.json", "").Decode(t, &doc)
	for path, reads := range map[string]bool{"/keyed/{id}": true, "/read": false, "/strange": false} {
		told := string(doc.Paths[path]["post"])
		require.Equal(t, !reads, strings.Contains(told, "Is not read here."), path)
		require.Equal(t, reads, strings.Contains(told, "Idempotency-Replayed"), path)
		require.Equal(t, path != "/read", strings.Contains(told, "NOT_EXECUTED"), path)
	}
}

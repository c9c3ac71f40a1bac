package platform_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/platform"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	accessmodels "github.com/parley-platform/parley/projections/access"
)

// oneScope is read models that hold one scope.
type oneScope struct{ defined access.ScopeDefined }

func (s *oneScope) Scope(context.Context, string, string) (accessmodels.ScopeInfo, bool, error) {
	return accessmodels.ScopeInfo{ID: s.defined.ScopeID, ProjectID: "p-1", Name: s.defined.ScopeName, Permissions: s.defined.Permissions},
		true, nil
}

func (s *oneScope) ScopeNamed(ctx context.Context, _, _, _ string) (accessmodels.ScopeInfo, bool, error) {
	return s.Scope(ctx, "", "")
}

func (s *oneScope) KeyScope(context.Context, string, string) (string, string, bool, error) {
	return s.defined.ScopeID, "p-1", true, nil
}

func (s *oneScope) ScopeOfRequest(context.Context, string, string) (string, error) { return "", nil }

// A key whose secret nobody hears is lost: once the commit is accepted nothing more is
// read that could fail.
func TestTheAnswerOfANewKeyNeedsNoSecondRead(t *testing.T) {
	w := resttest.NewWorld(t)
	permissions := map[access.KeyPermission]string{access.APIScopeKeyFull: access.Yes, access.SessionsList: access.Yes}
	s := &oneScope{defined: access.ScopeDefined{TenantID: "acme", ProjectID: "p-1", ScopeID: "as-1", ScopeName: "main", Description: "All",
		CreatedAt: w.Now, Permissions: permissions, Declared: permissions}}
	log := memory.New()
	store := log.Open(eventstore.Config{Node: "n"})
	t.Cleanup(store.Close)
	require.NoError(t, memory.Put(t.Context(), store, access.Scopes, "acme", access.ScopeStream("acme", "as-1"), s.defined))
	log.Fail(memory.Faults{Read: func(string) error {
		if len(log.Accepted()) > 1 {
			return errors.New("the database went away")
		}
		return nil
	}})
	log.Forget()
	mac := func(string, ...string) []byte { return make([]byte, 32) }
	platform.DeclareKeys(w.Api, platform.Keys{Commands: rest.Commands{Log: acts.Log{Store: store, MAC: mac, Now: store.Now}}, Access: s,
		Hash: resttest.Hash})

	r := httptest.NewRequest(http.MethodPost, "/aaa/api/public/apps/p-1/apikeys/create",
		strings.NewReader(`{"scope_name":"main","api_key_name":"billing"}`))
	r.Header.Set("x-api-key", resttest.FullKey)
	r.Header.Set("Content-Type", "application/json")
	got := httptest.NewRecorder()
	w.Api.ServeHTTP(got, r)

	require.Equal(t, http.StatusCreated, got.Code, got.Body.String())
	require.Len(t, log.Accepted(), 2)
	var made struct {
		Key   struct{ APIKey string } `json:"api_key"`
		Scope struct {
			Description string
			CreatedAt   string `json:"created_at"`
		}
	}
	require.NoError(t, json.Unmarshal(got.Body.Bytes(), &made))
	require.True(t, strings.HasPrefix(made.Key.APIKey, "sk_"))
	require.Equal(t, "All", made.Scope.Description)
	require.Equal(t, "2025-03-01T12:00:00.000Z", made.Scope.CreatedAt)
}

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
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/platform"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/projections"
)

// oneScope is a log, an index and read models that hold one scope. Once something was
// appended nothing can be read any more.
type oneScope struct {
	defined  access.ScopeDefined
	appended bool
}

var errUnreadable = errors.New("the database went away")

func (s *oneScope) Produce(context.Context, string, int, []*eventstore.Record) (int64, error) {
	s.appended = true
	return 1, nil
}

func (s *oneScope) Load(_ context.Context, stream string) ([]*eventstore.Record, error) {
	if s.appended {
		return nil, errUnreadable
	}
	data, err := json.Marshal(s.defined)
	return []*eventstore.Record{{Stream: stream, Type: "parley.scopes.defined.v1", Tenant: "acme", Version: 1,
		Commit: "0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70", CommitSize: 1, Data: data}}, err
}

func (s *oneScope) Partitions(string) (int, error) { return 1, nil }
func (s *oneScope) Gate() error                    { return nil }
func (s *oneScope) Epoch() uint64                  { return 1 }
func (s *oneScope) Cancel()                        {}

func (s *oneScope) Expect(string, int, string, int64, string) eventstore.Expectation { return s }
func (s *oneScope) Wait(context.Context, int64) (bool, error)                        { return true, nil }

func (s *oneScope) Scope(context.Context, string, string) (projections.ScopeInfo, bool, error) {
	return projections.ScopeInfo{ID: s.defined.ScopeID, ProjectID: "p-1", Name: s.defined.ScopeName, Permissions: s.defined.Permissions},
		true, nil
}

func (s *oneScope) ScopeNamed(ctx context.Context, _, _, _ string) (projections.ScopeInfo, bool, error) {
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
	store := eventstore.New(eventstore.Config{Node: "n", Batches: s, Index: s, Follower: s, Topology: s})
	t.Cleanup(store.Close)
	mac := func(string, ...string) []byte { return make([]byte, 32) }
	platform.DeclareKeys(w.Api, platform.Keys{Commands: rest.Commands{Store: store, MAC: mac, Now: store.Now}, Access: s, Hash: resttest.Hash})

	r := httptest.NewRequest(http.MethodPost, "/aaa/api/public/apps/p-1/apikeys/create",
		strings.NewReader(`{"scope_name":"main","api_key_name":"billing"}`))
	r.Header.Set("x-api-key", resttest.FullKey)
	r.Header.Set("Content-Type", "application/json")
	got := httptest.NewRecorder()
	w.Api.ServeHTTP(got, r)

	require.Equal(t, http.StatusCreated, got.Code, got.Body.String())
	require.True(t, s.appended)
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

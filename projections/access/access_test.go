package access_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	accessmodels "github.com/parley-platform/parley/projections/access"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given tenants with projects, clients, scopes and keys, then each is found in its tenant, and in no other.
func TestAnswersAboutAccess(t *testing.T) {
	w := given.Open(t)
	w.Given(accessmodels.Model, "x", given.Filled[access.TenantDefined](), given.Filled[access.ProjectDefined](),
		given.Filled[access.ClientDefined]())
	w.Given(accessmodels.Model, "y", given.Filled[access.ScopeDefined](), given.Filled[access.KeyCreated]())
	a, ctx := accessmodels.NewAccess(w.DB), t.Context()
	for _, c := range []struct {
		tenant string
		there  bool
	}{{"tenantId", true}, {"other", false}} {
		name, org, ok, err := a.Tenant(ctx, c.tenant)
		require.NoError(t, err)
		require.Equal(t, c.there, ok && name == "name" && org == "orgId")

		for _, called := range []string{"projectId", "aliases"} {
			p, ok, err := a.Project(ctx, c.tenant, called)
			require.NoError(t, err)
			require.Equal(t, c.there, ok)
			require.Equal(t, c.there, p == accessmodels.ProjectInfo{ID: "projectId", Name: "name", Slug: "slug", Language: "language",
				WebhookSecret: "webhookSecret"})
		}
		client, ok, err := a.Client(ctx, c.tenant, "clientId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		if ok {
			require.Equal(t, access.Client{ID: "clientId", Origin: "origin", Alg: "alg", Secret: "secret", JWKS: "jwks", JWKSURL: "jwksUrl",
				Audience: "audience", Scopes: []string{"scopes"}, Permissions: []string{"permissions"}}, client)
		}
		want := accessmodels.ScopeInfo{ID: "scopeId", ProjectID: "projectId", Name: "scopeName", Description: "description",
			CreatedAt:   given.Second(7),
			Permissions: map[access.KeyPermission]string{"permissions": "permissions"}}
		s, ok, err := a.Scope(ctx, c.tenant, "scopeId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		if ok {
			require.Equal(t, want, s)
		}
		s, ok, err = a.ScopeNamed(ctx, c.tenant, "projectId", "scopeName")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		if ok {
			require.Equal(t, want, s)
		}
		scope, project, ok, err := a.KeyScope(ctx, c.tenant, "keyId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok && scope == "scopeId" && project == "projectId")
	}
	k, ok, err := a.APIKey(ctx, "hash")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, accessmodels.KeyHolder{TenantID: "tenantId", ProjectID: "projectId", ScopeID: "scopeId", KeyID: "keyId", Kind: "kind",
		AllowedOrigins: []string{"allowedOrigins"}, Permissions: map[access.KeyPermission]string{"permissions": "permissions"}}, k)
	tenant, id, ok, err := a.KeyWith(ctx, "hash")
	require.NoError(t, err)
	require.Equal(t, []any{"tenantId", "keyId", true}, []any{tenant, id, ok})
	for _, ask := range []func() (bool, error){
		func() (bool, error) { _, ok, err := a.APIKey(ctx, "another"); return ok, err },
		func() (bool, error) { _, _, ok, err := a.KeyWith(ctx, "another"); return ok, err },
		func() (bool, error) { _, ok, err := a.Client(ctx, "tenantId", "another"); return ok, err },
		func() (bool, error) { _, ok, err := a.Project(ctx, "tenantId", "another"); return ok, err },
		func() (bool, error) {
			_, ok, err := a.ScopeNamed(ctx, "tenantId", "another", "scopeName")
			return ok, err
		},
		func() (bool, error) { s, err := a.ScopeOfRequest(ctx, "tenantId", "nothing"); return s != "", err },
	} {
		there, err := ask()
		require.NoError(t, err)
		require.False(t, there, "absence is an answer")
	}
}

// Given the request that made a key, then the scope is known on which it took effect.
func TestAnswersAboutTheScopeOfARequest(t *testing.T) {
	w := given.Open(t)
	w.Indexed(access.Scopes.Category, "tenantId.s-1", given.Filled[access.KeyCreated]())
	x := accessmodels.NewAccess(w.DB)
	for tenant, want := range map[string]string{"tenantId": access.Scopes.Stream("tenantId.s-1"), "other": ""} {
		scope, err := x.ScopeOfRequest(t.Context(), tenant, "request of tenantId.s-1")
		require.NoError(t, err)
		require.True(t, want == "" && scope == "" || access.ScopeStream(tenant, scope) == want, "%s", scope)
	}
}

// Given many tenants and requests that come one after the other, then who sends them is not planned anew for each.
func TestWhoCallsIsPlannedOnce(t *testing.T) {
	w := given.Open(t)
	for _, sql := range []string{`INSERT INTO clients (tenant, client_id, origin, alg, secret, jwks, jwks_url, scopes, permissions)
		SELECT 'many' || n, 'c', 'o', 'HS256', '', '', '', '[]', '[]' FROM generate_series(1, 5000) n`, `ANALYZE clients`} {
		_, err := w.DB.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	defer func() {
		_, err := w.DB.Exec(t.Context(), `DELETE FROM clients WHERE tenant LIKE 'many%'`)
		require.NoError(t, err)
	}()
	w.KeepsPlans(func(db *pgxpool.Pool) {
		a := accessmodels.NewAccess(db)
		_, _, err := a.Client(t.Context(), "tenantId", "clientId")
		require.NoError(t, err)
		_, _, err = a.APIKey(t.Context(), "hash")
		require.NoError(t, err)
		_, _, err = a.Project(t.Context(), "tenantId", "name")
		require.NoError(t, err)
	})
}

// Given a client that was asked for, then what the log says of it later counts from the transaction on that projects it, and what a
// rebuild finds from its switch on.
func TestWhoCallsIsAsTheLogSays(t *testing.T) {
	w := given.Open(t)
	w.Given(accessmodels.Model, "x", given.Filled[access.ClientDefined]())
	_, err := w.DB.Exec(t.Context(), `INSERT INTO checkpoints (projection, topic, partition, next_offset) VALUES ('live', $1, 0, 7)`,
		access.Tenants.Topic())
	require.NoError(t, err)
	a := accessmodels.NewAccess(w.DB)
	secret := func() string {
		c, ok, err := a.Client(t.Context(), "tenantId", "clientId")
		require.NoError(t, err)
		require.True(t, ok)
		return c.Secret
	}
	require.Equal(t, "secret", secret())
	for n, moves := range []string{"next_offset = next_offset + 1", "owner_epoch = owner_epoch + 1"} {
		now := fmt.Sprint("another ", n)
		tx, err := w.DB.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `UPDATE clients SET secret = $1 WHERE tenant = 'tenantId'`, now)
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `UPDATE checkpoints SET `+moves+` WHERE topic = $1`, access.Tenants.Topic())
		require.NoError(t, err)
		require.NotEqual(t, now, secret(), "it is not committed")
		require.NoError(t, tx.Commit(t.Context()))
		require.Equal(t, now, secret())
	}
	_, err = w.DB.Exec(t.Context(), `UPDATE clients SET secret = 'nobody projects it' WHERE tenant = 'tenantId'`)
	require.NoError(t, err)
	require.Equal(t, "another 1", secret(), "it is not read again")
}

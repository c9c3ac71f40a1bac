package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

func keyOf(scope string, names ...access.KeyPermission) access.Rights {
	return access.Principal{Kind: access.KeyCredential, ScopeID: scope, KeyPermissions: names}.Rights()
}

func tokenWith(permissions ...access.Permission) access.Rights {
	return access.Principal{Kind: access.TokenCredential, Scopes: []access.ClientScope{access.ScopeRouting},
		Permissions: permissions}.Rights()
}

// Nobody gives or takes what he does not hold, before or after the change.
func TestRightsBoundWhatIsDoneToAScope(t *testing.T) {
	scope := func(yes ...access.KeyPermission) []event.Payload {
		permissions := map[access.KeyPermission]string{}
		for _, p := range access.KeyPermissions() {
			permissions[p] = access.No
		}
		for _, p := range yes {
			permissions[p] = access.Yes
		}
		return []event.Payload{access.ScopeDefined{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops",
			Permissions: permissions, Declared: permissions}, ciKey}
	}
	create := access.CreateKey{KeyID: "ak-2", Name: "new", Hash: "h2", At: noon}.Decide
	revoke := access.RevokeKey{KeyID: "ak-1", At: noon}.Decide
	put := func(name access.KeyPermission, value string) func(access.ScopeState) ([]event.Payload, error) {
		return access.ChangePermissions{Permissions: map[string]string{string(name): value}, At: noon}.Decide
	}
	full, run := access.APIScopeKeyFull, access.RunAPI
	narrowed := func(yes ...access.KeyPermission) []event.Payload { // by its keys, since it was defined with all of these
		defined := scope(yes...)
		changed, err := put(run, "NO")(access.Scopes.State(defined...))
		require.NoError(t, err)
		return append(defined, changed...)
	}
	for _, c := range []struct {
		about  string
		by     access.Rights
		given  []event.Payload
		decide func(access.ScopeState) ([]event.Payload, error)
		want   fault.Code
	}{
		{"a key in a scope with more", keyOf("as-0", full), scope(full, run), create, fault.Forbidden},
		{"a key in a scope with as much", keyOf("as-0", full, run), scope(full, run), create, ""},
		{"a key in a scope with less", keyOf("as-0", full, run), scope(run), create, ""},
		{"by its very name: FULL does not stand for VIEW", keyOf("as-0", full, access.AgentsFull), scope(access.AgentsView), create,
			fault.Forbidden},
		{"revoked in a scope with more", keyOf("as-0", full), scope(run), revoke, fault.Forbidden},
		{"revoked in a scope with less", keyOf("as-0", full), scope(), revoke, ""},
		{"no such key is said first", keyOf("as-0", full), scope(run), access.RevokeKey{KeyID: "ak-9"}.Decide, fault.NotFound},
		{"forbidden is said before fields", keyOf("as-0", full), scope(run), access.CreateKey{KeyID: "ak-2"}.Decide, fault.Forbidden},
		{"forbidden is said before a taken name", keyOf("as-0", full), scope(run), access.CreateKey{KeyID: "ak-2", Name: "CI",
			Hash: "h"}.Decide, fault.Forbidden},
		{"its own scope narrowed", keyOf("as-1", full, run), scope(full, run), put(run, "NO"), ""},
		{"its own scope widened", keyOf("as-1", full), scope(full), put(run, "YES"), fault.Forbidden},
		{"given back what its definition says", keyOf("as-1", full), narrowed(full, run), put(run, "YES"), ""},
		{"given more than its definition says", keyOf("as-1", full), narrowed(full, run), put(access.AppView, "YES"), fault.Forbidden},
		{"given back without the right to", keyOf("as-1"), narrowed(run), put(run, "YES"), fault.Forbidden},
		{"given back by a key of another scope", keyOf("as-0", full), narrowed(full, run), put(run, "YES"), fault.Forbidden},
		{"as it is already", keyOf("as-1", full), scope(full), put(run, "NO"), ""},
		{"narrowed by others since it was looked up", keyOf("as-1", full, run), scope(full), put(run, "YES"), fault.Forbidden},
		{"its own right taken since it was looked up", keyOf("as-1", full), scope(), create, fault.Forbidden},
		{"widened by others since it was looked up", keyOf("as-1", full), scope(full, run), create, ""},
		{"another scope widened meanwhile", keyOf("as-0", full), scope(full, access.AppView), create, fault.Forbidden},
		{"an operator", access.Everything, scope(access.KeyPermissions()...), create, ""},
		{"nobody", access.Rights{}, scope(run), create, fault.Forbidden},
		{"a token without what the scope opens", tokenWith(access.PermAdminApply), scope(access.AgentsView), create, fault.Forbidden},
		{"a token with what the scope opens", tokenWith(access.PermAgentRead), scope(access.AgentsView), create, ""},
		{"a token, and what needs no permission", tokenWith(), scope(run, full, access.DocumentUpload), create, ""},
		{"a whole resource by its parts", tokenWith(access.PermDeploymentCreate, access.PermChannelRead, access.PermChannelCreate,
			access.PermChannelUpdate, access.PermChannelDelete),
			scope(access.AppEdit), create, ""},
		{"a whole resource but for a part", tokenWith(access.PermDeploymentCreate, access.PermChannelRead, access.PermChannelCreate,
			access.PermChannelUpdate),
			scope(access.AppEdit), create, fault.Forbidden},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, err := c.by.OnScopes(c.decide)(access.Scopes.State(c.given...))
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			refused(t, err, c.want)
		})
	}
}

func TestRightsBoundClients(t *testing.T) {
	define := func(edit func(*access.DefineClient)) func(access.TenantState) ([]event.Payload, error) {
		c := access.DefineClient{ID: "crm", Name: "CRM", Alg: "HS256", Secret: "s", SecretFingerprint: "f", Scopes: []string{"Routing"},
			Permissions: []string{"agent:read"}}
		if edit != nil {
			edit(&c)
		}
		return c.Decide
	}
	strong, err := define(func(c *access.DefineClient) {
		c.Permissions = []string{"agent:*",
			"session:read"}
	})(access.Tenants.State(withTenant...))
	require.NoError(t, err)
	by := tokenWith(access.PermAdminApply, "agent:*")
	for _, c := range []struct {
		about  string
		given  []event.Payload
		decide func(access.TenantState) ([]event.Payload, error)
		may    bool
	}{
		{"as much", withTenant, define(nil), true},
		{"another permission", withTenant, define(func(c *access.DefineClient) { c.Permissions = []string{"session:read"} }), false},
		{"another scope", withTenant, define(func(c *access.DefineClient) { c.Scopes = []string{"Campaign Management"} }), false},
		{"one that had more is not taken over", after(withTenant, strong...), define(nil), false},
		{"one that had more is not removed", after(withTenant, strong...), access.RemoveClient{ID: "crm"}.Decide, false},
		{"the same definition again", after(withTenant, strong...), define(func(c *access.DefineClient) {
			c.Permissions = []string{"agent:*",
				"session:read"}
		}), true},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, err := by.OnTenant(c.decide)(access.Tenants.State(c.given...))
			if c.may {
				require.NoError(t, err)
				return
			}
			refused(t, err, fault.Forbidden)
		})
	}
}

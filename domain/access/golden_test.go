package access_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event/eventtest"
)

func TestTheTenantEventsOnTheLogStillDecode(t *testing.T) {
	full := project
	full.Defaults.Language = "en"
	published := client
	published.Alg, published.Secret, published.SecretFingerprint, published.JWKSURL = "ES256", "", "", "https://idp.example/keys"
	document := published
	document.JWKS, document.JWKSURL = `{"keys":[{"kty":"EC"}]}`, ""
	eventtest.Golden(t, access.Tenants.Category, "testdata/events/tenants",
		tenant, full, bank,
		client, published, document,
		registered, unregistered,
		access.ProjectRemoved{TenantID: "acct", ProjectID: "shop"},
		access.ClientRemoved{TenantID: "acct", ClientID: "cli"})
}

func TestTheScopeEventsOnTheLogStillDecode(t *testing.T) {
	public := ciKey
	public.Kind, public.DisplayPrefix, public.AllowedOrigins = access.PublicKey, "pk_abcdef", []string{"https://shop.example"}
	eventtest.Golden(t, access.Scopes.Category, "testdata/events/scopes",
		ops, public, ciKey,
		access.PermissionsChanged{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops",
			Permissions: permit(access.RunAPI, access.AppEdit), Changed: map[access.KeyPermission]string{"APP_EDIT": "YES"}, ChangedAt: noon},
		access.KeyOriginsChanged{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", KeyID: "ak-1",
			AllowedOrigins: []string{"https://shop.example"}, ChangedAt: noon},
		access.KeyRevoked{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops", KeyID: "ak-1", Name: "CI", RevokedAt: noon},
		access.ScopeRemoved{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops", KeyIDs: []string{"ak-1"}, RemovedAt: noon},
		access.ScopeRemoved{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops", KeyIDs: []string{}, RemovedAt: noon})
}

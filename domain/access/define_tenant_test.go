package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

func TestATenantIsDefinedOnce(t *testing.T) {
	define := access.DefineTenant{ID: "acct", Name: " Acme ", OrgID: "org"}
	got, err := decide(access.Tenants, nil, define)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{tenant}, got)

	got, err = decide(access.Tenants, withTenant, define)
	require.NoError(t, err)
	require.Empty(t, got)

	got, err = decide(access.Tenants, withTenant, access.DefineTenant{ID: "acct", Name: "Acme 2", OrgID: "org"})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{access.TenantDefined{TenantID: "acct", Name: "Acme 2", OrgID: "org"}}, got)
}

func TestATenantKeepsItsOrganisation(t *testing.T) {
	_, err := decide(access.Tenants, withTenant, access.DefineTenant{ID: "acct", Name: "Acme", OrgID: "other"})
	refused(t, err, fault.Conflict)
}

func TestWrongFieldsOfATenant(t *testing.T) {
	_, err := decide(access.Tenants, nil, access.DefineTenant{ID: "a b", Name: " ", OrgID: ""})
	refused(t, err, fault.Validation, "metadata.id", "spec.orgId", "metadata.name")
	_, err = decide(access.Tenants, withTenant, access.DefineTenant{ID: "acct2", Name: "Acme", OrgID: "org"})
	refused(t, err, fault.Validation, "metadata.id")
}

func TestNothingIsDefinedWithoutATenant(t *testing.T) {
	_, err := decide(access.Tenants, nil, access.DefineProject{ID: "p", Name: "P", WebhookSecret: "s", SecretFingerprint: "f"})
	refused(t, err, fault.NotFound)
	_, err = decide(access.Tenants, nil, access.DefineClient{ID: "c", Name: "C", Alg: "HS256", Secret: "s", SecretFingerprint: "f"})
	refused(t, err, fault.NotFound)
	_, err = decide(access.Tenants, nil, access.RegisterScope{ScopeID: "as-1", ProjectID: "p", Name: "S"})
	refused(t, err, fault.NotFound)
	_, err = decide(access.Tenants, nil, access.RemoveProject{ID: "p"})
	refused(t, err, fault.NotFound)
	_, err = decide(access.Tenants, nil, access.RemoveClient{ID: "c"})
	refused(t, err, fault.NotFound)
	_, err = decide(access.Tenants, nil, access.UnregisterScope{ScopeID: "as-1"})
	refused(t, err, fault.NotFound)
}

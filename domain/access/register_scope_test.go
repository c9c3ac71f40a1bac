package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

var (
	registered   = access.ScopeRegistered{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", Name: "Ops"}
	unregistered = access.ScopeUnregistered{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", Name: "Ops"}
	bank         = access.ProjectDefined{TenantID: "acct", ProjectID: "bank", Name: "Bank", Slug: "bank", WebhookSecret: "x",
		SecretFingerprint: "x"}
)

func TestAScopeNameIsRegisteredOnce(t *testing.T) {
	for _, project := range []string{"shop", "st-1"} {
		c := access.RegisterScope{ScopeID: "as-1", ProjectID: project, Name: "Ops "}
		got, err := decide(access.Tenants, withProject, c)
		require.NoError(t, err)
		require.Equal(t, []event.Payload{registered}, got, "an alias is resolved")
		got, err = decide(access.Tenants, after(withProject, got...), c)
		require.NoError(t, err)
		require.Empty(t, got)
	}
}

func TestASecondScopeWithTheSameNameInTheApp(t *testing.T) {
	history := after(withProject, bank, registered)
	_, err := decide(access.Tenants, history, access.RegisterScope{ScopeID: "as-2", ProjectID: "shop", Name: "Ops"})
	refused(t, err, fault.Conflict)
	for name, c := range map[string]access.RegisterScope{
		"another name": {ScopeID: "as-2", ProjectID: "shop", Name: "ops"},
		"another app":  {ScopeID: "as-2", ProjectID: "bank", Name: "Ops"},
	} {
		_, err := decide(access.Tenants, history, c)
		require.NoError(t, err, name)
	}
}

func TestARenamedScopeFreesItsName(t *testing.T) {
	renamed, err := decide(access.Tenants, after(withProject, registered), access.RegisterScope{ScopeID: "as-1", ProjectID: "shop",
		Name: "Ops 2"})
	require.NoError(t, err)
	require.Len(t, renamed, 1)
	history := after(withProject, registered, renamed[0])
	_, err = decide(access.Tenants, history, access.RegisterScope{ScopeID: "as-2", ProjectID: "shop", Name: "Ops"})
	require.NoError(t, err)
	_, err = decide(access.Tenants, history, access.RegisterScope{ScopeID: "as-2", ProjectID: "shop", Name: "Ops 2"})
	refused(t, err, fault.Conflict)
}

func TestAScopeDoesNotMoveToAnotherApp(t *testing.T) {
	_, err := decide(access.Tenants, after(withProject, bank, registered), access.RegisterScope{ScopeID: "as-1", ProjectID: "bank",
		Name: "Ops"})
	refused(t, err, fault.Conflict)
}

func TestWrongFieldsOfARegistration(t *testing.T) {
	_, err := decide(access.Tenants, withProject, access.RegisterScope{ScopeID: "ak-1", ProjectID: "nope", Name: "\x00"})
	refused(t, err, fault.Validation, "metadata.id", "metadata.name", "spec.projectId")
}

func TestAnUnregisteredScopeFreesItsName(t *testing.T) {
	got, err := decide(access.Tenants, after(withProject, registered), access.UnregisterScope{ScopeID: "as-1"})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{unregistered}, got)
	history := after(withProject, registered, unregistered)
	got, err = decide(access.Tenants, history, access.UnregisterScope{ScopeID: "as-1"})
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = decide(access.Tenants, history, access.RegisterScope{ScopeID: "as-2", ProjectID: "shop", Name: "Ops"})
	require.NoError(t, err)
}

func TestFindingAScopeByItsName(t *testing.T) {
	s := access.Tenants.State(after(withProject, bank, registered)...)
	id, ok := s.ScopeNamed("st-2", "Ops")
	require.True(t, ok)
	require.Equal(t, "as-1", id)
	for _, c := range [][2]string{{"shop", "ops"}, {"bank", "Ops"}, {"nope", "Ops"}} {
		_, ok := s.ScopeNamed(c[0], c[1])
		require.False(t, ok, c)
	}
}

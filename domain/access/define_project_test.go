package access_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

func defineShop(edit func(*access.DefineProject)) access.DefineProject {
	c := access.DefineProject{ID: "shop", Name: "Shop", Aliases: []string{"st-2", "st-1", "st-2", "shop"},
		WebhookSecret: "sealed-1", SecretFingerprint: "f1"}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestAProjectIsDefinedOnce(t *testing.T) {
	got, err := decide(access.Tenants, withTenant, defineShop(nil))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{project}, got)

	for name, edit := range map[string]func(*access.DefineProject){
		"the same":              nil,
		"aliases another way":   func(c *access.DefineProject) { c.Aliases = []string{"st-1", "st-2"} },
		"the secret resealed":   func(c *access.DefineProject) { c.WebhookSecret = "sealed-again" },
		"no secret named":       func(c *access.DefineProject) { c.WebhookSecret, c.SecretFingerprint = "", "" },
		"a secret only offered": func(c *access.DefineProject) { c.SecretFingerprint, c.SecretGenerated = "f2", true },
	} {
		got, err := decide(access.Tenants, withProject, defineShop(edit))
		require.NoError(t, err, name)
		require.Empty(t, got, name)
	}
}

func TestAChangedProject(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*access.DefineProject)
		want func(*access.ProjectDefined)
	}{
		"name":    {func(c *access.DefineProject) { c.Name = "S" }, func(e *access.ProjectDefined) { e.Name = "S" }},
		"slug":    {func(c *access.DefineProject) { c.Slug = "s-1" }, func(e *access.ProjectDefined) { e.Slug = "s-1" }},
		"aliases": {func(c *access.DefineProject) { c.Aliases = nil }, func(e *access.ProjectDefined) { e.Aliases = nil }},
		"secret": {func(c *access.DefineProject) { c.WebhookSecret, c.SecretFingerprint = "sealed-2", "f2" }, func(e *access.ProjectDefined) {
			e.WebhookSecret, e.SecretFingerprint = "sealed-2", "f2"
		}},
		"language": {func(c *access.DefineProject) { c.Defaults.Language = "de-AT" }, func(e *access.ProjectDefined) {
			e.Defaults.Language = "de-AT"
		}},
	} {
		want := project
		c.want(&want)
		got, err := decide(access.Tenants, withProject, defineShop(c.edit))
		require.NoError(t, err, name)
		require.Equal(t, []event.Payload{want}, got, name)
	}
}

func TestAGeneratedSecretServesWhereThereIsNone(t *testing.T) {
	got, err := decide(access.Tenants, withTenant, defineShop(func(c *access.DefineProject) { c.SecretGenerated = true }))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{project}, got)
}

func TestWrongFieldsOfAProject(t *testing.T) {
	many := make([]string, access.MaxAliases+1)
	for i := range many {
		many[i] = fmt.Sprintf("alias-%d", i)
	}
	for field, edit := range map[string]func(*access.DefineProject){
		"metadata.id":            func(c *access.DefineProject) { c.ID = long(129) },
		"metadata.name":          func(c *access.DefineProject) { c.Name = long(101) },
		"spec.slug":              func(c *access.DefineProject) { c.Slug = "Shop" },
		"spec.aliases[1]":        func(c *access.DefineProject) { c.Aliases = []string{"ok", "not ok"} },
		"spec.aliases":           func(c *access.DefineProject) { c.Aliases = many },
		"spec.defaults.language": func(c *access.DefineProject) { c.Defaults.Language = "german!" },
		"spec.webhookSecret":     func(c *access.DefineProject) { c.WebhookSecret = "" },
	} {
		_, err := decide(access.Tenants, withTenant, defineShop(edit))
		refused(t, err, fault.Validation, field)
	}
	_, err := decide(access.Tenants, withTenant, defineShop(func(c *access.DefineProject) { c.Aliases = many[1:] }))
	require.NoError(t, err, "as many aliases as allowed")
	_, err = decide(access.Tenants, withTenant, defineShop(func(c *access.DefineProject) { c.SecretFingerprint = "" }))
	refused(t, err, fault.Validation, "spec.webhookSecret")
}

func TestEveryNameMeansOneProject(t *testing.T) {
	for name, edit := range map[string]func(*access.DefineProject){
		"its id is another's alias":     func(c *access.DefineProject) { c.ID, c.Aliases = "st-1", nil },
		"an alias is another's id":      func(c *access.DefineProject) { c.ID, c.Aliases = "bank", []string{"shop"} },
		"an alias is another's alias":   func(c *access.DefineProject) { c.ID, c.Aliases = "bank", []string{"st-2"} },
		"its slug is another's":         func(c *access.DefineProject) { c.ID, c.Aliases, c.Slug = "bank", nil, "shop" },
		"its made-up slug is another's": func(c *access.DefineProject) { c.ID, c.Aliases = "SHOP", nil },
	} {
		_, err := decide(access.Tenants, withProject, defineShop(edit))
		require.True(t, fault.Is(err, fault.Conflict), "%s: %v", name, err)
	}
}

func TestResolvingAProject(t *testing.T) {
	s := access.Tenants.State(withProject...)
	for _, name := range []string{"shop", "st-1", "st-2"} {
		p, ok := s.Resolve(name)
		require.True(t, ok, name)
		require.Equal(t, "shop", p.ID, name)
	}
	for _, name := range []string{"", "Shop", "st-3", "acct"} {
		_, ok := s.Resolve(name)
		require.False(t, ok, name)
	}
}

func TestARemovedProjectFreesItsNames(t *testing.T) {
	got, err := decide(access.Tenants, withProject, access.RemoveProject{ID: "shop"})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{access.ProjectRemoved{TenantID: "acct", ProjectID: "shop"}}, got)

	history := after(withProject, got...)
	again, err := decide(access.Tenants, history, access.RemoveProject{ID: "shop"})
	require.NoError(t, err)
	require.Empty(t, again)
	_, err = decide(access.Tenants, history, defineShop(func(c *access.DefineProject) { c.ID = "st-1" }))
	require.NoError(t, err)
}

func TestAProjectWithScopesStays(t *testing.T) {
	_, err := decide(access.Tenants, after(withProject, registered), access.RemoveProject{ID: "shop"})
	refused(t, err, fault.Conflict)
	_, err = decide(access.Tenants, after(withProject, registered, unregistered), access.RemoveProject{ID: "shop"})
	require.NoError(t, err)
}

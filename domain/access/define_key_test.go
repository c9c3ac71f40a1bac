package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

// Given a manifest of a public key, then it is made, or held to other origins; what it is called
// and what pages carry stay.
func TestAPublicKeyIsDefined(t *testing.T) {
	s := access.Scopes.State(access.ScopeDefined{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops"})
	define := func(edit ...func(*access.DefineKey)) access.DefineKey {
		c := access.DefineKey{CreateKey: access.CreateKey{KeyID: "ak-1", Name: "Pages", Kind: access.PublicKey, Hash: "h",
			DisplayPrefix: "pk_abcdef", AllowedOrigins: []string{"https://shop.example"}, At: noon}}
		for _, e := range edit {
			e(&c)
		}
		return c
	}
	made, err := define().Decide(s)
	require.NoError(t, err)
	access.Scopes.Fold(&s, made[0])
	for name, c := range map[string]struct {
		edit func(*access.DefineKey)
		want []event.Payload
	}{
		"the same":                  {func(*access.DefineKey) {}, nil},
		"another secret, not given": {func(c *access.DefineKey) { c.Hash = "other" }, nil},
		"other origins": {func(c *access.DefineKey) { c.AllowedOrigins = []string{"https://b.example", "https://a.example/"} },
			[]event.Payload{access.KeyOriginsChanged{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", KeyID: "ak-1",
				AllowedOrigins: []string{"https://a.example", "https://b.example"}, ChangedAt: noon}}},
	} {
		got, err := define(c.edit).Decide(s)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	for field, edit := range map[string]func(*access.DefineKey){
		"api_key_name":   func(c *access.DefineKey) { c.Name = "Others" },
		"key":            func(c *access.DefineKey) { c.Hash, c.Given = "other", true },
		"allowedOrigins": func(c *access.DefineKey) { c.AllowedOrigins = nil },
	} {
		_, err := define(edit).Decide(s)
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
	moved, err := define(func(c *access.DefineKey) { c.AllowedOrigins = []string{"https://c.example"} }).Decide(s)
	require.NoError(t, err)
	access.Scopes.Fold(&s, moved[0])
	require.Equal(t, []string{"https://c.example"}, s.Keys["ak-1"].Origins)
	secret := access.Scopes.State(access.ScopeDefined{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1"},
		access.KeyCreated{KeyID: "ak-1", Name: "Pages", Kind: access.SecretKey, Hash: "h"})
	_, err = define().Decide(secret)
	require.Equal(t, []string{"key_id"}, faulttest.Fields(t, err))
}

package access_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

var ciKey = access.KeyCreated{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops", KeyID: "ak-1", Name: "CI",
	Kind: access.SecretKey, Hash: "h1", DisplayPrefix: "sk_abcdef", CreatedAt: noon}

func createKey(edit func(*access.CreateKey)) access.CreateKey {
	c := access.CreateKey{KeyID: "ak-1", Name: "CI", Hash: "h1", DisplayPrefix: "sk_abcdef", At: noon}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestAKeyIsCreated(t *testing.T) {
	got, err := decide(access.Scopes, withScope, createKey(func(c *access.CreateKey) { c.Name = "\t CI " }))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{ciKey}, got)
}

func TestAPublicKeyIsHeldToItsOrigins(t *testing.T) {
	got, err := decide(access.Scopes, withScope, createKey(func(c *access.CreateKey) {
		c.Kind, c.AllowedOrigins = access.PublicKey, []string{"http://localhost:3000", "HTTPS://Shop.Example:443/", "https://shop.example"}
	}))
	require.NoError(t, err)
	want := ciKey
	want.Kind, want.AllowedOrigins = access.PublicKey, []string{"http://localhost:3000", "https://shop.example"}
	require.Equal(t, []event.Payload{want}, got)
}

func TestKeyNamesAreUniqueAmongExistingKeys(t *testing.T) {
	second := createKey(func(c *access.CreateKey) { c.KeyID = "ak-2" })
	_, err := decide(access.Scopes, after(withScope, ciKey), second)
	refused(t, err, fault.Conflict)
	_, err = decide(access.Scopes, after(withScope, ciKey), createKey(func(c *access.CreateKey) { c.Name = "ci" }))
	refused(t, err, fault.Conflict) // the id is taken
	_, err = decide(access.Scopes, after(withScope, ciKey), createKey(func(c *access.CreateKey) { c.KeyID, c.Name = "ak-2", "ci" }))
	require.NoError(t, err, "case counts")

	revoked, err := decide(access.Scopes, after(withScope, ciKey), access.RevokeKey{KeyID: "ak-1", At: noon})
	require.NoError(t, err)
	_, err = decide(access.Scopes, after(withScope, ciKey, revoked[0]), second)
	require.NoError(t, err, "the name of a revoked key is free")
}

func TestTheKeyLimit(t *testing.T) {
	for _, c := range []struct{ asked, limit int }{{0, 50}, {-1, 50}, {1, 1}, {3, 3}} {
		history := after(withScope)
		for i := range c.limit {
			got, err := decide(access.Scopes, history, access.CreateKey{KeyID: fmt.Sprintf("ak-%d", i), Name: fmt.Sprint(i), Hash: "h", At: noon,
				Limit: c.asked})
			require.NoError(t, err, "key %d of %d", i+1, c.limit)
			history = append(history, got...)
		}
		over := access.CreateKey{KeyID: "ak-over", Name: "over", Hash: "h", At: noon, Limit: c.asked}
		_, err := decide(access.Scopes, history, over)
		refused(t, err, fault.LimitReached)
		_, err = decide(access.Scopes, history, access.CreateKey{KeyID: "ak-over", Name: "0", Hash: "h", Limit: c.asked})
		refused(t, err, fault.Conflict) // a taken name is said first
		freed, err := decide(access.Scopes, history, access.RevokeKey{KeyID: "ak-0", At: noon})
		require.NoError(t, err)
		_, err = decide(access.Scopes, append(history, freed...), over)
		require.NoError(t, err, "a revoked key makes room")
	}
}

func TestWrongFieldsOfAKey(t *testing.T) {
	many := make([]string, access.MaxOrigins+1)
	for i := range many {
		many[i] = fmt.Sprintf("https://s%d.example", i)
	}
	public := func(origins ...string) func(*access.CreateKey) {
		return func(c *access.CreateKey) { c.Kind, c.AllowedOrigins = access.PublicKey, origins }
	}
	for name, c := range map[string]struct {
		field string
		edit  func(*access.CreateKey)
	}{
		"id":                       {"key_id", func(c *access.CreateKey) { c.KeyID = "1" }},
		"hash":                     {"hash", func(c *access.CreateKey) { c.Hash = "" }},
		"kind":                     {"kind", func(c *access.CreateKey) { c.Kind = "private" }},
		"no name":                  {"api_key_name", func(c *access.CreateKey) { c.Name = " \n" }},
		"origins for a secret key": {"allowedOrigins", func(c *access.CreateKey) { c.AllowedOrigins = []string{"https://x.example"} }},
		"a public key without any": {"allowedOrigins", public()},
		"too many origins":         {"allowedOrigins", public(many...)},
		"the second is not one":    {"allowedOrigins[1]", public("https://x.example", "x.example")},
	} {
		_, err := decide(access.Scopes, withScope, createKey(c.edit))
		require.True(t, isFault(err), name)
		refused(t, err, fault.Validation, c.field)
	}
	_, err := decide(access.Scopes, withScope, createKey(public(many[1:]...)))
	require.NoError(t, err, "as many origins as allowed")
	_, err = decide(access.Scopes, nil, createKey(func(c *access.CreateKey) { c.Name = "" }))
	refused(t, err, fault.NotFound) // the missing scope is said first
}

func TestOrigins(t *testing.T) {
	for raw, want := range map[string]string{
		"https://shop.example": "https://shop.example", "http://[::1]:8080": "http://[::1]:8080", "http://a.example:80": "http://a.example",
		"https://a.example:8443/": "https://a.example:8443", " https://A.example ": "https://a.example",
		"": "", "shop.example": "", "null": "", "*": "", "https://*.example": "", "https://a.example/path": "", "https://a.example?x": "",
		"http://a.example:443": "http://a.example:443", "https://a.example:": "https://a.example", "https://[0:0::1]": "https://[::1]",
		"https://xn--bcher-kva.example": "https://xn--bcher-kva.example", "https://bücher.example": "", "https://b%C3%BCcher.example": "",
		"https://a.example:0443": "", "https://a.example:65536": "", "https://a.example:0x1": "",
		"https://a.example#": "", "ftp://a.example": "", "https://u@a.example": "", "https://": "", "file:///x": "",
	} {
		got, ok := access.NormalOrigin(raw)
		require.Equal(t, want, got, raw)
		require.Equal(t, want != "", ok, raw)
	}
}

func TestARevokedKeyIsGone(t *testing.T) {
	got, err := decide(access.Scopes, after(withScope, ciKey), access.RevokeKey{KeyID: "ak-1", At: noon.In(time.FixedZone("", -3600))})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{access.KeyRevoked{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops",
		KeyID: "ak-1", Name: "CI", RevokedAt: noon}}, got)

	for name, history := range map[string][]event.Payload{
		"twice": after(withScope, ciKey, got[0]), "never was": withScope, "no scope": nil,
	} {
		_, err := decide(access.Scopes, history, access.RevokeKey{KeyID: "ak-1", At: noon})
		require.True(t, fault.Is(err, fault.NotFound), name)
	}
}

func TestNames(t *testing.T) {
	for raw, want := range map[string]string{
		"CI": "CI", " CI\t": "CI", "a  b": "a  b", "Schlüssel 🔑": "Schlüssel 🔑", long(100): long(100), "  " + long(100) + " ": long(100),
		strings.Repeat("ü", 100): strings.Repeat("ü", 100),
	} {
		got, problem := access.CleanName(raw)
		require.Empty(t, problem, raw)
		require.Equal(t, want, got)
	}
	for raw, problem := range map[string]string{
		"": "is required", " \t\n": "is required", "\u00a0": "is required", long(101): "at most 100 characters, has 101",
		strings.Repeat("ü", 101): "at most 100", "a\nb": "control characters", "a\x00": "control characters", "a\u0085b": "control characters",
		"a\u2028b": "line breaks", "a\xffb": "valid UTF-8",
	} {
		_, got := access.CleanName(raw)
		require.Contains(t, got, problem, "%q", raw)
	}
}

func TestLanguages(t *testing.T) {
	for tag, ok := range map[string]bool{"en": true, "de-AT": true, "zh-Hant-TW": true, "yue": true, "es-419": true,
		"": false, "e": false, "english": false, "en_US": false, "en-": false, "en us": false} {
		require.Equal(t, ok, access.ValidLanguage(tag), tag)
	}
}

package access_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

func TestTheFormOfSecrets(t *testing.T) {
	var zero, top [access.SecretBytes]byte
	copy(top[:], bytes.Repeat([]byte{255}, access.SecretBytes))
	require.Equal(t, "sk_"+strings.Repeat("0", 43), access.NewSecret(access.SecretKey, zero))
	require.Equal(t, "pk_"+strings.Repeat("0", 43), access.NewSecret(access.PublicKey, zero))
	require.Len(t, access.NewSecret(access.SecretKey, top), 46, "the largest value fits")
	require.NotEqual(t, "sk_"+strings.Repeat("z", 43), access.NewSecret(access.SecretKey, top))
	last := zero
	last[access.SecretBytes-1] = 61
	require.Equal(t, "sk_"+strings.Repeat("0", 42)+"z", access.NewSecret(access.SecretKey, last))
}

func TestEverySecretIsRecognisedAndDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (out [access.SecretBytes]byte) {
			copy(out[:], rapid.SliceOfN(rapid.Byte(), access.SecretBytes, access.SecretBytes).Draw(t, name))
			return out
		}
		a, b := draw("a"), draw("b")
		kind := rapid.SampledFrom([]access.KeyKind{access.SecretKey, access.PublicKey}).Draw(t, "kind")
		secret := access.NewSecret(kind, a)
		parsed, ok := access.ParseSecret(secret)
		if !ok || parsed != kind {
			t.Fatalf("%s is not recognised", secret)
		}
		if (a == b) != (secret == access.NewSecret(kind, b)) {
			t.Fatalf("%x and %x", a, b)
		}
		if p := access.DisplayPrefix(secret); len(p) != 9 || !strings.HasPrefix(secret, p) {
			t.Fatalf("display prefix %s", p)
		}
	})
}

func TestRecognisingCredentials(t *testing.T) {
	good := strings.Repeat("aB3", 14) + "z"
	for credential, c := range map[string]struct {
		kind       access.KeyKind
		recognised bool
		parsed     bool
	}{
		"sk_" + good:             {access.SecretKey, true, true},
		"pk_" + good:             {access.PublicKey, true, true},
		"sk_":                    {access.SecretKey, true, false},
		"sk_" + good[1:]:         {access.SecretKey, true, false},
		"sk_" + good + "a":       {access.SecretKey, true, false},
		"sk_" + good[1:] + "-":   {access.SecretKey, true, false},
		"pk_" + good[2:] + "é":   {access.PublicKey, true, false},
		"":                       {},
		good:                     {},
		"SK_" + good:             {},
		"eyJhbGciOiJIUzI1NiJ9.e": {},
	} {
		kind, ok := access.RecogniseSecret(credential)
		require.Equal(t, c.kind, kind, credential)
		require.Equal(t, c.recognised, ok, credential)
		kind, ok = access.ParseSecret(credential)
		require.Equal(t, c.parsed, ok, credential)
		if c.parsed {
			require.Equal(t, c.kind, kind)
			require.Equal(t, credential[:9], access.DisplayPrefix(credential))
		} else {
			require.Empty(t, kind, credential)
			require.Empty(t, access.DisplayPrefix(credential), credential)
		}
	}
}

func TestIDs(t *testing.T) {
	for id, ok := range map[string]bool{
		"a": true, "A-b_9": true, long(128): true, "-": true,
		"": false, long(129): false, "a b": false, "a.b": false, "ä": false, "a/b": false, "a\n": false,
	} {
		require.Equal(t, ok, access.ValidID(id), "%q", id)
	}
	for id, ok := range map[string]bool{"ak-1": true, "ak-" + long(125): true, "ak-" + long(126): false, "ak-": false, "as-1": false,
		"ak": false, "ak-.": false} {
		require.Equal(t, ok, access.ValidKeyID(id), id)
	}
	for id, ok := range map[string]bool{"as-0198": true, "as-": false, "ak-1": false} {
		require.Equal(t, ok, access.ValidScopeID(id), id)
	}
}

func TestWrongIDsNamesAndDescriptionsAreNotedByTheirField(t *testing.T) {
	var f fault.Fields
	access.CheckID(&f, "id", "a")
	access.CheckPrefixedID(&f, "id", "q-1", "q-")
	require.Equal(t, "Ada", access.CheckName(&f, "name", " Ada "))
	longest := strings.Repeat("ü", access.MaxDescriptionLength)
	require.Equal(t, longest, access.CheckDescription(&f, "description", " "+longest+"\n"))
	require.Empty(t, access.CheckDescription(&f, "description", ""))
	require.Empty(t, f)

	access.CheckID(&f, "metadata.id", "a b")
	access.CheckPrefixedID(&f, "queue", "q-", "q-")
	access.CheckPrefixedID(&f, "flow", "1", "cf-")
	access.CheckName(&f, "name", " ")
	access.CheckDescription(&f, "long", longest+"x")
	access.CheckDescription(&f, "bytes", "\xff")
	require.Equal(t, fault.Fields{
		{Field: "metadata.id", Problem: "must be 1 to 128 letters, digits, _ or -"},
		{Field: "queue", Problem: "must be q- and up to 128 letters, digits, _ or - in all"},
		{Field: "flow", Problem: "must be cf- and up to 128 letters, digits, _ or - in all"},
		{Field: "name", Problem: "is required"},
		{Field: "long", Problem: "must be valid UTF-8 of at most 1000 characters"},
		{Field: "bytes", Problem: "must be valid UTF-8 of at most 1000 characters"},
	}, f)
}

func TestTheNamesOfPermissions(t *testing.T) {
	require.Len(t, access.KeyPermissions(), 14)
	require.True(t, access.ValidKeyPermission("SESSIONS_LIST"))
	require.False(t, access.ValidKeyPermission("sessions_list"))
	for _, name := range []string{"Assist Dialout", "the service Export", "Custom Reports", "Custom Reports > Custom Reports",
		"Assist Voicemail",
		"Profile Management > Role Management", "Conversation Tests Execution", "Campaign Management", "Assist Analytics", "Routing"} {
		require.True(t, access.ValidClientScope(name), name)
	}
	require.Len(t, access.ClientScopes(), 10)
	require.False(t, access.ValidClientScope("routing"))
	for name, ok := range map[string]bool{"agent:read": true, "agent:*": true, "credential:*": true, "admin:apply": true,
		"agent:": false, "agent": false, "*": false, ":*": false, "*:*": false, "agents:*": false, "agent:fly": false, "": false} {
		require.Equal(t, ok, access.ValidPermission(name), name)
	}
}

func TestWhatAPermissionCovers(t *testing.T) {
	for _, c := range []struct {
		granted, want access.Permission
		ok            bool
	}{
		{"agent:read", "agent:read", true}, {"agent:*", "agent:read", true}, {"agent:*", "agent:*", true},
		{"agent:read", "agent:write", false}, {"agent:read", "agent:*", false}, {"agent:*", "agents:read", false}, {"*", "agent:read", false},
		{":*", "agent:read", false},
	} {
		require.Equal(t, c.ok, c.granted.Covers(c.want), "%s %s", c.granted, c.want)
	}
}

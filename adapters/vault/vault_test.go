package vault_test

import (
	"bytes"
	"crypto/hmac"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
)

func fresh(t *testing.T) (*vault.Vault, string) {
	t.Helper()
	path := t.TempDir() + "/keyset.json"
	v, err := vault.Create(path)
	require.NoError(t, err)
	return v, path
}

func TestWhatIsSealedOpensForItsContextOnly(t *testing.T) {
	v, _ := fresh(t)
	for name, plain := range map[string][]byte{
		"text": []byte("whsec-123"), "empty": {}, "binary": {0, 255, 10}, "large": bytes.Repeat([]byte("x"), 1<<20),
	} {
		sealed, err := v.Seal(plain, vault.Context("acct", "webhook"))
		require.NoError(t, err, name)
		require.Regexp(t, `^sealed:v1:[A-Za-z0-9_-]+$`, sealed[:min(len(sealed), 200)], name)
		opened, err := v.Unseal(sealed, vault.Context("acct", "webhook"))
		require.NoError(t, err, name)
		require.True(t, bytes.Equal(plain, opened), name)

		_, err = v.Unseal(sealed, vault.Context("other", "webhook"))
		require.ErrorIs(t, err, vault.ErrNotOpened, name)
	}
}

func TestTwoSealingsOfOneSecretDiffer(t *testing.T) {
	v, _ := fresh(t)
	a, err := v.Seal([]byte("s"), "c")
	require.NoError(t, err)
	b, err := v.Seal([]byte("s"), "c")
	require.NoError(t, err)
	require.NotEqual(t, a, b)
}

func TestWhatDoesNotOpen(t *testing.T) {
	v, _ := fresh(t)
	other, _ := fresh(t)
	good, err := v.Seal([]byte("topsecret"), "c")
	require.NoError(t, err)
	foreign, err := other.Seal([]byte("topsecret"), "c")
	require.NoError(t, err)
	flipped := []byte(good)
	if flipped[30]++; flipped[30] == '{' || flipped[30] == '[' || flipped[30] == ':' {
		flipped[30] = 'a'
	}
	for name, text := range map[string]string{
		"empty": "", "plain text": "topsecret", "prefix only": "sealed:v1:", "cut": good[:len(good)-4],
		"flipped": string(flipped), "not base64": "sealed:v1:!!", "another keyset's": foreign,
		"another version": strings.Replace(good, "v1", "v2", 1),
	} {
		_, err := v.Unseal(text, "c")
		require.ErrorIs(t, err, vault.ErrNotOpened, name)
		require.NotContains(t, err.Error(), "topsecret", name)
	}
}

func TestContextsOfDifferentPartsDiffer(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"a", "", "b"}, {"1:a", "b"}, {"a", "1:b"}, {"1:a1:b"}} {
		c := vault.Context(parts...)
		require.NotContains(t, seen, c, "%q and %q", seen[c], parts)
		seen[c] = parts
	}
}

func TestAMacDependsOnPurposePartsAndKeyset(t *testing.T) {
	v, path := fresh(t)
	other, _ := fresh(t)
	mac := v.MAC("api-key", "sk_1")
	require.Len(t, mac, 32)
	require.True(t, hmac.Equal(mac, v.MAC("api-key", "sk_1")))
	require.Equal(t, v.Fingerprint("api-key", "sk_1"), strings.ToLower(v.Fingerprint("api-key", "sk_1")))
	require.Len(t, v.Fingerprint("api-key", "sk_1"), 64)

	reopened, err := vault.Open(path)
	require.NoError(t, err)
	require.Equal(t, mac, reopened.MAC("api-key", "sk_1"), "the same after a restart")

	require.NotEqual(t, mac, other.MAC("api-key", "sk_1"), "another keyset")
	require.NotEqual(t, mac, v.MAC("request-id", "sk_1"), "another purpose")
}

func TestAMacTellsThePartsApart(t *testing.T) {
	v, _ := fresh(t)
	seen := map[string][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"a", "", "b"},
		{"\x00\x00\x00\x00\x00\x00\x00\x01a"}} {
		m := v.Fingerprint("stream", parts...)
		require.NotContains(t, seen, m, "%q and %q", seen[m], parts)
		seen[m] = parts
	}
}

func TestConcurrentUse(t *testing.T) {
	v, _ := fresh(t)
	want := v.MAC("stream", "x")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				sealed, err := v.Seal([]byte("s"), "c")
				if err == nil {
					_, err = v.Unseal(sealed, "c")
				}
				if err != nil || !hmac.Equal(want, v.MAC("stream", "x")) {
					t.Error("a sealing or hash went wrong beside a change of keys", err)
				}
			}
		})
	}
	for range 5 {
		id, err := v.AddKey()
		require.NoError(t, err)
		require.NoError(t, v.UseKey(id))
	}
	all.Wait()
}

func BenchmarkMAC(b *testing.B) {
	v, err := vault.Create(b.TempDir() + "/keyset.json")
	require.NoError(b, err)
	for b.Loop() {
		v.MAC("api-key", "acct-dev", "sk_0123456789012345678901234567890123456789012")
	}
}

package vault_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
)

func TestTheFileIsTheOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "keyset.json")
	_, err := vault.Create(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1, "no copy of the key is left beside it")
}

func TestALooserFileIsRefusedWithInstructions(t *testing.T) {
	_, path := fresh(t)
	for mode, ok := range map[fs.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o644: false, 0o660: false,
		0o700: false} {
		require.NoError(t, os.Chmod(path, mode))
		_, err := vault.Open(path)
		if ok {
			require.NoError(t, err, "%#o", mode)
			continue
		}
		require.ErrorContains(t, err, "chmod 600 "+path, "%#o", mode)
	}
}

func TestMissingExistingAndBrokenFiles(t *testing.T) {
	_, path := fresh(t)
	_, err := vault.Open(path + ".no")
	require.ErrorIs(t, err, fs.ErrNotExist)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = vault.Create(path)
	require.ErrorIs(t, err, fs.ErrExist)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after, "an existing keyset is never overwritten")

	_, err = vault.Open(filepath.Dir(path))
	require.ErrorContains(t, err, "not a regular file")

	broken := filepath.Join(t.TempDir(), "broken.json")
	for _, content := range []string{"", "{}", "[]", "SECRETVALUE", `{"primaryKeyId":"SECRETVALUE"}`, string(before[:len(before)/2])} {
		require.NoError(t, os.WriteFile(broken, []byte(content), 0o600))
		_, err = vault.Open(broken)
		require.ErrorContains(t, err, broken)
		require.NotContains(t, err.Error(), "SECRETVALUE")
	}
	_, err = vault.OpenOrCreate(broken)
	require.Error(t, err, "a broken keyset is not silently replaced by a new one")
}

func TestOpenOrCreateAtOnceGivesOneKeyset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keyset.json")
	macs := make([]string, 8)
	var all sync.WaitGroup
	for i := range macs {
		all.Go(func() {
			v, err := vault.OpenOrCreate(path)
			if err != nil {
				t.Error(err)
				return
			}
			macs[i] = v.Fingerprint("p", "x")
		})
	}
	all.Wait()
	for _, m := range macs {
		require.Equal(t, macs[0], m)
	}
}

func TestRotation(t *testing.T) {
	v, path := fresh(t)
	hash := v.Fingerprint("api-key", "sk_1")
	old, err := v.Seal([]byte("s"), "c")
	require.NoError(t, err)

	id, err := v.AddKey()
	require.NoError(t, err)
	behind, err := vault.Open(path) // a node that has the added key, before it seals
	require.NoError(t, err)
	require.NoError(t, v.UseKey(id))
	young, err := v.Seal([]byte("s"), "c")
	require.NoError(t, err)
	require.NotEqual(t, old[:len("sealed:v1:")+6], young[:len("sealed:v1:")+6], "the new key seals")

	reopened, err := vault.Open(path)
	require.NoError(t, err)
	for name, node := range map[string]*vault.Vault{"this": v, "behind": behind, "restarted": reopened} {
		for _, sealed := range []string{old, young} {
			plain, err := node.Unseal(sealed, "c")
			require.NoError(t, err, name)
			require.Equal(t, "s", string(plain), name)
		}
		require.Equal(t, hash, node.Fingerprint("api-key", "sk_1"), "%s: hashes stay", name)
	}
	require.ErrorContains(t, v.UseKey(12345), "key 12345 cannot be used")
}

func TestTheHashSecretIsNeverReplaced(t *testing.T) {
	v, path := fresh(t)
	_, other := fresh(t)
	foreign, err := os.ReadFile(other)
	require.NoError(t, err)
	own, err := os.ReadFile(path)
	require.NoError(t, err)

	require.NoError(t, os.WriteFile(path, foreign, 0o600))
	_, err = v.AddKey()
	require.ErrorContains(t, err, "not the one in use")

	for name, edit := range map[string]func(keys []any) []any{
		"two HKDF keys": func(keys []any) []any { return append(keys, another(t, foreign, "HkdfPrfKey")) },
		"no HKDF key":   func(keys []any) []any { return keys[:1] },
	} {
		require.NoError(t, os.WriteFile(path, edited(t, own, edit), 0o600))
		_, err = vault.Open(path)
		require.ErrorContains(t, err, "exactly one HKDF key", name)
	}
	require.NoError(t, os.WriteFile(path, edited(t, own, func(keys []any) []any { return keys[1:] }), 0o600))
	_, err = vault.Open(path)
	require.Error(t, err, "no AEAD key")
}

// edited changes the key list of a keyset file.
func edited(t *testing.T, content []byte, edit func([]any) []any) []byte {
	t.Helper()
	var set map[string]any
	dec := json.NewDecoder(strings.NewReader(string(content)))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&set))
	set["key"] = edit(set["key"].([]any))
	out, err := json.Marshal(set)
	require.NoError(t, err)
	return out
}

func another(t *testing.T, content []byte, kind string) any {
	t.Helper()
	var found any
	edited(t, content, func(keys []any) []any {
		for _, k := range keys {
			if strings.Contains(fmt.Sprint(k), kind) {
				found = k
			}
		}
		return keys
	})
	require.NotNil(t, found)
	return found
}

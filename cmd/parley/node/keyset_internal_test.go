package node

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
)

// noted is a log that knows what was noted on it.
type noted struct {
	mu     sync.Mutex
	id     string
	events bool
	notes  [][]byte
	before func() // runs once before the next note is appended: what another node does meanwhile
}

func (n *noted) LogID() string                       { return n.id }
func (n *noted) Empty(context.Context) (bool, error) { return !n.events, nil }

func (n *noted) Notes(context.Context, string) ([][]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([][]byte{}, n.notes...), nil
}

func (n *noted) Note(_ context.Context, _, _, _ string, value []byte) error {
	if meanwhile := n.before; meanwhile != nil {
		n.before = nil
		meanwhile()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes = append(n.notes, value)
	return nil
}

// starting is a node that starts with a keyset file on a log.
type starting struct {
	log     *noted
	sealed  []sealedSecret
	replace bool
}

func (s starting) with(path string) (*vault.Vault, error) {
	return keysetHolder{log: s.log, path: path, replace: s.replace, sealed: func(context.Context) ([]sealedSecret,
		error) {
		return s.sealed, nil
	}}.hold(context.Background())
}

func TestAKeysetIsMadeForAnEmptyLogOnly(t *testing.T) {
	path, log := filepath.Join(t.TempDir(), "keys", "keyset.json"), &noted{id: "log-1"}
	v, err := starting{log: log}.with(path)
	require.NoError(t, err)
	require.FileExists(t, path)
	require.Len(t, log.notes, 1)
	require.NotContains(t, string(log.notes[0]), "key\":", "nothing of the key")
	log.events = true

	_, err = starting{log: log}.with(path)
	require.NoError(t, err, "the same again")
	require.Len(t, log.notes, 1, "is noted once")

	require.NoError(t, os.Rename(path, path+".copy"))
	_, err = starting{log: log}.with(path)
	for _, word := range []string{path, v.KeysetID("log-1"), "copy", "API key", "--keyset", "--replace-keyset"} {
		require.ErrorContains(t, err, word)
	}
	require.NoFileExists(t, path, "none is made in its place")

	_, err = vault.Create(path)
	require.NoError(t, err)
	_, err = starting{log: log}.with(path)
	require.ErrorContains(t, err, "is not the one of this log")
	require.ErrorContains(t, err, v.KeysetID("log-1"))

	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
	_, err = starting{log: log}.with(path)
	require.ErrorContains(t, err, v.KeysetID("log-1"))

	require.NoError(t, os.Rename(path+".copy", path))
	_, err = starting{log: log}.with(path)
	require.NoError(t, err, "the copy is back")
}

func TestOfTwoNodesWithKeysetsOfTheirOwnOneWins(t *testing.T) {
	dir, log := t.TempDir(), &noted{id: "log-1"}
	a, b := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	log.before = func() {
		_, err := starting{log: log}.with(b)
		require.NoError(t, err, "the other is a little earlier")
	}
	_, err := starting{log: log}.with(a)
	require.ErrorContains(t, err, "is not the one of this log")
	_, err = starting{log: log}.with(b)
	require.NoError(t, err)
	_, err = starting{log: log}.with(a)
	require.ErrorContains(t, err, "is not the one of this log", "and so it stays")

	same := &noted{id: "log-2"} // on one machine both have the same file
	same.before = func() {
		_, err := starting{log: same}.with(a)
		require.NoError(t, err)
	}
	_, err = starting{log: same}.with(a)
	require.NoError(t, err)
}

func TestKeysOfAKeysetChange(t *testing.T) {
	path, log := filepath.Join(t.TempDir(), "keyset.json"), &noted{id: "log-1"}
	v, err := starting{log: log}.with(path)
	require.NoError(t, err)
	log.events = true
	old, err := os.ReadFile(path)
	require.NoError(t, err)

	id, err := v.AddKey()
	require.NoError(t, err)
	added, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, v.UseKey(id))
	_, err = starting{log: log}.with(path)
	require.NoError(t, err)
	require.Len(t, log.notes, 2, "the key that seals now is noted too")

	require.NoError(t, os.WriteFile(path, added, 0o600))
	_, err = starting{log: log}.with(path)
	require.NoError(t, err, "a node whose file has the key but does not seal with it yet")
	require.NoError(t, os.WriteFile(path, old, 0o600))
	_, err = starting{log: log}.with(path)
	require.ErrorContains(t, err, "older copy")
}

// A log of a version that noted nothing: the keyset proves itself by what it opens.
func TestAnOlderLogTriesItsKeyset(t *testing.T) {
	dir := t.TempDir()
	right, wrong := filepath.Join(dir, "right.json"), filepath.Join(dir, "wrong.json")
	v, err := vault.Create(right)
	require.NoError(t, err)
	_, err = vault.Create(wrong)
	require.NoError(t, err)
	text, fingerprint, err := v.SealWebhookSecret("acme", "bot", []byte("whsec"))
	require.NoError(t, err)
	sealed := []sealedSecret{{text, vault.WebhookSecretContext("acme", "bot"), vault.PurposeWebhookSecret, "acme", "bot", fingerprint}}

	_, err = starting{log: &noted{id: "l", events: true}, sealed: sealed}.with(filepath.Join(dir, "none.json"))
	require.ErrorContains(t, err, "there was one")
	require.NoFileExists(t, filepath.Join(dir, "none.json"))
	log := &noted{id: "l", events: true}
	_, err = starting{log: log, sealed: sealed}.with(wrong)
	require.ErrorContains(t, err, "opens none of the 1 secrets")
	require.Empty(t, log.notes)
	_, err = starting{log: log, sealed: sealed}.with(right)
	require.NoError(t, err)
	require.Len(t, log.notes, 1)
	_, err = starting{log: &noted{id: "l", events: true}}.with(wrong)
	require.NoError(t, err, "nothing was ever sealed: it is taken")
}

func TestALostKeysetIsReplacedOnlyOnDemand(t *testing.T) {
	dir, log := t.TempDir(), &noted{id: "log-1"}
	old, fresh := filepath.Join(dir, "old.json"), filepath.Join(dir, "new.json")
	_, err := starting{log: log}.with(old)
	require.NoError(t, err)
	log.events = true
	_, err = starting{log: log, replace: true}.with(fresh)
	require.NoError(t, err)
	_, err = starting{log: log}.with(fresh)
	require.NoError(t, err, "the flag is needed once")
	_, err = starting{log: log}.with(old)
	require.ErrorContains(t, err, "is not the one of this log")
	log.notes = append(log.notes, []byte(`{"logId":"another","keyset":"x","sealed":""}`))
	_, err = starting{log: log}.with(fresh)
	require.NoError(t, err, "notes of other logs do not count")
}

// Given a database that is away, then what a log that is begun asks of it says that once: whoever asks says what for.
func TestAskingTheReadModelsSaysItOnce(t *testing.T) {
	_, err := (&Node{cfg: Config{DatabaseURL: "postgres://127.0.0.1:1/parley"}}).remembered(t.Context())
	require.ErrorContains(t, err, "refused")
	require.NotContains(t, err.Error(), "whether there was a log")
	var away *net.OpError
	require.False(t, errors.As(err, &away), "it is not Kafka that is away")
}

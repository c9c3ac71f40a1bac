package node_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// keysOn serves a folder, and opens its topic of keys.
func keysOn(t *testing.T, dir string, begun bool) (*embedded.Broker, *kafka.Keys) {
	b, err := embedded.StartBroker(embedded.BrokerConfig{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	encryption, login, err := b.Client()
	require.NoError(t, err)
	log := kafka.New(kafka.Config{Brokers: b.Addrs(), ClientID: "test", TLS: encryption, SASL: login, Replicas: 1,
		Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(log.Close)
	require.NoError(t, log.Open(t.Context(), []*event.Category{registrations.Registrations.Category}))
	keys, err := log.OpenKeys(t.Context(), begun)
	require.NoError(t, err)
	return b, keys
}

func keyNumber(n int) sealed.ID { return sealed.ID{1, byte(n >> 8), byte(n)} }

func wrapped(n int) string { return fmt.Sprintf("wrapped-%04d-%s", n, bytes.Repeat([]byte{'k'}, 100)) }

// inFiles counts the files below a folder that hold a text.
func inFiles(t *testing.T, dir, text string) (n int) {
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // the broker has put another in its place
			return nil
		}
		if bytes.Contains(data, []byte(text)) {
			n++
		}
		return err
	}))
	return n
}

func read(t *testing.T, keys *kafka.Keys) map[sealed.ID]keyring.Record {
	all := map[sealed.ID]keyring.Record{}
	end, err := keys.End(t.Context())
	require.NoError(t, err)
	for at := int64(0); at < end; {
		records, next, err := keys.Read(t.Context(), at)
		require.NoError(t, err)
		require.Greater(t, next, at)
		for _, r := range records {
			all[r.ID] = r
		}
		at = next
	}
	return all
}

// Given keys of which one was erased, when the topic is compacted, then no file of the log
// holds that one any more, the others are found, and so it is after a kill -9 right then.
func TestCompactionTakesErasedKeysFromTheDisk(t *testing.T) {
	t.Parallel()
	const many, gone = 300, 123
	dir := t.TempDir()
	broker, keys := keysOn(t, dir, false)
	for n := 0; n < many; n += 100 {
		lot := make([]keyring.Record, 100)
		for i := range lot {
			lot[i] = keyring.Record{ID: keyNumber(n + i), Wrapped: wrapped(n + i), MadeAt: time.Now().UTC()}
		}
		require.NoError(t, keys.Append(t.Context(), lot))
	}
	erasedAt := time.Now().UTC().Truncate(time.Millisecond)
	require.NoError(t, keys.Append(t.Context(), []keyring.Record{{ID: keyNumber(gone), ErasedAt: erasedAt}}))
	require.Positive(t, inFiles(t, dir, wrapped(gone)))
	before, err := keys.CompactedAt(t.Context())
	require.NoError(t, err)

	done, err := keys.Compact(t.Context(), broker.Drop)
	require.NoError(t, err)
	require.Equal(t, kafka.Compacted{Kept: many, Dropped: 1}, done)
	after, err := keys.CompactedAt(t.Context())
	require.NoError(t, err)
	require.True(t, after.After(before))
	whole := func(dir string, keys *kafka.Keys) {
		require.Zero(t, inFiles(t, dir, wrapped(gone)), "the erased key")
		all := read(t, keys)
		require.Len(t, all, many)
		for n := range many {
			if n != gone {
				require.Equal(t, wrapped(n), all[keyNumber(n)].Wrapped)
			}
		}
		require.True(t, all[keyNumber(gone)].Erased(), "that it was erased is said for ever")
		require.True(t, erasedAt.Equal(all[keyNumber(gone)].ErasedAt))
	}
	whole(dir, keys)

	killed := filepath.Join(t.TempDir(), "killed") // as a kill -9 leaves the files
	require.NoError(t, os.CopyFS(killed, os.DirFS(dir)))
	require.NoError(t, os.RemoveAll(filepath.Join(killed, "broker.lock")))
	again, keys := keysOn(t, killed, true)
	whole(killed, keys)
	_, err = keys.Compact(t.Context(), again.Drop)
	require.NoError(t, err)
	whole(killed, keys)
	require.NoError(t, again.Close())
	_, keys = keysOn(t, killed, true)
	whole(killed, keys)
}

// Given keys that others write while the topic is compacted, then none of them is dropped.
func TestCompactionKeepsWhatIsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	broker, keys := keysOn(t, t.TempDir(), false)
	ctx, stop := context.WithCancel(t.Context())
	written := make(chan int)
	go func() {
		n := 0
		for ; ctx.Err() == nil; n++ {
			if err := keys.Append(context.WithoutCancel(ctx), []keyring.Record{{ID: keyNumber(n), Wrapped: wrapped(n)}}); err != nil {
				t.Error(err)
				break
			}
		}
		written <- n
	}()
	for range 5 {
		_, err := keys.Compact(t.Context(), broker.Drop)
		require.NoError(t, err)
	}
	stop()
	n := <-written
	all := read(t, keys)
	require.Len(t, all, n)
	require.Positive(t, n)
}

// Given a log that had keys, when their topic is gone or empty, then it is not begun anew.
func TestKeysThatAreGoneAreNotBegunAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, keys := keysOn(t, dir, false)
	require.NotNil(t, keys)
	other := t.TempDir()
	b, err := embedded.StartBroker(embedded.BrokerConfig{Dir: other, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer b.Close()
	encryption, login, err := b.Client()
	require.NoError(t, err)
	log := kafka.New(kafka.Config{Brokers: b.Addrs(), ClientID: "test", TLS: encryption, SASL: login, Replicas: 1,
		Log: slog.New(slog.DiscardHandler)})
	defer log.Close()
	require.NoError(t, log.Open(t.Context(), []*event.Category{registrations.Registrations.Category}))
	_, err = log.OpenKeys(t.Context(), true)
	require.ErrorContains(t, err, "parley.keys is not on the brokers")
	require.ErrorContains(t, b.Drop("parley.registrations", 0, 1), "no topic")
	require.ErrorContains(t, b.Drop(registrations.Registrations.Topic(), 0, 1), "keeps everything")
}

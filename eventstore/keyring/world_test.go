package keyring_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// topic is parley.keys in memory. compact leaves the last record of each key, as a broker does.
type topic struct {
	mu      sync.Mutex
	records []keyring.Record
	at      []int64
	end     int64
	away    error
	refused int // how often it was asked since it is away
	grown   chan struct{}
}

func newTopic() *topic { return &topic{grown: make(chan struct{})} }

func (t *topic) Append(_ context.Context, records []keyring.Record) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.away != nil {
		return t.away
	}
	for _, r := range records {
		t.records, t.at = append(t.records, r), append(t.at, t.end)
		t.end++
	}
	close(t.grown)
	t.grown = make(chan struct{})
	return nil
}

func (t *topic) Read(ctx context.Context, from int64) (out []keyring.Record, next int64, err error) {
	for range 2 {
		t.mu.Lock()
		for i, at := range t.at {
			if at >= from {
				out = append(out, t.records[i])
			}
		}
		end, grown, away := t.end, t.grown, t.away
		if away != nil {
			t.refused++
		}
		t.mu.Unlock()
		if end > from || away != nil {
			return out, max(end, from), away
		}
		select {
		case <-grown:
		case <-time.After(10 * time.Millisecond): // as long as a broker waits
		case <-ctx.Done():
			return nil, from, ctx.Err()
		}
	}
	return nil, from, nil
}

func (t *topic) End(context.Context) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.away != nil {
		t.refused++
	}
	return t.end, t.away
}

func (t *topic) compact() {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := map[sealed.ID]int{}
	for i, r := range t.records {
		last[r.ID] = i
	}
	var records []keyring.Record
	var at []int64
	for i, r := range t.records {
		if last[r.ID] == i {
			records, at = append(records, r), append(at, t.at[i])
		}
	}
	t.records, t.at = records, at
}

func (t *topic) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.away, t.refused = err, 0
}

// copied is what stands there now.
func (t *topic) copied() *topic {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &topic{records: slices.Clone(t.records), at: slices.Clone(t.at), end: t.end, grown: make(chan struct{})}
}

// exchange puts a copy in place while the brokers are away, and its followers see them go.
func (w *world) exchange(other *topic) {
	w.topic.fail(errors.New("connection reset"))
	require.Eventually(w.t, func() bool {
		w.topic.mu.Lock()
		defer w.topic.mu.Unlock()
		return w.topic.refused > 0
	}, 5*time.Second, time.Millisecond)
	w.topic.mu.Lock()
	defer w.topic.mu.Unlock()
	w.topic.records, w.topic.at, w.topic.end, w.topic.away = other.records, other.at, other.end, nil
}

// table is the table in memory.
type table struct {
	mu      sync.Mutex
	next    int64
	records map[sealed.ID]keyring.Record
	asked   []sealed.ID // of which keys it was asked
	away    error
	refused int // how often something was put since it is away
}

func (t *table) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.away, t.refused = err, 0
}

func newTable() *table { return &table{records: map[sealed.ID]keyring.Record{}} }

func (t *table) Next(context.Context) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next, nil
}

func (t *table) Put(_ context.Context, from, next int64, records []keyring.Record, allNew bool) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.away != nil {
		t.refused++
		return 0, t.away
	}
	if t.next != from {
		return t.next, nil
	}
	for _, r := range records {
		old, ok := t.records[r.ID]
		if allNew && (ok || r.Erased()) {
			return 0, errors.New("the key is there already")
		}
		if !ok || !old.Erased() {
			t.records[r.ID] = r
		}
	}
	t.next = next
	return next, nil
}

func (t *table) Find(_ context.Context, ids []sealed.ID) (out []keyring.Record, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = append(t.asked, ids...)
	for _, id := range ids {
		if r, ok := t.records[id]; ok {
			out = append(out, r)
		}
	}
	return out, nil
}

// wasAsked reports whether it was asked of one of the keys since it was asked so before.
func (t *table) wasAsked(keys ...sealed.Key) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	asked := t.asked
	t.asked = nil
	return slices.ContainsFunc(keys, func(k sealed.Key) bool { return slices.Contains(asked, k.ID) })
}

func (t *table) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next, t.records = 0, map[sealed.ID]keyring.Record{}
}

// world is a log's keys, and the nodes that use them.
type world struct {
	t     *testing.T
	topic *topic
	table *table
	vault *vault.Vault
}

func newWorld(t *testing.T) *world {
	v, err := vault.Create(t.TempDir() + "/keyset.json")
	require.NoError(t, err)
	return &world{t: t, topic: newTopic(), table: newTable(), vault: v}
}

// node is a ring that follows the topic.
func (w *world) node() *keyring.Ring {
	r := w.still()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	w.t.Cleanup(func() { stop(); <-done })
	return r
}

// still is a ring that does not.
func (w *world) still() *keyring.Ring {
	return keyring.New(keyring.Config{Topic: w.topic, Table: w.table, Wrapper: w.vault, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Remember: 1000})
}

func (w *world) take(r *keyring.Ring) sealed.Key {
	w.t.Helper()
	key, err := r.Take(w.t.Context())
	require.NoError(w.t, err)
	return key
}

// finds tells whether a node has a key; false: it is erased.
func (w *world) finds(r *keyring.Ring, id sealed.ID) bool {
	w.t.Helper()
	found, err := r.Find(w.t.Context(), []sealed.ID{id})
	require.NoError(w.t, err)
	key, told := found[id]
	require.True(w.t, told)
	require.True(w.t, key == nil || key.ID == id)
	return key != nil
}

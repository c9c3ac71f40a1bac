package keyring_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// slow is a table that one node gets nothing into before it is let.
type slow struct {
	*table
	comes, may chan struct{}
}

func (s slow) Put(ctx context.Context, from, next int64, records []keyring.Record, allNew bool) (int64, error) {
	select {
	case s.comes <- struct{}{}:
	default:
	}
	select {
	case <-s.may:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return s.table.Put(ctx, from, next, records, allNew)
}

// torn is the topic for one node, which may be cut off from it.
type torn struct {
	*topic
	cut  *atomic.Bool
	told chan struct{}
}

func (t torn) Read(ctx context.Context, from int64) ([]keyring.Record, int64, error) {
	if t.cut.Load() {
		select {
		case t.told <- struct{}{}:
		default:
		}
		return nil, from, errors.New("connection refused")
	}
	return t.topic.Read(ctx, from)
}

// follows is a ring by other ways than the world's.
func (w *world) follows(topic keyring.Topic, table keyring.Table) *keyring.Ring {
	r := keyring.New(keyring.Config{Topic: topic, Table: table, Wrapper: w.vault, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	w.t.Cleanup(func() { stop(); <-done })
	return r
}

func (w *world) eventuallyErased(r *keyring.Ring, id sealed.ID) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return !w.finds(r, id) }, 10*time.Second, time.Millisecond)
}

// Given a node that is late with what it has read, and remembers a key, when another node has put more into the table, and with it
// that the key is erased, then the late one still reads that, and forgets the key. What it reads late has not come back.
func TestALateNodeMeetsWhatAnotherHasPut(t *testing.T) {
	w := newWorld(t)
	table := slow{table: w.table, comes: make(chan struct{}, 1), may: make(chan struct{})}
	late := w.follows(w.topic, table)
	reads := func(id byte) { // and comes to the table with it
		t.Helper()
		require.NoError(t, w.topic.Append(t.Context(), []keyring.Record{{ID: sealed.ID{id}, Wrapped: "as any other", MadeAt: time.Now()}}))
		<-table.comes
	}
	reads(3) // so it goes on from what it has read, and not from where the table is
	table.may <- struct{}{}
	one := w.node()
	key := w.take(one)
	<-table.comes
	table.may <- struct{}{}
	w.hasRead()
	reads(2)
	require.True(t, w.finds(late, key.ID))
	require.NoError(t, one.Erase(t.Context(), []sealed.ID{key.ID}))
	other := keyring.Record{ID: sealed.ID{1}, Wrapped: "of another node", MadeAt: time.Now()}
	require.NoError(t, w.topic.Append(t.Context(), []keyring.Record{other}))
	w.hasRead()
	require.NoError(t, w.topic.Append(t.Context(), []keyring.Record{{ID: other.ID, ErasedAt: time.Now()}}))
	end := w.hasRead()
	require.True(t, w.finds(late, key.ID), "it remembers it: else this shows nothing")
	close(table.may)
	w.eventuallyErased(late, key.ID)
	require.False(t, w.grows(end), "nothing has come back, and nothing is erased once more")
}

// Given a node that was cut off, and remembers a key that was erased meanwhile, when it is back, then it has forgotten the key.
func TestANodeThatWasCutOffForgetsWhatItRemembers(t *testing.T) {
	w := newWorld(t)
	topic := torn{topic: w.topic, cut: new(atomic.Bool), told: make(chan struct{}, 1)}
	away := w.follows(topic, w.table)
	one := w.node()
	key := w.take(one)
	require.True(t, w.finds(away, key.ID))
	topic.cut.Store(true)
	<-topic.told
	require.NoError(t, one.Erase(t.Context(), []sealed.ID{key.ID}))
	w.hasRead()
	topic.cut.Store(false)
	w.eventuallyErased(away, key.ID)
}

// hasRead waits until the table has all of the topic, and gives where that ends.
func (w *world) hasRead() (end int64) {
	w.t.Helper()
	end, err := w.topic.End(w.t.Context())
	require.NoError(w.t, err)
	require.Eventually(w.t, func() bool { next, _ := w.table.Next(w.t.Context()); return next == end }, 10*time.Second, time.Millisecond)
	return end
}

// grows is whether anything comes to the topic behind an offset, in ten reads of a follower.
func (w *world) grows(end int64) bool {
	w.t.Helper()
	for range 10 {
		if _, next, err := w.topic.Read(w.t.Context(), end); err != nil || next > end {
			return true
		}
	}
	return false
}

// unmade is a table that nobody has made yet, at the first two looks.
type unmade struct {
	*table
	looks *atomic.Int32
}

func (u unmade) Next(ctx context.Context) (int64, error) {
	if u.looks.Add(1) <= 2 {
		return 0, keyring.ErrUnmade
	}
	return u.table.Next(ctx)
}

// Given a new database, then the first looks at a table that is not made yet warn nobody, and the ring works once it is.
func TestATableThatIsNotMadeYetIsNoWarning(t *testing.T) {
	w := newWorld(t)
	var said bytes.Buffer
	var looks atomic.Int32
	r := keyring.New(keyring.Config{Topic: w.topic, Table: unmade{w.table, &looks}, Wrapper: w.vault, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(&said, nil))})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	key := w.take(r)
	require.Eventually(t, func() bool { return looks.Load() > 2 && w.finds(r, key.ID) }, 10*time.Second, time.Millisecond)
	stop()
	<-done
	require.NotContains(t, said.String(), "level=WARN")
	require.Contains(t, said.String(), "once their table is made")
}

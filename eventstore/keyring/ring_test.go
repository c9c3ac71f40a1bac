package keyring_test

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// A key that a node takes is found by every node at once, by one that starts later, and
// after the tables were dropped.
func TestAKeyIsKnownToAllBeforeItIsUsed(t *testing.T) {
	w := newWorld(t)
	one, two := w.node(), w.node()
	for range 100 {
		key := w.take(one)
		require.True(t, w.finds(two, key.ID))
		require.True(t, w.finds(one, key.ID))
	}
	key := w.take(one)
	w.table.drop()
	require.True(t, w.finds(w.node(), key.ID))
}

// The tables are emptied while nothing comes on the topic: whoever looks for a key has them
// filled again.
func TestTablesThatAreEmptiedAreFilledAgain(t *testing.T) {
	w := newWorld(t)
	maker, one := w.still(), w.node()
	read, later := w.take(maker), w.take(maker)
	require.True(t, w.finds(one, read.ID))
	w.table.drop()
	require.True(t, w.finds(one, later.ID), "it does not remember this one")
}

// Keys of one time lie side by side in the table, and their ids are of many.
func TestAnIdBeginsWithTheTimeOfItsKey(t *testing.T) {
	w := newWorld(t)
	node, before := w.node(), time.Now().UnixMilli()
	id, other := w.take(node).ID, w.take(node).ID
	made := int64(binary.BigEndian.Uint64(append([]byte{0, 0}, id[:6]...)))
	require.True(t, before <= made && made <= time.Now().UnixMilli(), made)
	require.NotEqual(t, id[6:], other[6:])
}

// No key is given twice, however many take at once.
func TestEachTakesAKeyOfItsOwn(t *testing.T) {
	w := newWorld(t)
	one, two := w.node(), w.node()
	var mu sync.Mutex
	var all sync.WaitGroup
	seen := map[sealed.ID]bool{}
	for i := range 500 {
		r := []*keyring.Ring{one, two}[i%2]
		all.Go(func() {
			key := w.take(r)
			mu.Lock()
			defer mu.Unlock()
			seen[key.ID] = true
		})
	}
	all.Wait()
	require.Len(t, seen, 500)
}

// What one node sealed, another opens.
func TestKeysSealAndOpenAlike(t *testing.T) {
	w := newWorld(t)
	one, two := w.node(), w.node()
	type said struct {
		Text string `json:"text" personal:"callee"`
	}
	closed, err := sealed.Seal([]byte(`{"text":"hello"}`), reflect.TypeFor[said](), "e", takes{w, one})
	require.NoError(t, err)
	open := sealed.Open(closed, reflect.TypeFor[said](), "e", func(id sealed.ID) *sealed.Key {
		found, err := two.Find(t.Context(), []sealed.ID{id})
		require.NoError(t, err)
		return found[id]
	})
	require.Equal(t, `{"text":"hello"}`, string(open))
}

type takes struct {
	w *world
	r *keyring.Ring
}

func (k takes) OfStream() (sealed.Key, error) { return k.w.take(k.r), nil }
func (k takes) Own() (sealed.Key, error)      { return k.w.take(k.r), nil }

// An erased key is gone for the node that erases at once, for others soon, for who starts
// later, after compaction, and stays so whatever is put on the topic after it.
func TestErasedIsForEver(t *testing.T) {
	w := newWorld(t)
	one, two := w.node(), w.node()
	key, other := w.take(one), w.take(one)
	require.True(t, w.finds(two, key.ID))
	require.NoError(t, one.Erase(t.Context(), []sealed.ID{key.ID}))
	require.False(t, w.finds(one, key.ID))
	require.Eventually(t, func() bool { return !w.finds(two, key.ID) }, time.Minute, time.Millisecond)
	require.True(t, w.finds(two, other.ID))

	w.topic.compact()
	w.table.drop()
	late := w.node()
	require.False(t, w.finds(late, key.ID))
	require.True(t, w.finds(late, other.ID))
}

// When an old copy of a key comes back, it is noticed and erased again on the topic.
func TestAKeyThatComesBackIsErasedAgain(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	key := w.take(one)
	old := w.topic.records[0:1:1]
	for _, r := range w.topic.records {
		if r.ID == key.ID {
			old = []keyring.Record{r}
		}
	}
	require.NoError(t, one.Erase(t.Context(), []sealed.ID{key.ID}))
	require.False(t, w.finds(one, key.ID))
	require.Eventually(t, func() bool { // the table has the erasure
		found, err := w.table.Find(t.Context(), []sealed.ID{key.ID})
		return err == nil && len(found) == 1 && found[0].Erased()
	}, time.Minute, time.Millisecond)

	require.NoError(t, w.topic.Append(t.Context(), old))
	require.Eventually(t, func() bool {
		w.topic.compact()
		w.topic.mu.Lock()
		defer w.topic.mu.Unlock()
		for _, r := range w.topic.records {
			if r.ID == key.ID {
				return r.Erased()
			}
		}
		return false
	}, time.Minute, time.Millisecond)
	require.False(t, w.finds(one, key.ID))
	w.table.drop()
	require.False(t, w.finds(w.node(), key.ID))
}

// Given a key that was erased and came back before anybody read on, when a node reads both at
// once, then it is erased again on the topic, for who has nothing but that.
func TestAKeyThatComesBackUnreadIsErasedAgain(t *testing.T) {
	w := newWorld(t)
	id := sealed.ID{7}
	old := keyring.Record{ID: id, Wrapped: "from before", MadeAt: time.Now()}
	require.NoError(t, w.topic.Append(t.Context(), []keyring.Record{old, {ID: id, ErasedAt: time.Now()}, old}))
	one := w.node()
	require.Eventually(t, func() bool {
		w.topic.mu.Lock()
		defer w.topic.mu.Unlock()
		return w.topic.records[len(w.topic.records)-1].Erased()
	}, 10*time.Second, time.Millisecond)
	require.False(t, w.finds(one, id))
	w.topic.compact()
	w.table.drop()
	require.False(t, w.finds(w.node(), id))
}

// A key that is neither there nor erased is lost, which is never taken for erased.
func TestALostKeyIsAnError(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	w.take(one)
	_, err := one.Find(t.Context(), []sealed.ID{{1}})
	require.ErrorIs(t, err, keyring.ErrLost)
	require.ErrorContains(t, err, sealed.ID{1}.String())
}

// Without the topic no new key is to be had, and it says why; those that were made ahead go on.
func TestWithoutTheTopicThereIsNoNewKey(t *testing.T) {
	w := newWorld(t)
	away := errors.New("no brokers")
	w.topic.fail(away)
	one := w.still()
	_, err := one.Take(t.Context())
	require.ErrorIs(t, err, away)

	w.topic.fail(nil)
	w.take(one)
	w.topic.fail(away)
	for range 8 {
		w.take(one)
	}
	w.topic.fail(nil)
	w.take(one)
}

// A keyset that did not wrap the keys opens none of them.
func TestAnotherKeysetOpensNothing(t *testing.T) {
	w := newWorld(t)
	key := w.take(w.node())
	stranger := newWorld(t)
	stranger.topic, stranger.table = w.topic, newTable()
	_, err := stranger.node().Find(t.Context(), []sealed.ID{key.ID})
	require.ErrorContains(t, err, "keyset file")
}

// What is not remembered any more is found in the table.
func TestFewAreRememberedAndAllAreFound(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	var ids []sealed.ID
	for range 3000 {
		ids = append(ids, w.take(one).ID)
	}
	found, err := one.Find(t.Context(), ids)
	require.NoError(t, err)
	require.Len(t, found, 3000)
	for _, id := range ids {
		require.NotNil(t, found[id])
	}
}

// reads waits until the table has what stands on the topic.
func (w *world) reads() {
	w.t.Helper()
	end, err := w.topic.End(w.t.Context())
	require.NoError(w.t, err)
	require.Eventually(w.t, func() bool {
		next, err := w.table.Next(w.t.Context())
		return err == nil && next >= end
	}, time.Minute, time.Millisecond)
}

// Given a node that makes keys, when it meets them on the topic, then it asks nobody whether
// they were erased before: they are new. When a copy of one comes behind that, it asks.
func TestAKeyThatANodeHasJustMadeIsNotAskedFor(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	key := w.take(one)
	w.reads()
	made := w.topic.copied().records
	var keys []sealed.Key
	for _, r := range made {
		keys = append(keys, sealed.NewKey(r.ID, [sealed.SecretSize]byte{}))
	}
	require.False(t, w.table.wasAsked(keys...))

	require.NoError(t, w.topic.Append(t.Context(), made))
	w.reads()
	require.True(t, w.table.wasAsked(key))
}

// Given keys that a node made and did not meet before the brokers went away, when the topic is
// followed again, then it asks of them: others may have read of it what is not there any more.
func TestAKeyIsAskedForWhenTheTopicWasAway(t *testing.T) {
	w := newWorld(t)
	one := w.still()
	key := w.take(one)
	w.topic.fail(errors.New("connection reset"))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { one.Run(ctx); close(done) }()
	defer func() { stop(); <-done }()
	require.Eventually(t, func() bool {
		w.topic.mu.Lock()
		defer w.topic.mu.Unlock()
		return w.topic.refused > 0
	}, time.Minute, time.Millisecond)
	w.topic.fail(nil)
	w.reads()
	require.True(t, w.table.wasAsked(key))
}

// Given a node that remembers three keys, when it takes a fourth, then it asks for the one
// that was used longest ago, and not for one that was used since.
func TestTheKeysThatWereUsedLastAreRemembered(t *testing.T) {
	w := newWorld(t)
	w.node() // which fills the table
	one := keyring.New(keyring.Config{Topic: w.topic, Table: w.table, Wrapper: w.vault, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Remember: 3})
	first, second, third := w.take(one), w.take(one), w.take(one)
	w.reads()
	w.table.wasAsked()
	require.True(t, w.finds(one, first.ID))
	fourth := w.take(one)
	for _, key := range []sealed.Key{first, third, fourth} {
		require.True(t, w.finds(one, key.ID))
		require.False(t, w.table.wasAsked(key))
	}
	require.True(t, w.finds(one, second.ID))
	require.True(t, w.table.wasAsked(second))
}

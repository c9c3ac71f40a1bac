package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// copied is a drawer whose keys stood on a copy of the topic.
type copied struct {
	*drawer
	doubts atomic.Uint64
	again  chan []sealed.Key
}

func (c *copied) Doubts() uint64 { return c.doubts.Load() }

func (c *copied) Again(_ context.Context, keys []sealed.Key) error {
	c.again <- keys
	return nil
}

func newCopied(t *testing.T) (*memory.Log, *copied, func(ctx context.Context, n int) error) {
	log, keys := memory.New(), &copied{drawer: &drawer{keys: map[sealed.ID]*sealed.Key{}}, again: make(chan []sealed.Key, 10)}
	store := log.Open(eventstore.Config{Node: "0", Keys: keys})
	t.Cleanup(store.Close)
	return log, keys, func(ctx context.Context, n int) error {
		return eventstore.Do(ctx, store, visits, fmt.Sprintf("visit-%d", n), byHost, says(arrived{"Ann"}, joined{"Bea"}))
	}
}

// Given a command that has taken its keys, when it is in doubt on which topic they stand before
// the commit is on the log, then all of them are put on the topic once more before the command
// is answered; and of a command that no doubt has met none is.
func TestKeysThatWereTakenInDoubtArePutOnTheTopicOnceMore(t *testing.T) {
	log, keys, arrive := newCopied(t)
	require.NoError(t, arrive(t.Context(), 1))
	require.Empty(t, keys.again)

	log.Fail(memory.Faults{Append: func([]*eventstore.Record) error {
		keys.doubts.Add(1)
		return nil
	}})
	require.NoError(t, arrive(t.Context(), 2))
	require.Len(t, keys.again, 1)
	var ids []sealed.ID
	for _, key := range <-keys.again {
		ids = append(ids, key.ID)
	}
	require.Equal(t, usedBy(log, "visit-2"), ids)
	log.Fail(memory.Faults{})
	require.NoError(t, arrive(t.Context(), 3))
	require.Empty(t, keys.again)
}

// A commit that is not on the log needs no key. One of which nobody knows needs it, whether or
// not anybody waits for it.
func TestKeysOfWhatMayBeOnTheLogArePutOnTheTopicOnceMore(t *testing.T) {
	log, keys, arrive := newCopied(t)
	log.Fail(memory.Faults{Append: func([]*eventstore.Record) error {
		keys.doubts.Add(1)
		return errors.New("refused")
	}})
	require.True(t, fault.Is(arrive(t.Context(), 1), fault.NotExecuted))
	require.Empty(t, keys.again)

	ctx, leave := context.WithCancel(t.Context())
	appending, goOn := make(chan struct{}), make(chan struct{})
	log.Fail(memory.Faults{Append: func([]*eventstore.Record) error {
		close(appending)
		<-goOn
		return nil
	}})
	left := make(chan error)
	go func() { left <- arrive(ctx, 2) }()
	<-appending
	leave()
	require.True(t, fault.Is(<-left, fault.OutcomeUnknown))
	keys.doubts.Add(1)
	close(goOn)
	require.Len(t, <-keys.again, 2)
}

func says(events ...event.Payload) func(visit) ([]event.Payload, error) {
	return func(visit) ([]event.Payload, error) { return events, nil }
}

// usedBy are the keys that the events of a stream are sealed with, in their order.
func usedBy(log *memory.Log, stream string) (ids []sealed.ID) {
	for _, r := range log.Accepted() {
		if r.Stream == stream {
			ids = slices.AppendSeq(ids, sealed.IDs(r.Stored(), visits.Newest(r.Type)))
		}
	}
	return ids
}

package eventstore_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
)

// stage is where the tests that know nothing of its inside play: some nodes of one log.
// It is the twin, and it is the store in memory that other packages test with.
type stage interface {
	// do sends a command, and lets everything work until it is answered.
	do(node int, cmd eventstore.Command, decide func(notebook) ([]event.Payload, error)) *told
	// seen is the hot stream as a node reads it.
	seen(node int) (eventstore.Loaded[notebook], error)
	// seenAt is the hot stream as it stood at a version.
	seenAt(node int, version int64) (eventstore.Loaded[notebook], error)
	// reborn lets a node die, and another take its place.
	reborn(node int)
	// written is the number of records on the log, genesis left out.
	written() int
}

// onEveryStage runs a test on the twin and on the store in memory.
func onEveryStage(t *testing.T, play func(t *testing.T, s stage)) {
	t.Run("twin", func(t *testing.T) {
		played(t, func(t *testing.T, s *scene) { play(t, s) })
	})
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &inMemory{t: t, log: memory.New()}
			for range 3 {
				s.stores = append(s.stores, s.open())
			}
			defer s.close()
			play(t, s)
		})
	})
}

// seen implements stage.
func (s *scene) seen(node int) (eventstore.Loaded[notebook], error) {
	return s.during(func() (eventstore.Loaded[notebook], error) {
		return eventstore.Read(s.t.Context(), s.nodes[node].store, notebooks, hot)
	})
}

// seenAt implements stage.
func (s *scene) seenAt(node int, version int64) (eventstore.Loaded[notebook], error) {
	return s.during(func() (eventstore.Loaded[notebook], error) {
		return eventstore.ReadAt(s.t.Context(), s.nodes[node].store, notebooks, hot, version)
	})
}

// during lets everything work until something is read.
func (s *scene) during(read func() (eventstore.Loaded[notebook], error)) (got eventstore.Loaded[notebook], err error) {
	x := &told{}
	go func() {
		got, err = read()
		x.over.Store(true)
	}()
	s.until(x)
	return got, err
}

// readNow reads the hot stream, while nothing but reads comes to an end.
func (n *node) readNow(s *scene) (got eventstore.Loaded[notebook], err error) {
	go func() { got, err = eventstore.Read(s.t.Context(), n.store, notebooks, hot) }()
	synctest.Wait()
	s.reads()
	return got, err
}

// reborn implements stage.
func (s *scene) reborn(node int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill(node)
	s.nodes[node].look()
	s.nodes[node].look()
}

// written implements stage.
func (s *scene) written() int { return len(s.log) - 1 }

// inMemory is the stage of the store in memory.
type inMemory struct {
	t      *testing.T
	log    *memory.Log
	stores []*eventstore.Store
}

func (s *inMemory) open() *eventstore.Store { return s.log.Open(eventstore.Config{Node: "n0-1"}) }

func (s *inMemory) close() {
	for _, store := range s.stores {
		store.Close()
	}
}

func (s *inMemory) do(node int, cmd eventstore.Command, decide func(notebook) ([]event.Payload, error)) *told {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	x := &told{cancel: cancel}
	x.res, x.err = eventstore.Execute(ctx, s.stores[node], notebooks, hot, cmd, decide)
	x.over.Store(true)
	return x
}

func (s *inMemory) seen(node int) (eventstore.Loaded[notebook], error) {
	return eventstore.Read(s.t.Context(), s.stores[node], notebooks, hot)
}

func (s *inMemory) seenAt(node int, version int64) (eventstore.Loaded[notebook], error) {
	return eventstore.ReadAt(s.t.Context(), s.stores[node], notebooks, hot, version)
}

func (s *inMemory) reborn(node int) {
	s.stores[node].Close()
	s.stores[node] = s.open()
}

func (s *inMemory) written() (n int) {
	for p := range 4 {
		n += max(0, len(s.log.Entries(notebooks.Topic(), p))-1)
	}
	return n
}

package eventstore_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// scene is the twin driven by hand: a test says what happens next.
type scene struct {
	*history
	t *testing.T
}

// played runs a test in a bubble, and holds what it did to the invariants.
func played(t *testing.T, play func(t *testing.T, s *scene)) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{newHistory(1, nothing), t}
		defer s.stop()
		play(t, s)
		s.finishAll()
		s.heal()
		s.end()
		require.Empty(t, s.found)
	})
}

// told is a call of Execute and what came of it.
type told struct {
	res    eventstore.Result[notebook]
	err    error
	over   atomic.Bool
	cancel context.CancelFunc
}

const hot = "notebook-hot"

func acme(key string) eventstore.Command {
	c := eventstore.Command{Tenant: "acme", Actor: "user:ann"}
	if key != "" {
		c.RequestID, c.RequestHash = key, "hash"
	}
	return c
}

// send begins a command on a node and returns when it waits for something.
func (s *scene) send(node int, cmd eventstore.Command, decide func(notebook) ([]event.Payload, error)) *told {
	ctx, cancel := context.WithCancel(s.t.Context())
	x := &told{cancel: cancel}
	store := s.nodes[node].store
	go func() {
		defer cancel()
		x.res, x.err = eventstore.Execute(ctx, store, notebooks, hot, cmd, decide)
		x.over.Store(true)
	}()
	synctest.Wait()
	return x
}

// do sends a command and lets everything work until it is answered.
func (s *scene) do(node int, cmd eventstore.Command, decide func(notebook) ([]event.Payload, error)) *told {
	x := s.send(node, cmd, decide)
	s.until(x)
	return x
}

// until lets everything work until the calls are answered.
func (s *scene) until(calls ...*told) {
	s.t.Helper()
	for range 1000 {
		synctest.Wait()
		if !slices.ContainsFunc(calls, func(x *told) bool { return !x.over.Load() }) {
			return
		}
		s.round()
		time.Sleep(time.Millisecond)
	}
	s.t.Fatal("a call was never answered")
}

// reads ends the pending reads.
func (s *scene) reads() int {
	s.mu.Lock()
	n := 0
	for _, k := range slices.Clone(s.tasks) {
		if k.msg == nil {
			s.read(k)
			n++
		}
	}
	s.mu.Unlock()
	synctest.Wait()
	return n
}

// sends ends the pending produces, as the test says.
func (s *scene) sends(end func(k *task)) int {
	s.mu.Lock()
	n := 0
	for _, k := range slices.Clone(s.tasks) {
		if k.msg != nil {
			end(k)
			n++
		}
	}
	s.mu.Unlock()
	synctest.Wait()
	return n
}

func (s *scene) landed(k *task)   { s.finish(k, s.land(k.msg, len(k.msg)), nil) }
func (s *scene) ackLost(k *task)  { s.land(k.msg, len(k.msg)); s.finish(k, 0, errLost) }
func (s *scene) held(k *task)     { s.late = append(s.late, k.msg); s.finish(k, 0, errLost) }
func (s *scene) rejected(k *task) { s.finish(k, 0, errRefused) }

// projected reads the log to its end; the nodes do not look yet.
func (s *scene) projected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 200 {
		for _, p := range s.projectors {
			p.step()
		}
	}
}

// looked lets the nodes look at the checkpoint, twice: a shut gate needs a goal first.
func (s *scene) looked() {
	s.mu.Lock()
	for range 2 {
		for _, n := range s.nodes {
			n.look()
		}
	}
	s.mu.Unlock()
	synctest.Wait()
}

// finishAll lets what a test left behind come to its end.
func (s *scene) finishAll() {
	for range 20 {
		s.round()
		synctest.Wait()
	}
}

func texts(res eventstore.Result[notebook]) (out []string) {
	for _, p := range res.Payloads() {
		out = append(out, p.(noted).Text)
	}
	return out
}

func versions(res eventstore.Result[notebook]) (out []int64) {
	for _, e := range res.Events {
		out = append(out, e.Version)
	}
	return out
}

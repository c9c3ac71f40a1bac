package voice_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// trunkPeers are peers that answer as they are told, and count.
type trunkPeers struct {
	mu                              sync.Mutex
	down, refused                   error
	looks, registered, unregistered int
	silent                          func(tenant, name string)
}

func (p *trunkPeers) Silent(told func(tenant, name string)) { p.silent = told }

func (p *trunkPeers) Reach(context.Context, string, string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	return p.down
}

func (p *trunkPeers) Register(context.Context, string, string) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.registered++
	return 2 * time.Minute, p.refused
}

func (p *trunkPeers) Unregister(context.Context, string, string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unregistered++
	return nil
}

func (p *trunkPeers) become(down, refused error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down, p.refused = down, refused
}

func (p *trunkPeers) counted() (looks, registered, unregistered int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.looks, p.registered, p.unregistered
}

// trunkWorld is a trunk of acme that nodes keep, in virtual time.
type trunkWorld struct {
	*testing.T
	log   *memory.Log
	peers *trunkPeers

	mu    sync.Mutex
	owner string
	until time.Time
	reads int
	away  error // the database
	as    []voice.KeptTrunk
}

func keepingTrunks(t *testing.T, story func(*trunkWorld)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &trunkWorld{T: t, log: memory.New(), peers: &trunkPeers{}, as: []voice.KeptTrunk{
			{TenantID: "acme", Name: "main", Register: true, Every: 30 * time.Second}, {TenantID: "acme", Name: "idle"}}}
		define := trunks.DefineTrunk{TenantID: "acme", Name: "main", Provider: "sip", Address: "192.0.2.1", Username: "u"}
		store := w.log.Open(eventstore.Config{Node: "n0"})
		defer store.Close()
		_, err := eventstore.Execute(t.Context(), store, trunks.Trunks, trunks.Stream("acme"), eventstore.Command{Tenant: "acme", Actor: "test"},
			define.Decide)
		require.NoError(t, err)
		story(w)
	})
}

// node keeps trunks until the function that it gives is called.
func (w *trunkWorld) node(name string) (stop func()) {
	store := w.log.Open(eventstore.Config{Node: name})
	k := voice.NewTrunkKeeper(voice.TrunkKeeping{Node: name, Store: store, Peers: w.peers, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Trunks: func(context.Context) ([]voice.KeptTrunk, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.reads++
			if w.away != nil {
				return nil, w.away
			}
			return w.as, nil
		},
		Keep: func(_ context.Context, _, _, node string, lease time.Duration) (bool, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.owner != node && time.Now().Before(w.until) {
				return false, nil
			}
			w.owner, w.until = node, time.Now().Add(lease)
			return true, nil
		},
		Release: func(context.Context, string) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.until = time.Time{}
			return nil
		}})
	ctx, cancel := context.WithCancel(w.Context())
	var running sync.WaitGroup
	running.Go(func() { k.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
		store.Close()
	}
}

func (w *trunkWorld) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// told is what was recorded of the trunk behind its definition.
func (w *trunkWorld) told() (out []string) {
	for _, e := range memory.Events(w.log, trunks.Trunks.Category, trunks.Stream("acme"))[1:] {
		switch e := e.(type) {
		case trunks.TrunkRegistered:
			out = append(out, "registered by "+e.Node)
		case trunks.TrunkNotRegistered:
			out = append(out, "not registered: "+e.Problem)
		case trunks.TrunkUnreachable:
			out = append(out, "unreachable: "+e.Problem)
		default:
			out = append(out, fmt.Sprintf("%T", e))
		}
	}
	return out
}

// Given a trunk that stops answering, and is back, then the second look that failed is recorded, and the
// first that did not.
func TestATrunkThatIsNotReached(t *testing.T) {
	keepingTrunks(t, func(w *trunkWorld) {
		stop := w.node("n1")
		defer stop()
		w.pass(65 * time.Second)
		require.Equal(t, []string{"registered by n1"}, w.told())
		w.peers.become(errors.New("408 Request Timeout"), nil)
		w.pass(2 * time.Minute)
		w.peers.become(nil, nil)
		w.pass(time.Minute)
		require.Equal(t, []string{"registered by n1", "unreachable: 408 Request Timeout", "trunks.TrunkReachable"}, w.told())
	})
}

// Given a trunk that says nothing to a call, then it is looked at at once, and not for each call again; one that answers is not doubted.
func TestATrunkThatSaysNothingToACall(t *testing.T) {
	keepingTrunks(t, func(w *trunkWorld) {
		stop := w.node("n1")
		defer stop()
		w.pass(10 * time.Second)
		silent := func(times int) (looks int) {
			before, _, _ := w.peers.counted()
			for range times {
				w.peers.silent("acme", "main")
				w.peers.silent("acme", "idle")
				w.peers.silent("other", "main")
				w.pass(100 * time.Millisecond)
			}
			after, _, _ := w.peers.counted()
			return after - before
		}
		require.Equal(t, 1, silent(10))
		require.Equal(t, []string{"registered by n1"}, w.told(), "it answers")
		w.pass(5 * time.Second)
		w.peers.become(errors.New("408 Request Timeout"), nil)
		require.Equal(t, 1, silent(10))
		w.pass(2 * time.Second)
		require.Equal(t, []string{"registered by n1", "unreachable: 408 Request Timeout"}, w.told(), "behind the second look")
	})
}

// Given a peer that refuses to register us, then it is asked again with growing pauses, and again in time
// before a registration runs out.
func TestRegisteringAgain(t *testing.T) {
	keepingTrunks(t, func(w *trunkWorld) {
		w.peers.become(nil, errors.New("403 Forbidden"))
		stop := w.node("n1")
		defer stop()
		w.pass(2 * time.Minute)
		_, tries, _ := w.peers.counted()
		require.Less(t, tries, 12)
		require.Greater(t, tries, 4)
		w.peers.become(nil, nil)
		w.pass(time.Minute)
		require.Equal(t, []string{"not registered: 403 Forbidden", "registered by n1"}, w.told())
		_, before, _ := w.peers.counted()
		w.pass(8 * time.Minute)
		_, after, _ := w.peers.counted()
		require.Equal(t, 5, after-before, "at 80 % of two minutes")
	})
}

// Given two nodes, then one keeps the trunk; when it goes, it takes its registration back, and the other has it.
func TestOneNodeKeepsATrunk(t *testing.T) {
	keepingTrunks(t, func(w *trunkWorld) {
		stop := w.node("n1")
		w.pass(500 * time.Millisecond)
		stopOther := w.node("n2")
		defer stopOther()
		w.pass(time.Minute)
		require.Equal(t, []string{"registered by n1"}, w.told())
		stop()
		_, _, unregistered := w.peers.counted()
		require.Equal(t, 1, unregistered)
		w.pass(5 * time.Second)
		require.Equal(t, []string{"registered by n1", "registered by n2"}, w.told())
	})
}

// Given a trunk at whose registrar we are known, when it is removed, or is to register no more, then the registrar is told so, once.
func TestATrunkThatRegistersNoMore(t *testing.T) {
	for name, as := range map[string][]voice.KeptTrunk{
		"removed":       nil,
		"defined anew":  {{TenantID: "acme", Name: "main", Every: 30 * time.Second, Defined: "anew"}},
		"and not asked": {{TenantID: "acme", Name: "main", Defined: "anew"}},
	} {
		t.Run(name, func(t *testing.T) {
			keepingTrunks(t, func(w *trunkWorld) {
				stop := w.node("n1")
				w.pass(time.Minute)
				_, _, unregistered := w.peers.counted()
				require.Zero(t, unregistered)
				w.mu.Lock()
				w.as = as
				w.mu.Unlock()
				w.pass(4 * time.Second)
				_, registered, unregistered := w.peers.counted()
				require.Equal(t, 1, unregistered)
				w.pass(5 * time.Minute)
				stop()
				_, after, unregistered := w.peers.counted()
				require.Equal(t, registered, after)
				require.Equal(t, 1, unregistered)
			})
		})
	}
}

// Given a trunk of which nothing is due, then its node reads it now and then, and asks its peer when that is due all the same.
func TestTrunksThatAreKeptCostLittle(t *testing.T) {
	keepingTrunks(t, func(w *trunkWorld) {
		stop := w.node("n1")
		defer stop()
		w.pass(301 * time.Second)
		require.LessOrEqual(t, w.reads, 101, "each three seconds")
		looks, _, _ := w.peers.counted()
		require.Equal(t, 11, looks, "each half minute")
	})
}

// Given a node that cannot say any more that it keeps a trunk, then it asks its peer nothing: another node may.
func TestATrunkThatCannotBeKeptIsLeftAlone(t *testing.T) {
	keepingTrunks(t, func(w *trunkWorld) {
		stop := w.node("n1")
		defer stop()
		w.pass(15 * time.Second)
		w.mu.Lock()
		w.away = errors.New("the database is away")
		w.mu.Unlock()
		w.pass(5 * time.Minute)
		looks, registered, _ := w.peers.counted()
		require.Equal(t, []int{1, 1}, []int{looks, registered})
		w.mu.Lock()
		w.away = nil
		w.mu.Unlock()
		w.pass(2 * time.Second)
		looks, registered, _ = w.peers.counted()
		require.Equal(t, []int{2, 2}, []int{looks, registered})
	})
}

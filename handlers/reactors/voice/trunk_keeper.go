package voice

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/eventstore"
)

// KeptTrunk is a trunk whose peer is looked at.
type KeptTrunk struct {
	TenantID, Name string
	Register       bool
	Every          time.Duration // between two looks; 0: none are taken
	Defined        string        // differs when the trunk was defined anew
}

// TrunkPeers are the other sides of trunks.
type TrunkPeers interface {
	// Reach asks a peer for a sign of life.
	Reach(ctx context.Context, tenant, name string) error
	// Register makes us known to a peer, and gives the time for which it will know us.
	Register(ctx context.Context, tenant, name string) (time.Duration, error)
	// Unregister takes that back, if we are known there: at a shutdown, or of a trunk that is no more.
	Unregister(ctx context.Context, tenant, name string) error
	// Silent has somebody told of each peer that has said nothing to a call.
	Silent(told func(tenant, name string))
}

// TrunkKeeping is what a keeper is made of.
type TrunkKeeping struct {
	Node  string
	Store *eventstore.Store
	Peers TrunkPeers
	// Trunks are those of all tenants.
	Trunks func(ctx context.Context) ([]KeptTrunk, error)
	// Keep takes a trunk for a node, for so long; false: another node has it.
	Keep    func(ctx context.Context, tenant, name, node string, lease time.Duration) (bool, error)
	Release func(ctx context.Context, node string) error
	Gate    func() error // refuses while the read models catch up; nil: never
	Now     func() time.Time
	Log     *slog.Logger
}

// TrunkKeeper looks whether the peers of trunks answer, and registers with those that want that. Of several
// nodes one keeps a trunk; it records what changes.
type TrunkKeeper struct {
	TrunkKeeping
	asked chan struct{} // has a value when a peer was asked
	mu    sync.Mutex
	kept  map[string]*keptTrunk
}

const (
	keepEvery     = 3 * time.Second // that trunks are read, and taken for longer
	keepAgain     = time.Second     // behind a time at which that failed
	keepFor       = 10 * time.Second
	peerPatience  = 4 * time.Second
	lookAgain     = 2 * time.Second // behind a look that failed
	failuresCount = 2               // looks in a row that make a trunk one that is not reached
	registerFirst = time.Second     // pause behind a registration that failed, doubled each time
	registerLast  = time.Minute
	registerShare = 0.8 // of the time that a registration holds
)

// keptTrunk is what this node knows of a trunk that it keeps.
type keptTrunk struct {
	KeptTrunk
	until      time.Time // past it another node may keep it
	busy       bool      // a look or a registration is on its way
	lookAt     time.Time
	failures   int
	registerAt time.Time
	pause      time.Duration
	registered bool
}

// NewTrunkKeeper keeps nothing until it runs.
func NewTrunkKeeper(k TrunkKeeping) *TrunkKeeper {
	keeper := &TrunkKeeper{TrunkKeeping: k, asked: make(chan struct{}, 1), kept: map[string]*keptTrunk{}}
	k.Peers.Silent(keeper.suspects)
	return keeper
}

// keptAs is what a trunk is called among those that are kept.
func keptAs(tenant, name string) string { return tenant + "/" + name }

// suspects has a trunk looked at now whose peer has said nothing to a call, if this node keeps it: until it is known to be unreachable,
// each call over it is lost.
func (k *TrunkKeeper) suspects(tenant, name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	of := k.kept[keptAs(tenant, name)]
	now := time.Now()
	if of == nil || of.Every == 0 || of.busy || of.failures > 0 || now.Sub(of.lookAt.Add(-of.Every)) < lookAgain {
		return
	}
	of.lookAt = now
	select {
	case k.asked <- struct{}{}:
	default:
	}
}

// Run keeps trunks until ctx ends; then others may.
func (k *TrunkKeeper) Run(ctx context.Context) {
	var asking sync.WaitGroup
	defer k.leave(context.WithoutCancel(ctx))
	defer asking.Wait()
	keepAt := time.Now()
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-due.C:
		case <-k.asked:
		}
		if ctx.Err() != nil {
			return
		}
		if now := time.Now(); !now.Before(keepAt) {
			keepAt = now.Add(k.keep(ctx, &asking))
		}
		next := k.ask(ctx, &asking)
		if next.IsZero() || next.After(keepAt) {
			next = keepAt
		}
		due.Reset(time.Until(next))
	}
}

// keep takes what is free, and what this node has for longer, and says how soon that is to be done again.
func (k *TrunkKeeper) keep(ctx context.Context, asking *sync.WaitGroup) time.Duration {
	if k.Gate != nil && k.Gate() != nil {
		return keepAgain
	}
	left, err := k.takeAll(ctx)
	for _, t := range left {
		asking.Go(func() {
			once, cancel := context.WithTimeout(ctx, peerPatience)
			defer cancel()
			k.takeLeave(once, t)
		})
	}
	if err != nil {
		if ctx.Err() == nil {
			k.Log.Warn("trunks cannot be kept for now", "error", err)
		}
		return keepAgain
	}
	return keepEvery
}

// takeAll takes the trunks that are to be kept, and gives those whose registrars are to forget us.
func (k *TrunkKeeper) takeAll(ctx context.Context) (left []KeptTrunk, err error) {
	once, cancel := context.WithTimeout(ctx, keepFor/2)
	defer cancel()
	all, err := k.Trunks(once)
	if err != nil {
		return nil, err
	}
	left = k.leaving(all)
	there := map[string]bool{}
	for _, t := range all {
		if t.Every == 0 && !t.Register {
			continue
		}
		until := time.Now().Add(keepFor)
		ours, err := k.Keep(once, t.TenantID, t.Name, k.Node, keepFor)
		if err != nil {
			return left, err
		}
		if ours {
			there[keptAs(t.TenantID, t.Name)] = true
			k.take(t, until)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, of := range k.kept {
		if registers := of.busy && of.Register; !there[id] && !registers {
			delete(k.kept, id)
		}
	}
	return left, nil
}

// leaving are the trunks with whose registrars this node has made us known, and that want that no more: they were removed, or defined
// anew. What is on its way to one is waited for.
func (k *TrunkKeeper) leaving(all []KeptTrunk) (left []KeptTrunk) {
	registers := map[string]bool{}
	for _, t := range all {
		registers[keptAs(t.TenantID, t.Name)] = t.Register
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, of := range k.kept {
		if of.Register && !of.busy && !registers[id] {
			of.Register = false
			left = append(left, of.KeptTrunk)
		}
	}
	return left
}

// takeLeave has a registrar forget us, or leaves that to the end of the registration.
func (k *TrunkKeeper) takeLeave(ctx context.Context, t KeptTrunk) {
	if err := k.Peers.Unregister(ctx, t.TenantID, t.Name); err != nil {
		k.Log.Info("a registration was left to run out", "tenant", t.TenantID, "trunk", t.Name, "error", err)
	}
}

// take notes a trunk that this node keeps.
func (k *TrunkKeeper) take(t KeptTrunk, until time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := keptAs(t.TenantID, t.Name)
	of := k.kept[id]
	switch {
	case of != nil && of.Defined == t.Defined:
	case of != nil && of.busy && of.Register && !t.Register:
		return // it is taken as it is now once that is known which is on its way
	default:
		of = &keptTrunk{KeptTrunk: t}
		k.kept[id] = of
	}
	of.until = until
}

// ask begins what is due of the trunks that this node keeps, and says when the next is; zero: nothing is.
func (k *TrunkKeeper) ask(ctx context.Context, asking *sync.WaitGroup) (next time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	sooner := func(at time.Time) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	for _, of := range k.kept {
		if of.busy || !now.Before(of.until) {
			continue
		}
		look := of.Every > 0 && !now.Before(of.lookAt)
		register := of.Register && !now.Before(of.registerAt)
		switch {
		case look || register:
			of.busy = true
			asking.Go(func() { k.asks(ctx, of, look, register) })
		default:
			if of.Every > 0 {
				sooner(of.lookAt)
			}
			if of.Register {
				sooner(of.registerAt)
			}
		}
	}
	return next
}

// asks asks the peer of a trunk what is due.
func (k *TrunkKeeper) asks(ctx context.Context, of *keptTrunk, look, register bool) {
	if look {
		k.look(ctx, of)
	}
	if register {
		k.register(ctx, of)
	}
	k.mu.Lock()
	of.busy = false
	k.mu.Unlock()
	select {
	case k.asked <- struct{}{}:
	default:
	}
}

func (k *TrunkKeeper) look(ctx context.Context, of *keptTrunk) {
	once, cancel := context.WithTimeout(ctx, peerPatience)
	err := k.Peers.Reach(once, of.TenantID, of.Name)
	cancel()
	if ctx.Err() != nil {
		return
	}
	see := trunks.Observe{TenantID: of.TenantID, Name: of.Name, Reached: err == nil, At: k.Now()}
	of.lookAt = time.Now().Add(of.Every)
	if err == nil {
		of.failures = 0
	} else {
		see.Problem = err.Error()
		of.failures++
		if of.failures < failuresCount {
			of.lookAt = time.Now().Add(min(lookAgain, of.Every))
			return
		}
	}
	k.record(ctx, of, see.Decide)
}

func (k *TrunkKeeper) register(ctx context.Context, of *keptTrunk) {
	once, cancel := context.WithTimeout(ctx, peerPatience)
	held, err := k.Peers.Register(once, of.TenantID, of.Name)
	cancel()
	if ctx.Err() != nil {
		return
	}
	note := trunks.NoteRegistration{TenantID: of.TenantID, Name: of.Name, Node: k.Node, At: k.Now()}
	if err == nil {
		of.pause, of.registered = 0, true
		of.registerAt = time.Now().Add(time.Duration(float64(held) * registerShare))
	} else {
		note.Problem = err.Error()
		of.registered = false
		of.pause = min(max(registerFirst, 2*of.pause), registerLast)
		of.registerAt = time.Now().Add(of.pause/2 + rand.N(of.pause/2))
	}
	k.record(ctx, of, note.Decide)
}

// record says what changed; what could not be recorded is said at the next look.
func (k *TrunkKeeper) record(ctx context.Context, of *keptTrunk, decide func(trunks.State) ([]event.Payload, error)) {
	cmd := eventstore.Command{Tenant: of.TenantID, Actor: "reactor:trunks"}
	done, err := eventstore.Execute(ctx, k.Store, trunks.Trunks, trunks.Stream(of.TenantID), cmd, decide)
	if err != nil {
		k.Log.Warn("what was seen of a trunk could not be recorded", "tenant", of.TenantID, "trunk", of.Name, "error", err)
		return
	}
	for _, e := range done.Events {
		k.Log.Info("a trunk has changed", "tenant", of.TenantID, "trunk", of.Name, "event", fmt.Sprintf("%T", e.Payload))
	}
}

// leave lets others keep what this node has kept.
func (k *TrunkKeeper) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, peerPatience)
	defer cancel()
	k.mu.Lock()
	var registered []KeptTrunk
	for _, of := range k.kept {
		if of.registered {
			registered = append(registered, of.KeptTrunk)
		}
	}
	k.mu.Unlock()
	for _, t := range registered {
		k.takeLeave(ctx, t)
	}
	if err := k.Release(ctx, k.Node); err != nil {
		k.Log.Info("trunks were left to run out", "error", err)
	}
}

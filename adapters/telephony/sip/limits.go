package sip

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// limits count the calls of each trunk, on this node and with the others.
type limits struct {
	mu      sync.Mutex
	running map[string]int
	began   map[string][]time.Time // in the last second
	places  map[string]*place      // of legs, by their trunks and ids

	together Together // nil: this node counts its own
	log      *slog.Logger
	later    func(func(context.Context))
}

// Together counts the calls of trunks that have bounds, by their names and the ids of their legs, with all nodes. While it
// fails, each node counts its own.
type Together interface {
	// Take counts one more, if judge lets it: it is told how many run, and how many began in the last second, of which the first
	// did so long ago. Nobody else counts meanwhile.
	Take(ctx context.Context, trunk, leg string, judge func(running, began int, first time.Duration) error) error
	// Have counts one that runs, whatever there is, and whichever node had it. was is the id that it had here, if it had another.
	Have(ctx context.Context, trunk, leg, was string) error
	// Give ends one.
	Give(ctx context.Context, trunk, leg string) error
	// Over ends one that its peer does not know any more, whichever node had it.
	Over(ctx context.Context, trunk, leg string) error
	// Leave takes back one that did not begin here.
	Leave(ctx context.Context, trunk, leg string) error
	// Renew says that those of this node run: each leg of its trunk. What could not be said of them before is made up for.
	Renew(ctx context.Context, trunks, legs []string) error
}

const (
	countWithin = 2 * time.Second
	renewEvery  = 15 * time.Second
)

// renew says that the calls of this node run, until ctx ends.
func (l *limits) renew(ctx context.Context) {
	again := time.NewTicker(renewEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		trunks, legs := l.counted()
		if err := l.together.Renew(ctx, trunks, legs); err != nil && ctx.Err() == nil {
			l.log.Warn("other nodes cannot be told that the calls of trunks run here", "error", err)
		}
	}
}

// counted are the legs of this node that count with those of others.
func (l *limits) counted() (trunks, legs []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.places {
		if p.trunk.bounded() {
			trunks, legs = append(trunks, trunkKey(p.trunk)), append(legs, p.leg)
		}
	}
	return trunks, legs
}

// place is that of a leg, from before its call begins to its end.
type place struct {
	trunk Trunk
	leg   string
	at    time.Time
	holds int  // who keep it, to have the leg dialled: one does, at most
	taken bool // the leg has it
}

func trunkKey(t Trunk) string { return t.TenantID + "/" + t.Name }

func placeOf(t Trunk, leg string) string { return trunkKey(t) + "\n" + leg }

func (t Trunk) bounded() bool { return t.MaxCalls > 0 || t.CallsPerSecond > 0 }

// has notes the place that a leg has taken. The caller holds the lock.
func (l *limits) has(p *place) {
	if l.places == nil {
		l.places = map[string]*place{}
	}
	l.places[placeOf(p.trunk, p.leg)] = p
}

// take begins the call of a leg, which may have a place, or says when one may.
func (l *limits) take(ctx context.Context, sid string, t Trunk, now time.Time) error {
	l.mu.Lock()
	if p := l.places[placeOf(t, sid)]; p != nil && !p.taken {
		p.taken = true
		l.mu.Unlock()
		return nil
	}
	l.mu.Unlock()
	if err := l.count(ctx, sid, t, now); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.has(&place{trunk: t, leg: sid, at: now, taken: true})
	return nil
}

// keep has a place for a leg, until leave, or says when there may be one. Whoever else keeps it, or has dialled the leg, keeps it behind
// that: the same call may be told of twice.
func (l *limits) keep(ctx context.Context, sid string, t Trunk, now time.Time) (leave func(), err error) {
	l.mu.Lock()
	p := l.held(t, sid)
	l.mu.Unlock()
	if p != nil {
		return l.leaves(p), nil
	}
	if err := l.count(ctx, sid, t, now); err != nil {
		return nil, err
	}
	l.mu.Lock()
	if p = l.held(t, sid); p == nil {
		p = &place{trunk: t, leg: sid, at: now, holds: 1}
		l.has(p)
		l.mu.Unlock()
		return l.leaves(p), nil
	}
	l.mu.Unlock()
	l.uncount(t, now) // another was quicker
	return l.leaves(p), nil
}

// held is the place that a leg has here, with one more who keeps it. The caller holds the lock.
func (l *limits) held(t Trunk, sid string) *place {
	p := l.places[placeOf(t, sid)]
	if p != nil {
		p.holds++
	}
	return p
}

// leaves gives up a place, if nobody else keeps it and it was not taken.
func (l *limits) leaves(p *place) func() {
	return sync.OnceFunc(func() {
		l.mu.Lock()
		p.holds--
		last := p.holds == 0 && !p.taken
		if key := placeOf(p.trunk, p.leg); last && l.places[key] == p {
			delete(l.places, key)
		}
		l.mu.Unlock()
		if !last {
			return
		}
		l.uncount(p.trunk, p.at)
		if l.together != nil && p.trunk.bounded() { // now: the same leg may be kept a place for next
			l.shared(context.Background(), p.trunk, func(ctx context.Context) error {
				return l.together.Leave(ctx, trunkKey(p.trunk), p.leg)
			})
		}
	})
}

// takeIn begins a call that comes in: full says that the trunk has as many as it may have, an error that
// it begins too many at once.
func (l *limits) takeIn(ctx context.Context, id string, t Trunk, now time.Time) (full bool, err error) {
	if err = l.take(ctx, id, t, now); errors.As(err, new(allCalls)) {
		return true, nil
	}
	return false, err
}

// named gives a call that came in the id by which every node knows it.
func (l *limits) named(ctx context.Context, was, sid string, t Trunk) {
	l.mu.Lock()
	if p := l.places[placeOf(t, was)]; p != nil {
		delete(l.places, placeOf(t, was))
		p.leg = sid
		l.has(p)
	}
	l.mu.Unlock()
	if l.together != nil && t.bounded() {
		l.shared(ctx, t, func(ctx context.Context) error { return l.together.Have(ctx, trunkKey(t), sid, was) })
	}
}

// takeOver counts a call that another node had.
func (l *limits) takeOver(sid string, t Trunk) {
	l.mu.Lock()
	l.running[trunkKey(t)]++
	l.has(&place{trunk: t, leg: sid, taken: true})
	l.mu.Unlock()
	l.behind(t, func(ctx context.Context) error { return l.together.Have(ctx, trunkKey(t), sid, "") })
}

// count is of one more call: of this node, and then of all.
func (l *limits) count(ctx context.Context, sid string, t Trunk, now time.Time) error {
	if err := l.countHere(t, now); err != nil || l.together == nil || !t.bounded() {
		return err
	}
	var full error
	l.shared(ctx, t, func(ctx context.Context) error {
		err := l.together.Take(ctx, trunkKey(t), sid, func(running, began int, first time.Duration) error {
			full = t.full(running, began, first)
			return full
		})
		if full != nil {
			return nil
		}
		return err
	})
	if full != nil {
		l.uncount(t, now)
	}
	return full
}

// shared asks for what all nodes count, and tells who reads the log if that cannot be done.
func (l *limits) shared(ctx context.Context, t Trunk, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, countWithin)
	defer cancel()
	if err := do(ctx); err != nil {
		l.log.Warn("the calls of a trunk could not be counted with those of other nodes", "trunk", t.Name, "tenant", t.TenantID, "error", err)
	}
}

// behind is shared, behind whoever has the call.
func (l *limits) behind(t Trunk, do func(context.Context) error) {
	if l.together != nil && t.bounded() {
		l.later(func(ctx context.Context) { l.shared(ctx, t, do) })
	}
}

func (l *limits) countHere(t Trunk, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := trunkKey(t)
	recent := l.began[key]
	for len(recent) > 0 && now.Sub(recent[0]) >= time.Second {
		recent = recent[1:]
	}
	l.began[key] = recent
	var first time.Duration
	if len(recent) > 0 {
		first = now.Sub(recent[0])
	}
	if err := t.full(l.running[key], len(recent), first); err != nil {
		return err
	}
	l.running[key]++
	l.began[key] = append(recent, now)
	return nil
}

// uncount takes that back.
func (l *limits) uncount(t Trunk, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := trunkKey(t)
	if i := slices.Index(l.began[key], at); i >= 0 {
		l.began[key] = slices.Delete(l.began[key], i, i+1)
	}
	l.less(key)
}

// allCalls says that a trunk has all its calls, and not that they begin too quickly.
type allCalls struct{ error }

func (e allCalls) Unwrap() error { return e.error }

// full says that a trunk takes no more now.
func (t Trunk) full(running, began int, first time.Duration) error {
	switch {
	case t.MaxCalls > 0 && running >= t.MaxCalls:
		return allCalls{fault.New(fault.QueueFull, "the trunk %s has its %d calls at a time", t.Name, t.MaxCalls).After(time.Second)}
	case t.CallsPerSecond > 0 && began >= t.CallsPerSecond:
		return fault.New(fault.QueueFull, "the trunk %s begins no more than %d calls in a second", t.Name, t.CallsPerSecond).
			After(time.Second - first)
	}
	return nil
}

// give ends a call.
func (l *limits) give(sid string, t Trunk) {
	l.forget(sid, t)
	l.behind(t, func(ctx context.Context) error { return l.together.Give(ctx, trunkKey(t), sid) })
}

// over ends a call of a node that is gone: its place is free at once, and not when nobody has renewed it.
func (l *limits) over(sid string, t Trunk) {
	l.behind(t, func(ctx context.Context) error { return l.together.Over(ctx, trunkKey(t), sid) })
}

// forget ends a call here that goes on at another node, which counts it as its own, or that others end.
func (l *limits) forget(sid string, t Trunk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.places, placeOf(t, sid))
	l.less(trunkKey(t))
}

func (l *limits) less(key string) {
	if l.running[key]--; l.running[key] <= 0 {
		delete(l.running, key)
	}
}

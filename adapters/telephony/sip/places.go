package sip

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	placeFor  = 10 * time.Second // a name is believed to lead where it led, or nowhere
	mostLooks = 32               // at names that nobody has looked at before, at a time
	lookFor   = time.Second      // at those, while all who call in wait; then it goes on behind them
)

// places remember where the peers of trunks are.
type places struct {
	mu    sync.Mutex
	found map[string]whereabouts // by transport and address
}

type whereabouts struct {
	at      netip.Addr // invalid: nowhere
	looked  time.Time
	looking bool
}

func placeKey(t Trunk) string { return string(t.Transport) + " " + t.hop() }

// peersOf are the addresses of the trunks' peers; one that was not found is invalid. Others are forgotten.
func (a *Agent) peersOf(ctx context.Context, all []Trunk) []netip.Addr {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	out, used := make([]netip.Addr, len(all)), map[string]bool{}
	var looks errgroup.Group
	looks.SetLimit(mostLooks)
	for i, t := range all {
		used[placeKey(t)] = true
		looks.Go(func() error {
			out[i] = a.peerOf(ctx, t)
			return nil
		})
	}
	_ = looks.Wait() // none fails
	a.sources.places.mu.Lock()
	defer a.sources.places.mu.Unlock()
	for key := range a.sources.places.found {
		if !used[key] {
			delete(a.sources.places.found, key)
		}
	}
	return out
}

// peerOf is the address of a trunk's peer. Nobody waits for a name that was looked at before: that is done behind him.
func (a *Agent) peerOf(ctx context.Context, t Trunk) netip.Addr {
	p, key := &a.sources.places, placeKey(t)
	p.mu.Lock()
	is, known := p.found[key]
	again := known && !is.looking && time.Since(is.looked) >= placeFor
	if again {
		is.looking = true
		p.found[key] = is
	}
	p.mu.Unlock()
	switch {
	case again:
		a.later(func(ctx context.Context) { a.look(ctx, t) })
	case !known:
		return a.look(ctx, t)
	}
	return is.at
}

// look finds a trunk's peer. One whose name leads nowhere is where it was: names fail for a while, and calls go on.
func (a *Agent) look(ctx context.Context, t Trunk) netip.Addr {
	at, err := a.locate(ctx, t.hop(), t.Transport)
	p, key := &a.sources.places, placeKey(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	is := p.found[key]
	switch {
	case err == nil:
		is.at = at.Addr()
	case errors.Is(err, errRefused):
		is.at = netip.Addr{}
	}
	is.looked, is.looking = time.Now(), false
	if ctx.Err() != nil { // it is not known yet
		is.looked = time.Time{}
	}
	p.found[key] = is
	return is.at
}

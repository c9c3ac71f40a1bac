package sip

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"
)

const (
	mostRefusals  = 3                // that somebody is told of whom no trunk knows; behind them nothing
	forgotten     = 10 * time.Minute // without a request, and a stranger is one again
	mostStrangers = 10_000
	mostPerSource = 100 // calls that one source may begin in a second
	believedFor   = 2 * time.Second
	readWithin    = 10 * time.Second
)

// sources know where calls may come from, and count what comes from elsewhere.
type sources struct {
	reading sync.Mutex // held while the trunks are read: who comes meanwhile waits for them
	trunks  []inboundTrunk
	read    time.Time // or tried to be

	places places

	mu        sync.Mutex
	strangers map[netip.Addr]*stranger
	earlier   map[netip.Addr]*stranger   // of the time before
	turned    time.Time                  // when that time ended
	recent    map[netip.Addr][]time.Time // calls of the last second
}

type stranger struct {
	told int
	last time.Time
}

// inboundTrunk is a trunk with the blocks of addresses that its calls come from.
type inboundTrunk struct {
	Trunk
	from []netip.Prefix
}

// bits is the narrowest block of the trunk that an address is in; -1: it is in none.
func (t inboundTrunk) bits(addr netip.Addr) int {
	found := -1
	for _, block := range t.from {
		if block.Contains(addr) {
			found = max(found, block.Bits())
		}
	}
	return found
}

// from is where a request came from.
func from(r *sip.Request) (netip.AddrPort, bool) {
	at, err := netip.ParseAddrPort(r.Source())
	if err != nil {
		return netip.AddrPort{}, false
	}
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port()), true
}

// silent reports whether a stranger is told nothing any more.
func (s *sources) silent(addr netip.Addr, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.turned) > forgotten { // nobody is looked for among many: those who stay away go with their time
		s.strangers, s.earlier, s.turned = map[netip.Addr]*stranger{}, s.strangers, now
	}
	one := s.strangers[addr]
	if one == nil && len(s.strangers) >= mostStrangers { // a flood from made-up addresses
		return true
	}
	if one == nil {
		one = s.earlier[addr]
	}
	if one == nil || now.Sub(one.last) > forgotten {
		one = &stranger{}
	}
	s.strangers[addr] = one
	one.last = now
	one.told++
	return one.told > mostRefusals
}

// flooding reports whether a source begins more calls than it may.
func (s *sources) flooding(addr netip.Addr, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recent) > mostStrangers {
		clear(s.recent)
	}
	recent := s.recent[addr]
	for len(recent) > 0 && now.Sub(recent[0]) >= time.Second {
		recent = recent[1:]
	}
	if len(recent) >= mostPerSource {
		s.recent[addr] = recent
		return true
	}
	s.recent[addr] = append(recent, now)
	return false
}

// inbound are the trunks over which calls come in, as they were a moment ago. They are read once for all who ask, and after a
// failure not sooner than after a success.
func (a *Agent) inbound(ctx context.Context) []inboundTrunk {
	s := &a.sources
	s.reading.Lock()
	defer s.reading.Unlock()
	if a.cfg.Trunks == nil || time.Since(s.read) < believedFor {
		return s.trunks
	}
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	all, err := a.cfg.Trunks(ctx)
	if err != nil {
		a.cfg.Log.Error("the trunks over which calls come in cannot be read", "error", err)
		s.read = time.Now()
		return s.trunks
	}
	peers := a.peersOf(ctx, all)
	known := make([]inboundTrunk, len(all))
	for i, t := range all {
		known[i].Trunk = t
		for _, block := range t.Sources {
			if p, err := netip.ParsePrefix(block); err == nil {
				known[i].from = append(known[i].from, p)
			}
		}
		if at := peers[i]; at.IsValid() { // the peer itself, which is also its registrar
			known[i].from = append(known[i].from, netip.PrefixFrom(at, at.BitLen()))
		}
	}
	s.trunks, s.read = known, time.Now()
	return known
}

// named reports whether the user of a URI is the name that we have at the trunk.
func (t Trunk) named(user string) bool {
	return t.Username != "" && (strings.EqualFold(user, t.Username) || strings.EqualFold(user, escaped(t.Username)))
}

// trunksAt are the trunks that a request may be of: those that its source is of, the one whose block is
// the narrowest first. One that the request was sent to by the name that we registered is the only one of its account:
// others may write that name into a trunk of theirs.
func (a *Agent) trunksAt(ctx context.Context, addr netip.Addr, user string) []Trunk {
	var named, found []inboundTrunk
	for _, t := range a.inbound(ctx) {
		switch {
		case t.bits(addr) < 0:
		case t.Register && t.named(user):
			named = append(named, t)
		default:
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(x, y inboundTrunk) int { return y.bits(addr) - x.bits(addr) })
	found = append(named, slices.DeleteFunc(found, func(t inboundTrunk) bool {
		return slices.ContainsFunc(named, func(n inboundTrunk) bool { return n.TenantID == t.TenantID })
	})...)
	out := make([]Trunk, len(found))
	for i, t := range found {
		out[i] = t.Trunk
	}
	return out
}

// turnAway refuses what nothing here is asked by. Whom no trunk knows is told so a few times, and then
// nothing at all: who looks for something to call through finds nobody.
func (a *Agent) turnAway(r *sip.Request, tx sip.ServerTransaction, code int, reason string, more ...sip.Header) {
	at, ok := from(r)
	if !ok {
		return
	}
	if !a.knows(r) && a.sources.silent(at.Addr(), time.Now()) {
		return
	}
	answer(r, tx, code, reason, more...)
}

// knows reports whether a request comes from where a trunk is.
func (a *Agent) knows(r *sip.Request) bool {
	at, ok := from(r)
	return ok && (a.leg(r) != nil || a.knowsAt(at.Addr()))
}

// knowsAt reports whether a trunk is at an address.
func (a *Agent) knowsAt(addr netip.Addr) bool {
	return a.cfg.Trunks == nil || slices.ContainsFunc(a.inbound(a.working), func(t inboundTrunk) bool { return t.bits(addr) >= 0 })
}

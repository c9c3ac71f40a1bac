package sip

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/trunks"
)

// Given trunks that cannot be read, when many ask where calls come from, then they are read once for all of them.
func TestTrunksAreReadOnceForAllWhoAsk(t *testing.T) {
	var read atomic.Int32
	a := &Agent{cfg: Config{Log: slog.Default(), Trunks: func(context.Context) ([]Trunk, error) {
		read.Add(1)
		return nil, errors.New("out of reach")
	}}}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { a.inbound(t.Context()) })
	}
	all.Wait()
	require.EqualValues(t, 1, read.Load())
}

// Given a peer that was found, when its name leads nowhere, then it is where it was; when its name leads inward, it is nowhere.
func TestAPeerWhoseNameFailsIsWhereItWas(t *testing.T) {
	was := netip.MustParseAddr("192.0.2.1")
	a := &Agent{cfg: Config{Allow: func(a netip.Addr) bool { return !a.IsLoopback() }}}
	for name, want := range map[string]netip.Addr{"trunk.invalid": was, "localhost:5060": {}} {
		trunk := Trunk{Address: name, Transport: trunks.UDP}
		a.sources.places.found = map[string]whereabouts{placeKey(trunk): {at: was}}
		require.Equal(t, want, a.look(t.Context(), trunk), name)
		require.Equal(t, []netip.Addr{want}, a.peersOf(t.Context(), []Trunk{trunk}), "and is believed to be")
	}
	a.peersOf(t.Context(), nil)
	require.Empty(t, a.sources.places.found, "without its trunk it is forgotten")
}

// Given a name that takes long to be found, then nobody waits for it but a moment, and it is looked at behind them.
func TestANameThatTakesLongIsLookedAtAgain(t *testing.T) {
	a := &Agent{working: t.Context(), cfg: Config{Log: slog.Default(), Allow: func(netip.Addr) bool { return true }}}
	trunk := Trunk{Address: "localhost:5060", Transport: trunks.UDP}
	a.sources.places.found = map[string]whereabouts{}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, []netip.Addr{{}}, a.peersOf(late, []Trunk{trunk}))
	require.Equal(t, []netip.Addr{{}}, a.peersOf(t.Context(), []Trunk{trunk}))
	a.work.Wait()
	require.True(t, a.peersOf(t.Context(), []Trunk{trunk})[0].IsLoopback())
}

// Given strangers, then each is told three times, and again when he stayed away for long; of too many, nobody new is told.
func TestHowOftenStrangersAreTold(t *testing.T) {
	var s sources
	told := func(addr netip.Addr, at time.Time) (n int) {
		for range 5 {
			if !s.silent(addr, at) {
				n++
			}
		}
		return n
	}
	require.Equal(t, 3, told(somebody.Addr(), noon))
	require.Zero(t, told(somebody.Addr(), noon.Add(9*time.Minute)))
	require.Zero(t, told(somebody.Addr(), noon.Add(18*time.Minute)), "he came back before he was forgotten")
	require.Equal(t, 3, told(somebody.Addr(), noon.Add(29*time.Minute)))
	for i := range uint32(mostStrangers) {
		s.silent(netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, 0x0a000000+i))), noon.Add(30*time.Minute))
	}
	require.Zero(t, told(peer.Addr(), noon.Add(30*time.Minute)))
	require.LessOrEqual(t, len(s.strangers), mostStrangers)
	require.Equal(t, 3, told(peer.Addr(), noon.Add(50*time.Minute)))
}

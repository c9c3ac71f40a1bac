package sip

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/trunks"
)

// told is the end of a transaction at which its answers come out.
type told struct {
	sip.ServerTransaction
	last *sip.Response
}

func (x *told) Respond(res *sip.Response) error {
	x.last = res
	return nil
}

// rungFrom is what becomes of a call from a source: taken, full, or its code.
func rungFrom(t *testing.T, a *Agent, source string, n int) string {
	t.Helper()
	message, err := sip.ParseMessage(fmt.Appendf(nil, "INVITE sip:+15550100@192.0.2.9 SIP/2.0\r\nVia: SIP/2.0/UDP %s;branch=z9hG4bK%d\r\n"+
		"From: <sip:+15550000001@x>;tag=%[2]d\r\nTo: <sip:+15550100@x>\r\nCall-ID: %[2]d\r\nCSeq: 1 INVITE\r\nContact: <sip:x@%[1]s>\r\n"+
		"Content-Length: 0\r\n\r\n", source, n))
	require.NoError(t, err)
	message.SetSource(source)
	tx := &told{}
	in, _, code := a.incoming(message.(*sip.Request), tx)
	switch {
	case code != 0:
		return fmt.Sprint(code)
	case in == nil:
		require.Equal(t, "1", tx.last.GetHeader("Retry-After").Value())
		return fmt.Sprint(tx.last.StatusCode)
	}
	defer in.facts.close()
	defer in.silence()
	if in.full {
		return "full"
	}
	return "taken"
}

// Given a source that begins many calls at once, and trunks with limits, then what is too much is told to come again, and another
// source and another trunk are none the worse for it.
func TestHowManyCallsComeIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trunk := func(name, address string, settings trunks.Settings) Trunk {
			settings.Codecs = []string{trunks.PCMU}
			return Trunk{Name: name, Address: address, Settings: settings}
		}
		a := &Agent{host: "192.0.2.9", port: 5060, working: t.Context(), ports: newPortRange("127.0.0.1", 20_000, 24_999),
			limits: limits{running: map[string]int{}, began: map[string][]time.Time{}}, cfg: Config{Log: slog.Default(),
				Allow: func(netip.Addr) bool { return true },
				Trunk: func(context.Context, string, string) (Trunk, error) { return Trunk{}, errNoDialog },
				Trunks: func(context.Context) ([]Trunk, error) {
					return []Trunk{trunk("free", "192.0.2.1", trunks.Settings{}), trunk("slow", "192.0.2.2", trunks.Settings{CallsPerSecond: 2}),
						trunk("small", "192.0.2.3", trunks.Settings{MaxCalls: 1})}, nil
				}}}
		a.sources.recent, a.sources.places.found = map[netip.Addr][]time.Time{}, map[string]whereabouts{}
		n := 0
		rings := func(source string) string {
			n++
			return rungFrom(t, a, source+":5060", n)
		}
		for range mostPerSource {
			require.Equal(t, "taken", rings("192.0.2.1"))
		}
		require.Equal(t, "503", rings("192.0.2.1"))
		require.Equal(t, []string{"taken", "taken", "503"}, []string{rings("192.0.2.2"), rings("192.0.2.2"), rings("192.0.2.2")})
		require.Equal(t, []string{"taken", "full"}, []string{rings("192.0.2.3"), rings("192.0.2.3")})
		require.Equal(t, "403", rings("192.0.2.4"))
		time.Sleep(time.Second)
		require.Equal(t, []string{"taken", "taken", "full"}, []string{rings("192.0.2.1"), rings("192.0.2.2"), rings("192.0.2.3")})
		a.limits.give("", trunk("small", "", trunks.Settings{}))
		require.Equal(t, "taken", rings("192.0.2.3"))
		require.Equal(t, 101, a.limits.running[trunkKey(Trunk{Name: "free"})])
	})
}

// shared is what nodes count together, or cannot.
type shared struct {
	mu    sync.Mutex
	rows  map[string]map[string]bool // by leg, the nodes that have it
	began int
	err   error
}

// running are the legs that count.
func (s *shared) running() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.rows))
}

// node is one of those that count, and that begin calls.
func (s *shared) node(t *testing.T, name string) *limits {
	return &limits{running: map[string]int{}, began: map[string][]time.Time{}, together: sharing{s, name},
		log: slog.New(slog.DiscardHandler), later: func(do func(context.Context)) { do(t.Context()) }}
}

type sharing struct {
	*shared
	node string
}

func (s sharing) Take(_ context.Context, _, leg string, judge func(int, int, time.Duration) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	others := len(s.rows)
	if s.rows[leg] != nil {
		others--
	}
	if err := judge(others, s.began, time.Second/4); err != nil {
		return err
	}
	s.has(leg)
	s.began++
	return nil
}

func (s sharing) has(leg string) {
	if s.rows[leg] == nil {
		s.rows[leg] = map[string]bool{}
	}
	s.rows[leg][s.node] = true
}

func (s sharing) ends(leg string) {
	if delete(s.rows[leg], s.node); len(s.rows[leg]) == 0 {
		delete(s.rows, leg)
	}
}

func (s sharing) locked(do func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		do()
	}
	return s.err
}

func (s sharing) Have(_ context.Context, _, leg, was string) error {
	return s.locked(func() { s.ends(was); delete(s.rows, leg); s.has(leg) })
}

func (s sharing) Give(_ context.Context, _, leg string) error {
	return s.locked(func() { s.ends(leg) })
}

func (s sharing) Over(_ context.Context, _, leg string) error {
	return s.locked(func() { delete(s.rows, leg) })
}

func (s sharing) Leave(_ context.Context, _, leg string) error {
	return s.locked(func() { s.ends(leg) })
}

func (s sharing) Renew(_ context.Context, _, legs []string) error {
	return s.locked(func() {
		for _, leg := range legs {
			s.has(leg)
		}
	})
}

// Given two nodes with one trunk, then its bounds are those of both together; while they cannot count together, each counts its own; and
// of a trunk without bounds nobody counts anything with others.
func TestTheBoundsOfATrunkAreThoseOfAllNodes(t *testing.T) {
	all := &shared{rows: map[string]map[string]bool{}}
	one, two, now := all.node(t, "one"), all.node(t, "two"), time.Now()
	small := Trunk{Name: "small", Settings: trunks.Settings{MaxCalls: 2}}
	require.NoError(t, one.take(t.Context(), "s-1", small, now))
	keeps(t, two, "s-2", small, now)
	require.NoError(t, two.take(t.Context(), "s-2", small, now), "it has a place")
	for _, n := range []*limits{one, two} {
		require.True(t, fault.Is(n.take(t.Context(), "s-3", small, now), fault.QueueFull))
		full, err := n.takeIn(t.Context(), "in", small, now)
		require.NoError(t, err)
		require.True(t, full)
		require.Equal(t, 1, n.running[trunkKey(small)], "what was refused counts nowhere")
	}
	one.give("s-1", small)
	keeps(t, two, "s-3", small, now)()
	one.takeOver("s-4", small)
	require.Equal(t, []string{"s-2", "s-4"}, all.running())

	all.err = errors.New("away")
	require.NoError(t, one.take(t.Context(), "s-5", small, now), "this node has one of its two")
	require.True(t, fault.Is(one.take(t.Context(), "s-6", small, now), fault.QueueFull))

	all.err, all.began = nil, 3
	slow := Trunk{Name: "slow", Settings: trunks.Settings{CallsPerSecond: 3}}
	full, err := one.takeIn(t.Context(), "in", slow, now)
	require.False(t, full, "the next may come soon")
	require.True(t, fault.Is(err, fault.QueueFull))
	require.NoError(t, one.take(t.Context(), "s-7", Trunk{Name: "free"}, now))
	require.NotContains(t, all.running(), "s-7")
}

// keeps has a place for a leg.
func keeps(t *testing.T, l *limits, leg string, of Trunk, at time.Time) (leave func()) {
	t.Helper()
	leave, err := l.keep(t.Context(), leg, of, at)
	require.NoError(t, err)
	return leave
}

// Given a dial-out that is told of twice, at two nodes or at one, then it has one place, which it keeps when whoever does not dial it
// leaves, before and after whoever does has dialled it.
func TestADialOutThatIsToldOfTwice(t *testing.T) {
	small, now := Trunk{Name: "small", Settings: trunks.Settings{MaxCalls: 2}}, time.Now()
	for name, same := range map[string]bool{"two nodes": false, "one node": true} {
		t.Run(name, func(t *testing.T) {
			for _, late := range []bool{false, true} {
				all := &shared{rows: map[string]map[string]bool{}}
				dials, another := all.node(t, "one"), all.node(t, "two")
				if same {
					another = dials
				}
				dialled, left := keeps(t, dials, "s-1", small, now), keeps(t, another, "s-1", small, now)
				keeps(t, another, "s-2", small, now)
				if late {
					require.NoError(t, dials.take(t.Context(), "s-1", small, now))
				}
				left()
				left = keeps(t, another, "s-1", small, now)
				if !late {
					require.NoError(t, dials.take(t.Context(), "s-1", small, now), "its place is not another's")
				}
				dialled()
				left()
				require.Equal(t, []string{"s-1", "s-2"}, all.running())
				_, err := dials.keep(t.Context(), "s-3", small, now)
				require.True(t, fault.Is(err, fault.QueueFull))
				dials.give("s-1", small)
				require.Equal(t, []string{"s-2"}, all.running())
				keeps(t, dials, "s-3", small, now)()
			}
		})
	}
}

// Given a call that came in, when another node takes it over, then it counts once; so does one that its node leaves to the other, which
// counts until that has it.
func TestACallThatIsTakenOverCountsOnce(t *testing.T) {
	all := &shared{rows: map[string]map[string]bool{}}
	one, two, now := all.node(t, "one"), all.node(t, "two"), time.Now()
	small := Trunk{Name: "small", Settings: trunks.Settings{MaxCalls: 1}}
	full, err := one.takeIn(t.Context(), "our tag", small, now)
	require.NoError(t, err)
	require.False(t, full)
	one.named(t.Context(), "our tag", "s-1", small)
	require.Equal(t, []string{"s-1"}, all.running())
	one.forget("s-1", small)
	full, err = one.takeIn(t.Context(), "another", small, now)
	require.NoError(t, err)
	require.True(t, full, "the call goes on")
	require.Empty(t, one.running)
	two.takeOver("s-1", small)
	require.Equal(t, map[string]map[string]bool{"s-1": {"two": true}}, all.rows)
	two.give("s-1", small)
	require.Empty(t, all.running())
}

// Given a node that could not say for a while which calls it has, then it says so when it can: what runs, and no more.
func TestWhatCouldNotBeCountedIsMadeUpFor(t *testing.T) {
	all := &shared{rows: map[string]map[string]bool{}}
	one, now := all.node(t, "one"), time.Now()
	small := Trunk{Name: "small", Settings: trunks.Settings{MaxCalls: 9}}
	require.NoError(t, one.take(t.Context(), "s-1", small, now))
	all.err = errors.New("away")
	one.give("s-1", small)
	require.NoError(t, one.take(t.Context(), "s-2", small, now))
	require.NoError(t, one.take(t.Context(), "s-3", Trunk{Name: "free"}, now))
	all.err = nil
	names, legs := one.counted()
	require.Equal(t, [][]string{{"/small"}, {"s-2"}}, [][]string{names, legs})
}

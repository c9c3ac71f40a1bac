package main

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
)

// link is a wire to a server that a test can cut and mend.
type link struct {
	listener net.Listener
	target   string
	mu       sync.Mutex
	cut      bool
	open     map[net.Conn]bool
}

func newLink(t *testing.T, target string) *link {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	x := &link{listener: l, target: target, open: map[net.Conn]bool{}}
	go x.serve()
	t.Cleanup(func() {
		_ = l.Close()
		x.set(true)
	})
	return x
}

func (x *link) address() string { return x.listener.Addr().String() }

func (x *link) serve() {
	for {
		from, err := x.listener.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", x.target)
		if err != nil || !x.keep(from, to) {
			_ = from.Close()
			if to != nil {
				_ = to.Close()
			}
			continue
		}
		for _, pair := range [][2]net.Conn{{from, to}, {to, from}} {
			go func() {
				_, _ = io.Copy(pair[0], pair[1])
				_, _ = pair[0].Close(), pair[1].Close()
			}()
		}
	}
}

// keep remembers a connection, unless the link is cut.
func (x *link) keep(both ...net.Conn) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range both {
		x.open[c] = true
	}
	return !x.cut
}

// set cuts the link, with all its connections, or mends it.
func (x *link) set(cut bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cut = cut
	if cut {
		for c := range x.open {
			_ = c.Close()
		}
		clear(x.open)
	}
}

// refused is how many answers were refusals.
func (l *ledger) refused() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, times := range l.refusals {
		n += times
	}
	return n
}

// outage takes something away under load until callers have been refused, brings it
// back, and waits until they are answered again.
func outage(t *testing.T, p *process, l *ledger, name string, away, back func(), enough int, nodes ...client) {
	t.Helper()
	x := startLoad(l, name, 4, nodes...)
	before := l.acknowledged()
	p.await("acknowledgements before: "+name, func() bool { return l.acknowledged() >= before+30 })
	refused := l.refused()
	away()
	p.await("refusals: "+name, func() bool { return l.refused() >= refused+enough })
	a, err := nodes[0].dialOut(name)
	require.NoError(t, err)
	if a.status != http.StatusOK { // another node may have what this one lacks
		require.Contains(t, []string{"CATCHING_UP", "NOT_EXECUTED", "OUTCOME_UNKNOWN"}, a.code, "%s", a)
		require.Contains(t, string(a.body), "retryAfterMs")
	}
	l.asked(name)
	back()
	mended := time.Now()
	p.awaitReady()
	after := l.acknowledged()
	p.await("acknowledgements after: "+name, func() bool { return l.acknowledged() >= after+30 })
	x.stop()
	t.Logf("%s: ready and answering %s after it was mended; refusals so far %v", name, time.Since(mended).Round(time.Millisecond), l.refusals)
}

// requireKept: callers were refused politely, and what they were told holds.
func (f *fleet) requireKept(l *ledger, c client) {
	f.t.Helper()
	for refusal := range l.refusals {
		require.True(f.t, strings.HasPrefix(refusal, "503 "), "callers were answered %v", l.refusals)
	}
	l.settle(f.t, c)
	l.requireSame(f.t, c)
	l.awaitEnds(f.t, c)
	requireOneEndEach(f.t, strings.Join(f.brokers, ","), l)
}

// When Postgres is out of reach under load, of one node or of all, callers are told so
// and when to come back; it all goes on by itself, nothing that was acknowledged is
// lost and nothing is done twice.
func TestPostgresOutOfReachIsSurvived(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	database, err := url.Parse(f.database)
	require.NoError(t, err)
	wire := newLink(t, database.Host)
	database.Host = wire.address()
	cut, mend := func() { wire.set(true) }, func() { wire.set(false) }
	behind := f.node("--database-url", database.String())
	direct := f.node()
	l := newLedger()
	outage(t, behind, l, "one of two", cut, mend, 20, f.client(behind), f.client(direct))
	direct.terminate()
	require.Zero(t, direct.exit(drainTimeout+patience), direct.out.tail())
	outage(t, behind, l, "the only one", cut, mend, 20, f.client(behind))
	f.requireKept(l, f.client(behind))
}

// The same with Kafka: what waits for the log is answered when its time is up.
func TestKafkaOutOfReachIsSurvived(t *testing.T) {
	t.Parallel()
	binary(t) // skips
	cfg := embedded.BrokerConfig{Dir: t.TempDir(), Listen: freeAddress(t), UnsafeNoSync: true, UnsafeOpen: true,
		Log: slog.New(slog.DiscardHandler)}
	broker, err := embedded.StartBroker(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = broker.Close() })
	stop := func() { require.NoError(t, broker.Close()) }
	start := func() {
		addresses := broker.Addrs()
		broker, err = embedded.StartBroker(cfg)
		require.NoError(t, err)
		require.Equal(t, addresses, broker.Addrs())
	}
	f := newFleetOn(t, broker.Addrs(), embeddedtest.Database(t))
	one, two := f.node(), f.node()
	l := newLedger()
	outage(t, one, l, "Kafka away", stop, start, 4, f.client(one), f.client(two))
	two.awaitReady()
	f.requireKept(l, f.client(two))
}

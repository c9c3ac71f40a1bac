package engine_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/embedded/private"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

func oneMore(enginetest.Counter) ([]event.Payload, error) {
	return []event.Payload{enginetest.Added{By: 1}}, nil
}

// traffic counts up some streams without end and reads each again at once: the
// result never may be less than what was acknowledged before.
type traffic struct {
	n      *enginetest.Node
	stop   context.CancelFunc
	ended  sync.WaitGroup
	acked  [4]atomic.Int64
	stale  atomic.Int64
	closed atomic.Int64 // refusals with CATCHING_UP
	what   atomic.Pointer[string]
}

// busy is one of the counters of the node's traffic.
func busy(n *enginetest.Node, i int) string { return fmt.Sprint(n.Store.Node, "-busy-", i) }

func startTraffic(n *enginetest.Node, t *testing.T) *traffic {
	ctx, cancel := context.WithCancel(t.Context())
	x := &traffic{n: n, stop: cancel}
	for i := range x.acked {
		stream := enginetest.Counters.Stream(busy(x.n, i))
		x.ended.Add(2)
		go func() {
			defer x.ended.Done()
			for ctx.Err() == nil {
				x.write(ctx, i, stream)
			}
		}()
		go func() {
			defer x.ended.Done()
			for ctx.Err() == nil {
				x.read(ctx, i, stream)
			}
		}()
	}
	t.Cleanup(x.end)
	return x
}

func (x *traffic) write(ctx context.Context, i int, stream string) {
	once, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	res, err := eventstore.Execute(once, x.n.Store, enginetest.Counters, stream, eventstore.Command{Tenant: "acme"}, oneMore)
	if err == nil {
		x.acked[i].Store(res.Events[0].Version)
		return
	}
	if fault.Is(err, fault.CatchingUp) {
		x.closed.Add(1)
	}
	x.rest(ctx)
}

func (x *traffic) read(ctx context.Context, i int, stream string) {
	least := x.acked[i].Load()
	got, err := eventstore.Read(ctx, x.n.Store, enginetest.Counters, stream)
	if err == nil && got.Version < least {
		x.stale.Add(1)
		what := fmt.Sprintf("%s: read %d after %d was acknowledged", stream, got.Version, least)
		x.what.Store(&what)
	}
	if fault.Is(err, fault.CatchingUp) {
		x.closed.Add(1)
	}
	x.rest(ctx)
}

func (*traffic) rest(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Millisecond):
	}
}

func (x *traffic) end() { x.stop(); x.ended.Wait() }

// flows waits until every stream has moved on from where it was.
func (x *traffic) flows(t *testing.T) {
	t.Helper()
	for i := range x.acked {
		before := x.acked[i].Load()
		enginetest.Soon(t, "commands are acknowledged", func() bool { return x.acked[i].Load() > before+3 })
	}
}

// holds checks that nothing acknowledged is missing.
func (x *traffic) holds(t *testing.T) {
	t.Helper()
	x.end()
	x.n.Open(t)
	for i := range x.acked {
		got, err := eventstore.Read(t.Context(), x.n.Store, enginetest.Counters, enginetest.Counters.Stream(busy(x.n, i)))
		require.NoError(t, err)
		require.GreaterOrEqual(t, got.Version, x.acked[i].Load())
		require.EqualValues(t, got.Version, got.State.N)
	}
	if what := x.what.Load(); what != nil {
		t.Fatalf("%d stale reads: %s", x.stale.Load(), *what)
	}
}

// Given a log full of events and a database that is gone, when a node starts, then
// it refuses until all is back, and the first answer is the whole one.
func TestNothingIsServedUntilTheReadModelsHaveCaughtUp(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	first := enginetest.Start(t, "a", brokers, url)
	for partition := range enginetest.Counters.Partitions {
		parent := ""
		for batch := range 20 {
			var all []*eventstore.Record
			for v := range 30 {
				c := enginetest.CommitOf(enginetest.IDOn(partition), int64(30*batch+v+1), parent, 1)
				parent = c[0].Commit
				all = append(all, c...)
			}
			enginetest.AppendRaw(first, t, partition, enginetest.Messages(all...)...)
		}
	}
	first.Stop()
	embeddedtest.DropDatabase(t, url)

	again := enginetest.Begin(t, "a", brokers, url)
	refused := 0
	enginetest.Soon(t, "reads open", func() bool {
		for partition := range enginetest.Counters.Partitions {
			got, err := eventstore.Read(t.Context(), again.Store, enginetest.Counters, enginetest.Counters.Stream(enginetest.IDOn(partition)))
			if err != nil {
				require.True(t, fault.Is(err, fault.CatchingUp), "%v", err)
				refused++
				return false
			}
			require.EqualValues(t, 600, got.Version)
		}
		return true
	})
	require.Positive(t, refused)
	require.Zero(t, again.Projector.Lag().Events)
	require.Empty(t, again.Projector.Lag().Waiting)
}

// Given read models that hold everything, when the database is lost sight of, then the node does not say that
// they are behind by the whole log: it says that it does not know (catchingUp) and what it knew.
func TestADatabaseThatIsAwayIsNotBehindByTheWholeLog(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url)
	for range 3 {
		_, err := n.Add(t, enginetest.IDOn(0), 1)
		require.NoError(t, err)
	}
	enginetest.Soon(t, "nothing is behind", func() bool { return n.Projector.Lag().Events == 0 })
	n.Projector.Reset("a test")
	for range 100 {
		lag := n.Projector.Lag()
		require.Zero(t, lag.Events, "%+v", lag)
		require.Zero(t, lag.Age, "%+v", lag)
	}
}

func TestADroppedDatabaseComesBackByItself(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url), enginetest.Start(t, "b", brokers, url)
	onA, onB := startTraffic(a, t), startTraffic(b, t)
	onA.flows(t)
	for range 2 {
		embeddedtest.DropDatabase(t, url)
		onA.flows(t)
		onB.flows(t)
	}
	onA.end()
	onB.end()
	onA.holds(t)
	onB.holds(t)
	require.Positive(t, onA.closed.Load()+onB.closed.Load(), "the accident was noticed")
	holdAll(t, a, b)
}

// ownPostgres is a server of the test's own, which it may crash.
func ownPostgres(t *testing.T, dir string) *private.Postgres {
	t.Helper()
	p, err := private.StartPostgres(t.Context(), private.PostgresConfig{Dir: dir, Log: slog.New(slog.DiscardHandler),
		// so that a crash loses a tail
		Settings: map[string]string{"wal_writer_delay": "10s", "wal_writer_flush_after": "0", "shared_buffers": "16MB"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// Given a Postgres that crashes and loses the newest of what it had, under traffic and
// without, then everything acknowledged is there once reads are open again, and no
// read ever shows less.
func TestACrashOfPostgresLosesNothing(t *testing.T) {
	t.Parallel()
	brokers := embeddedtest.Broker(t)
	dir := embeddedtest.DataFolder(t)
	server := ownPostgres(t, dir)
	n := enginetest.Start(t, "a", brokers, server.URL())
	x := startTraffic(n, t)
	x.flows(t)
	for range 2 {
		require.NoError(t, server.StopImmediate())
		server = ownPostgres(t, dir)
		x.flows(t)
	}
	x.holds(t)
	require.Positive(t, x.closed.Load(), "the crash was noticed")

	require.NoError(t, server.StopImmediate()) // and once without traffic
	ownPostgres(t, dir)
	enginetest.Soon(t, "all is back", func() bool {
		got, err := eventstore.Read(t.Context(), n.Store, enginetest.Counters, enginetest.Counters.Stream(busy(n, 0)))
		if err == nil {
			require.GreaterOrEqual(t, got.Version, x.acked[0].Load())
		}
		return err == nil
	})
}

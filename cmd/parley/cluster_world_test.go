package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
)

// fleet is one Kafka and one Postgres with the example workspace in them, for any
// number of nodes.
type fleet struct {
	t        *testing.T
	env      map[string]string
	shared   []string
	database string
	brokers  []string
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	brokers, database := embeddedtest.Parts(t)
	return newFleetOn(t, brokers, database)
}

// newFleetOn is newFleet on given servers; extra says how to reach them.
func newFleetOn(t *testing.T, brokers []string, database string, extra ...string) *fleet {
	t.Helper()
	first := dataFolder(t)
	f := &fleet{t: t, brokers: brokers, database: database}
	f.shared = append([]string{"--kafka-brokers", strings.Join(f.brokers, ","), "--database-url", f.database, "--keyset",
		filepath.Join(first, "shared.json"), "--call-lease", "3s"}, extra...)
	founder := serveDev(t, first, freeAddress(t), f.shared...)
	f.env = environment(t, first)
	founder.terminate()
	require.Zero(t, founder.exit(patience), founder.out.tail())
	return f
}

// node starts one more node and waits until it is ready.
func (f *fleet) node(args ...string) *process {
	f.t.Helper()
	return serve(f.t, dataFolder(f.t), freeAddress(f.t), append(append([]string{"--sim-speed", "20"}, f.shared...), args...)...)
}

// nodes starts nodes with the given roles, all at once.
func (f *fleet) nodes(roles ...string) []*process {
	f.t.Helper()
	var all []*process
	for _, r := range roles {
		all = append(all, spawn(f.t, dataFolder(f.t), freeAddress(f.t), append(append([]string{"--sim-speed", "20"}, f.shared...), "--roles",
			r)...))
	}
	for _, p := range all {
		p.awaitReady()
	}
	return all
}

func (f *fleet) client(p *process) client { return client{url: p.url, env: f.env} }

// owners counts the partitions that each node projects.
func (f *fleet) owners() map[string]int {
	conn, err := pgx.Connect(context.Background(), f.database)
	require.NoError(f.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(context.Background(), `SELECT coalesce(owner, ''), count(*) FROM checkpoints GROUP BY 1`)
	require.NoError(f.t, err)
	out, owner, n := map[string]int{}, "", 0
	_, err = pgx.ForEachRow(rows, []any{&owner, &n}, func() error { out[owner] = n; return nil })
	require.NoError(f.t, err)
	return out
}

// patient is a crowd of clients that repeat a request once, at the next node and
// under the same key, when it was not answered or answered 503. Where there is no other node
// they wait until it is ready.
type patient struct {
	ledger  *ledger
	cancel  context.CancelFunc
	done    sync.WaitGroup
	mu      sync.Mutex
	repeats map[string]int
	failed  []string // after the repetition
	longest time.Duration
}

func startPatient(l *ledger, name string, number int, nodes ...client) *patient {
	ctx, cancel := context.WithCancel(context.Background())
	x := &patient{ledger: l, cancel: cancel, repeats: map[string]int{}}
	for i := range number {
		x.done.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				x.call(fmt.Sprintf("%s-%d-%d", name, i, n), i+n, nodes)
			}
		})
	}
	return x
}

func (x *patient) call(key string, first int, nodes []client) {
	x.ledger.asked(key)
	began := time.Now()
	for try := range 2 {
		a, err := nodes[(first+try)%len(nodes)].dialOut(key)
		if err == nil && x.ledger.heard(key, a) {
			break
		}
		why := fmt.Sprintf("%d %s", a.status, a.code)
		if err != nil {
			why = "no answer"
		}
		x.mu.Lock()
		x.repeats[why]++
		if temporary := err != nil || a.status == http.StatusServiceUnavailable; try == 1 || !temporary {
			x.failed = append(x.failed, fmt.Sprintf("%s: %s %v", key, why, err))
		}
		x.mu.Unlock()
		if len(nodes) == 1 {
			nodes[0].untilReady()
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.longest = max(x.longest, time.Since(began))
}

// untilReady waits until the node says that it may be asked, or patience is over.
func (c client) untilReady() {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if a, err := c.do(http.MethodGet, "/readyz", nil); err == nil && a.status == http.StatusOK {
			return
		}
	}
}

// stop ends the crowd; none of it may have been let down.
func (x *patient) stop(t *testing.T) {
	t.Helper()
	x.cancel()
	x.done.Wait()
	t.Logf("%d calls acknowledged, repeated %v, the longest answer took %s", x.ledger.acknowledged(), x.repeats,
		x.longest.Round(time.Millisecond))
	assert.Empty(t, x.failed, "requests that failed twice")
}

// more waits for so many acknowledgements more.
func (x *patient) more(p *process, n int) {
	p.t.Helper()
	before := x.ledger.acknowledged()
	p.await("acknowledgements", func() bool { return x.ledger.acknowledged() >= before+n })
}

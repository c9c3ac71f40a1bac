package voice_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/domain/trunks"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// Given trunks, then those of SIP are found with what is known of them, each by its own tenant.
func TestAnswersAboutTrunks(t *testing.T) {
	w := given.Open(t)
	w.Given(voice.SetupModel, "tenantId", given.Filled(func(e *trunks.TrunkDefined) { e.Provider, e.Settings.MaxCalls = trunks.SIP, 7 }),
		given.Filled(func(e *trunks.TrunkDefined) { e.Name, e.Provider, e.Settings = "sim", trunks.Local, nil }),
		given.Filled[trunks.TrunkUnreachable]())
	setups := voice.NewSetups(w.DB)
	got, ok, err := setups.Trunk(t.Context(), "tenantId", "name")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []any{"address", 7, "problem", "password"}, []any{got.Address, got.Settings.MaxCalls, got.Unreachable, got.Password})
	for tenant, name := range map[string]string{"tenantId": "sim", "other": "name"} {
		_, ok, err = setups.Trunk(t.Context(), tenant, name)
		require.NoError(t, err)
		require.False(t, ok, "%s of %s", name, tenant)
	}
	all, err := setups.SIPTrunks(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
}

// Given nodes that say how many calls they have, then what each said last counts, until it leaves, or says nothing for too long.
func TestNodesThatCarryCalls(t *testing.T) {
	w := given.Open(t)
	nodes := voice.NewMediaNodes(w.DB)
	live := func(want ...voice.MediaNode) {
		t.Helper()
		got, err := nodes.Live(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, want, got)
	}
	there := func(want ...voice.MediaNode) {
		t.Helper()
		got, err := nodes.There(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, want, got)
	}
	n1 := voice.MediaNode{Node: "n1", Calls: 3, Most: 250, SIP: "10.0.0.1:5060", Taken: []string{"tag"}}
	n2 := voice.MediaNode{Node: "n2", Most: 500, NotRealTime: "not allowed", Taken: []string{}}
	require.NoError(t, nodes.Beat(t.Context(), voice.MediaNode{Node: "n1", Calls: 1, Most: 1}))
	require.NoError(t, nodes.Beat(t.Context(), n1))
	require.NoError(t, nodes.Beat(t.Context(), n2))
	live(n1, n2)
	ending := n1
	ending.Leaves = true
	require.NoError(t, nodes.Beat(t.Context(), ending))
	live(n2)
	there(ending, n2)
	require.NoError(t, nodes.Place(t.Context(), []string{"c1"}, time.Minute, func(takes []voice.MediaNode, _ int) error {
		require.Equal(t, []voice.MediaNode{n2}, takes)
		return nil
	}))
	require.NoError(t, nodes.Leave(t.Context(), "n1"))
	live(n2)
	there(n2)
	_, err := w.DB.Exec(t.Context(), `UPDATE media_nodes SET seen_at = now() - interval '6 seconds'`)
	require.NoError(t, err)
	live()
	there()
	_, err = w.DB.Exec(t.Context(), `UPDATE media_nodes SET seen_at = now() - interval '61 minutes'`)
	require.NoError(t, err)
	require.NoError(t, nodes.Beat(t.Context(), n1))
	var rows int
	require.NoError(t, w.DB.QueryRow(t.Context(), `SELECT count(*) FROM media_nodes`).Scan(&rows))
	require.Equal(t, 1, rows, "a node that was killed is forgotten")
}

// Given placers of two nodes that look at the same moment, then no more calls are placed than there is room for, whoever comes first. One
// that a node has seen counts there, and only there; one that was not placed, or that nobody has seen in time, counts no more.
func TestCallsThatArePlacedInOneMoment(t *testing.T) {
	w := given.Open(t)
	another, err := pgxpool.NewWithConfig(t.Context(), w.DB.Config())
	require.NoError(t, err)
	t.Cleanup(another.Close)
	placers := []*voice.MediaNodes{voice.NewMediaNodes(w.DB), voice.NewMediaNodes(another)}
	require.NoError(t, placers[0].Beat(t.Context(), voice.MediaNode{Node: "n1", Calls: 3, Most: 10}))
	full := errors.New("full")
	place := func(by int, within time.Duration, calls ...string) error {
		return placers[by].Place(t.Context(), calls, within, func(live []voice.MediaNode, placed int) error {
			if live[0].Calls+placed >= live[0].Most {
				return full
			}
			return nil
		})
	}
	var all errgroup.Group
	var taken, refused atomic.Int32
	for i := range 40 {
		all.Go(func() error {
			switch err := place(i%2, time.Minute, fmt.Sprint("c", i)); {
			case err == nil:
				taken.Add(1)
			case errors.Is(err, full):
				refused.Add(1)
			default:
				return err
			}
			return nil
		})
	}
	require.NoError(t, all.Wait())
	require.Equal(t, []int32{7, 33}, []int32{taken.Load(), refused.Load()})

	rows, err := w.DB.Query(t.Context(), `SELECT call_id FROM placed_calls`)
	require.NoError(t, err)
	placed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Len(t, placed, 7)
	require.NoError(t, place(1, time.Minute, placed[0]), "it is placed already")
	require.NoError(t, placers[1].Beat(t.Context(), voice.MediaNode{Node: "n1", Calls: 5, Most: 10, Seen: placed[:4]}))
	for _, call := range []string{"d1", "d2"} { // two of the four that were seen are over
		require.NoError(t, place(0, time.Minute, call))
	}
	require.ErrorIs(t, place(1, time.Minute, "d3"), full)
	require.NoError(t, place(1, time.Minute, placed[1]), "a node has it")
	require.NoError(t, placers[0].Unplace(t.Context(), "d2"))
	require.NoError(t, placers[0].Unplace(t.Context(), placed[1]), "it counts where it was seen")
	require.NoError(t, place(1, -time.Second, "d3", "d4", "d5"), "together, where there is any room")
	require.NoError(t, place(1, time.Minute, "d6"), "nobody has seen them in time")
	require.ErrorIs(t, place(0, time.Minute, "d7"), full)
	_, err = w.DB.Exec(t.Context(), `UPDATE placed_calls SET until = now() - interval '11 minutes'`)
	require.NoError(t, err)
	require.NoError(t, placers[0].Beat(t.Context(), voice.MediaNode{Node: "n1", Most: 10, Seen: []string{"d6"}}))
	var rest int
	require.NoError(t, w.DB.QueryRow(t.Context(), `SELECT count(*) FROM placed_calls`).Scan(&rest))
	require.Equal(t, 1, rest)
}

// Given two nodes that begin calls over one trunk at the same moment, then no more run, and no more begin in a second, than the trunk may
// have over both. Those of a node that is gone count until others may have taken them over.
func TestCallsOfATrunkOverAllNodes(t *testing.T) {
	w := given.Open(t)
	nodes := []*voice.TrunkCalls{voice.NewTrunkCalls(w.DB, "n1"), voice.NewTrunkCalls(w.DB, "n2")}
	full := errors.New("full")
	bound := func(most, perSecond int) func(int, int, time.Duration) error {
		return func(running, began int, first time.Duration) error {
			if most > 0 && running >= most || perSecond > 0 && began >= perSecond {
				return full
			}
			return nil
		}
	}
	together := func(trunk string, judge func(int, int, time.Duration) error) (taken []string) {
		var all errgroup.Group
		var mu sync.Mutex
		for i := range 40 {
			all.Go(func() error {
				err := nodes[i%2].Take(t.Context(), trunk, fmt.Sprint("leg-", i), judge)
				if errors.Is(err, full) {
					return nil
				}
				mu.Lock()
				defer mu.Unlock()
				taken = append(taken, fmt.Sprint("leg-", i))
				return err
			})
		}
		require.NoError(t, all.Wait())
		return taken
	}
	sql := func(statement string, args ...any) {
		t.Helper()
		_, err := w.DB.Exec(t.Context(), statement, args...)
		require.NoError(t, err)
	}
	running := together("acme/main", bound(7, 0))
	require.Len(t, running, 7)
	take := func(leg string, judge func(int, int, time.Duration) error) error {
		return nodes[0].Take(t.Context(), "acme/main", leg, judge)
	}
	require.NoError(t, take(running[0], bound(7, 0)), "it is one of them")
	require.ErrorIs(t, take("another", bound(7, 0)), full)
	for _, n := range nodes { // whichever has it
		require.NoError(t, n.Give(t.Context(), "acme/main", running[0]))
	}
	require.NoError(t, take("another", bound(7, 0)))
	require.NoError(t, nodes[1].Have(t.Context(), "acme/main", "another", ""), "it was taken over")
	require.NoError(t, nodes[0].Give(t.Context(), "acme/main", "another"), "and is not ours to end")
	require.ErrorIs(t, take("a third", bound(7, 0)), full)

	require.NoError(t, nodes[1].Take(t.Context(), "acme/main", running[1], bound(7, 0)), "it is told of twice")
	require.NoError(t, nodes[0].Take(t.Context(), "acme/main", running[1], bound(7, 0)))
	require.NoError(t, nodes[1].Leave(t.Context(), "acme/main", running[1]), "and the other has it")
	require.ErrorIs(t, take("a third", bound(7, 0)), full)
	require.NoError(t, nodes[1].Over(t.Context(), "acme/main", "another"), "of a node that is gone")
	require.NoError(t, nodes[0].Over(t.Context(), "acme/main", "nobody's"))
	require.NoError(t, take("another", bound(7, 0)))
	require.NoError(t, nodes[1].Have(t.Context(), "acme/main", "another", ""))

	sql(`UPDATE trunk_calls SET until = now() + interval '1 second', node = 'n1' WHERE until > now()`)
	renew := func(legs ...string) {
		t.Helper()
		require.NoError(t, nodes[0].Renew(t.Context(), slices.Repeat([]string{"acme/main"}, len(legs)), legs))
	}
	renew(append(running[2:], "another", running[0])...)
	rows, err := w.DB.Query(t.Context(), `SELECT leg FROM trunk_calls WHERE until > now() + interval '30 seconds'`)
	require.NoError(t, err)
	runs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.ElementsMatch(t, append(running[2:], "another"), runs, "and not what is over, nor what its node does not know any more")
	sql(`UPDATE trunk_calls SET until = now() - interval '11 seconds'`)
	require.NoError(t, take("a third", bound(1, 0)), "their node is gone")
	renew()
	renew("a third", "a fourth")
	require.ErrorIs(t, take("a fifth", bound(2, 100)), full, "one could not be counted when it began")
	require.NoError(t, nodes[0].Have(t.Context(), "acme/main", "the fourth", "a fourth"), "it has another name now")
	require.NoError(t, take("a fifth", bound(3, 2)), "one has begun in this second at most")
	require.NoError(t, nodes[0].Leave(t.Context(), "acme/main", "a fifth"))
	require.NoError(t, nodes[0].Leave(t.Context(), "acme/main", "the fourth"))
	var left int
	require.NoError(t, w.DB.QueryRow(t.Context(), `SELECT count(*) FROM trunk_calls`).Scan(&left))
	require.Equal(t, 1, left)

	// in the same second, however slow this machine is
	sql(`INSERT INTO trunk_calls (trunk, leg, node, began_at, until)
		SELECT 'acme/slow', 'before ' || n, 'n1', clock_timestamp() + interval '1 hour', now() FROM generate_series(1, 5) n`)
	require.Empty(t, together("acme/slow", bound(0, 5)))
	require.NoError(t, nodes[0].Leave(t.Context(), "acme/slow", "before 1"))
	sql(`UPDATE trunk_calls SET began_at = now() - interval '1 second' WHERE trunk = 'acme/slow'`)
	require.NotEmpty(t, together("acme/slow", bound(0, 5)))
}

// Given many who open rooms, then one at a time counts them, and who fails lets the next one do it.
func TestWhoOpensARoomIsAlone(t *testing.T) {
	rows := voice.NewCalls(given.Open(t).DB)
	var within, most atomic.Int32
	var all sync.WaitGroup
	away := errors.New("away")
	for range 3 {
		all.Go(func() {
			err := rows.OpeningRoom(t.Context(), func() error {
				most.Store(max(most.Load(), within.Add(1)))
				time.Sleep(20 * time.Millisecond)
				within.Add(-1)
				return away
			})
			assert.ErrorIs(t, err, away)
		})
	}
	all.Wait()
	require.EqualValues(t, 1, most.Load())
}

// Given nodes that want to keep a trunk, then one does, for as long as it says so, and until it gives it up.
func TestKeepingATrunk(t *testing.T) {
	keepers := voice.NewKeepers(given.Open(t).DB)
	keep := func(node string, lease time.Duration) bool {
		kept, err := keepers.Keep(t.Context(), "acme", "main", node, lease)
		require.NoError(t, err)
		return kept
	}
	require.True(t, keep("n1", time.Minute))
	require.False(t, keep("n2", time.Minute))
	require.True(t, keep("n1", -time.Second), "it is its own")
	require.True(t, keep("n2", time.Minute), "the time of the other was up")
	require.NoError(t, keepers.Release(t.Context(), "n2"))
	require.True(t, keep("n1", time.Minute))
}

package medianodes_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/reactors/voice/medianodes"
	models "github.com/parley-platform/parley/projections/voice"
)

// table is what nodes say.
type table struct {
	live []models.MediaNode
	said []models.MediaNode
	left []string
	err  error

	placed int // that no node has seen
	asked  []string
	taken  []string
}

func (t *table) Place(_ context.Context, calls []string, _ time.Duration, judge func([]models.MediaNode, int) error) error {
	if t.err != nil {
		return t.err
	}
	t.asked = calls
	return judge(t.live, t.placed)
}

func (t *table) Unplace(_ context.Context, call string) error {
	t.taken = append(t.taken, call)
	return nil
}

func (t *table) Beat(_ context.Context, n models.MediaNode) error {
	t.said = append(t.said, n)
	return t.err
}

func (t *table) Leave(_ context.Context, node string) error {
	t.left = append(t.left, node)
	return t.err
}

func (t *table) Live(context.Context) ([]models.MediaNode, error) { return t.live, t.err }

// Given a node, then it says each second what it has, those that wait counted, and at the end that it takes none; whether or not
// the database hears it.
func TestANodeSaysHowManyCallsItHas(t *testing.T) {
	for _, away := range []error{nil, errors.New("away")} {
		synctest.Test(t, func(t *testing.T) {
			known, calls, seen := &table{err: away}, 0, []string{"c1"}
			ctx, stop := context.WithCancel(t.Context())
			go medianodes.Node{Known: known, ID: "n1", RealTime: func() error { return errors.New("not allowed") },
				Seen: func() []string {
					defer func() { seen = nil }()
					return seen
				},
				Taken: func() []string { return []string{"tag"} }, Log: slog.New(slog.DiscardHandler), Load: func() (int, int, int) {
					calls++
					if ctx.Err() != nil {
						return 0, 0, 250
					}
					return calls, 2, 250
				}}.Run(ctx)
			time.Sleep(1500 * time.Millisecond)
			stop()
			synctest.Wait()
			first := models.MediaNode{Node: "n1", Calls: 3, Most: 250, NotRealTime: "not allowed", Seen: []string{"c1"}, Taken: []string{"tag"}}
			next := models.MediaNode{Node: "n1", Calls: 4, Most: 250, NotRealTime: "not allowed", Taken: []string{"tag"}}
			if away != nil {
				next.Seen = first.Seen // until it was heard
			}
			require.Equal(t, []models.MediaNode{first, next}, known.said)
			require.Equal(t, []string{"n1"}, known.left)
		})
	}
}

// Given a node that takes no calls any more and has one, then it says so until that is over: peers find the call there, and nobody
// places another.
func TestANodeSaysThatItHasCallsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := &table{}
		var calls atomic.Int64
		calls.Store(1)
		node := medianodes.Node{Known: known, ID: "n1", SIP: "10.0.0.1:5060", RealTime: func() error { return nil },
			Seen: func() []string { return nil }, Taken: func() []string { return nil }, Log: slog.New(slog.DiscardHandler),
			Load: func() (int, int, int) { return int(calls.Load()), 0, 250 }}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		node.Run(ctx)
		left := node.Await(t.Context(), func(context.Context) int {
			require.Empty(t, known.left)
			time.Sleep(1500 * time.Millisecond)
			calls.Store(0)
			return 0
		})
		require.Zero(t, left)
		takes := models.MediaNode{Node: "n1", Calls: 1, Most: 250, SIP: "10.0.0.1:5060"}
		ends := takes
		ends.Leaves = true
		require.Equal(t, []models.MediaNode{takes, ends, ends, ends}, known.said)
		require.Equal(t, []string{"n1"}, known.left)
	})
}

func TestWhetherThereIsRoom(t *testing.T) {
	away := errors.New("away")
	for name, c := range map[string]struct {
		live     []models.MediaNode
		placed   int
		provider string
		err      error
		full     fault.Code // empty: there is room
		wait     fault.Code
		free     int
	}{
		"one has room": {live: []models.MediaNode{{Calls: 250, Most: 250}, {Calls: 249, Most: 250}}, free: 1},
		"what was placed takes the rest": {live: []models.MediaNode{{Calls: 240, Most: 250}}, placed: 10, full: fault.QueueFull,
			wait: fault.QueueFull, free: 10},
		"what was placed leaves some": {live: []models.MediaNode{{Calls: 240, Most: 250}}, placed: 9, free: 10},
		"all are full": {live: []models.MediaNode{{Calls: 250, Most: 250}, {Calls: 500, Most: 500}}, full: fault.QueueFull,
			wait: fault.QueueFull},
		"who waits at one":        {live: []models.MediaNode{{Calls: 300, Most: 250}, {Calls: 249, Most: 250}}, free: 1},
		"none runs":               {wait: fault.Unavailable},
		"a call that is no trunk": {live: []models.MediaNode{{Calls: 1, Most: 1}}, provider: calls.ProviderLocal},
		"nobody can say":          {err: away, full: fault.Internal, wait: fault.Internal},
	} {
		if c.provider == "" {
			c.provider = calls.ProviderSIP
		}
		known := &table{live: c.live, placed: c.placed, err: c.err}
		room := medianodes.Room{Known: known}
		says := func(want fault.Code, err error) {
			t.Helper()
			if want == "" {
				require.NoError(t, err, name)
				return
			}
			require.Equal(t, want, fault.CodeOf(err), name)
		}
		leave, err := room.Full(t.Context(), c.provider, "c1")
		says(c.full, err)
		if err == nil && c.provider == calls.ProviderSIP {
			require.Equal(t, []string{"c1"}, known.asked, name)
			leave()
			require.Equal(t, []string{"c1"}, known.taken, name)
		}
		says(c.wait, room.Wait(t.Context(), c.provider, "c1", "c2"))
		require.Equal(t, c.free, room.For(t.Context()), name)
	}
}

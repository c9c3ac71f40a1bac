package reactors_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	handling "github.com/parley-platform/parley/handlers/reactors"
)

// askedGroups are groups on topics of two partitions, and count what is asked.
type askedGroups struct {
	mu        sync.Mutex
	committed map[string]map[string]map[int]int64
	asked     map[string]int
}

func (g *askedGroups) Committed(_ context.Context, group string, topics ...string) (map[string]map[int]int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked["groups"]++
	out := map[string]map[int]int64{}
	for _, topic := range topics {
		out[topic] = map[int]int64{}
		for p, at := range g.committed[group][topic] {
			out[topic][p] = at
		}
	}
	return out, nil
}

func (g *askedGroups) Bounds(context.Context, string) (starts, ends map[int]int64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked["bounds"]++
	return map[int]int64{0: 0, 1: 0}, map[int]int64{0: 10, 1: 10}, nil
}

func (g *askedGroups) Commit(_ context.Context, group, topic string, at map[int]int64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.committed[group] == nil {
		g.committed[group] = map[string]map[int]int64{}
	}
	g.committed[group][topic] = at
	return nil
}

// Given a log that knows no reactor, when a node admits forty at once, then each of their
// groups is asked for twice, to register it and to see where it stands; not by each of them.
func TestReactorsThatStartTogetherAskForThemselves(t *testing.T) {
	t.Parallel()
	log := memory.New()
	store := log.Open(eventstore.Config{Node: "n-1"})
	t.Cleanup(store.Close)
	groups := &askedGroups{asked: map[string]int{}, committed: map[string]map[string]map[int]int64{}}
	admission := &handling.Admission{Store: store, Groups: groups, Node: "n-1", Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	var all []handling.Reactor
	for i := range 40 {
		all = append(all, handling.Reactor{Name: fmt.Sprintf("lamplighter-%d", i), Categories: []*event.Category{lamps.Category},
			Side: handling.AtLeastOnce})
	}
	require.NoError(t, admission.Expect(all...))

	var admitted sync.WaitGroup
	for _, r := range all {
		admitted.Go(func() { require.NoError(t, admission.Admit(t.Context(), r)) })
	}
	admitted.Wait()

	require.Len(t, groups.committed, 40)
	require.Equal(t, 2*40, groups.asked["groups"])
	require.Less(t, groups.asked["bounds"], 40, "they all read one topic")
}

// What was asked a moment ago is not said of a group that has gone on since.
func TestAGroupThatHasGoneOnIsNotOffTheLog(t *testing.T) {
	t.Parallel()
	moving := &movingTopic{end: 10}
	on := &handling.Edges{Groups: moving}
	for _, at := range []int64{10, 12, 11} {
		moving.end = max(moving.end, at)
		moving.committed = at
		lag, err := handling.LagOf(t.Context(), on, standing{}, time.Unix(160, 0), "parley-x", []string{"t"}, nil)
		require.NoError(t, err)
		require.Empty(t, lag.Lost, "committed %d", at)
	}
	require.Equal(t, 2, moving.asked, "for 10, and for 12, which it had passed")

	moving.end, moving.committed = 20, -1
	lag, err := handling.LagOf(t.Context(), on, standing{}, time.Unix(160, 0), "parley-x", []string{"t"},
		[]registrations.Position{{Topic: "t", Offset: 20}})
	require.NoError(t, err)
	require.Empty(t, lag.Lost, "another node has decided on 20 a moment ago")
}

type movingTopic struct {
	handling.Groups
	end, committed int64
	asked          int
}

func (m *movingTopic) Committed(context.Context, string, ...string) (map[string]map[int]int64, error) {
	return map[string]map[int]int64{"t": {0: m.committed}}, nil
}

func (m *movingTopic) Bounds(context.Context, string) (starts, ends map[int]int64, err error) {
	m.asked++
	return map[int]int64{0: 0}, map[int]int64{0: m.end}, nil
}

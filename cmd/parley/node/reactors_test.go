package node_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// registered folds what is known of the reactors.
func registered(t *testing.T, s *server) registrations.State {
	t.Helper()
	l, err := eventstore.Read(t.Context(), s.Store(), registrations.Registrations, registrations.SystemStream())
	require.NoError(t, err)
	return l.State
}

// loseGroup throws a consumer group away, as an expiry does.
func (c *cluster) loseGroup(t *testing.T, group string) {
	t.Helper()
	client := &kafka.Client{Addr: kafka.TCP(c.brokers...)}
	until(t, "the end of the group "+group, func() bool { // its members may still be leaving
		res, err := client.DeleteGroups(t.Context(), &kafka.DeleteGroupsRequest{GroupIDs: []string{group}})
		return err == nil && res.Errors[group] == nil
	})
}

func (c *cluster) commit(t *testing.T, group, topic string, partition int, offset int64) {
	t.Helper()
	client := &kafka.Client{Addr: kafka.TCP(c.brokers...)}
	until(t, "a place of the group "+group, func() bool { // its members may still be leaving
		res, err := client.OffsetCommit(t.Context(), &kafka.OffsetCommitRequest{GroupID: group, GenerationID: -1,
			Topics: map[string][]kafka.OffsetCommit{topic: {{Partition: partition, Offset: offset}}}})
		return err == nil && res.Topics[topic][0].Error == nil
	})
}

func from(said ...string) func(*node.Config) {
	return func(c *node.Config) {
		c.ReactorFrom = nil
		for _, s := range said {
			f, err := reactors.ParseFrom(s)
			if err != nil {
				panic(err)
			}
			c.ReactorFrom = append(c.ReactorFrom, f)
		}
	}
}

// readiness is what /readyz says of one reactor.
func (s *server) readiness(t *testing.T, reactor string) (ready bool, state reactors.Standing) {
	t.Helper()
	var r struct {
		Ready bool `json:"ready"`
		Parts []struct {
			Name   string
			Detail any
		}
	}
	s.do(t, "GET", "/readyz", nil).into(t, &r)
	for _, p := range r.Parts {
		if p.Name == "reactors" {
			one := p.Detail.(map[string]any)[reactor].(map[string]any)
			state.State, _ = one["state"].(string)
			state.Do, _ = one["do"].(string)
			state.Side, _ = one["side"].(string)
		}
	}
	return r.Ready, state
}

// Given a log that was acted on, when the dialer's group is lost, then it does not
// start and dials nobody, and all else works; and when an operator says where it goes
// on, it goes on there, once.
func TestAReactorThatLostItsPlaceWaitsForAnOperator(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t)
	w.ended(t, w.dialOut(t, aCall()).CallID)
	settled := func() bool { // w.server is the node that runs
		for _, r := range registered(t, w.server).Reactors {
			if len(r.Pending) > 0 {
				return false
			}
		}
		return true
	}
	until(t, "the groups of all reactors to stand where they were registered", settled)
	for name, r := range registered(t, w.server).Reactors {
		require.NotEmpty(t, r.Positions, name)
		for _, p := range r.Positions {
			require.Zero(t, p.Offset, "in a new system it begins at the beginning")
		}
	}
	w.stop()
	w.cluster.loseGroup(t, "parley-dialer")
	w.cluster.commit(t, "parley-webhook-sender", deliveries.Deliveries.Topic(), 1, 1_000_000)

	refused := w.cluster.start(t)
	w.server = refused
	for _, name := range []string{"dialer", "webhook-sender"} {
		until(t, name+" to be refused", func() bool { _, s := refused.readiness(t, name); return s.State == reactors.StateRefused })
		ready, s := refused.readiness(t, name)
		require.True(t, ready, "the API goes on")
		require.Contains(t, s.Do, "--reactor-from "+name+"=end")
	}
	_, s := refused.readiness(t, "webhook-sender")
	require.Contains(t, s.Do, "parley.deliveries/1: the committed offset 1000000 is not on the log")
	until(t, "the others", func() bool { _, s := refused.readiness(t, "notifier"); return s.State == reactors.StateRunning })
	past := w.dialOut(t, aCall())
	require.Equal(t, calls.PhaseRequested, w.call(t, past.CallID).Phase)
	refused.stop()

	again := w.cluster.start(t, from("dialer=end", "webhook-sender=parley.deliveries/1:0"))
	w.server = again
	for _, name := range []string{"dialer", "webhook-sender"} {
		until(t, name+" to run", func() bool { _, s := again.readiness(t, name); return s.State == reactors.StateRunning })
	}
	w.ended(t, w.dialOut(t, aCall()).CallID)
	require.Empty(t, w.call(t, past.CallID).Attempt.ID, "what the operator passed over is not dialled, however long that takes")
	until(t, "the record of it", settled)
	var placed []registrations.Placed
	for _, r := range w.events(t, registrations.SystemStream()) {
		p, err := registrations.Registrations.Decode(r.Type, r.Data)
		require.NoError(t, err)
		if e, ok := p.(registrations.Placed); ok {
			placed = append(placed, e)
			require.Equal(t, "node:"+again.ID(), r.Actor)
		}
	}
	require.Len(t, placed, 2)

	// The flag stays on the command line: it says nothing about a group that stands well.
	before := len(w.events(t, registrations.SystemStream()))
	w.server = again
	again.restart(t)
	until(t, "the dialer", func() bool { _, s := again.readiness(t, "dialer"); return s.State == reactors.StateRunning })
	w.ended(t, w.dialOut(t, aCall()).CallID)
	require.Len(t, w.events(t, registrations.SystemStream()), before)
}

// Given several nodes that start at once, then one registers and all meet it.
func TestNodesThatStartAtOnceRegisterOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	nodes := make([]*server, 3)
	together(len(nodes), func(i int) { nodes[i] = c.start(t) })
	records, err := nodes[0].Store().Index.Load(t.Context(), registrations.SystemStream())
	require.NoError(t, err)
	seen := map[string]int{}
	for _, r := range records {
		p, err := registrations.Registrations.Decode(r.Type, r.Data)
		require.NoError(t, err)
		if e, ok := p.(registrations.Registered); ok {
			seen[e.Name]++
		}
	}
	require.Contains(t, seen, "dialer")
	require.Len(t, seen, len(registered(t, nodes[0]).Reactors), "every reactor")
	for name, times := range seen {
		require.Equal(t, 1, times, name)
	}
}

// ask records an operator's wish.
func (w *callWorld) askReplay(t *testing.T, id, reactor string, r *eventstore.Record) {
	t.Helper()
	aside := registrations.SetAside{ID: r.ID, Type: r.Type, Stream: r.Stream, Version: r.Version, Topic: r.Topic, Partition: r.Partition,
		Offset: r.Offset}
	_, err := eventstore.Execute(t.Context(), w.Store(), registrations.Replays, registrations.Replays.Stream(id),
		eventstore.Command{Tenant: registrations.Tenant, Actor: "user:ada", CorrelationID: "tr-ada"}, registrations.AskReplay{Reactor: reactor,
			Event: aside, By: "ada", At: time.Now()}.Decide)
	require.NoError(t, err)
}

func (w *callWorld) replay(t *testing.T, id string) registrations.Replay {
	t.Helper()
	l, err := eventstore.Read(t.Context(), w.Store(), registrations.Replays, registrations.Replays.Stream(id))
	require.NoError(t, err)
	return l.State
}

// Given a call that is over, when its events are replayed, then they are handled and
// nothing happens twice: what they caused has the same request ids.
func TestAReplayIsHandledAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t)
	r := newReceiver(t, nil)
	call := w.dialOut(t, aCall().and(fields{"notifyurl": r.url}))
	w.ended(t, call.CallID)
	w.delivered(t, call.CallID, 2)
	stream, deliveries := calls.Calls.Stream(call.CallID), deliveries.Deliveries.Stream(calls.Calls.Stream(call.CallID))
	events, notices := w.events(t, stream), w.events(t, deliveries)
	started := slices.IndexFunc(events, func(r *eventstore.Record) bool { return r.Type == "parley.calls.requested.v1" })
	answered := slices.IndexFunc(events, func(r *eventstore.Record) bool { return r.Type == "parley.calls.answered.v1" })

	w.askReplay(t, "0.1", "dialer", events[started])
	w.askReplay(t, "0.2", "notifier", events[answered])
	w.askReplay(t, "0.3", "webhook-sender", notices[0])
	var session []*eventstore.Record
	until(t, "the session to be closed", func() bool {
		session = w.events(t, sessions.Sessions.Stream(w.call(t, call.CallID).SessionID))
		return len(session) == 2
	})
	w.askReplay(t, "0.6", "call-sessions", events[answered])
	w.askReplay(t, "0.4", "nobody", events[answered])
	elsewhere := *events[answered]
	elsewhere.Offset++
	w.askReplay(t, "0.5", "notifier", &elsewhere)
	for id, want := range map[string]registrations.ReplayStatus{"0.1": registrations.ReplaySucceededStatus,
		"0.2": registrations.ReplaySucceededStatus, "0.3": registrations.ReplaySucceededStatus,
		"0.4": registrations.ReplayFailedStatus, "0.5": registrations.ReplayFailedStatus, "0.6": registrations.ReplaySucceededStatus} {
		until(t, "the outcome of "+id, func() bool { return w.replay(t, id).Status != registrations.ReplayRequestedStatus })
		require.Equal(t, want, w.replay(t, id).Status, id)
	}
	require.Len(t, w.events(t, stream), len(events), "nobody was called again")
	require.Len(t, w.events(t, deliveries), len(notices), "nothing was put in again")
	require.Len(t, w.events(t, sessions.Sessions.Stream(w.call(t, call.CallID).SessionID)), len(session), "no session was opened again")
	require.Equal(t, "ada", w.replay(t, "0.1").By)
	require.Contains(t, w.replay(t, "0.5").Error, "does not hold")
}

// Given a reactor that fails until its cause is mended, then each replay records what
// came of it, without what the error said.
func TestAReplayThatFailsMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials)
	call := w.dialOut(t, aCall())
	requested := w.events(t, calls.Calls.Stream(call.CallID))[0]
	mended := false
	broken := reactors.Reactor{Name: "broken", Categories: []*event.Category{calls.Calls.Category}, Events: []event.Payload{calls.Requested{}},
		Side: reactors.AtLeastOnce,
		Handle: func(_ context.Context, e reactors.Event) error {
			require.Equal(t, requested.ID, e.ID)
			if !mended {
				return errors.New("the secret is hunter2")
			}
			return nil
		}}
	replayer := &reactors.Replayer{Store: w.Store(), Reactors: []reactors.Reactor{broken}, Now: time.Now, Log: w.cfg.Logger}
	handle := func(version int) {
		r := w.events(t, registrations.Replays.Stream("0.9"))[version-1]
		p, err := registrations.Replays.Decode(r.Type, r.Data)
		require.NoError(t, err)
		require.NoError(t, replayer.Reactor().Handle(t.Context(), reactors.Event{Stream: r.Stream, ID: r.ID, Tenant: r.Tenant,
			CorrelationID: r.CorrelationID, Payload: p}))
	}

	w.askReplay(t, "0.9", "broken", requested)
	handle(1)
	require.Equal(t, registrations.ReplayFailedStatus, w.replay(t, "0.9").Status)
	require.NotContains(t, w.replay(t, "0.9").Error, "hunter2")
	handle(1) // delivered again
	require.Len(t, w.events(t, registrations.Replays.Stream("0.9")), 2)

	mended = true
	w.askReplay(t, "0.9", "broken", requested)
	handle(3)
	require.Equal(t, registrations.ReplaySucceededStatus, w.replay(t, "0.9").Status)
	w.askReplay(t, "0.9", "broken", requested)
	require.Len(t, w.events(t, registrations.Replays.Stream("0.9")), 4, "what is handled is over")
}

// Given a timer that only a newer version knows, then an older node leaves it to nodes of that: its claims would keep them from it.
func TestATimerOfANewerVersionIsLeftToIt(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.start(t)
	db := c.pool(t)
	_, err := db.Exec(t.Context(), `INSERT INTO timers (stream, name, topic, tenant, due_at)
		SELECT 'call-' || name, name, 'parley.calls', 'acme', now() FROM (VALUES ('newer'), ('lease')) AS x (name)`)
	require.NoError(t, err)
	claimed := func(name string) (taken bool) {
		require.NoError(t, db.QueryRow(t.Context(), `SELECT claimed_until > now() FROM timers WHERE name = $1`, name).Scan(&taken))
		return taken
	}
	until(t, "the timer that it knows", func() bool { return claimed("lease") })
	require.False(t, claimed("newer"))
}

package registrations_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/registrations"
)

var (
	calls0    = registrations.Position{Topic: "parley.calls", Partition: 0, Offset: 5}
	calls1    = registrations.Position{Topic: "parley.calls", Partition: 1, Offset: 6}
	sessions0 = registrations.Position{Topic: "parley.sessions", Partition: 0, Offset: 7}
	here      = noon.In(time.FixedZone("", 3600))
)

// Given one partition of a topic, when a reactor reads another one of it, or the same one
// of another topic, then each is registered by itself.
func TestEachPartitionIsRegisteredByItself(t *testing.T) {
	dialer := registrations.Registered{
		Name:      "dialer",
		Group:     "parley-dialer",
		Side:      "at most once",
		Positions: []registrations.Position{calls0},
		At:        noon,
	}
	c := registrations.Candidate{Name: "dialer", Partitions: []registrations.Standing{
		{Topic: "parley.calls", Partition: 0, Committed: -1, End: 90}, {Topic: "parley.calls", Partition: 1, Committed: -1, End: 6},
		{Topic: "parley.sessions", Partition: 0, Committed: -1, End: 7}}}
	got, err := registrations.Register{Candidates: []registrations.Candidate{c}, Node: "node-1", At: here}.Decide(
		registrations.Registrations.State(dialer))
	require.NoError(t, err)
	extended := registrations.Extended{Name: "dialer", Positions: []registrations.Position{calls1, sessions0}, Node: "node-1", At: noon}
	require.Equal(t, []event.Payload{extended}, got)

	r := registrations.Registrations.State(dialer, extended).Reactors["dialer"]
	require.Equal(t, registrations.Registration{Name: "dialer", Group: "parley-dialer", Side: "at most once", Registered: noon,
		Positions: []registrations.Position{calls0, calls1, sessions0}, Pending: []registrations.Position{calls0, calls1, sessions0}}, r)
	require.Equal(t, []string{"parley.calls", "parley.sessions"}, r.Topics())
}

// Given the topics of a reactor, when they are listed, then each stands once, in order.
func TestTopicsAreListedOnceInOrder(t *testing.T) {
	r := registrations.Registration{Positions: []registrations.Position{sessions0, calls0, sessions0, calls1}}
	require.Equal(t, []string{"parley.calls", "parley.sessions"}, r.Topics())
	require.Empty(t, registrations.Registration{}.Topics())
}

// Given a group that stands at the very beginning, when it is registered in an old
// system, then it stays there.
func TestAGroupAtTheBeginningStaysThere(t *testing.T) {
	old := registrations.Registrations.State(registered("dialer", 0))
	got, err := registrations.Register{Candidates: []registrations.Candidate{candidate("notifier", 0, 90)}, Node: "node-1", At: here}.Decide(
		old)
	require.NoError(t, err)
	want := registered("notifier", 0)
	want.Node = "node-1"
	require.Equal(t, []event.Payload{want}, got)
}

// Given several reactors, when one of them is placed and settled, then the others and its
// other partitions stay as they are.
func TestPlacingMovesOnlyWhatWasNamed(t *testing.T) {
	dialer := registrations.Registered{Name: "dialer", Positions: []registrations.Position{calls0, calls1, sessions0}, At: noon}
	notifier := registrations.Registered{Name: "notifier", Positions: []registrations.Position{calls0}, At: noon}
	moved := registrations.Position{Topic: "parley.calls", Partition: 1, Offset: 60}
	past := []event.Payload{dialer, notifier}

	placed, err := registrations.Place{Name: "dialer", Said: "60", Positions: []registrations.Position{moved}, Node: "node-2", At: here}.
		Decide(registrations.Registrations.State(past...))
	require.NoError(t, err)
	require.Equal(
		t,
		[]event.Payload{registrations.Placed{Name: "dialer", Said: "60", Positions: []registrations.Position{moved}, Node: "node-2", At: noon}},
		placed,
	)
	past = append(past, placed...)
	s := registrations.Registrations.State(past...)
	require.Equal(t, []registrations.Position{calls0, sessions0, moved}, s.Reactors["dialer"].Pending)
	require.Equal(t, []registrations.Position{calls0}, s.Reactors["notifier"].Pending)

	settled, err := registrations.Settle{Name: "dialer", Positions: []registrations.Position{calls0, moved}, At: here}.Decide(s)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{registrations.Settled{Name: "dialer", Positions: []registrations.Position{calls0, moved}, At: noon}},
		settled)
	s = registrations.Registrations.State(append(past, settled...)...)
	require.Equal(t, []registrations.Position{sessions0}, s.Reactors["dialer"].Pending)
	require.Len(t, s.Reactors, 2)
}

// Given a replay, when it is asked for, then its state is who asked for what, and when.
func TestAReplayShowsWhoAskedForWhat(t *testing.T) {
	got, err := registrations.AskReplay{Reactor: "notifier", Event: aside, By: "ada", At: here}.Decide(registrations.Replay{})
	require.NoError(t, err)
	require.Equal(
		t,
		registrations.Replay{Status: registrations.ReplayRequestedStatus, Number: 1, Reactor: "notifier", Event: aside, By: "ada", At: noon},
		registrations.Replays.State(got...),
	)

	later := noon.Add(time.Minute)
	failed := registrations.Replays.State(append(got, registrations.ReplayFailed{Number: 1, Error: "it is gone", At: later})...)
	require.Equal(t, "it is gone", failed.Error)
	require.Equal(t, later, failed.At)
	again := registrations.Replays.State(
		got[0],
		registrations.ReplayFailed{Number: 1, Error: "it is gone", At: later},
		registrations.ReplaySucceeded{Number: 1, At: later},
	)
	require.Empty(t, again.Error)
	require.Equal(t, later, again.At)
}

// Given a request for a replay, when it lacks a name or a place, then it is refused.
func TestAReplayNamesAReactorAndAPlace(t *testing.T) {
	first := aside
	first.Version = 1
	for name, c := range map[string]struct {
		reactor string
		change  func(*registrations.SetAside)
		refused bool
	}{
		"the first event of a stream": {"notifier", func(e *registrations.SetAside) { *e = first }, false},
		"no reactor":                  {"", func(*registrations.SetAside) {}, true},
		"no stream":                   {"notifier", func(e *registrations.SetAside) { e.Stream = "" }, true},
		"no version":                  {"notifier", func(e *registrations.SetAside) { e.Version = 0 }, true},
	} {
		e := aside
		c.change(&e)
		_, err := registrations.AskReplay{Reactor: c.reactor, Event: e, At: noon}.Decide(registrations.Replay{})
		require.Equal(t, c.refused, fault.Is(err, fault.BadRequest), name)
	}
}

package reactors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/reactors"
)

var (
	calls0    = reactors.Position{Topic: "parley.calls", Partition: 0, Offset: 5}
	calls1    = reactors.Position{Topic: "parley.calls", Partition: 1, Offset: 6}
	sessions0 = reactors.Position{Topic: "parley.sessions", Partition: 0, Offset: 7}
	here      = noon.In(time.FixedZone("", 3600))
)

// Given one partition of a topic, when a reactor reads another one of it, or the same one
// of another topic, then each is registered by itself.
func TestEachPartitionIsRegisteredByItself(t *testing.T) {
	dialer := reactors.Registered{
		Name:      "dialer",
		Group:     "parley-dialer",
		Side:      "at most once",
		Positions: []reactors.Position{calls0},
		At:        noon,
	}
	c := reactors.Candidate{Name: "dialer", Partitions: []reactors.Standing{
		{Topic: "parley.calls", Partition: 0, Committed: -1, End: 90}, {Topic: "parley.calls", Partition: 1, Committed: -1, End: 6},
		{Topic: "parley.sessions", Partition: 0, Committed: -1, End: 7}}}
	got, err := reactors.Register{Candidates: []reactors.Candidate{c}, Node: "node-1", At: here}.Decide(reactors.Registrations.State(dialer))
	require.NoError(t, err)
	extended := reactors.Extended{Name: "dialer", Positions: []reactors.Position{calls1, sessions0}, Node: "node-1", At: noon}
	require.Equal(t, []event.Payload{extended}, got)

	r := reactors.Registrations.State(dialer, extended).Reactors["dialer"]
	require.Equal(t, reactors.Registration{Name: "dialer", Group: "parley-dialer", Side: "at most once", Registered: noon,
		Positions: []reactors.Position{calls0, calls1, sessions0}, Pending: []reactors.Position{calls0, calls1, sessions0}}, r)
	require.Equal(t, []string{"parley.calls", "parley.sessions"}, r.Topics())
}

// Given the topics of a reactor, when they are listed, then each stands once, in order.
func TestTopicsAreListedOnceInOrder(t *testing.T) {
	r := reactors.Registration{Positions: []reactors.Position{sessions0, calls0, sessions0, calls1}}
	require.Equal(t, []string{"parley.calls", "parley.sessions"}, r.Topics())
	require.Empty(t, reactors.Registration{}.Topics())
}

// Given a group that stands at the very beginning, when it is registered in an old
// system, then it stays there.
func TestAGroupAtTheBeginningStaysThere(t *testing.T) {
	old := reactors.Registrations.State(registered("dialer", 0))
	got, err := reactors.Register{Candidates: []reactors.Candidate{candidate("notifier", 0, 90)}, Node: "node-1", At: here}.Decide(old)
	require.NoError(t, err)
	want := registered("notifier", 0)
	want.Node = "node-1"
	require.Equal(t, []event.Payload{want}, got)
}

// Given several reactors, when one of them is placed and settled, then the others and its
// other partitions stay as they are.
func TestPlacingMovesOnlyWhatWasNamed(t *testing.T) {
	dialer := reactors.Registered{Name: "dialer", Positions: []reactors.Position{calls0, calls1, sessions0}, At: noon}
	notifier := reactors.Registered{Name: "notifier", Positions: []reactors.Position{calls0}, At: noon}
	moved := reactors.Position{Topic: "parley.calls", Partition: 1, Offset: 60}
	past := []event.Payload{dialer, notifier}

	placed, err := reactors.Place{Name: "dialer", Said: "60", Positions: []reactors.Position{moved}, Node: "node-2", At: here}.
		Decide(reactors.Registrations.State(past...))
	require.NoError(t, err)
	require.Equal(
		t,
		[]event.Payload{reactors.Placed{Name: "dialer", Said: "60", Positions: []reactors.Position{moved}, Node: "node-2", At: noon}},
		placed,
	)
	past = append(past, placed...)
	s := reactors.Registrations.State(past...)
	require.Equal(t, []reactors.Position{calls0, sessions0, moved}, s.Reactors["dialer"].Pending)
	require.Equal(t, []reactors.Position{calls0}, s.Reactors["notifier"].Pending)

	settled, err := reactors.Settle{Name: "dialer", Positions: []reactors.Position{calls0, moved}, At: here}.Decide(s)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{reactors.Settled{Name: "dialer", Positions: []reactors.Position{calls0, moved}, At: noon}}, settled)
	s = reactors.Registrations.State(append(past, settled...)...)
	require.Equal(t, []reactors.Position{sessions0}, s.Reactors["dialer"].Pending)
	require.Len(t, s.Reactors, 2)
}

// Given a replay, when it is asked for, then its state is who asked for what, and when.
func TestAReplayShowsWhoAskedForWhat(t *testing.T) {
	got, err := reactors.AskReplay{Reactor: "notifier", Event: aside, By: "ada", At: here}.Decide(reactors.Replay{})
	require.NoError(t, err)
	require.Equal(
		t,
		reactors.Replay{Status: reactors.ReplayRequestedStatus, Number: 1, Reactor: "notifier", Event: aside, By: "ada", At: noon},
		reactors.Replays.State(got...),
	)

	later := noon.Add(time.Minute)
	failed := reactors.Replays.State(append(got, reactors.ReplayFailed{Number: 1, Error: "it is gone", At: later})...)
	require.Equal(t, "it is gone", failed.Error)
	require.Equal(t, later, failed.At)
	again := reactors.Replays.State(
		got[0],
		reactors.ReplayFailed{Number: 1, Error: "it is gone", At: later},
		reactors.ReplaySucceeded{Number: 1, At: later},
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
		change  func(*reactors.SetAside)
		refused bool
	}{
		"the first event of a stream": {"notifier", func(e *reactors.SetAside) { *e = first }, false},
		"no reactor":                  {"", func(*reactors.SetAside) {}, true},
		"no stream":                   {"notifier", func(e *reactors.SetAside) { e.Stream = "" }, true},
		"no version":                  {"notifier", func(e *reactors.SetAside) { e.Version = 0 }, true},
	} {
		e := aside
		c.change(&e)
		_, err := reactors.AskReplay{Reactor: c.reactor, Event: e, At: noon}.Decide(reactors.Replay{})
		require.Equal(t, c.refused, fault.Is(err, fault.BadRequest), name)
	}
}

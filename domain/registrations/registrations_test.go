package registrations_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/registrations"
)

var aside = registrations.SetAside{ID: "e-1", Type: "parley.calls.answered.v1", Stream: "call-1", Version: 4, Topic: "parley.calls",
	Partition: 3, Offset: 17}

func candidate(name string, committed, end int64) registrations.Candidate {
	return registrations.Candidate{Name: name, Group: "parley-" + name, Side: "at least once",
		Partitions: []registrations.Standing{{Topic: "parley.calls", Partition: 0, Committed: committed, End: end}}}
}

func position(offset int64) []registrations.Position {
	return []registrations.Position{{Topic: "parley.calls", Partition: 0, Offset: offset}}
}

func registered(name string, offset int64) registrations.Registered {
	return registrations.Registered{Name: name, Group: "parley-" + name, Side: "at least once", Positions: position(offset), At: noon}
}

func TestWhereAReactorBegins(t *testing.T) {
	fromStart := candidate("exporter", -1, 90)
	fromStart.FromStart = true
	wider := candidate("dialer", 5, 90)
	wider.Partitions = append(wider.Partitions, registrations.Standing{Topic: "parley.sessions", Committed: -1, End: 12})
	old := []event.Payload{registered("dialer", 0)}
	for name, c := range map[string]struct {
		given []event.Payload
		when  []registrations.Candidate
		then  []event.Payload
	}{
		"a new system: from the beginning": {nil, []registrations.Candidate{candidate("dialer", -1, 1),
			candidate("notifier", -1, 90)}, []event.Payload{registered("dialer", 0), registered("notifier", 0)}},
		"a new reactor in an old system: what is past is past": {old, []registrations.Candidate{candidate("notifier", -1, 90)},
			[]event.Payload{registered("notifier", 90)}},
		"a new reactor that wants the past": {old, []registrations.Candidate{fromStart},
			[]event.Payload{registered("exporter", 0)}},
		"a group that stands somewhere stays there": {nil, []registrations.Candidate{candidate("dialer", 40, 90)},
			[]event.Payload{registered("dialer", 40)}},
		"a second registration is nothing": {old, []registrations.Candidate{candidate("dialer", -1, 90)}, nil},
		"a further topic begins at its end": {old, []registrations.Candidate{wider},
			[]event.Payload{registrations.Extended{Name: "dialer", Positions: []registrations.Position{{Topic: "parley.sessions", Offset: 12}},
				At: noon}}},
		"of two nodes at once the second registers what it has": {append(old, registered("notifier", 90)), []registrations.Candidate{
			candidate("notifier", -1, 95), candidate("exporter", -1, 95)}, []event.Payload{registered("exporter", 95)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := registrations.Register{Candidates: c.when, At: noon}.Decide(registrations.Registrations.State(c.given...))
			require.NoError(t, err)
			require.Equal(t, c.then, got)
		})
	}
}

func TestPositionsArePendingUntilTheyAreSettled(t *testing.T) {
	s := registrations.Registrations.State(registered("dialer", 0))
	require.Equal(t, position(0), s.Reactors["dialer"].Pending)

	settled, err := registrations.Settle{Name: "dialer", Positions: position(0), At: noon}.Decide(s)
	require.NoError(t, err)
	require.Len(t, settled, 1)
	before := s
	registrations.Registrations.Fold(&s, settled[0])
	require.Empty(t, s.Reactors["dialer"].Pending)
	require.Equal(t, position(0), before.Reactors["dialer"].Pending, "who decides on it keeps his state")

	twice, err := registrations.Settle{Name: "dialer", Positions: position(0), At: noon}.Decide(s)
	require.NoError(t, err)
	require.Empty(t, twice)

	place := registrations.Place{Name: "dialer", Said: "end", Positions: position(70), At: noon}
	placed, err := place.Decide(s)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{registrations.Placed{Name: "dialer", Said: "end", Positions: position(70), At: noon}}, placed)
	registrations.Registrations.Fold(&s, placed[0])
	require.Equal(t, position(70), s.Reactors["dialer"].Pending)
	again, err := place.Decide(s)
	require.NoError(t, err)
	require.Empty(t, again, "two nodes with one command line")
	late, err := registrations.Settle{Name: "dialer", Positions: position(0), At: noon}.Decide(s)
	require.NoError(t, err)
	require.Empty(t, late, "that was another position")
}

func TestOnlyWhatIsRegisteredIsPlaced(t *testing.T) {
	_, err := registrations.Place{Name: "dialler", Positions: position(1)}.Decide(registrations.Registrations.State(registered("dialer", 0)))
	require.True(t, fault.Is(err, fault.NotFound))
	_, err = registrations.Place{Name: "dialer", Positions: []registrations.Position{{Topic: "parley.lamps"}}}.Decide(
		registrations.Registrations.State(registered("dialer", 0)))
	require.True(t, fault.Is(err, fault.BadRequest))
}

func TestAReplayIsAskedForAndAnsweredOnce(t *testing.T) {
	ask := registrations.AskReplay{Reactor: "notifier", Event: aside, By: "ada", At: noon}
	asked := func(n int) registrations.ReplayAsked {
		return registrations.ReplayAsked{Number: n, Reactor: "notifier", Event: aside, By: "ada", At: noon}
	}
	failed, done := registrations.ReplayFailed{Number: 1, Error: "no", At: noon}, registrations.ReplaySucceeded{Number: 1, At: noon}
	end := func(n int, problem string) func(registrations.Replay) ([]event.Payload, error) {
		return registrations.EndReplay{Number: n, Error: problem, At: noon}.Decide
	}
	for name, c := range map[string]struct {
		given []event.Payload
		when  func(registrations.Replay) ([]event.Payload, error)
		then  []event.Payload
	}{
		"it is asked for":                    {nil, ask.Decide, []event.Payload{asked(1)}},
		"asked twice at once":                {[]event.Payload{asked(1)}, ask.Decide, nil},
		"one that failed may be tried again": {[]event.Payload{asked(1), failed}, ask.Decide, []event.Payload{asked(2)}},
		"one that succeeded is over":         {[]event.Payload{asked(1), done}, ask.Decide, nil},
		"it succeeds":                        {[]event.Payload{asked(1)}, end(1, ""), []event.Payload{done}},
		"it fails":                           {[]event.Payload{asked(1)}, end(1, "no"), []event.Payload{failed}},
		"a second outcome is nothing":        {[]event.Payload{asked(1), done}, end(1, "no"), nil},
		"a late outcome of the first":        {[]event.Payload{asked(1), failed, asked(2)}, end(1, ""), nil},
		"an outcome of nothing":              {nil, end(1, ""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.when(registrations.Replays.State(c.given...))
			require.NoError(t, err)
			require.Equal(t, c.then, got)
		})
	}
	_, err := registrations.AskReplay{Reactor: "notifier"}.Decide(registrations.Replay{})
	require.True(t, fault.Is(err, fault.BadRequest))
}

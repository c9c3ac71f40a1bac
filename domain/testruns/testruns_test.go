package testruns_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
)

var (
	t0   = time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)
	what = testruns.What{SuiteID: "ts-1", SuiteName: "Greetings", SuiteVersion: 4, Agent: "meter", DeploymentID: "d-1", Environment: "dev",
		Version: "3", Manifest: map[string]sessions.Pinned{"meter": {Version: 3, Hash: "h"}}, Language: "en", Cases: 2, Steps: 3}
	requested = testruns.Requested{RunID: "ctr-1", TenantID: "acct", ProjectID: "shop", What: what, By: "client:ci", At: t0}
	differs   = []testsuites.Difference{{What: "say", Expected: "Hi", Got: "Ho"}}
	first     = testruns.CaseOf{Number: 1, Name: "hello", Played: testsuites.Played{Steps: []testsuites.Step{{Turn: 1}, {Turn: 2}}}}
	second    = testruns.CaseOf{Number: 2, Name: "bye", Played: testsuites.Played{Steps: []testsuites.Step{{Turn: 1, Differences: differs}}}}
	good      = testruns.CaseOf{Number: 2, Name: "bye", Played: testsuites.Played{Steps: []testsuites.Step{{Turn: 1}}}}
	broken    = testruns.CaseOf{Number: 2, Name: "bye", Played: testsuites.Played{Error: "turn 1: no"}}
)

func after(d time.Duration) time.Time { return t0.Add(d) }

func started(n int) testruns.Started {
	return testruns.Started{Attempt: n, At: t0, LeaseUntil: after(10 * time.Second)}
}

func paused(n int) testruns.AttemptFailed {
	return testruns.AttemptFailed{Attempt: n, Reason: "away", At: t0, RetryAt: after(time.Second)}
}

// played is what a case comes to, told five seconds later.
func played(c testruns.CaseOf) testruns.CasePlayed {
	return testruns.CasePlayed{Number: c.Number, Name: c.Name, Steps: c.Steps, Passed: c.Passed(), Error: c.Error,
		LeaseUntil: after(15 * time.Second), At: after(5 * time.Second)}
}

func ended(status testruns.Status, reason string, passed int) testruns.Ended {
	return testruns.Ended{Status: status, Reason: reason, Passed: passed, Failed: 3 - passed, Total: 3, DurationMs: 6000,
		At: after(6 * time.Second)}
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, testruns.Runs.Category, "testdata/events", requested, started(1), paused(1), testruns.Requeued{Attempt: 1, At: t0},
		played(second), ended(testruns.Error, "lost", 2))
}

type decider interface {
	Decide(testruns.State) ([]event.Payload, error)
}

func TestTheLifeOfARun(t *testing.T) {
	start := testruns.Start{At: t0, LeaseUntil: after(10 * time.Second)}
	record := func(cases ...testruns.CaseOf) testruns.Record {
		return testruns.Record{Cases: cases, LeaseUntil: after(15 * time.Second), At: after(5 * time.Second)}
	}
	finish := testruns.Finish{At: after(6 * time.Second)}
	fail := func(n int) testruns.FailAttempt {
		return testruns.FailAttempt{Failure: attempt.Failure{Number: n, Reason: "away", Pause: time.Second, At: t0}}
	}
	wake := func(d time.Duration) testruns.Wake { return testruns.Wake{At: after(d)} }
	given := func(events ...event.Payload) []event.Payload { return append([]event.Payload{requested}, events...) }
	lost := testruns.Ended{Status: testruns.Error, Reason: "the run was begun several times and never came to its end", Failed: 3,
		Total: 3, DurationMs: 10_000, At: after(10 * time.Second)}
	for name, c := range map[string]struct {
		given []event.Payload
		when  decider
		then  []event.Payload
	}{
		"it is asked for once": {given(), testruns.Request{RunID: "ctr-2", At: t0}, nil},
		"it is asked for": {nil, testruns.Request{RunID: "ctr-1", TenantID: "acct", ProjectID: "shop", What: what, By: "client:ci", At: t0},
			[]event.Payload{requested}},
		"a node begins it":   {given(), start, []event.Payload{started(1)}},
		"one node":           {given(started(1)), start, nil},
		"not while it waits": {given(started(1), paused(1)), start, nil},
		"cases are taken": {given(started(1)), record(first, second),
			[]event.Payload{played(first), played(second)}},
		"each once": {given(started(1), played(first)), record(first, second),
			[]event.Payload{played(second)}},
		"also of who comes late": {given(started(1), testruns.Requeued{Attempt: 1, At: t0}), record(first),
			[]event.Payload{played(first)}},
		"none after the end":          {given(started(1), ended(testruns.Error, "x", 0)), record(first), nil},
		"it ends when all are played": {given(started(1), played(first)), finish, nil},
		"all as expected": {given(started(1), played(first), played(good)), finish,
			[]event.Payload{ended(testruns.Passed, "", 3)}},
		"one not": {given(started(1), played(first), played(second)), finish,
			[]event.Payload{ended(testruns.Failed, "", 2)}},
		"one that cannot be played": {given(started(1), played(first), played(broken)), finish,
			[]event.Payload{ended(testruns.Error, `case "bye": turn 1: no`, 2)}},
		"none can be": {given(started(1)), testruns.Finish{Reason: "no model", At: after(6 * time.Second)},
			[]event.Payload{ended(testruns.Error, "no model", 0)}},
		"it ends once":           {given(started(1), ended(testruns.Error, "x", 0)), finish, nil},
		"an attempt that failed": {given(started(1)), fail(1), []event.Payload{paused(1)}},
		"the last one": {given(started(5)), fail(5),
			[]event.Payload{testruns.Ended{Status: testruns.Error, Reason: "away", Failed: 3, Total: 3, At: t0}}},
		"one that is over":                {given(started(2)), fail(1), nil},
		"a lease that holds":              {given(started(1)), wake(10*time.Second - 1), nil},
		"a lease that a case has renewed": {given(started(1), played(first)), wake(14 * time.Second), nil},
		"a lease that has run out": {given(started(1)), wake(10 * time.Second),
			[]event.Payload{testruns.Requeued{Attempt: 1, At: after(10 * time.Second)}}},
		"the renewed one": {given(started(1), played(first)), wake(15 * time.Second),
			[]event.Payload{testruns.Requeued{Attempt: 1, At: after(15 * time.Second)}}},
		"a pause that is over": {given(started(1), paused(1)), wake(time.Second),
			[]event.Payload{testruns.Requeued{Attempt: 1, At: after(time.Second)}}},
		"all nodes died": {given(started(5)), wake(10 * time.Second),
			[]event.Payload{lost}},
		"what was played stays": {given(started(1), played(first), testruns.Requeued{Attempt: 1, At: t0}, started(2), played(good)), finish,
			[]event.Payload{ended(testruns.Passed, "", 3)}},
		"a timer of one that ended meanwhile": {given(started(1), ended(testruns.Error, "x", 0)), wake(time.Hour), nil},
	} {
		got, err := c.when.Decide(testruns.Runs.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
}

func TestWhatIsPlayedIsKnown(t *testing.T) {
	s := testruns.Runs.State(requested, started(1), played(second))
	require.Equal(t, []bool{false, true}, []bool{s.Played(1), s.Played(2)})
	require.Equal(t, testruns.InProgress, s.Status)
}

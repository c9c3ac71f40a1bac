package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	"github.com/parley-platform/parley/handlers/reactors/runtime"
)

const echo = `DSL: 1
AGENT: echo
FLOW: {START: a, STEPS: {a: {SAY: "You say {{ turn.text }}."}}}
TESTS: [{NAME: own, TURNS: [{USER: x, EXPECT: {SAY: You say x.}}]}]
`

// texts are the sources of agents by their hashes.
type texts struct {
	of  map[string]string
	err error
}

func (x *texts) Sources(context.Context, string, string, []string) (map[string]string, error) {
	return x.of, x.err
}

// playing is a run of a suite that was changed after it was asked for.
type playing struct {
	*reactorstest.World
	sources *texts
	does    *reactors.Attempts[testruns.State]
}

const run = "testrun-ctr-1"

func newPlaying(t *testing.T, source string, cases int) *playing {
	w := &playing{World: reactorstest.New(t, time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)),
		sources: &texts{of: map[string]string{"h": source}}}
	suite := testsuites.Suite{ID: "ts-1", Name: "Echo", Agent: "echo"}
	for i := range cases {
		word := fmt.Sprintf("word %d", i+1)
		said := "You say " + word + "."
		suite.Cases = append(suite.Cases, testsuites.Case{Name: word, Turns: []testsuites.Turn{{User: word,
			Expect: &testsuites.Expect{Say: &said}}}})
	}
	stream := testsuites.Stream(reactorstest.Tenant, "shop")
	reactorstest.Given(w.World, testsuites.Suites, stream, testsuites.SuiteDefined{TenantID: reactorstest.Tenant, ProjectID: "shop",
		Suite: suite})
	what := testruns.What{SuiteID: "ts-1", SuiteName: "Echo", SuiteVersion: 1, Agent: "echo", Version: testruns.WorkingCopy,
		Manifest: map[string]sessions.Pinned{"echo": {Hash: "h"}}, Cases: cases, Steps: cases}
	if cases == 0 { // its own TESTS
		what.SuiteVersion, what.Cases, what.Steps = 0, 1, 1
	}
	reactorstest.Given(w.World, testruns.Runs, run, testruns.Requested{RunID: "ctr-1", TenantID: reactorstest.Tenant, ProjectID: "shop",
		What: what, At: w.Now()})
	suite.Cases = []testsuites.Case{{Name: "other", Turns: []testsuites.Turn{{User: "x"}}}}
	reactorstest.Given(w.World, testsuites.Suites, stream, testsuites.SuiteDefined{TenantID: reactorstest.Tenant, ProjectID: "shop",
		Suite: suite})
	w.does = w.node("a")
	return w
}

// node is one that remembers nothing: another, or this one after a kill.
func (w *playing) node(name string) *reactors.Attempts[testruns.State] {
	return runtime.TestRunner{Store: w.Another(name), Programs: &acts.Programs{Sources: w.sources}, Now: w.Now, Log: w.Quiet}.Attempts()
}

func (w *playing) run() testruns.State { return reactorstest.State(w.World, testruns.Runs, run) }

func (w *playing) ended() testruns.Ended {
	for _, e := range memory.Events(w.Log, testruns.Runs.Category, run) {
		if ended, ok := e.(testruns.Ended); ok {
			return ended
		}
	}
	return testruns.Ended{}
}

func TestAllCasesOfTheSuiteAsItStoodArePlayed(t *testing.T) {
	w := newPlaying(t, echo, 50)
	w.Passes(3 * time.Second)
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	require.Equal(t, testruns.Ended{Status: testruns.Passed, Passed: 50, Total: 50, DurationMs: 3000, At: w.Now()}, w.ended())
	require.Len(t, w.run().Cases, 50)
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()), "the events again")
	for _, e := range w.Log.Accepted() {
		require.NotEqual(t, sessions.Sessions.Topic(), e.Topic, "no session is written")
	}
}

func TestAnAgentsOwnTestsArePlayed(t *testing.T) {
	w := newPlaying(t, echo, 0)
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	require.Equal(t, testruns.Passed, w.ended().Status)
}

func TestWhatIsNotAsExpectedFailsARun(t *testing.T) {
	w := newPlaying(t, "DSL: 1\nAGENT: echo\nFLOW: {START: a, STEPS: {a: {SAY: \"You say word 1.\"}}}\n", 3)
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	require.Equal(t, testruns.Ended{Status: testruns.Failed, Passed: 1, Failed: 2, Total: 3, At: w.Now()}, w.ended())
}

func TestAgentsThatCannotBePlayedAreAnError(t *testing.T) {
	for source, why := range map[string]string{
		"DSL: 1\nAGENT: echo\nGOAL: Help.\n": `case "word 1": turn 1: the agent echo needs a model, which a test cannot give it`,
		"DSL: 7\n":                           "the source of the agent echo does not compile with this version of the server: ",
	} {
		w := newPlaying(t, source, 2)
		require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
		require.Equal(t, testruns.Error, w.ended().Status)
		require.Contains(t, w.ended().Reason, why)
	}
}

// Given a node that dies with a part of the cases told, then another plays the rest after the lease, and nothing twice.
func TestARunOutlivesItsNode(t *testing.T) {
	w := newPlaying(t, echo, 100)
	ctx, kill := context.WithCancel(t.Context())
	w.Log.Fail(memory.Faults{Acknowledge: func(c []*eventstore.Record) error {
		if c[0].Type == "parley.testruns.case-played.v1" {
			kill()
		}
		return nil
	}})
	_ = w.Play(ctx, w.does.Reactor())
	w.Log.Fail(memory.Faults{})
	told := len(w.run().Cases)
	require.Positive(t, told)
	require.Less(t, told, 100)
	other := w.node("b")
	require.NoError(t, w.Play(t.Context(), other.Reactor()))
	require.Equal(t, testruns.InProgress, w.run().Status, "the lease holds")
	w.Passes(12 * time.Second)
	require.NoError(t, w.Wake(t.Context(), other, run))
	require.NoError(t, w.Play(t.Context(), other.Reactor()))
	require.Equal(t, []any{testruns.Passed, 100}, []any{w.ended().Status, w.ended().Passed})
	played := map[int]int{}
	for _, e := range memory.Events(w.Log, testruns.Runs.Category, run) {
		if c, ok := e.(testruns.CasePlayed); ok {
			played[c.Number]++
		}
	}
	for n := range 100 {
		require.Equal(t, 1, played[n+1])
	}
}

func TestARunWaitsForADatabaseThatIsAway(t *testing.T) {
	w := newPlaying(t, echo, 1)
	w.sources.err = errors.New("secret: away")
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	require.True(t, w.run().Attempt.Waiting())
	w.sources.err = nil
	w.Passes(time.Minute)
	require.NoError(t, w.Wake(t.Context(), w.does, run))
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	require.Equal(t, testruns.Passed, w.ended().Status)
}

package testsuites_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/testsuites"
)

var (
	hello, none = "Good day.", 0
	greetings   = testsuites.SuiteDefined{TenantID: "acct", ProjectID: "shop", Suite: testsuites.Suite{ID: "ts-1", Name: "Greetings",
		Agent: "meter", Language: "en", Cases: []testsuites.Case{{Name: "hello",
			Context: testsuites.Context{SkipOnStart: true, StartAtStep: "which", GatherValues: gas, SessionVariables: gas, CallerContext: gas,
				ToolMocks: []testsuites.Mock{{Tool: "submit", When: "args.value > 1.0", Result: json.RawMessage(`{"ok":true}`), DelayMs: 5, Times: 1},
					{Tool: "submit", Error: "DOWN"}}},
			Turns: []testsuites.Turn{{User: "Hi", Expect: &testsuites.Expect{Say: &hello, Contains: []string{"day"}, Action: "continue",
				Step: "which", Agent: "meter", ModelCalls: &none, Gathered: gas, Session: gas, Tools: []string{"submit"}}},
				{Action: "kind", Value: json.RawMessage(`"gas"`)}}}}}}
	removed = testsuites.SuiteRemoved{TenantID: "acct", ProjectID: "shop", SuiteID: "ts-1"}
)

// define is what a manifest says that comes to greetings.
func define(edit func(*testsuites.DefineSuite)) testsuites.DefineSuite {
	suite := greetings.Suite
	suite.Name, suite.Cases = " Greetings ", append([]testsuites.Case{}, suite.Cases...)
	c := testsuites.DefineSuite{TenantID: "acct", ProjectID: "shop", Suite: suite}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, testsuites.Suites.Category, "testdata/events", greetings, removed)
	require.Equal(t, event.Quiet, testsuites.Suites.Partitions, "a project has few suites")
}

func TestASuiteIsDefinedOnce(t *testing.T) {
	got, err := define(nil).Decide(testsuites.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{greetings}, got)
	given := testsuites.Suites.State(greetings)
	got, err = define(nil).Decide(given)
	require.NoError(t, err)
	require.Empty(t, got)
	longer := greetings
	longer.Cases = append([]testsuites.Case{}, longer.Cases[0], testsuites.Case{Name: "again", Turns: []testsuites.Turn{{User: "Hi"}}})
	got, err = define(func(c *testsuites.DefineSuite) { c.Cases = longer.Cases }).Decide(given)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{longer}, got, "it has another case")
	require.True(t, fault.Is(testsuites.Unknown(), fault.NotFound))
	found, ok := given.Named("Greetings")
	require.True(t, ok)
	require.Equal(t, greetings.Suite, found)
	_, err = define(func(c *testsuites.DefineSuite) { c.ID = "ts-2" }).Decide(given)
	require.True(t, fault.Is(err, fault.Conflict), "the name is taken")
}

func TestARemovedSuiteFreesItsName(t *testing.T) {
	remove := testsuites.RemoveSuite{TenantID: "acct", ProjectID: "shop", ID: "ts-1"}
	got, err := remove.Decide(testsuites.Suites.State(greetings))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{removed}, got)
	gone := testsuites.Suites.State(greetings, removed)
	got, err = remove.Decide(gone)
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = define(func(c *testsuites.DefineSuite) { c.ID = "ts-2" }).Decide(gone)
	require.NoError(t, err)
}

func TestAProjectHasSoManySuites(t *testing.T) {
	var given []event.Payload
	for i := range testsuites.MaxSuites {
		e := greetings
		e.ID, e.Name = fmt.Sprintf("ts-%d", i), fmt.Sprintf("suite %d", i)
		given = append(given, e)
	}
	_, err := define(func(c *testsuites.DefineSuite) { c.ID = "one-more" }).Decide(testsuites.Suites.State(given...))
	require.True(t, fault.Is(err, fault.LimitReached))
	_, err = define(func(c *testsuites.DefineSuite) { c.ID = "ts-7" }).Decide(testsuites.Suites.State(given...))
	require.NoError(t, err, "one of them may change")
}

func TestSuitesThatAreRefused(t *testing.T) {
	turn := func(edit func(*testsuites.Turn)) func(*testsuites.DefineSuite) {
		return func(c *testsuites.DefineSuite) {
			one := testsuites.Turn{User: "Hi"}
			edit(&one)
			c.Cases[0].Turns = []testsuites.Turn{one}
		}
	}
	mocked := func(m testsuites.Mock) func(*testsuites.DefineSuite) {
		return func(c *testsuites.DefineSuite) { c.Cases[0].Context.ToolMocks = []testsuites.Mock{m} }
	}
	long := strings.Repeat("x", 20_001)
	for field, edits := range map[string][]func(*testsuites.DefineSuite){
		"metadata.id": {func(c *testsuites.DefineSuite) { c.ID = "a b" }},
		"metadata.name": {func(c *testsuites.DefineSuite) { c.Name = "a/b" }, func(c *testsuites.DefineSuite) { c.Name = "agent:meter" },
			func(c *testsuites.DefineSuite) { c.Name = "" }},
		"spec.projectId": {func(c *testsuites.DefineSuite) { c.ProjectID = "" }},
		"spec.agentName": {func(c *testsuites.DefineSuite) { c.Agent = "" }, func(c *testsuites.DefineSuite) { c.Agent = "a b" }},
		"spec.language":  {func(c *testsuites.DefineSuite) { c.Language = "English!" }},
		"spec.cases": {func(c *testsuites.DefineSuite) { c.Cases = nil }, func(c *testsuites.DefineSuite) {
			c.Cases = make([]testsuites.Case, testsuites.MaxCases+1)
			for i := range c.Cases {
				c.Cases[i] = testsuites.Case{Name: fmt.Sprint(i), Turns: []testsuites.Turn{{User: "x"}}}
			}
		}, func(c *testsuites.DefineSuite) {
			for len(c.Cases[0].Turns) < 20 {
				c.Cases[0].Turns = append(c.Cases[0].Turns, testsuites.Turn{User: long[1:]})
			}
		}},
		"spec.cases[0].name":  {func(c *testsuites.DefineSuite) { c.Cases[0].Name = " " }},
		"spec.cases[1].name":  {func(c *testsuites.DefineSuite) { c.Cases = append(c.Cases, c.Cases[0]) }},
		"spec.cases[0].turns": {func(c *testsuites.DefineSuite) { c.Cases[0].Turns = nil }},
		"spec.cases[0].turns[0]": {turn(func(t *testsuites.Turn) { t.User = "" }),
			turn(func(t *testsuites.Turn) { t.Action = "kind" })},
		"spec.cases[0].turns[0].user":  {turn(func(t *testsuites.Turn) { t.User = long }), turn(func(t *testsuites.Turn) { t.User = " \n" })},
		"spec.cases[0].turns[0].value": {turn(func(t *testsuites.Turn) { t.Value = json.RawMessage("1") })},
		"spec.cases[0].turns[0].expect": {turn(func(t *testsuites.Turn) {
			t.Expect = &testsuites.Expect{}
		})},
		"spec.cases[0].turns[0].expect.action": {turn(func(t *testsuites.Turn) { t.Expect = &testsuites.Expect{Action: "stop"} })},
		"spec.cases[0].turns[0].expect.modelCalls": {turn(func(t *testsuites.Turn) {
			less := -1
			t.Expect = &testsuites.Expect{ModelCalls: &less}
		})},
		"spec.cases[0].turns[0].expect.contains": {turn(func(t *testsuites.Turn) {
			t.Expect = &testsuites.Expect{Contains: make([]string, testsuites.MaxListed+1)}
		})},
		"spec.cases[0].context.toolMocks": {func(c *testsuites.DefineSuite) {
			c.Cases[0].Context.ToolMocks = nil
			for range testsuites.MaxMocks + 1 {
				c.Cases[0].Context.ToolMocks = append(c.Cases[0].Context.ToolMocks, testsuites.Mock{Tool: "submit"})
			}
		}},
		"spec.cases[0].context.toolMocks[0].tool": {mocked(testsuites.Mock{})},
		"spec.cases[0].context.toolMocks[0]":      {mocked(testsuites.Mock{Tool: "x", Result: json.RawMessage("1"), Error: "DOWN"})},
	} {
		for _, edit := range edits {
			_, err := define(edit).Decide(testsuites.State{})
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
		}
	}
}

// A suite may be as large as this, and no larger.
func TestTheBoundsOfASuite(t *testing.T) {
	cases := func(n int) testsuites.DefineSuite {
		return define(func(c *testsuites.DefineSuite) {
			c.Cases = make([]testsuites.Case, n)
			for i := range c.Cases {
				c.Cases[i] = testsuites.Case{Name: fmt.Sprint(i), Turns: []testsuites.Turn{{User: "x"}}}
			}
		})
	}
	one := func(turns, mocks, listed int) testsuites.DefineSuite {
		return define(func(c *testsuites.DefineSuite) {
			all := make([]testsuites.Turn, turns)
			for i := range all {
				all[i] = testsuites.Turn{User: "x"}
			}
			all[0].Expect = &testsuites.Expect{Action: "end", Contains: make([]string, listed), Tools: make([]string, listed)}
			c.Cases = []testsuites.Case{{Name: "x", Turns: all}}
			for range mocks {
				c.Cases[0].Context.ToolMocks = append(c.Cases[0].Context.ToolMocks, testsuites.Mock{Tool: "submit"})
			}
		})
	}
	for label, c := range map[string]struct {
		suite  testsuites.DefineSuite
		fields []string
	}{
		"most cases": {cases(testsuites.MaxCases), nil}, "too many cases": {cases(testsuites.MaxCases + 1), []string{"spec.cases"}},
		"most of a case": {one(testsuites.MaxTurns, testsuites.MaxMocks, testsuites.MaxListed), nil},
		"too much of a case": {one(testsuites.MaxTurns+1, testsuites.MaxMocks+1, testsuites.MaxListed+1), []string{
			"spec.cases[0].context.toolMocks", "spec.cases[0].turns", "spec.cases[0].turns[0].expect.contains",
			"spec.cases[0].turns[0].expect.tools"}},
	} {
		_, err := c.suite.Decide(testsuites.State{})
		if c.fields == nil {
			require.NoError(t, err, label)
			continue
		}
		require.Equal(t, c.fields, faulttest.Fields(t, err), label)
	}
}

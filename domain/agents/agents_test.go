package agents_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

const source = "AGENT: greeter\nON_START: {SAY: Hello}\n"

var (
	greeter = agents.AgentDefined{TenantID: "acct", ProjectID: "shop", AgentID: "a-1", Name: "greeter", Description: "says hello"}
	working = agents.DSLDeclared{TenantID: "acct", ProjectID: "shop", AgentID: "a-1", Name: "greeter", DSLContent: source}
)

func defineGreeter(edit func(*agents.DefineAgent)) agents.DefineAgent {
	c := agents.DefineAgent{TenantID: "acct", ProjectID: "shop", ID: "a-1", Name: "greeter", Description: " says hello ", DSLContent: source}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestAnAgentIsDefinedOnce(t *testing.T) {
	got, err := defineGreeter(nil).Decide(agents.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{greeter, working}, got)
	s := agents.Agents.State(got...)
	got, err = defineGreeter(nil).Decide(s)
	require.NoError(t, err)
	require.Empty(t, got)
	found, ok := s.ByName("greeter")
	require.True(t, ok)
	require.Equal(t, agents.Agent{ID: "a-1", Name: "greeter", Description: "says hello", Working: agents.HashOf(source),
		Declared: agents.HashOf(source)}, found)
}

func TestOnlyTheHalfThatChanged(t *testing.T) {
	s := agents.Agents.State(greeter, working)
	got, err := defineGreeter(func(c *agents.DefineAgent) { c.Description = "" }).Decide(s)
	require.NoError(t, err)
	want := greeter
	want.Description = ""
	require.Equal(t, []event.Payload{want}, got)

	got, err = defineGreeter(func(c *agents.DefineAgent) { c.DSLContent = "AGENT: other" }).Decide(s)
	require.NoError(t, err)
	changed := working
	changed.DSLContent = "AGENT: other"
	require.Equal(t, []event.Payload{changed}, got)
}

func TestAgentNamesAreUniqueInTheProject(t *testing.T) {
	_, err := defineGreeter(func(c *agents.DefineAgent) { c.ID = "a-2" }).Decide(agents.Agents.State(greeter, working))
	require.True(t, fault.Is(err, fault.Conflict))
}

func TestWrongFieldsOfAnAgent(t *testing.T) {
	for field, edits := range map[string][]func(*agents.DefineAgent){
		"metadata.id": {func(c *agents.DefineAgent) { c.ID = "a 1" }},
		"metadata.name": {
			func(c *agents.DefineAgent) { c.Name = "" }, func(c *agents.DefineAgent) { c.Name = "a/b" },
			func(c *agents.DefineAgent) { c.Name = strings.Repeat("x", 65) },
		},
		"spec.projectId":   {func(c *agents.DefineAgent) { c.ProjectID = "" }},
		"spec.description": {func(c *agents.DefineAgent) { c.Description = strings.Repeat("x", 1001) }},
		"spec.dslContent": {
			func(c *agents.DefineAgent) { c.DSLContent = " \n" },
			func(c *agents.DefineAgent) { c.DSLContent = "#" + strings.Repeat("x", agents.MaxSource) },
			func(c *agents.DefineAgent) { c.DSLContent = "a: [" },
			func(c *agents.DefineAgent) { c.DSLContent = "ON_START: {SAY: 5}" },
		},
	} {
		for _, edit := range edits {
			_, err := defineGreeter(edit).Decide(agents.State{})
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
		}
	}
	_, err := defineGreeter(func(c *agents.DefineAgent) {
		c.Name, c.Description = strings.Repeat("x", 64), strings.Repeat("ü", 1000)
	}).Decide(agents.State{})
	require.NoError(t, err)
}

func TestARemovedAgentFreesItsName(t *testing.T) {
	remove := agents.RemoveAgent{TenantID: "acct", ProjectID: "shop", ID: "a-1"}
	got, err := remove.Decide(agents.Agents.State(greeter, working))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{agents.AgentRemoved{TenantID: "acct", ProjectID: "shop", AgentID: "a-1", Name: "greeter"}}, got)
	gone := agents.Agents.State(greeter, working, got[0])
	again, err := remove.Decide(gone)
	require.NoError(t, err)
	require.Empty(t, again)
	_, err = defineGreeter(func(c *agents.DefineAgent) { c.ID = "a-2" }).Decide(gone)
	require.NoError(t, err)
}

func TestTwoProjectsNeverShareAStream(t *testing.T) {
	require.NotEqual(t, agents.Stream("a", "b-c"), agents.Stream("a-b", "c"))
}

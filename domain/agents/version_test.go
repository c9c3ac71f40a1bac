package agents_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

var now = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)

func save(text string) agents.Save {
	return agents.Save{TenantID: "acct", ProjectID: "shop", AgentID: "a-1", DSLContent: text, At: now}
}

func saved(text string) agents.DSLSaved {
	return agents.DSLSaved{TenantID: "acct", ProjectID: "shop", AgentID: "a-1", Name: "greeter", DSLContent: text, At: now}
}

func version(number, text string) agents.VersionSaved {
	return agents.VersionSaved{TenantID: "acct", ProjectID: "shop", AgentID: "a-1", Name: "greeter", Version: number,
		Source: agents.HashOf(text), At: now}
}

var cut = agents.SaveVersion{TenantID: "acct", ProjectID: "shop", AgentID: "a-1", At: now}

func TestAWorkingCopyMayBeAnything(t *testing.T) {
	s := agents.Agents.State(greeter, working)
	got, err := save("a: [").Decide(s)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{saved("a: [")}, got)
	got, err = save(source).Decide(s)
	require.NoError(t, err)
	require.Empty(t, got, "the same again")
	got, err = defineGreeter(nil).Decide(agents.Agents.State(greeter, working, saved("a: [")))
	require.NoError(t, err)
	require.Empty(t, got, "a definition repeated does not undo what was saved")
}

func TestWorkingCopiesThatAreRefused(t *testing.T) {
	s := agents.Agents.State(greeter, working)
	for _, text := range []string{"", strings.Repeat("x", agents.MaxSource+1), "\xff"} {
		_, err := save(text).Decide(s)
		require.Equal(t, []string{"dslContent"}, faulttest.Fields(t, err))
	}
	_, err := save(strings.Repeat("x", agents.MaxSource)).Decide(s)
	require.NoError(t, err)
	_, err = save("x").Decide(agents.State{})
	require.True(t, fault.Is(err, fault.NotFound))
}

func TestVersionsAreCounted(t *testing.T) {
	s := agents.Agents.State(greeter, working)
	got, err := cut.Decide(s)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{version("1", source)}, got)
	s = agents.Agents.State(greeter, working, got[0])
	require.Equal(t, "1", s.Newest("a-1"))
	got, err = cut.Decide(s)
	require.NoError(t, err)
	require.Empty(t, got, "nothing was saved since")
	got, err = cut.Decide(agents.Agents.State(greeter, working, version("1", source), saved("b"), version("2", "b"), saved(source)))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{version("3", source)}, got, "back to what version 1 was")
	_, err = cut.Decide(agents.State{})
	require.True(t, fault.Is(err, fault.NotFound))
}

func TestVersionsOutliveTheAgent(t *testing.T) {
	removed := agents.AgentRemoved{TenantID: "acct", ProjectID: "shop", AgentID: "a-1", Name: "greeter"}
	s := agents.Agents.State(greeter, working, version("1", source), removed, greeter, saved("b"))
	got, err := cut.Decide(s)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{version("2", "b")}, got)
}

func TestAnAgentHasOnlySoManyVersions(t *testing.T) {
	s := agents.Agents.State(greeter, working)
	s.Versions = map[string][]agents.Hash{"a-1": make([]agents.Hash, agents.MaxVersions)}
	_, err := cut.Decide(s)
	require.True(t, fault.Is(err, fault.LimitReached))
}

func TestAnAgentIsCreated(t *testing.T) {
	create := agents.Create{TenantID: "acct", ProjectID: "shop", ID: "a-1", Name: "greeter", Description: " says hello ", DSLContent: "a: [",
		At: now}
	got, err := create.Decide(agents.State{})
	require.NoError(t, err)
	made := greeter
	made.CreatedAt = now
	require.Equal(t, []event.Payload{made, saved("a: [")}, got)
	create.ID = "a-2"
	_, err = create.Decide(agents.Agents.State(got...))
	require.True(t, fault.Is(err, fault.Conflict))
	got, err = defineGreeter(func(c *agents.DefineAgent) { c.Description = "other" }).Decide(agents.Agents.State(got...))
	require.NoError(t, err)
	require.Equal(t, now, got[0].(agents.AgentDefined).CreatedAt, "it was made before")
	for field, edit := range map[string]func(*agents.Create){
		"name":        func(c *agents.Create) { c.Name = "a/b" },
		"description": func(c *agents.Create) { c.Description = strings.Repeat("x", 1001) },
		"dslContent":  func(c *agents.Create) { c.DSLContent = "" },
	} {
		wrong := create
		edit(&wrong)
		_, err := wrong.Decide(agents.State{})
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
}

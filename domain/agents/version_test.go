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

// Given agents of a project, when the working copies that were looked at become versions, then
// those that are none yet do, or none at all if one of them is another by now.
func TestWorkingCopiesBecomeVersionsTogether(t *testing.T) {
	closer := agents.AgentDefined{TenantID: "acct", ProjectID: "shop", AgentID: "a-0", Name: "closer"}
	closing := agents.DSLSaved{TenantID: "acct", ProjectID: "shop", AgentID: "a-0", Name: "closer", DSLContent: "c", At: now}
	closed := agents.VersionSaved{TenantID: "acct", ProjectID: "shop", AgentID: "a-0", Name: "closer", Version: "1",
		Source: agents.HashOf("c"), At: now}
	both := map[string]agents.Hash{"a-1": agents.HashOf(source), "a-0": agents.HashOf("c")}
	two := []event.Payload{greeter, working, closer, closing}
	for _, c := range []struct {
		given string
		more  []event.Payload
		of    map[string]agents.Hash
		then  []event.Payload
		says  string // of a refusal
	}{
		{"no versions, both become one", nil, both, []event.Payload{closed, version("1", source)}, ""},
		{"nothing is wanted", nil, nil, nil, ""},
		{"one that is a version, the other becomes one", []event.Payload{version("1", source)}, both, []event.Payload{closed}, ""},
		{"a version that is not the newest, it becomes one again", []event.Payload{closed, version("1", source), saved("b"),
			version("2", "b"), saved(source)}, both, []event.Payload{version("3", source)}, ""},
		{"both are versions, as for a repeat", []event.Payload{closed, version("1", source)}, both, nil, ""},
		{"one that was saved anew", []event.Payload{saved("b")}, both, nil, "the working copy of greeter was saved anew meanwhile"},
		{"one that was saved anew, though the text is a version", []event.Payload{version("1", source), saved("b")}, both, nil,
			"the working copy of greeter was saved anew meanwhile"},
		{"one that was removed", []event.Payload{agents.AgentRemoved{AgentID: "a-1"}}, both, nil, "the agent a-1 was removed meanwhile"},
	} {
		got, err := agents.SaveVersions{TenantID: "acct", ProjectID: "shop", Of: c.of, At: now}.Decide(agents.Agents.State(
			append(two[:4:4], c.more...)...))
		require.Equal(t, c.then, got, c.given)
		if c.says == "" {
			require.NoError(t, err, c.given)
			continue
		}
		require.True(t, fault.Is(err, fault.Conflict), c.given)
		require.ErrorContains(t, err, c.says, c.given)
	}
	full := agents.Agents.State(two...)
	full.Versions = map[string][]agents.Hash{"a-1": make([]agents.Hash, agents.MaxVersions)}
	got, err := agents.SaveVersions{Of: both, At: now}.Decide(full)
	require.Empty(t, got, "nor the other one")
	require.True(t, fault.Is(err, fault.LimitReached))
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

package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/deployables"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given agents with and without a source, when the working copies of a project are asked for,
// then they come by name, with the hashes by which the domain knows their texts.
func TestAnswersAboutWorkingCopies(t *testing.T) {
	w := given.Open(t)
	text := "AGENT: Ann\n# \u00fc \U0001f600 'quoted' \\ back\n"
	define := func(project, id, name, dsl string) {
		w.Given(runtime.AgentsModel, project,
			given.Filled(func(e *agents.AgentDefined) { e.ProjectID, e.AgentID, e.Name = project, id, name }))
		if dsl != "" {
			w.Given(runtime.AgentsModel, project,
				given.Filled(func(e *agents.DSLSaved) { e.ProjectID, e.AgentID, e.DSLContent = project, id, dsl }))
		}
	}
	define("one", "a-1", "Bob", "")
	define("one", "a-2", "Ann", text)
	define("two", "a-2", "Ann", "of two")
	x, ctx := runtime.NewAgents(w.DB), t.Context()
	ann, bob := runtime.WorkingCopy{AgentID: "a-2", Name: "Ann", Hash: string(agents.HashOf(text))},
		runtime.WorkingCopy{AgentID: "a-1", Name: "Bob"}
	for _, c := range []struct {
		tenant, project string
		limit           int
		want            []runtime.WorkingCopy
	}{{"tenantId", "one", 9, []runtime.WorkingCopy{ann, bob}}, {"tenantId", "one", 1, []runtime.WorkingCopy{ann}},
		{"other", "one", 9, []runtime.WorkingCopy{}}, {"tenantId", "three", 9, []runtime.WorkingCopy{}}} {
		got, err := x.WorkingCopies(ctx, c.tenant, c.project, c.limit)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	// 100 hashes of base64 have each of its letters, also those that URLs write in another way.
	for n := range 100 {
		define("many", "a-"+string(rune('A'+n)), "x", text+string(rune('A'+n)))
	}
	got, err := x.WorkingCopies(ctx, "tenantId", "many", 100)
	require.NoError(t, err)
	require.Len(t, got, 100)
	for _, c := range got {
		require.Equal(t, string(agents.HashOf(text+c.AgentID[2:])), c.Hash)
	}

	for _, c := range []struct {
		tenant, project string
		want            []runtime.WorkingSource
	}{{"tenantId", "one", []runtime.WorkingSource{{AgentID: "a-1"}, {AgentID: "a-2", DSL: text}}},
		{"tenantId", "two", []runtime.WorkingSource{{AgentID: "a-2", DSL: "of two"}}}, {"other", "one", []runtime.WorkingSource{}}} {
		got, err := x.WorkingSources(ctx, c.tenant, c.project, []string{"a-1", "a-2", "a-3"})
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	got2, err := x.WorkingSources(ctx, "tenantId", "one", []string{"a-1"})
	require.NoError(t, err)
	require.Len(t, got2, 1)
}

// Given workflows and tools of two projects, when those of one are asked for, then they come by name.
func TestAnswersAboutAllDocks(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	w.Given(runtime.DocksModel, "x",
		given.Filled(func(e *deployables.ToolDefined) { e.ToolID, e.Name, e.Type = "same", "Zap", deployables.ToolMCP }),
		given.Filled(func(e *deployables.WorkflowDefined) { e.WorkflowID, e.Name = "same", "Act" }),
		given.Filled(func(e *deployables.ToolDefined) { e.ProjectID, e.ToolID, e.Name = "two", "t-2", "Else" }))
	flow, tool := runtime.Dock{Kind: "workflow", ID: "same", Name: "Act"}, runtime.Dock{Kind: "tool", ID: "same", Name: "Zap", ToolType: "mcp"}
	dock := runtime.NewDocks(w.DB)
	for _, c := range []struct {
		tenant string
		limit  int
		want   []runtime.Dock
	}{{"tenantId", 9, []runtime.Dock{flow, tool}}, {"tenantId", 1, []runtime.Dock{flow}}, {"other", 9, []runtime.Dock{}}} {
		got, err := dock.List(ctx, c.tenant, "projectId", c.limit)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

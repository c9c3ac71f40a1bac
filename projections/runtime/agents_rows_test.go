package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given the events of agents, then these are the rows after each; what an agent said and its
// versions stay when it is removed.
func TestRowsOfAgents(t *testing.T) {
	model := given.Open(t).Follow(runtime.AgentsModel)
	const key = "tenant=tenantId project_id=projectId agent_id=agentId"
	declared, saved := string(agents.HashOf("dslContent")), string(agents.HashOf("saved"))
	model.After("x", given.Filled[agents.AgentDefined](),
		"+ agents "+key+" name=name description=description created_at=12:00:07 updated_at=12:00:00")
	model.After("x", given.Filled[agents.DSLDeclared](),
		"+ agent_sources "+key+" source_hash="+declared+" dsl=dslContent",
		"~ agents "+key+": dsl=dslContent updated_at=12:01:00")
	model.After("x", given.Filled(func(e *agents.DSLSaved) { e.DSLContent = "saved" }),
		"+ agent_sources "+key+" source_hash="+saved+" dsl=saved",
		"~ agents "+key+": dsl=saved updated_at=12:00:08")
	model.After("x", given.Filled(func(e *agents.VersionSaved) { e.Version, e.Source = "1", agents.Hash(saved) }),
		"+ agent_versions "+key+" version=1 source_hash="+saved+" saved_at=12:00:08")
	model.After("x", given.Filled[agents.AgentRemoved](), "- agents "+key)
}

// Given agents of two projects, then each question finds those that it is about.
func TestAnswersAboutAgents(t *testing.T) {
	w := given.Open(t)
	define := func(project, id, name string) {
		w.Given(runtime.AgentsModel, project,
			given.Filled(func(e *agents.AgentDefined) { e.ProjectID, e.AgentID, e.Name = project, id, name }),
			given.Filled(func(e *agents.DSLSaved) { e.ProjectID, e.AgentID, e.DSLContent = project, id, "DSL of "+id }))
	}
	define("one", "a-1", "Bob")
	define("one", "a-2", "Ann")
	define("two", "a-3", "Bob")
	for n, text := range []string{"first", "second"} {
		source := agents.HashOf(text)
		w.Given(runtime.AgentsModel, "one",
			given.Filled(func(e *agents.DSLSaved) { e.ProjectID, e.AgentID, e.DSLContent = "one", "a-1", text }),
			given.Filled(func(e *agents.VersionSaved) {
				e.ProjectID, e.AgentID, e.Source, e.Version = "one", "a-1", source, []string{"1", "2"}[n]
			}))
	}
	x, ctx := runtime.NewAgents(w.DB), t.Context()
	ids := func(found []runtime.Agent) (ids []string) {
		for _, a := range found {
			ids = append(ids, a.AgentID)
		}
		return ids
	}
	for _, c := range []struct {
		project       string
		limit, offset int
		want          []string
		total         int
	}{{"", 9, 0, []string{"a-2", "a-1", "a-3"}, 3}, {"one", 9, 0, []string{"a-2", "a-1"}, 2}, {"one", 1, 1, []string{"a-1"}, 2},
		{"three", 9, 0, nil, 0}} {
		found, total, err := x.List(ctx, "tenantId", c.project, c.limit, c.offset)
		require.NoError(t, err)
		require.Equal(t, c.want, ids(found))
		require.Equal(t, c.total, total)
	}
	for _, c := range []struct {
		tenant, project, name string
		want                  []string
	}{{"tenantId", "", "Bob", []string{"a-1", "a-3"}}, {"tenantId", "two", "Bob", []string{"a-3"}}, {"tenantId", "two", "Ann", nil},
		{"other", "", "Bob", nil}} {
		found, err := x.Named(ctx, c.tenant, c.project, c.name)
		require.NoError(t, err)
		require.Equal(t, c.want, ids(found))
	}
	found, err := x.Named(ctx, "tenantId", "one", "Bob")
	require.NoError(t, err)
	require.Equal(t, "second", found[0].DSL)
	require.Equal(t, 2, found[0].Versions)
	require.Equal(t, given.Noon.Add(7*time.Second), found[0].CreatedAt.UTC())

	versions, total, err := x.Versions(ctx, "tenantId", "one", "a-1", 1, 0)
	require.NoError(t, err)
	require.Equal(t, 2, total)
	require.Equal(t, 2, versions[0].Version)
	for number, want := range map[int]string{1: "first", 2: "second", 3: ""} {
		v, ok, err := x.Version(ctx, "tenantId", "one", "a-1", number)
		require.NoError(t, err)
		require.Equal(t, want != "", ok)
		require.Equal(t, want, v.DSL)
	}
}

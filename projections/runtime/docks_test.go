package runtime_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/projections"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given a tool and a deployment of it that failed, then both are found in their project, and in no other place.
func TestAnswersAboutDocks(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	w.Given(runtime.DocksModel, "x", given.Filled[deployables.ToolDefined]())
	w.Given(runtime.DocksModel, "jobId", given.Filled(func(e *deployables.JobRequested) { e.Kind, e.ID = deployables.Tool, "toolId" }),
		given.Filled[deployables.JobFailed]())
	dock := runtime.NewDocks(w.DB)
	for place, there := range map[[2]string]bool{{"tenantId", "projectId"}: true, {"other", "projectId"}: false,
		{"tenantId", "other"}: false} {
		ok, err := dock.Defined(ctx, place[0], place[1], deployables.Tool, "toolId")
		require.NoError(t, err)
		require.Equal(t, there, ok)
		ok, err = dock.Defined(ctx, place[0], place[1], deployables.Workflow, "toolId")
		require.NoError(t, err)
		require.False(t, ok)
		j, ok, err := dock.Job(ctx, place[0], place[1], deployables.Tool, "toolId", "jobId")
		require.NoError(t, err)
		require.Equal(t, there, ok && j == runtime.DeploymentJob{ID: "jobId", Target: "toolId", Status: deployables.Failed, Reason: "reason"})
		_, ok, err = dock.Job(ctx, place[0], place[1], deployables.Tool, "another", "jobId")
		require.NoError(t, err)
		require.False(t, ok)
	}
}

// Given versions of a workflow, then the deployed one is live; a deployment of agents that names
// another has that one.
func TestWhichVersionOfAWorkflowRuns(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	defined := func(version int, tool string) deployables.WorkflowDefined {
		return deployables.WorkflowDefined{TenantID: "acme", ProjectID: "shop", WorkflowID: "wf-1", Name: "Renew", Version: version,
			Steps: []deployables.Step{{ID: "a", Tool: tool}}}
	}
	v := runtime.NewDockVersions(w.DB)
	for _, m := range []*projections.Model{runtime.DocksModel, runtime.DockVersionsModel} {
		w.Given(m, "x", defined(1, "one"), defined(2, "two"), defined(3, "three"))
	}
	_, ok, err := v.Live(ctx, "acme", "shop", deployables.Workflow, "wf-1")
	require.NoError(t, err)
	require.False(t, ok, "it is not deployed")
	deployed := deployables.Deployed{TenantID: "acme", ProjectID: "shop", Kind: deployables.Workflow, ID: "wf-1", Version: 2}
	w.Given(runtime.DocksModel, "x", deployed)
	w.Given(runtime.DeploymentsModel, "y", given.Filled(func(e *deployments.Created) {
		e.TenantID, e.ProjectID, e.DeploymentID, e.Workflows = "acme", "shop", "d-1", map[string]int{"Renew": 1}
	}))
	tool := func(got runtime.DockVersion, ok bool, err error) string {
		require.NoError(t, err)
		if !ok {
			return ""
		}
		var steps []deployables.Step
		require.NoError(t, json.Unmarshal(got.Content, &steps))
		return steps[0].Tool
	}
	require.Equal(t, "two", tool(v.Live(ctx, "acme", "shop", deployables.Workflow, "wf-1")))
	require.Equal(t, "two", tool(v.Served(ctx, "acme", "shop", "", "wf-1")))
	require.Equal(t, "one", tool(v.Served(ctx, "acme", "shop", "d-1", "wf-1")))
	known, err := v.Workflows(ctx, "acme", "shop")
	require.NoError(t, err)
	require.Equal(t, map[string]runtime.WorkflowVersions{"Renew": {ID: "wf-1", Numbers: []int32{1, 2, 3}}}, known)
	for _, place := range [][4]string{{"other", "shop", "d-1", "wf-1"}, {"acme", "other", "d-1", "wf-1"}, {"acme", "shop", "d-1", "wf-2"}} {
		require.Empty(t, tool(v.Served(ctx, place[0], place[1], place[2], place[3])))
		require.Empty(t, tool(v.Live(ctx, place[0], place[1], deployables.Workflow, place[3])))
	}
	require.Empty(t, tool(v.Live(ctx, "acme", "shop", deployables.Tool, "wf-1")))
}

// Given a workflow that is called otherwise than when it was deployed, and another that has its name now, then the
// one that was meant has the version that was named; without an id of it the name says which one is meant.
func TestWhichVersionOfARenamedWorkflowRuns(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	defined := func(id, name string, version int) deployables.WorkflowDefined {
		return deployables.WorkflowDefined{TenantID: "acme", ProjectID: "shop", WorkflowID: id, Name: name, Version: version}
	}
	for _, m := range []*projections.Model{runtime.DocksModel, runtime.DockVersionsModel} {
		w.Given(m, "x", defined("wf-1", "Renew", 1), defined("wf-1", "Renew", 2), defined("wf-1", "Prolong", 2),
			defined("wf-2", "Renew", 1), defined("wf-2", "Renew", 2))
	}
	for _, id := range []string{"wf-1", "wf-2"} {
		w.Given(runtime.DocksModel, "x", deployables.Deployed{TenantID: "acme", ProjectID: "shop", Kind: deployables.Workflow, ID: id,
			Version: 2})
	}
	for id, ids := range map[string]map[string]string{"d-new": {"Renew": "wf-1"}, "d-old": nil} {
		w.Given(runtime.DeploymentsModel, "y", given.Filled(func(e *deployments.Created) {
			e.TenantID, e.ProjectID, e.DeploymentID, e.Workflows, e.WorkflowIDs = "acme", "shop", id, map[string]int{"Renew": 1}, ids
		}))
	}
	v := runtime.NewDockVersions(w.DB)
	served := func(deployment, workflow string) int {
		got, ok, err := v.Served(ctx, "acme", "shop", deployment, workflow)
		require.NoError(t, err)
		require.True(t, ok)
		return got.Version
	}
	require.Equal(t, []int{1, 2}, []int{served("d-new", "wf-1"), served("d-new", "wf-2")})
	require.Equal(t, []int{2, 1}, []int{served("d-old", "wf-1"), served("d-old", "wf-2")})
}

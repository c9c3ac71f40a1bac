package runtime_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/deployables"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given definitions, then each version of them stays, until there is none any more.
func TestRowsOfDockVersions(t *testing.T) {
	model := given.Open(t).Follow(runtime.DockVersionsModel)
	model.After("x", given.Filled[deployables.WorkflowDefined](),
		"+ dock_versions tenant=tenantId project_id=projectId kind=workflow id=workflowId version=13 name=name "+
			`content=[{"arguments":{"is":"arguments"},"id":"id","next":"next","tool":"tool"}]`,
	)
	at := func(version int, url string) func(*deployables.ToolDefined) {
		return func(e *deployables.ToolDefined) { e.Version, e.Settings = version, deployables.Settings{URL: url} }
	}
	model.After("x", given.Filled(at(13, "https://a.example")),
		"+ dock_versions tenant=tenantId project_id=projectId kind=tool id=toolId version=13 name=name tool_type=type "+
			`content={"url":"https://a.example"}`,
	)
	model.After("x", given.Filled(at(14, "https://b.example")),
		"+ dock_versions tenant=tenantId project_id=projectId kind=tool id=toolId version=14 name=name tool_type=type "+
			`content={"url":"https://b.example"}`,
	)
	model.After("x", given.Filled(func(e *deployables.Removed) { e.Kind, e.ID = deployables.Tool, "toolId" }),
		"- dock_versions tenant=tenantId project_id=projectId kind=tool id=toolId version=13",
		"- dock_versions tenant=tenantId project_id=projectId kind=tool id=toolId version=14",
	)
}

// Given the events of workflows, tools and deployment jobs, then these are the rows after each.
func TestRowsOfDocks(t *testing.T) {
	model := given.Open(t).Follow(runtime.DocksModel)
	model.After("x", given.Filled[deployables.WorkflowDefined](),
		"+ docks tenant=tenantId project_id=projectId kind=workflow id=workflowId name=name version=13",
	)
	model.After("x", given.Filled[deployables.ToolDefined](),
		"+ docks tenant=tenantId project_id=projectId kind=tool id=toolId name=name tool_type=type version=17",
	)
	model.After("x", given.Filled(func(e *deployables.Deployed) { e.Kind, e.ID = deployables.Tool, "toolId" }),
		"~ docks tenant=tenantId project_id=projectId kind=tool id=toolId: live=7",
	)
	model.After("x", given.Filled(func(e *deployables.Removed) { e.Kind, e.ID = deployables.Tool, "toolId" }),
		"- docks tenant=tenantId project_id=projectId kind=tool id=toolId",
	)
	model.After("jobId", given.Filled[deployables.JobRequested](),
		"+ deployment_jobs job_id=jobId tenant=tenantId project_id=projectId kind=kind target=id status=IN_PROGRESS "+
			"requested_at=12:00:08",
	)
	model.After("jobId", given.Filled[deployables.JobSucceeded](),
		"~ deployment_jobs job_id=jobId: status=SUCCESS version=2 ended_at=12:00:03",
	)
	model.After("job-2", given.Filled(func(e *deployables.JobRequested) { e.JobID = "job-2" }),
		"+ deployment_jobs job_id=job-2 tenant=tenantId project_id=projectId kind=kind target=id status=IN_PROGRESS "+
			"requested_at=12:00:08",
	)
	model.After("job-2", given.Filled[deployables.JobFailed](),
		"~ deployment_jobs job_id=job-2: status=FAILED reason=reason ended_at=12:00:03",
	)
}

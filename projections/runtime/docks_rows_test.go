package runtime_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/deployables"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given the events of workflows, tools and deployment jobs, then these are the rows after each.
func TestRowsOfDocks(t *testing.T) {
	model := given.Open(t).Follow(runtime.DocksModel)
	model.After("x", given.Filled[deployables.WorkflowDefined](),
		"+ docks tenant=tenantId project_id=projectId kind=workflow id=workflowId name=name version=13",
	)
	model.After("x", given.Filled[deployables.ToolDefined](),
		"+ docks tenant=tenantId project_id=projectId kind=tool id=toolId name=name tool_type=type version=13",
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

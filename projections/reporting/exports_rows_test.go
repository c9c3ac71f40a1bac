package reporting_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/exports"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
)

// Given the events of export jobs, then these are the rows after each.
func TestRowsOfExports(t *testing.T) {
	model := given.Open(t).Follow(reporting.ExportsModel)
	model.After("jobId", given.Filled[exports.Requested](),
		"+ exports job_id=jobId tenant=tenantId project_id=projectId index_id=searchIndexId status=QUEUED requested_at=12:00:09",
	)
	model.After("jobId", given.Filled[exports.Started](),
		"~ exports job_id=jobId: status=INPROGRESS",
		"+ timers stream=export-jobId name=export topic=parley.exports tenant=tenantId due_at=12:00:03 claimed_until=-infinity",
	)
	model.After("jobId", given.Filled[exports.AttemptFailed](),
		"~ exports job_id=jobId: status=QUEUED",
		"~ timers stream=export-jobId name=export: due_at=12:00:04",
	)
	model.After("jobId", given.Filled[exports.Requeued](),
		"- timers stream=export-jobId name=export",
	)
	model.After("jobId", given.Filled[exports.Started](),
		"~ exports job_id=jobId: status=INPROGRESS",
		"+ timers stream=export-jobId name=export topic=parley.exports tenant=tenantId due_at=12:00:03 claimed_until=-infinity",
	)
	model.After("jobId", given.Filled[exports.Failed](),
		"~ exports job_id=jobId: status=FAILED reason=reason",
		"- timers stream=export-jobId name=export",
	)
	model.After("jobId", given.Filled[exports.Started](),
		"~ exports job_id=jobId: status=INPROGRESS",
		"+ timers stream=export-jobId name=export topic=parley.exports tenant=tenantId due_at=12:00:03 claimed_until=-infinity",
	)
	model.After("jobId", given.Filled[exports.Succeeded](),
		`~ exports job_id=jobId: status=SUCCESS features=[{"feature":"feature","status":"status"}] file_id=fileId `+
			"file_name=fileName blob=blob",
		"- timers stream=export-jobId name=export",
	)
}

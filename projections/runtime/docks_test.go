package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deployables"
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

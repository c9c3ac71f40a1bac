package runtime

import (
	"context"
	"net/http"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Docks is what the deployment of workflows and tools needs.
type Docks struct {
	rest.Commands
	Docks  dockReader
	Deploy acts.Deploy
}

// dockReader knows workflows, tools and their deployment jobs.
type dockReader interface {
	Defined(ctx context.Context, tenant, project string, kind deployables.Kind, id string) (bool, error)
	Job(ctx context.Context, tenant, project string, kind deployables.Kind, target, id string) (runtime.DeploymentJob, bool, error)
}

type deployWorkflowIn struct {
	ID string `path:"workflowId" doc:"Id of a workflow of the key's app." example:"wf-acme-renewal"`
	deployBody
}

type deployToolIn struct {
	ID string `path:"toolId" doc:"Id of a tool of the key's app." example:"tool-acme-lookup"`
	deployBody
}

type deployBody struct {
	Body struct {
		IsAsync *bool `json:"isAsync" required:"true" nullable:"false" doc:"true: answers at once, ask for the status with dockStatusId; false: answers when the deployment has ended."`
	}
}

type workflowJobIn struct {
	ID  string `path:"workflowId" doc:"Id of a workflow of the key's app." example:"wf-acme-renewal"`
	Job string `path:"dockStatusId" doc:"dockStatusId of the deploy answer." example:"ds-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
}

type toolJobIn struct {
	ID  string `path:"toolId" doc:"Id of a tool of the key's app." example:"tool-acme-lookup"`
	Job string `path:"dockStatusId" doc:"dockStatusId of the deploy answer." example:"ds-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
}

// deploymentJob is what a deployment and the asking for its status answer.
type deploymentJob struct {
	DockStatusID       string `json:"dockStatusId" required:"true" doc:"Names the job; ask for its status with it." example:"ds-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	DockStatusIDDashed string `json:"dock-statusId" hidden:"true" doc:"Other spelling of dockStatusId."`
	WorkflowID         string `json:"workflowId,omitempty" doc:"Of a job of type WORKFLOWS."`
	ToolID             string `json:"toolId,omitempty" doc:"Of a job of type TOOLS."`
	JobType            string `json:"jobType" required:"true" enum:"WORKFLOWS,TOOLS"`
	Action             string `json:"action" required:"true" enum:"DEPLOY"`
	Status             string `json:"status" required:"true" enum:"IN_PROGRESS,SUCCESS,FAILED"`
	Reason             string `json:"reason,omitempty" doc:"Why it failed."`
}

type deploymentOut struct{ Body deploymentJob }

// DeclareDocks adds the deployment of workflows and of tools, and the two operations
// that tell how a deployment went. They take an API key of the app whose workflow or
// tool it is.
func DeclareDocks(api *rest.API, d Docks) {
	deploy := func(id, kind, path string) rest.Operation {
		return rest.Operation{ID: id, Method: http.MethodPost, Path: path + "/deploy", Summary: "Deploy a " + kind,
			Description: "Makes the newest version of the " + kind + " the live one. A deployment that fails answers 200 with FAILED and the " +
				"reason, such as a workflow that refers to a tool which is not defined.",
			Tags: []string{"Deployment"}, Requirement: access.KeyOnly(access.CanDeployDocks), Async: true,
			Refusals: []fault.Code{fault.NotFound, fault.Conflict, fault.NotExecuted, fault.OutcomeUnknown}}
	}
	status := func(id, kind, path string) rest.Operation {
		return rest.Operation{ID: id, Method: http.MethodGet, Path: path + "/deployments/{dockStatusId}", Summary: "How a deployment of a " +
			kind + " went", Extension: true,
			Description: "IN_PROGRESS until it has ended; FAILED has the reason.",
			Tags:        []string{"Deployment"}, Requirement: access.KeyOnly(access.CanDeployDocks), Refusals: []fault.Code{fault.NotFound}}
	}
	workflow, tool := "/api/public/workflows/{workflowId}", "/api/public/tools/{toolId}"
	rest.Declare(api, with(deploy("deploy-workflow", "workflow", workflow), d.defined(deployables.Workflow, "workflowId")),
		func(ctx context.Context, in *deployWorkflowIn) (*deploymentOut, error) {
			return d.deploy(ctx, deployables.Workflow, in.ID, *in.Body.IsAsync)
		})
	rest.Declare(api, with(deploy("deploy-tool", "tool", tool), d.defined(deployables.Tool, "toolId")),
		func(ctx context.Context, in *deployToolIn) (*deploymentOut, error) {
			return d.deploy(ctx, deployables.Tool, in.ID, *in.Body.IsAsync)
		})
	rest.Declare(api, status("workflow-deployment", "workflow", workflow), func(ctx context.Context, in *workflowJobIn) (*deploymentOut,
		error) {
		return d.job(ctx, deployables.Workflow, in.ID, in.Job)
	})
	rest.Declare(api, status("tool-deployment", "tool", tool), func(ctx context.Context, in *toolJobIn) (*deploymentOut, error) {
		return d.job(ctx, deployables.Tool, in.ID, in.Job)
	})
}

func with(op rest.Operation, resolve rest.ResolveFunc) rest.Operation {
	op.Resolve = resolve
	return op
}

// defined refuses what the key's app does not have.
func (d Docks) defined(kind deployables.Kind, param string) rest.ResolveFunc {
	return func(ctx context.Context, p rest.Params) (context.Context, error) {
		by, id := rest.PrincipalOf(ctx), p.Path(param)
		ok := access.ValidID(id)
		if ok {
			var err error
			if ok, err = d.Docks.Defined(ctx, by.TenantID, by.ProjectID, kind, id); err != nil {
				return ctx, err
			}
		}
		if !ok {
			return ctx, fault.New(fault.NotFound, "there is no such %s", kind)
		}
		return ctx, nil
	}
}

// deploy asks for the job. When it cannot be carried out while its caller waits, the
// reactor does it, and the caller learns that it is in progress.
func (d Docks) deploy(ctx context.Context, kind deployables.Kind, id string, async bool) (*deploymentOut, error) {
	res, err := d.Deploy.Do(ctx, d.Caller(ctx), kind, id, !async)
	if err != nil {
		return nil, err
	}
	rest.Answers(ctx, res.Result)
	job := res.State.Requested
	if res.Left != nil {
		tellLeft(ctx, job.JobID, res.Left)
	}
	if res.Pending {
		rest.AcceptedAt(ctx, "api", "public", string(kind)+"s", job.ID, "deployments", job.JobID)
	}
	shown := runtime.DeploymentJob{ID: job.JobID, Target: job.ID, Status: res.State.Status, Reason: res.State.Reason}
	return deploymentOf(shown, job.Kind), nil
}

func tellLeft(ctx context.Context, job string, why error) {
	rest.Logger(ctx).Warn("a deployment is left to the reactor", "requestId", rest.CorrelationID(ctx), "job", job, "error", why)
}

func (d Docks) job(ctx context.Context, kind deployables.Kind, target, id string) (*deploymentOut, error) {
	by := rest.PrincipalOf(ctx)
	none := fault.New(fault.NotFound, "there is no such deployment")
	if !access.ValidID(id) || !access.ValidID(target) {
		return nil, none
	}
	j, ok, err := d.Docks.Job(ctx, by.TenantID, by.ProjectID, kind, target, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, none
	}
	return deploymentOf(j, kind), nil
}

func deploymentOf(j runtime.DeploymentJob, kind deployables.Kind) *deploymentOut {
	out := &deploymentOut{Body: deploymentJob{DockStatusID: j.ID, DockStatusIDDashed: j.ID, JobType: strings.ToUpper(string(kind)) + "S",
		Action: "DEPLOY", Status: string(j.Status), Reason: j.Reason}}
	if kind == deployables.Tool {
		out.Body.ToolID = j.Target
	} else {
		out.Body.WorkflowID = j.Target
	}
	return out
}

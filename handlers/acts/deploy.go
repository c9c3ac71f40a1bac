package acts

import (
	"context"
	"errors"
	"fmt"

	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// Deploy makes the newest version of a workflow or tool the live one, by a job that is
// asked for and carried out.
type Deploy struct{ Log }

// Deployment is how far a job is.
type Deployment struct {
	eventstore.Result[deployables.Job]
	Left error // why it is left to the reactor, if its caller waited in vain
}

// Do asks for the job, and carries it out at once for a caller who waits.
func (d Deploy) Do(ctx context.Context, by Caller, kind deployables.Kind, id string, wait bool) (Deployment, error) {
	request := deployables.RequestJob{JobID: deployables.JobIDPrefix + d.ID(by, "deployment job").String(), TenantID: by.Tenant,
		ProjectID: by.Project, Kind: kind, ID: id, Async: !wait, At: d.Now()}
	by.Early = by.Early && !wait
	res, err := Create(ctx, d.Log, by, deployables.Jobs, deployables.Jobs.Stream(request.JobID), request.Decide)
	if err != nil || res.Pending {
		return Deployment{Result: res}, err
	}
	out := Deployment{Result: res}
	if res.State.Requested.Async { // who did not wait is told what was told first: that it has begun
		return out, nil
	}
	if res.Replayed { // the state is that of the request, and who waits is answered when it is over
		if out.State, err = d.job(ctx, res.State.Requested.JobID); err != nil {
			return out, err
		}
	}
	within, cancel := by.Limit(ctx)
	defer cancel()
	out.State, out.Left = d.carry(within, out.State)
	return out, nil
}

// Carry carries a job out, whoever else does so as well: the reactor, and the act of a
// caller who waits. Both commands have request ids of the job, so it is carried out once.
// What cannot be deployed ends the job with the reason.
func (d Deploy) Carry(ctx context.Context, job deployables.JobRequested) error {
	known, err := d.job(ctx, job.JobID)
	if err != nil {
		return err
	}
	_, err = d.carry(ctx, known)
	return err
}

// carry gives the job as it is then.
func (d Deploy) carry(ctx context.Context, known deployables.Job) (deployables.Job, error) {
	job := known.Requested
	if known.Status != deployables.InProgress {
		return known, nil
	}
	end := deployables.EndJob{At: d.Now()}
	deploy := deployables.Deploy{TenantID: job.TenantID, ProjectID: job.ProjectID, Kind: job.Kind, ID: job.ID, JobID: job.JobID, At: d.Now()}
	res, err := eventstore.Execute(ctx, d.Store, deployables.Docks, deployables.Stream(job.TenantID, job.ProjectID), carrying(job, "deploy"),
		deploy.Decide)
	switch refused := (*fault.Error)(nil); {
	case err == nil:
		deployed, _ := eventstore.Find[deployables.Deployed](res)
		end.Version = deployed.Version
	case errors.As(err, &refused) && (refused.Code == fault.NotFound || refused.Code == fault.Conflict):
		end.Reason = refused.Message
	default:
		return known, fmt.Errorf("deploying %s %s: %w", job.Kind, job.ID, err)
	}
	ended, err := eventstore.Execute(ctx, d.Store, deployables.Jobs, deployables.Jobs.Stream(job.JobID), carrying(job, "end"), end.Decide)
	if err != nil {
		return known, fmt.Errorf("ending deployment job %s: %w", job.JobID, err)
	}
	return ended.State, nil
}

func (d Deploy) job(ctx context.Context, id string) (deployables.Job, error) {
	stream := deployables.Jobs.Stream(id)
	read, err := eventstore.Read(ctx, d.Store, deployables.Jobs, stream)
	if err != nil {
		return deployables.Job{}, fmt.Errorf("folding %s: %w", stream, err)
	}
	return read.State, nil
}

func carrying(job deployables.JobRequested, step string) eventstore.Command {
	return eventstore.Command{Tenant: job.TenantID, Actor: "reactor:deployer", RequestID: eventstore.CauseID("deployer", job.JobID, step)}
}

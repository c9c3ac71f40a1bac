package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Deployer carries out deployment jobs: it makes the newest version live in the
// project's stream, then ends the job with what came of it.
type Deployer struct {
	Store *eventstore.Store
	Now   func() time.Time
}

// Reactor declares it. A job that is delivered again is carried out once: both
// commands have request ids of the job.
func (d Deployer) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "deployer", Categories: []*event.Category{deployables.Jobs.Category}, Side: reactors.AtLeastOnce,
		Events: []event.Payload{deployables.JobRequested{}},
		Handle: func(ctx context.Context, e reactors.Event) error {
			return d.Carry(ctx, e.Payload.(deployables.JobRequested))
		}}
}

// Carry carries a job out, whoever else does so as well: the reactor, and the
// operation whose caller waits for a synchronous deployment.
func (d Deployer) Carry(ctx context.Context, job deployables.JobRequested) error {
	stream := deployables.Jobs.Stream(job.JobID)
	known, err := eventstore.Read(ctx, d.Store, deployables.Jobs, stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", stream, err)
	}
	if known.State.Status != deployables.InProgress {
		return nil
	}
	end := deployables.EndJob{At: d.Now()}
	deploy := deployables.Deploy{TenantID: job.TenantID, ProjectID: job.ProjectID, Kind: job.Kind, ID: job.ID, JobID: job.JobID, At: d.Now()}
	res, err := eventstore.Execute(ctx, d.Store, deployables.Docks, deployables.Stream(job.TenantID, job.ProjectID), d.command(job, "deploy"),
		deploy.Decide)
	switch refused := (*fault.Error)(nil); {
	case err == nil:
		end.Version = deployedVersion(res)
	case errors.As(err, &refused) && (refused.Code == fault.NotFound || refused.Code == fault.Conflict):
		end.Reason = refused.Message
	default:
		return fmt.Errorf("deploying %s %s: %w", job.Kind, job.ID, err)
	}
	_, err = eventstore.Execute(ctx, d.Store, deployables.Jobs, stream, d.command(job, "end"), end.Decide)
	return err
}

func (d Deployer) command(job deployables.JobRequested, step string) eventstore.Command {
	return eventstore.Command{Tenant: job.TenantID, Actor: "reactor:deployer", RequestID: eventstore.CauseID("deployer", job.JobID, step)}
}

func deployedVersion(res eventstore.Result[deployables.State]) int {
	for _, p := range res.Payloads() {
		if e, ok := p.(deployables.Deployed); ok {
			return e.Version
		}
	}
	return 0
}

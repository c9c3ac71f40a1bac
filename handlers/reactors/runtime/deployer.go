package runtime

import (
	"context"

	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Deployer carries out deployment jobs: it makes the newest version live in the
// project's stream, then ends the job with what came of it.
type Deployer struct{ Deploy acts.Deploy }

// Reactor declares it. A job that is delivered again is carried out once: both
// commands have request ids of the job.
func (d Deployer) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "deployer", Categories: []*event.Category{deployables.Jobs.Category}, Side: reactors.AtLeastOnce,
		Events: []event.Payload{deployables.JobRequested{}},
		Handle: func(ctx context.Context, e reactors.Event) error {
			return d.Deploy.Carry(ctx, e.Payload.(deployables.JobRequested))
		}}
}

package contactcenter

import (
	"context"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/assign"
	"github.com/parley-platform/parley/handlers/reactors"
)

// TransferLines serves the lines of a tenant when one of its agents becomes free, or
// when what agents can do or queues ask for has changed. Who waits in one that was
// removed is told so.
type TransferLines struct{ Process assign.Process }

// Reactor declares it. Serving a line twice is serving it once.
func (t TransferLines) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "transfer-lines", Side: reactors.AtLeastOnce, Handle: t.handle,
		Categories: []*event.Category{humanagents.Desks.Category, humanagents.Organisations.Category, queues.Queues.Category},
		Events: []event.Payload{humanagents.AgentPresenceChanged{}, humanagents.CapacityReleased{}, humanagents.HumanAgentDefined{},
			humanagents.HumanAgentUpdated{},
			queues.QueueDefined{}, queues.QueueRemoved{}}}
}

func (t TransferLines) handle(ctx context.Context, e reactors.Event) error {
	if p, ok := e.Payload.(humanagents.AgentPresenceChanged); ok && p.Type != humanagents.Available {
		return nil
	}
	lines, err := t.Process.View.Lines(ctx, e.Tenant)
	if err != nil {
		return err
	}
	all := acts.Others{Ctx: ctx, During: "serving the lines of a tenant"}
	for _, queue := range lines {
		all.Failed("queue "+queue, t.Process.Serve(ctx, causeOf("transfer-lines", e), e.Tenant, queue))
	}
	return all.Err()
}

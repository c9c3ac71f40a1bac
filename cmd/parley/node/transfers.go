package node

import (
	"context"
	"time"

	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
	"github.com/parley-platform/parley/handlers/rest"
	contactapi "github.com/parley-platform/parley/handlers/rest/contactcenter"
	"github.com/parley-platform/parley/projections"
	contactmodels "github.com/parley-platform/parley/projections/contactcenter"
)

// transferProcess is what requests and reactors drive transfers with.
func (n *Node) transferProcess() contactcenter.TransferProcess {
	return contactcenter.TransferProcess{Streams: contactcenter.TransferLog{Store: n.store}, Now: n.clock.Now,
		View: contactcenter.TransferReads{Transfers: contactmodels.NewTransfers(n.db.Queries),
			Agents: contactmodels.NewHumanAgents(n.db.Queries)}}
}

// transferReactors lists what follows transfers and what frees agents.
func (n *Node) transferReactors() []reactors.Reactor {
	process := n.transferProcess()
	return []reactors.Reactor{
		contactcenter.TransferDriver{Process: process}.Reactor(),
		contactcenter.TransferLines{Process: process}.Reactor(),
		contactcenter.TransferEnds{Process: process, Store: n.store, Transfers: contactmodels.NewTransfers(n.db.Queries)}.Reactor(),
		contactcenter.TransferNotices{Store: n.store, Notify: n.notify()}.Reactor(),
		contactcenter.TransferConversations{Store: n.store, Transfers: contactmodels.NewTransfers(n.db.Queries)}.Reactor(),
	}
}

// transferOperations is what the operations on transfers need.
func (n *Node) transferOperations(commands rest.Commands, guard webhook.Guard) contactapi.Transfers {
	process := n.transferProcess()
	return contactapi.Transfers{Commands: commands, Agents: contactmodels.NewHumanAgents(n.db.Queries),
		Transfers: contactmodels.NewTransfers(n.db.Queries), CheckURL: guard.CheckURL, SealURL: n.sealURL,
		Drive: func(ctx context.Context, actor, correlationID, transferID string) (transfers.State, error) {
			return process.Drive(ctx, contactcenter.Cause{Actor: actor, CorrelationID: correlationID}, transferID)
		}}
}

// endWait is the timer of a transfer that has waited for long enough.
func (n *Node) endWait(ctx context.Context, t projections.Timer, now time.Time) error {
	_, err := eventstore.Execute(ctx, n.store, transfers.Transfers, t.Stream, eventstore.Command{Tenant: t.Tenant, Actor: "timer:wait"},
		transfers.TimeOut{At: now}.Decide)
	return err
}

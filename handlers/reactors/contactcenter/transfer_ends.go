package contactcenter

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/assign"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// TransferEnds ends the transfers of a session or conversation that is over, which
// frees their agents.
type TransferEnds struct {
	Process   assign.Process
	Store     *eventstore.Store
	Transfers *contactcenter.Transfers
}

// Reactor declares it. A transfer ends once.
func (t TransferEnds) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "transfer-ends", Categories: []*event.Category{sessions.Sessions.Category,
		conversations.Conversations.Category}, Side: reactors.AtLeastOnce, Handle: t.handle,
		Events: []event.Payload{sessions.SessionEnded{}, conversations.ConversationEnded{}}}
}

func (t TransferEnds) handle(ctx context.Context, e reactors.Event) error {
	all, reason, err := t.of(ctx, e)
	if err != nil {
		return err
	}
	ends := acts.Others{Ctx: ctx, During: "ending the transfers of what is over"}
	for _, other := range all {
		if other.Active() {
			ends.Failed("transfer "+other.TransferID, t.Process.Finish(ctx, causeOf("transfer-ends", e), other.TransferID, reason))
		}
	}
	return ends.Err()
}

// of lists the transfers for which it is over, and why.
func (t TransferEnds) of(ctx context.Context, e reactors.Event) ([]contactcenter.Transfer, transfers.Reason, error) {
	ended, ok := e.Payload.(conversations.ConversationEnded)
	if !ok {
		all, err := t.Transfers.OfSession(ctx, e.Tenant, sessions.Sessions.StreamID(e.Stream))
		return all, transfers.SessionEnded, err
	}
	loaded, err := eventstore.Read(ctx, t.Store, conversations.Conversations, e.Stream)
	if err != nil {
		return nil, "", fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	s, ids := loaded.State, []string(nil)
	if ended.Told() {
		if ids, err = t.Transfers.Aliases(ctx, e.Tenant, s.ProjectID, s.ID, s.SessionID); err != nil {
			return nil, "", err
		}
	}
	all, err := t.Transfers.OfConversation(ctx, e.Tenant, s.ProjectID, append(ids, s.ID)...)
	// Its session may have been transferred anew since: that is another conversation, which the end says nothing of.
	all = slices.DeleteFunc(all, func(t contactcenter.Transfer) bool { return t.ConversationID != s.ID && t.RequestedAt.After(ended.At) })
	return all, transfers.ConversationOver, err
}

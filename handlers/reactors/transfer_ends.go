package reactors

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// TransferConversations opens the conversation that agents have in a session once an
// agent or a queue has taken it, so that hooks and notes find it.
type TransferConversations struct{ Store *eventstore.Store }

// Reactor declares it. A conversation is opened once.
func (t TransferConversations) Reactor() Reactor {
	return Reactor{Name: "transfer-conversations", Categories: []*event.Category{transfers.Transfers.Category}, Side: AtLeastOnce, Handle: t.handle,
		Events: []event.Payload{transfers.Queued{}, transfers.Assigned{}}}
}

func (t TransferConversations) handle(ctx context.Context, e Event) error {
	loaded, err := eventstore.Load(ctx, t.Store, transfers.Transfers, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	r, experience := loaded.State.Request, conversations.Chat
	if r.Kind == humanagents.Voice {
		experience = conversations.Voice
	}
	open := conversations.Open{TenantID: r.TenantID, ProjectID: r.ProjectID, ConversationID: r.ConversationID, SessionID: r.SessionID, Experience: experience, At: e.Time}
	_, err = eventstore.Execute(ctx, t.Store, conversations.Conversations, conversations.Stream(r.TenantID, r.ProjectID, r.ConversationID),
		because("transfer-conversations", "open", e), open.Decide)
	return err
}

// TransferEnds ends the transfers of a session or conversation that is over, which
// frees their agents.
type TransferEnds struct {
	Process   TransferProcess
	Store     *eventstore.Store
	Transfers *projections.Transfers
}

// Reactor declares it. A transfer ends once.
func (t TransferEnds) Reactor() Reactor {
	return Reactor{Name: "transfer-ends", Categories: []*event.Category{sessions.Sessions.Category, conversations.Conversations.Category}, Side: AtLeastOnce, Handle: t.handle,
		Events: []event.Payload{sessions.SessionEnded{}, conversations.ConversationEnded{}}}
}

func (t TransferEnds) handle(ctx context.Context, e Event) error {
	all, reason, err := t.of(ctx, e)
	if err != nil {
		return err
	}
	for _, other := range all {
		if !other.Active() {
			continue
		}
		if err := t.Process.Finish(ctx, causeOf("transfer-ends", e), other.TransferID, reason); err != nil {
			return err
		}
	}
	return nil
}

// of lists the transfers for which it is over, and why.
func (t TransferEnds) of(ctx context.Context, e Event) ([]projections.Transfer, transfers.Reason, error) {
	if _, ok := e.Payload.(conversations.ConversationEnded); !ok {
		all, err := t.Transfers.OfSession(ctx, e.Tenant, sessions.Sessions.StreamID(e.Stream))
		return all, transfers.SessionEnded, err
	}
	loaded, err := eventstore.Load(ctx, t.Store, conversations.Conversations, e.Stream)
	if err != nil {
		return nil, "", fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	s := loaded.State
	ids, err := t.Transfers.Aliases(ctx, e.Tenant, s.ProjectID, s.ID, s.SessionID)
	if err != nil {
		return nil, "", err
	}
	all, err := t.Transfers.OfConversation(ctx, e.Tenant, s.ProjectID, append(ids, s.ID)...)
	return all, transfers.ConversationOver, err
}

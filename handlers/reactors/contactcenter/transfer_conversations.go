package contactcenter

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/assign"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// TransferConversations keeps the conversation that agents have in a session in step
// with its transfers: it is opened once an agent or a queue has taken it, so that hooks
// and notes find it, says who has it, and ends with the last of them.
type TransferConversations struct {
	assign.Conversations
	Process   assign.Process
	Transfers *contactcenter.Transfers
}

const transferConversations = "transfer-conversations"

// Reactor declares it. A conversation is opened once and ends once.
func (t TransferConversations) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: transferConversations, Side: reactors.AtLeastOnce, Handle: t.handle,
		Categories: []*event.Category{transfers.Transfers.Category},
		Events:     []event.Payload{transfers.Queued{}, transfers.Assigned{}, transfers.Failed{}, transfers.TimedOut{}, transfers.Ended{}}}
}

func (t TransferConversations) handle(ctx context.Context, e reactors.Event) error {
	loaded, err := eventstore.Read(ctx, t.Store, transfers.Transfers, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	if loaded.State.Answer.Status != transfers.StatusTransferred { // it opened none
		return nil
	}
	cause := causeOf(transferConversations, e)
	now, err := t.Open(ctx, cause, loaded.State)
	if err != nil {
		return err
	}
	if now, err = t.follow(ctx, cause, loaded.State, now, e); err != nil || loaded.State.Final() || now.Phase != conversations.Ended {
		return err
	}
	// It was over before the transfer was taken. TransferEnds may have looked for the transfers of the conversation when this one
	// was not asked for yet, and nothing else would free its agent.
	return t.Process.Finish(ctx, cause, loaded.State.Request.TransferID, transfers.ConversationOver)
}

// follow tells the conversation how its transfers stand by now, whichever of them the
// event is of: the latest that was taken has it, and where none is left it is over.
func (t TransferConversations) follow(ctx context.Context, by assign.Cause, s transfers.State, stands conversations.State,
	e reactors.Event) (conversations.State, error) {
	r := s.Request
	all, err := t.Transfers.OfConversation(ctx, r.TenantID, r.ProjectID, r.ConversationID)
	if err != nil {
		return stands, err
	}
	now := standing{turn: r.Turn, reason: s.Reason}.of(all)
	if now.holder == nil {
		over := conversations.Close{Reason: string(now.reason), Turn: now.turn, Experience: assign.ExperienceOf(r.Kind), At: e.Time}
		return t.Tell(ctx, by, r, over.Decide)
	}
	if now.holder.Status == transfers.PhaseRequested { // it is decided soon, and this comes again
		return stands, nil
	}
	return t.Tell(ctx, by, r, conversations.HandOver{HumanAgentID: now.holder.HumanAgentID, Turn: now.holder.Turn, At: e.Time}.Decide)
}

// standing is how the transfers of one conversation stand together.
type standing struct {
	turn   int                     // of the last that was asked for
	holder *contactcenter.Transfer // the latest that something may still happen to; nil: all are over
	reason transfers.Reason        // why the last that was taken is over
}

// of looks at the transfers of a conversation, in their order. The ends of two may be
// told in either order, so the reason is not that of whichever is told last: a transfer
// that a later one replaced says nothing of why the conversation is over.
func (s standing) of(all []contactcenter.Transfer) standing {
	for i, other := range all {
		s.turn = max(s.turn, other.Turn)
		if other.Active() {
			s.holder = &all[i]
		}
		if other.Taken() {
			s.reason = other.Reason
		}
	}
	return s
}

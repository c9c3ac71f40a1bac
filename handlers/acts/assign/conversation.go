package assign

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
)

// Conversations are those that agents have because of transfers.
type Conversations struct{ Store *eventstore.Store }

// Open opens the conversation of a transfer that was taken, and says who has it. The result is the conversation as it stands then.
func (c Conversations) Open(ctx context.Context, by Cause, s transfers.State) (conversations.State, error) {
	r := s.Request
	open := conversations.Open{TenantID: r.TenantID, ProjectID: r.ProjectID, ConversationID: r.ConversationID,
		SessionID: r.SessionID, Experience: ExperienceOf(r.Kind), At: s.Answer.At}
	if !s.Final() {
		open.Holder = &conversations.HandOver{HumanAgentID: s.HumanAgentID, Turn: r.Turn, At: s.Answer.At}
	}
	return c.Tell(ctx, by, r, open.Decide)
}

// Tell runs a command on the conversation of a transfer, and gives its state.
func (c Conversations) Tell(ctx context.Context, by Cause, r transfers.Requested,
	decide func(conversations.State) ([]event.Payload, error)) (conversations.State, error) {
	cmd := eventstore.Command{Tenant: r.TenantID, Actor: by.Actor, CorrelationID: by.CorrelationID, CausationID: by.CausationID}
	stream := conversations.Stream(r.TenantID, r.ProjectID, r.ConversationID)
	res, err := eventstore.Execute(ctx, c.Store, conversations.Conversations, stream, cmd, decide)
	if err != nil {
		err = fmt.Errorf("telling %s how its transfers stand: %w", stream, err)
	}
	return res.State, err
}

// ExperienceOf is what a conversation of a kind is like for who has it.
func ExperienceOf(kind humanagents.Kind) conversations.Experience {
	if kind == humanagents.Voice {
		return conversations.Voice
	}
	return conversations.Chat
}

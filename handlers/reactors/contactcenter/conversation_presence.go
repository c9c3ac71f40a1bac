package contactcenter

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// ConversationPresence keeps agents' capacity in step with what hooks tell: who entered a
// conversation has it, and it waits in no queue any more; who left is free. An identity that is no agent of the tenant
// takes up nobody's capacity.
type ConversationPresence struct {
	Store     *eventstore.Store
	Agents    *contactcenter.HumanAgents
	Transfers *contactcenter.Transfers
}

const conversationPresence = "conversation-presence"

// Reactor declares it. An agent who has a conversation has it once.
func (p ConversationPresence) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: conversationPresence, Categories: []*event.Category{conversations.Conversations.Category},
		Side: reactors.AtLeastOnce, Handle: p.handle,
		Events: []event.Payload{conversations.AgentEntered{}, conversations.AgentLeft{}, conversations.ConversationEnded{}}}
}

// handle acts on how the conversation stands by now: an entry or exit that another one
// has overtaken is that one's to act on.
func (p ConversationPresence) handle(ctx context.Context, e reactors.Event) error {
	l, err := eventstore.Read(ctx, p.Store, conversations.Conversations, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	s := l.State
	switch was := e.Payload.(type) {
	case conversations.AgentEntered:
		return p.enters(ctx, e, s, was)
	case conversations.AgentLeft:
		if s.Agents[was.Identity].Present {
			return nil
		}
		return p.leaves(ctx, e, s, was)
	}
	return p.ends(ctx, e, s)
}

// enters lets who has come have the conversation. Who has left by now, or is nobody that we know, has come all the same.
func (p ConversationPresence) enters(ctx context.Context, e reactors.Event, s conversations.State, was conversations.AgentEntered) error {
	agent, known, err := p.who(ctx, e.Tenant, s, was.Identity)
	if err != nil {
		return err
	}
	aliases, err := p.Transfers.Aliases(ctx, e.Tenant, s.ProjectID, s.ID, s.SessionID)
	if err != nil {
		return err
	}
	up := transfers.TakeUp{HumanAgentID: agent, ClaimID: "h-" + uuid.NewSHA1(uuid.NameSpaceOID, []byte(e.ID)).String(), At: was.At}
	if known && s.Agents[was.Identity].Present {
		routed, err := p.take(ctx, e, s, was, aliases, up)
		if routed || err != nil {
			return err
		}
	}
	if was.TransferType == conversations.Warm { // a consultant
		return nil
	}
	return p.takenUp(ctx, e, s, append(aliases, s.ID), up)
}

// take counts the conversation among those of the agent. routed: routing has given it to the agent before.
func (p ConversationPresence) take(ctx context.Context, e reactors.Event, s conversations.State, was conversations.AgentEntered,
	aliases []string, up transfers.TakeUp) (routed bool, err error) {
	kind := humanagents.Chat
	if was.Experience == conversations.Voice {
		kind = humanagents.Voice
	}
	take := humanagents.Take{TenantID: e.Tenant, HumanAgentID: up.HumanAgentID, ClaimID: up.ClaimID, ConversationID: s.Key(), Aliases: aliases,
		Kind: kind, At: up.At}
	desk, err := eventstore.Execute(ctx, p.Store, humanagents.Desks, humanagents.DeskStream(e.Tenant, up.HumanAgentID),
		reactors.Because(conversationPresence, "take", e), take.Decide)
	if err != nil {
		return false, fmt.Errorf("counting a conversation of agent %s: %w", up.HumanAgentID, err)
	}
	_, by := desk.State.Claims[take.ClaimID]
	return !by, nil
}

// takenUp ends the wait in a queue of a conversation that an agent has come to: nobody else is to be given it.
func (p ConversationPresence) takenUp(ctx context.Context, e reactors.Event, s conversations.State, ids []string,
	up transfers.TakeUp) error {
	all, err := p.Transfers.OfConversation(ctx, e.Tenant, s.ProjectID, ids...)
	if err != nil {
		return err
	}
	each := acts.Others{Ctx: ctx, During: "telling transfers who has their conversation"}
	for _, t := range all {
		if t.QueueID == "" || t.Status != transfers.PhaseRequested && t.Status != transfers.PhaseQueued {
			continue
		}
		each.Failed("transfer "+t.TransferID, eventstore.Do(ctx, p.Store, transfers.Transfers, transfers.Stream(t.TransferID),
			reactors.Because(conversationPresence, "taken up "+t.TransferID, e), up.Decide))
	}
	return each.Err()
}

// leaves frees the agent, unless they take part under another identity as well.
func (p ConversationPresence) leaves(ctx context.Context, e reactors.Event, s conversations.State, was conversations.AgentLeft) error {
	agent, known, err := p.who(ctx, e.Tenant, s, was.Identity)
	if err != nil || !known {
		return err
	}
	for identity, other := range s.Agents {
		if !other.Present {
			continue
		}
		if same, _, err := p.who(ctx, e.Tenant, s, identity); err != nil || same == agent {
			return err
		}
	}
	aliases, err := p.Transfers.Aliases(ctx, e.Tenant, s.ProjectID, s.ID, s.SessionID)
	if err != nil {
		return err
	}
	return p.drop(ctx, e, humanagents.Drop{TenantID: e.Tenant, HumanAgentID: agent, ConversationID: s.Key(), Aliases: aliases, At: was.At})
}

// ends frees whoever still has the conversation: an agent who is called something else
// by now, or one to whom it was transferred and who never came.
func (p ConversationPresence) ends(ctx context.Context, e reactors.Event, s conversations.State) error {
	agents, err := p.Agents.Holding(ctx, e.Tenant, s.Key())
	if err != nil {
		return err
	}
	all := acts.Others{Ctx: ctx, During: "freeing who had a conversation"}
	for _, agent := range agents {
		all.Failed("agent "+agent, p.drop(ctx, e, humanagents.Drop{TenantID: e.Tenant, HumanAgentID: agent, ConversationID: s.Key(),
			At: s.EndedAt}))
	}
	return all.Err()
}

func (p ConversationPresence) drop(ctx context.Context, e reactors.Event, drop humanagents.Drop) error {
	err := eventstore.Do(ctx, p.Store, humanagents.Desks, humanagents.DeskStream(drop.TenantID, drop.HumanAgentID),
		reactors.Because(conversationPresence, "drop", e), drop.Decide)
	if err != nil {
		return fmt.Errorf("freeing agent %s: %w", drop.HumanAgentID, err)
	}
	return nil
}

// who is the agent whom an identity of the conversation names, or else the e-mail that
// was told with it: exits may leave that out.
func (p ConversationPresence) who(ctx context.Context, tenant string, s conversations.State, identity string) (agent string, known bool,
	err error) {
	email := s.Agents[identity].Email
	found, err := p.Agents.Named(ctx, tenant, []string{identity, email})
	if err != nil {
		return "", false, err
	}
	card, known := found[identity]
	if !known {
		card, known = found[email]
	}
	return card.HumanAgentID, known, nil
}

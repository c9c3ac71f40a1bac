package analytics

import (
	"strings"

	"github.com/parley-platform/parley/domain/conversations"
)

// What hooks tell of conversations with human agents: the conversation is session, who
// takes part in it agent, what is said message, unless its session has told it, and its summary the work of a model.
var (
	_ = On(Session, "", func(_ At, e conversations.Opened) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, SessionID: e.SessionID}, Remember: true, Metadata: map[string]any{
			"conversationId": e.ConversationID, "origin": e.Origin}}
	})
	_ = On(Agent, "", func(_ At, e conversations.AgentEntered) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID}, Remember: true, Metadata: map[string]any{"conversationId": e.ConversationID,
			"transferType": e.TransferType, "stay": e.Stay}}
	})
	_ = On(Agent, "", func(_ At, e conversations.AgentLeft) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID}, Remember: true, Metadata: map[string]any{"conversationId": e.ConversationID,
			"transferType": e.TransferType, "stay": e.Stay}}
	})
	_ = On(Agent, "", func(_ At, e conversations.TransferAbandoned) Entry { return Entry{} })
	_ = On(Agent, "", func(_ At, e conversations.HandedOver) Entry {
		return Entry{Metadata: map[string]any{"turn": e.Turn}}
	})
	_ = On(Message, "", func(at At, e conversations.MessageReceived) Entry {
		ours := e.Source == conversations.BySession && strings.HasPrefix(at.Actor, "reactor:") // hooks may name that source, too
		return Entry{Omit: ours, Metadata: map[string]any{"author": e.Author, "language": e.Language}}
	})
	_ = Ignore[conversations.MessageTakenBack]("the session tells of it")
	_ = On(Agent, "", func(_ At, e conversations.AssistAnswered) Entry {
		return Entry{Traits: Traits{AgentName: e.Agent}, Metadata: map[string]any{"number": e.Number, "sessionId": e.SessionID}}
	})
	_ = On(Agent, "", func(_ At, e conversations.AssistFailed) Entry {
		return Entry{Error: e.Code, Metadata: map[string]any{"number": e.Number, "sessionId": e.SessionID}}
	})
	_ = On(Session, "", func(_ At, e conversations.Noted) Entry { return Entry{} })
	_ = On(Session, "", func(_ At, e conversations.ConversationEnded) Entry { return Entry{Lifetime: true} })
	_ = On(Channel, "", func(_ At, e conversations.LateRefused) Entry {
		return Entry{Error: "after the end of the conversation", Metadata: map[string]any{"bytes": e.Bytes}}
	})
	_ = On(LLM, "", func(_ At, e conversations.SummaryAsked) Entry {
		return Entry{Metadata: map[string]any{"number": e.Number, "messages": e.Messages}}
	})
	_ = On(LLM, "", func(_ At, e conversations.Summarized) Entry {
		return Entry{Model: e.Model, TokensIn: e.TokensIn, TokensOut: e.TokensOut,
			Metadata: map[string]any{"number": e.Number, "model": e.Model, "provider": e.Provider}}
	})
	_ = On(LLM, "", func(_ At, e conversations.SummaryAttemptFailed) Entry {
		return Entry{Error: e.Error, Metadata: map[string]any{"number": e.Number, "attempt": e.Attempt}}
	})
	_ = On(LLM, "", func(_ At, e conversations.SummaryFailed) Entry {
		return Entry{Error: e.Error, Metadata: map[string]any{"number": e.Number, "attempts": e.Attempts}}
	})
	_ = Ignore[conversations.SummaryDue]("the attempt itself tells how it went")
)

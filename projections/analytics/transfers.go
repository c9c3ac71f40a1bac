package analytics

import (
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/domain/staff"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
)

// Routing to human agents is agent; who may be routed to is audit. agent_name is kept
// for AI agents: a human agent's id is metadata.
var (
	_ = On(Agent, "", func(_ At, e transfers.Requested) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, SessionID: e.SessionID}, Remember: true,
			Metadata: map[string]any{"transferId": e.TransferID, "conversationId": e.ConversationID, "agentId": e.HumanAgentID,
				"queueId": e.QueueID}}
	})
	_ = On(Agent, "", func(_ At, e transfers.Offered) Entry {
		return Entry{Metadata: map[string]any{"agentId": e.HumanAgentID, "attempt": e.Attempt}}
	})
	_ = On(Agent, "", func(_ At, e transfers.Declined) Entry {
		return Entry{Metadata: map[string]any{"agentId": e.HumanAgentID, "attempt": e.Attempt, "reason": e.Reason}}
	})
	_ = On(Agent, "", func(_ At, e transfers.Queued) Entry { return Entry{Metadata: map[string]any{"queueId": e.QueueID}} })
	_ = On(Agent, "", func(_ At, e transfers.Assigned) Entry {
		return Entry{Lifetime: true, Metadata: map[string]any{"agentId": e.HumanAgentID}}
	})
	_ = On(Agent, "", func(_ At, e transfers.TimedOut) Entry {
		return Entry{Error: "timed out: " + string(e.Reason), Lifetime: true, Metadata: map[string]any{"queueId": e.QueueID,
			"voicemail": e.Voicemail}}
	})
	_ = On(Agent, "", func(_ At, e transfers.Failed) Entry {
		return Entry{Error: "failed: " + string(e.Reason), Lifetime: true}
	})
	_ = On(Agent, "", func(_ At, e transfers.Ended) Entry {
		return Entry{Metadata: map[string]any{"reason": e.Reason}}
	})

	_ = On(Agent, "", func(_ At, e humanagents.AgentPresenceChanged) Entry {
		return Entry{Metadata: map[string]any{"agentId": e.HumanAgentID, "presence": e.Type, "was": e.Was}}
	})
	_ = On(Agent, "", func(_ At, e humanagents.CapacityClaimed) Entry {
		return Entry{Metadata: map[string]any{"agentId": e.HumanAgentID, "load": e.Load, "limit": e.Limit}}
	})
	_ = On(Agent, "", func(_ At, e humanagents.CapacityTaken) Entry {
		return Entry{Metadata: map[string]any{"agentId": e.HumanAgentID, "load": e.Load}}
	})
	_ = On(Agent, "", func(_ At, e humanagents.CapacityReleased) Entry {
		return Entry{Metadata: map[string]any{"agentId": e.HumanAgentID, "load": e.Load, "reason": e.Reason}}
	})
	_ = Ignore[humanagents.ClaimConfirmed]("the assignment of the transfer tells it")
	_ = Ignore[waitinglines.Entered](inLine)
	_ = Ignore[waitinglines.Left](inLine)

	_ = act[humanagents.HumanAgentDefined]()
	_ = act[humanagents.HumanAgentUpdated]()
	_ = act[humanagents.HumanAgentRemoved]()
	_ = act[queues.QueueDefined]()
	_ = act[queues.QueueRemoved]()
	_ = act[staff.RoleDefined]()
	_ = act[staff.RoleRemoved]()
	_ = act[staff.UserDefined]()
	_ = act[staff.UserRemoved]()
)

const inLine = "the transfer that waits tells it"

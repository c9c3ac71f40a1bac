package humanagents

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// RemoveHumanAgent takes an agent away (prune): its e-mail is free again. Conversations
// that the agent has are not ended by it.
type RemoveHumanAgent struct {
	TenantID string
	OrgID    string
	ID       string
	At       time.Time
}

// HumanAgentRemoved says that the agent gets no more conversations.
type HumanAgentRemoved struct {
	TenantID     string    `json:"tenantId"`
	OrgID        string    `json:"orgId"`
	HumanAgentID string    `json:"agentId"`
	At           time.Time `json:"at"`
}

var _ = event.Register[HumanAgentRemoved](Organisations, "human-agent-removed", 1)

// Decide does nothing for an agent that is not there.
func (c RemoveHumanAgent) Decide(o Organisation) ([]event.Payload, error) {
	if _, ok := o.Agents[c.ID]; !ok {
		return nil, nil
	}
	return []event.Payload{HumanAgentRemoved{TenantID: c.TenantID, OrgID: c.OrgID, HumanAgentID: c.ID, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e HumanAgentRemoved) Apply(o *Organisation) {
	delete(o.Emails, EmailKey(o.Agents[e.HumanAgentID].EmailID))
	delete(o.Agents, e.HumanAgentID)
}

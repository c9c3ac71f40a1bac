package agents

import "github.com/parley-platform/parley/domain/event"

// RemoveAgent takes an agent away (prune): its name is free again.
type RemoveAgent struct {
	TenantID  string
	ProjectID string
	ID        string
}

// AgentRemoved says that the agent takes no new conversations.
type AgentRemoved struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	AgentID   string `json:"agentId"`
	Name      string `json:"name"`
}

var _ = event.Register[AgentRemoved](Agents, "removed", 1)

// Decide does nothing for an agent that is not there.
func (c RemoveAgent) Decide(s State) ([]event.Payload, error) {
	old, ok := s.Agents[c.ID]
	if !ok {
		return nil, nil
	}
	return []event.Payload{AgentRemoved{TenantID: c.TenantID, ProjectID: c.ProjectID, AgentID: old.ID, Name: old.Name}}, nil
}

// Apply folds the event.
func (e AgentRemoved) Apply(s *State) { delete(s.Agents, e.AgentID) }

package flows

import "github.com/parley-platform/parley/domain/event"

// RemoveFlow takes a flow away (prune): its number is free again.
type RemoveFlow struct {
	TenantID  string
	ProjectID string
	ID        string
}

// FlowRemoved says that the flow takes no new calls.
type FlowRemoved struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	FlowID    string `json:"flowId"`
	Name      string `json:"name"`
	Number    string `json:"number"`
}

var _ = event.Register[FlowRemoved](Flows, "removed", 1)

// Decide does nothing for a flow that is not there.
func (c RemoveFlow) Decide(s State) ([]event.Payload, error) {
	old, ok := s.Flows[c.ID]
	if !ok {
		return nil, nil
	}
	return []event.Payload{FlowRemoved{TenantID: c.TenantID, ProjectID: c.ProjectID, FlowID: old.ID, Name: old.Name, Number: old.Number}}, nil
}

// Apply folds the event.
func (e FlowRemoved) Apply(s *State) { delete(s.Flows, e.FlowID) }

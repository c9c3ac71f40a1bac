package deployables

import "github.com/parley-platform/parley/domain/event"

// Remove takes a workflow or a tool away, its deployed version included.
type Remove struct {
	TenantID  string
	ProjectID string
	Kind      Kind
	ID        string
}

// Removed says that it is neither defined nor live any more.
type Removed struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	Kind      Kind   `json:"kind"`
	ID        string `json:"id"`
	Name      string `json:"name"`
}

var _ = event.Register[Removed](Docks, "removed", 1)

// Decide does nothing for what is not there.
func (c Remove) Decide(s State) ([]event.Payload, error) {
	d, ok := s.Find(c.Kind, c.ID)
	if !ok {
		return nil, nil
	}
	return []event.Payload{Removed{TenantID: c.TenantID, ProjectID: c.ProjectID, Kind: c.Kind, ID: c.ID, Name: d.Name}}, nil
}

// Apply folds the event.
func (e Removed) Apply(s *State) { delete(s.of(e.Kind), e.ID) }

package contactlists

import "github.com/parley-platform/parley/domain/event"

// RemoveList takes a list away (prune): its name is free again.
type RemoveList struct {
	TenantID  string
	ProjectID string
	ID        string
}

// ListRemoved says that there is no such list any more; campaigns that name it skip it.
type ListRemoved struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	ListID    string `json:"listId"`
	Name      string `json:"name"`
}

var _ = event.Register[ListRemoved](Lists, "removed", 1)

// Decide does nothing for a list that is not there.
func (c RemoveList) Decide(s State) ([]event.Payload, error) {
	old, ok := s.Lists[c.ID]
	if !ok {
		return nil, nil
	}
	return []event.Payload{ListRemoved{TenantID: c.TenantID, ProjectID: c.ProjectID, ListID: old.ID, Name: old.Name}}, nil
}

// Apply folds the event.
func (e ListRemoved) Apply(s *State) { delete(s.Lists, e.ListID) }

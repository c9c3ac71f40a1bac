package searchindexes

import "github.com/parley-platform/parley/domain/event"

// RemoveIndex takes the project's search index away (prune).
type RemoveIndex struct {
	TenantID  string
	ProjectID string
	ID        string
}

// IndexRemoved says that the project has no search index any more.
type IndexRemoved struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	IndexID   string `json:"indexId"`
	Name      string `json:"name"`
}

var _ = event.Register[IndexRemoved](Indexes, "removed", 1)

// Decide does nothing for an index that is not there.
func (c RemoveIndex) Decide(s State) ([]event.Payload, error) {
	if s.ID == "" || s.ID != c.ID {
		return nil, nil
	}
	return []event.Payload{IndexRemoved{TenantID: c.TenantID, ProjectID: c.ProjectID, IndexID: s.ID, Name: s.Name}}, nil
}

// Apply folds the event.
func (e IndexRemoved) Apply(s *State) { *s = State{} }

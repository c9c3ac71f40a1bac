package access

import (
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// RemoveProject takes a project out of the tenant (prune).
type RemoveProject struct {
	ID string // the project's own id, not an alias
}

// ProjectRemoved says that the project and its aliases mean nothing any more.
type ProjectRemoved struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
}

var _ = event.Register[ProjectRemoved](Tenants, "project-removed", 1)

// Decide does nothing for a project that is not there, and refuses while scopes are
// registered for it: their keys would outlive the app they open.
func (c RemoveProject) Decide(s TenantState) ([]event.Payload, error) {
	if err := s.mustExist(); err != nil {
		return nil, err
	}
	if _, ok := s.Projects[c.ID]; !ok {
		return nil, nil
	}
	for _, scope := range s.Scopes {
		if scope.ProjectID == c.ID {
			return nil, fault.New(fault.Conflict, "project %s still has scopes; remove them first", c.ID)
		}
	}
	return []event.Payload{ProjectRemoved{TenantID: s.ID, ProjectID: c.ID}}, nil
}

// Apply folds the event.
func (e ProjectRemoved) Apply(s *TenantState) { delete(s.Projects, e.ProjectID) }

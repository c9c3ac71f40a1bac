package access

import (
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// RemoveScope takes a scope and all its keys away (prune). Its name is freed
// afterwards, by UnregisterScope.
type RemoveScope struct {
	At time.Time
}

// ScopeRemoved says that the scope is gone and every key of it with it.
type ScopeRemoved struct {
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	ScopeID   string    `json:"scopeId"`
	ScopeName string    `json:"scopeName"`
	KeyIDs    []string  `json:"keyIds"` // keys that existed until now, sorted; never null
	RemovedAt time.Time `json:"removedAt"`
}

var _ = event.Register[ScopeRemoved](Scopes, "removed", 1)

// Decide does nothing for a scope that is not there.
func (c RemoveScope) Decide(s ScopeState) ([]event.Payload, error) {
	if s.ID == "" {
		return nil, nil
	}
	keys := slices.AppendSeq([]string{}, maps.Keys(s.Keys))
	slices.Sort(keys)
	return []event.Payload{ScopeRemoved{TenantID: s.TenantID, ProjectID: s.ProjectID, ScopeID: s.ID, ScopeName: s.Name,
		KeyIDs: keys, RemovedAt: c.At.UTC()}}, nil
}

// Apply folds the event.
func (e ScopeRemoved) Apply(s *ScopeState) { *s = ScopeState{} }

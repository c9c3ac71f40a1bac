package trunks

import (
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// RemoveTrunk takes a trunk away (prune).
type RemoveTrunk struct {
	TenantID string
	Name     string
}

// TrunkRemoved says that no new call leaves over the trunk.
type TrunkRemoved struct {
	TenantID string `json:"tenantId"`
	Name     string `json:"name"`
}

var _ = event.Register[TrunkRemoved](Trunks, "removed", 1)

// Decide refuses to remove the default while there are others, unless one of them claims to
// be it: which of them should carry (and bill) the calls instead is for the owner to say.
func (c RemoveTrunk) Decide(s State) ([]event.Payload, error) {
	if _, ok := s.Trunks[c.Name]; !ok {
		return nil, nil
	}
	removed := TrunkRemoved{TenantID: c.TenantID, Name: c.Name}
	if heir, ok := s.heir(c.Name); ok {
		return []event.Payload{heir.defined(c.TenantID, true), removed}, nil
	}
	if s.Default == c.Name && len(s.Trunks) > 1 {
		return nil, fault.New(fault.Conflict, "trunk %q is the default; define another one with spec.default: true first", c.Name)
	}
	return []event.Payload{removed}, nil
}

// Apply folds the event.
func (e TrunkRemoved) Apply(s *State) {
	delete(s.Trunks, e.Name)
	delete(s.Health, e.Name)
	if s.Default == e.Name {
		s.Default = ""
	}
}

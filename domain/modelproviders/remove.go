package modelproviders

import "github.com/parley-platform/parley/domain/event"

// Remove takes a provider away (prune).
type Remove struct {
	TenantID string
	Name     string
}

// Removed says that none of its models is asked any more.
type Removed struct {
	TenantID string `json:"tenantId"`
	Name     string `json:"name"`
}

var _ = event.Register[Removed](Providers, "removed", 1)

// Decide does nothing for a provider that is not there.
func (c Remove) Decide(s State) ([]event.Payload, error) {
	if _, ok := s.Providers[c.Name]; !ok {
		return nil, nil
	}
	return []event.Payload{Removed(c)}, nil
}

// Apply folds the event.
func (e Removed) Apply(s *State) { delete(s.Providers, e.Name) }

package access

import "github.com/parley-platform/parley/domain/event"

// RemoveClient takes a client out of the tenant (prune): its tokens end.
type RemoveClient struct {
	ID string
}

// ClientRemoved says that the client issues no valid tokens any more.
type ClientRemoved struct {
	TenantID string `json:"tenantId"`
	ClientID string `json:"clientId"`
}

var _ = event.Register[ClientRemoved](Tenants, "client-removed", 1)

// Decide does nothing for a client that is not there.
func (c RemoveClient) Decide(s TenantState) ([]event.Payload, error) {
	if err := s.mustExist(); err != nil {
		return nil, err
	}
	if _, ok := s.Clients[c.ID]; !ok {
		return nil, nil
	}
	return []event.Payload{ClientRemoved{TenantID: s.ID, ClientID: c.ID}}, nil
}

// Apply folds the event.
func (e ClientRemoved) Apply(s *TenantState) { delete(s.Clients, e.ClientID) }

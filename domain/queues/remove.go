package queues

import "github.com/parley-platform/parley/domain/event"

// RemoveQueue takes a queue away (prune): its name is free again.
type RemoveQueue struct {
	TenantID string
	OrgID    string
	ID       string
}

// QueueRemoved says that the queue takes no new conversations.
type QueueRemoved struct {
	TenantID string `json:"tenantId"`
	OrgID    string `json:"orgId"`
	QueueID  string `json:"queueId"`
}

var _ = event.Register[QueueRemoved](Queues, "queue-removed", 1)

// Decide does nothing for a queue that is not there.
func (c RemoveQueue) Decide(s State) ([]event.Payload, error) {
	if _, ok := s.Queues[c.ID]; !ok {
		return nil, nil
	}
	return []event.Payload{QueueRemoved{TenantID: c.TenantID, OrgID: c.OrgID, QueueID: c.ID}}, nil
}

// Apply folds the event.
func (e QueueRemoved) Apply(s *State) { delete(s.Queues, e.QueueID) }

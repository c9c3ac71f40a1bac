package threads

import (
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
)

// Report notes what a provider says later of a reply that it took.
type Report struct {
	Reply int
	Says  channels.Report
	At    time.Time
}

// Reported is what a provider said of a reply that it took.
type Reported struct {
	Reply             int       `json:"reply"`
	ProviderMessageID string    `json:"providerMessageId"`
	State             string    `json:"state"`
	Code              string    `json:"code,omitempty"`
	At                time.Time `json:"at"`
}

var _ = event.Register[Reported](Threads, "reply-reported", 1)

// Decide notes it of a reply that there was.
func (c Report) Decide(s State) ([]event.Payload, error) {
	if c.Reply < 1 || c.Reply > s.Queued {
		return nil, nil
	}
	return []event.Payload{Reported{Reply: c.Reply, ProviderMessageID: c.Says.ProviderMessageID, State: string(c.Says.State),
		Code: c.Says.Code, At: event.Stamp(c.At)}}, nil
}

// Apply changes nothing that is decided by.
func (Reported) Apply(*State) {}

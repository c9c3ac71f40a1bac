package threads

import (
	"slices"
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
	ProviderMessageID string    `json:"providerMessageId" personal:"customer"`
	State             string    `json:"state"`
	Code              string    `json:"code,omitempty"`
	At                time.Time `json:"at"`
}

var _ = event.Register[Reported](Threads, "reply-reported", 1)

// Come is how far a reply has come that a provider took, as it said.
type Come struct {
	Reply int
	State channels.State
}

// mostCome is of how many replies that is remembered.
const mostCome = 50

// further is in which order the states follow on each other. Providers tell of them in any: what was read is not
// underway again, and what has arrived after all is not undelivered.
var further = map[channels.State]int{channels.Underway: 1, channels.Undelivered: 2, channels.Delivered: 3, channels.Read: 4}

// Decide notes it of a reply that there was, where it has come further by it.
func (c Report) Decide(s State) ([]event.Payload, error) {
	if c.Reply < 1 || c.Reply > s.Queued {
		return nil, nil
	}
	for _, had := range s.Come {
		if had.Reply == c.Reply && further[c.Says.State] <= further[had.State] {
			return nil, nil
		}
	}
	return []event.Payload{Reported{Reply: c.Reply, ProviderMessageID: c.Says.ProviderMessageID, State: string(c.Says.State),
		Code: c.Says.Code, At: event.Stamp(c.At)}}, nil
}

// Apply remembers it of the newest.
func (e Reported) Apply(s *State) {
	s.Come = slices.DeleteFunc(slices.Clone(s.Come), func(had Come) bool { return had.Reply == e.Reply })
	s.Come = append(s.Come, Come{Reply: e.Reply, State: channels.State(e.State)})
	s.Come = slices.Clone(s.Come[max(0, len(s.Come)-mostCome):])
}

package threads

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Forget ends what is still to be answered and to go out, because the person is to be erased.
type Forget struct{ At time.Time }

// Forgotten says that nothing of the conversation goes on.
type Forgotten struct {
	At time.Time `json:"at"`
}

var _ = event.Register[Forgotten](Threads, "forgotten", 1)

// Decide says nothing where nothing is left.
func (c Forget) Decide(s State) ([]event.Payload, error) {
	open := len(s.Waiting) + len(s.Replies) + len(s.Failed) + len(s.Menus) + len(s.Questions) + len(s.Unheard)
	if s.ConnectionID == "" || s.From == "" && open == 0 {
		return nil, nil
	}
	return []event.Payload{Forgotten{At: event.Stamp(c.At)}}, nil
}

// Apply keeps what is nobody's: a person who writes again begins anew. Files that no session has are
// named until they are deleted.
func (Forgotten) Apply(s *State) {
	*s = State{ConnectionID: s.ConnectionID, TenantID: s.TenantID, ProjectID: s.ProjectID, Kind: s.Kind, Received: s.Received,
		Queued: s.Queued, Latest: s.Latest, Left: s.Left, Stopped: s.Stopped, Blocked: s.Blocked, Strays: s.Blobs()}
}

// Erased: the person was erased.
type Erased struct{ event.Erasure }

// Apply changes nothing; see event.Erasure.
func (Erased) Apply(*State) {}

var _ = event.Register[Erased](Threads, event.ErasedName, 1)

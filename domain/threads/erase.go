package threads

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Forget ends what is still to be answered and to go out, because the person is to be erased.
type Forget struct{ At time.Time }

// Forgotten says that nothing of the conversation goes on.
type Forgotten struct {
	At      time.Time `json:"at"`
	Replies []int     `json:"replies,omitempty"` // that do not go out any more
}

// CodeErased is why a reply did not go out whose person was erased.
const CodeErased = "ERASED"

var _ = event.Register[Forgotten](Threads, "forgotten", 1)

// Decide says nothing where nothing is left.
func (c Forget) Decide(s State) ([]event.Payload, error) {
	open := len(s.Waiting) + len(s.Replies) + len(s.Failed) + len(s.Menus) + len(s.Questions) + len(s.Unheard)
	if s.ConnectionID == "" || s.From == "" && open == 0 {
		return nil, nil
	}
	out := Forgotten{At: event.Stamp(c.At), Replies: s.unheard()}
	for _, r := range s.Replies {
		out.Replies = append(out.Replies, r.Reply)
	}
	return []event.Payload{out}, nil
}

// ForgetQuiet forgets a conversation in which nothing has been said since a time, because the project keeps it no longer.
// One in which something waits to be answered, or to go out, or was said since, is left as it is; not one in which it waits for
// longer than anything is worth sending: that waits for good.
type ForgetQuiet struct {
	Since time.Time
	Forget
	Erased Erased
}

// Decide says both at once, so that what is said at this moment is not lost.
func (c ForgetQuiet) Decide(s State) ([]event.Payload, error) {
	waits := slices.ContainsFunc(s.Waiting, func(m Received) bool { return !m.At.Add(LastFor).Before(c.Since) })
	leaves := slices.ContainsFunc(s.Replies, func(r Reply) bool { return !r.SendBy.Before(c.Since) })
	if waits || leaves || !s.Took.CameAt.Before(c.Since) {
		return nil, nil
	}
	ended, err := c.Forget.Decide(s)
	return append(ended, c.Erased), err
}

// Apply keeps what is nobody's: a person who writes again begins anew. Files that no session has are
// named until they are deleted.
func (Forgotten) Apply(s *State) {
	*s = State{ConnectionID: s.ConnectionID, TenantID: s.TenantID, ProjectID: s.ProjectID, Kind: s.Kind, Received: s.Received,
		Queued: s.Queued, Latest: s.Latest, Left: s.Left, Stopped: s.Stopped, Blocked: s.Blocked, Strays: s.Blobs(),
		Told: s.Told}
}

// Erased: the person was erased.
type Erased struct{ event.Erasure }

// Apply changes nothing; see event.Erasure.
func (Erased) Apply(*State) {}

var _ = event.Register[Erased](Threads, event.ErasedName, 1)

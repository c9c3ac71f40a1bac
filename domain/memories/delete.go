package memories

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Delete empties a store.
type Delete struct {
	Name    Name
	Expects *int // the version that the writer has read; nil: whatever is there
	By      By
	At      time.Time
}

// Deleted says that there is nothing in a store any more.
type Deleted struct {
	By
	Name
	Version int       `json:"version"`
	At      time.Time `json:"at"`
}

var _ = event.Register[Deleted](Memories, "deleted", 1)

// Decide does nothing to a store in which there is nothing.
func (c Delete) Decide(s State) ([]event.Payload, error) {
	if err := s.expects(c.Expects); err != nil {
		return nil, err
	}
	if len(s.Content) == 0 {
		return nil, nil
	}
	return []event.Payload{Deleted{By: c.By, Name: c.Name, Version: s.Version + 1, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Deleted) Apply(s *State) { s.Version, s.Content, s.ExpiresAt = e.Version, nil, time.Time{} }

package memories

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/parley-platform/parley/domain/attached"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Write puts an object into a store, in place of what was there.
type Write struct {
	Name    Name
	Content json.RawMessage // clean
	Expects *int            // the version that the writer has read; nil: whatever is there
	TTL     time.Duration   // 0: it does not expire
	Stores  int             // that the owner has
	By      By
	At      time.Time
}

// Written says what is in a store from now on.
type Written struct {
	By
	Name
	Content json.RawMessage `json:"content" personal:"customer"`
	Bytes   int             `json:"bytes"` // of the content
	Version int             `json:"version"`
	At      time.Time       `json:"at"`

	ExpiresAt time.Time `json:"expiresAt,omitzero"` // from then on there is nothing in it
}

var _ = event.Register[Written](Memories, "written", 1)

// Decide raises the version, also where the content is the same. Of two that have read the
// same version the second is refused.
func (c Write) Decide(s State) ([]event.Payload, error) {
	if err := s.expects(c.Expects); err != nil {
		return nil, err
	}
	if len(s.Content) == 0 && c.Stores >= MaxStores {
		return nil, fault.New(fault.LimitReached, "the %s has %d stores, more are not kept: delete one", c.Name.Scope, MaxStores)
	}
	e := Written{By: c.By, Name: c.Name, Content: c.Content, Bytes: len(c.Content), Version: s.Version + 1, At: event.Stamp(c.At)}
	if c.TTL > 0 {
		e.ExpiresAt = e.At.Add(c.TTL)
	}
	return []event.Payload{e}, nil
}

// Apply folds the event. What was erased is null.
func (e Written) Apply(s *State) {
	s.Version, s.Content, s.ExpiresAt = e.Version, nil, e.ExpiresAt
	if string(e.Content) != "null" {
		s.Content = bytes.Clone(e.Content)
	}
}

// Clean gives an object as it is stored, without white space, and says what is wrong with it.
func Clean(content json.RawMessage) (json.RawMessage, error) {
	const field = "payload.content"
	switch {
	case len(content) == 0:
		return nil, fault.Field(field, "is required")
	case !attached.IsObject(content, MaxDepth):
		return nil, fault.Field(field, "must be an object of at most %d levels", MaxDepth)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, content); err != nil {
		return nil, fault.Field(field, "must be an object")
	}
	if compact.Len() > MaxContent {
		return nil, fault.New(fault.TooLarge, "%s: a store holds at most %d bytes, these are %d", field, MaxContent, compact.Len())
	}
	return compact.Bytes(), nil
}

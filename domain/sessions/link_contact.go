package sessions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// LinkContact says who talks in a session.
type LinkContact struct {
	ContactID string
	Known     bool // a call of the account has shown the session, whether it is opened yet or not
	At        time.Time
}

// ContactLinked says it from now on.
type ContactLinked struct {
	ContactID string    `json:"contactId"`
	At        time.Time `json:"at"`
}

var _ = event.Register[ContactLinked](Sessions, "contact-linked", 1)

// Decide links a session once: it is never of two contacts. One that has ended can be linked.
func (c LinkContact) Decide(s State) ([]event.Payload, error) {
	switch s.ContactID {
	case c.ContactID:
		return nil, nil
	case "":
	default:
		return nil, fault.New(fault.Conflict, "the session is linked to another contact")
	}
	if s.Status == "" && !c.Known {
		return nil, fault.New(fault.NotFound, "there is no such session")
	}
	return []event.Payload{ContactLinked{ContactID: c.ContactID, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e ContactLinked) Apply(s *State) { s.ContactID, s.LinkedAt = e.ContactID, e.At }

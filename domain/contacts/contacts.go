// Package contacts owns whom an account knows: people with what is said of them, and by
// which identity (an e-mail address, a telephone number, the account's own id) one is found.
//
// An identity is of one contact at most. As it may be any text, and belongs to no contact
// before it is claimed, each has a stream of its own beside the contacts'
// (docs/decisions/2026-11-24-contacts.md). The package never knows where a contact was met:
// sessions say whose they are.
package contacts

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Contacts holds one stream per contact: contact-ct-<uuid>. Its rules:
//
//   - a contact holds an identity by a claim that its own stream names
//   - a claim that was given up holds nothing any more
//   - what is deleted stays deleted
var Contacts = event.NewAggregate[State]("contacts", "contact", event.Busy)

// IDPrefix begins the id of every contact.
const IDPrefix = "ct-"

// State is the state of one contact.
type State struct {
	ID        string // empty: it was never made
	TenantID  string
	Details   Details
	ClaimID   string // by which it holds its identity; empty: it has none
	CreatedAt time.Time
	DeletedAt time.Time // zero: it is there
	GivenUp   []string  // claims that hold nothing
}

// Exists reports whether the contact is there.
func (s State) Exists() bool { return s.ID != "" && s.DeletedAt.IsZero() }

// holds refuses a claim that was given up while its contact was being made or changed.
func (s State) holds(claimID string) error {
	if claimID != "" && slices.Contains(s.GivenUp, claimID) {
		return Taken()
	}
	return nil
}

// Unknown is the refusal of a contact that is not there.
func Unknown() error { return fault.New(fault.NotFound, "there is no such contact") }

// Taken is the refusal of an identity that another contact has.
func Taken() error { return fault.New(fault.Conflict, "another contact has this identity") }

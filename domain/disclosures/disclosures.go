// Package disclosures owns what is remembered of each time that an account was given what is
// known of a person: when, and from how many streams. Who asked stands on the event, as on
// every other.
//
// It never says of whom, nor what: that would have to be forgotten with the person.
package disclosures

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Disclosures holds one stream per disclosure: disclosure-dc-<uuid>. It is on the log before
// the first byte of the person's data leaves.
var Disclosures = event.NewAggregate[State]("disclosures", "disclosure", event.Quiet)

// IDPrefix begins the id of every disclosure.
const IDPrefix = "dc-"

// State is the state of one disclosure; an empty ID means that there is none.
type State struct{ ID string }

// Make says that what is known of a person is about to be handed out.
type Make struct {
	DisclosureID string // dc-<uuid>
	TenantID     string
	Streams      map[string]int // in which the person is, by category
	At           time.Time
}

// Made says that it was.
type Made struct {
	DisclosureID string         `json:"disclosureId"`
	TenantID     string         `json:"tenantId"`
	Streams      map[string]int `json:"streams"` // by category
	At           time.Time      `json:"at"`
}

var _ = event.Register[Made](Disclosures, "made", 1)

// Decide takes it once.
func (c Make) Decide(s State) ([]event.Payload, error) {
	if s.ID != "" {
		return nil, fault.New(fault.Conflict, "the disclosure %s exists already", c.DisclosureID)
	}
	return []event.Payload{Made{DisclosureID: c.DisclosureID, TenantID: c.TenantID, Streams: c.Streams, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Made) Apply(s *State) { s.ID = e.DisclosureID }

// Package contactlists owns the lists of people whom campaigns reach: their names, and
// who is on them in which order.
//
// It never looks at campaigns, and does not know who was reached: a list may change or
// go while a campaign that names it runs.
package contactlists

import (
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
)

// Lists holds one stream per project (see Stream). Its rules:
//
//   - a list's name is unique in the project, because campaigns name lists by name
//   - a telephone number is on a list once
//
// The state holds no contacts, only what tells whether a list is another one now.
var Lists = event.NewAggregate[State]("contactlists", "contactlist", event.Quiet)

// Stream names the stream of a project's lists. The separator is a character that no id
// can hold, so that two pairs of ids never share a stream.
func Stream(tenantID, projectID string) string { return Lists.Stream(tenantID + "." + projectID) }

// State is the state of one project's stream.
type State struct {
	Lists map[string]List // by id
}

// List is what decisions need of one list.
type List struct {
	ID, Name, Description string
	Digest                string // of the contacts in their order; see digest
}

// ByName finds the list that a campaign names.
func (s State) ByName(name string) (List, bool) {
	for _, l := range s.Lists { // at most one can match
		if access.SameName(l.Name, name) {
			return l, true
		}
	}
	return List{}, false
}

// Contact is a person who can be reached. Members that are not known are empty.
type Contact struct {
	PhoneNumber  string         `json:"phoneNumber" personal:"contact"` // E.164
	FirstName    string         `json:"firstName,omitempty" personal:"contact"`
	LastName     string         `json:"lastName,omitempty" personal:"contact"`
	Email        string         `json:"email,omitempty" personal:"contact"`
	Language     string         `json:"language,omitempty"` // language tag; empty: the flow's
	CustomFields map[string]any `json:"customFields,omitempty" personal:"contact"`
}

// The limits of a list.
const (
	MaxContacts     = 10_000
	MaxListBytes    = 3 << 20 // of all contacts as JSON: a definition is one commit, which has 4 MiB
	MaxName         = 100     // of a person, in characters
	MaxEmail        = 254
	MaxCustomFields = 4096 // of one contact as JSON, in bytes
)

// The size of one event of contacts: both bounds hold.
const (
	chunkContacts = 500
	chunkBytes    = 256 << 10
)

package contactlists

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// DefineList makes or changes a contact list (manifest kind ContactList).
type DefineList struct {
	TenantID    string
	ProjectID   string    // spec.projectId, resolved
	ID          string    // metadata.id
	Name        string    // metadata.name; what campaigns name
	Description string    // spec.description
	Contacts    []Contact // spec.contacts, in the order in which they are reached
}

// ListDefined says what the list is called.
type ListDefined struct {
	TenantID    string `json:"tenantId"`
	ProjectID   string `json:"projectId"`
	ListID      string `json:"listId"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// ContactsPut says who is on the list from the index First on, counted from 0. That with
// First 0 replaces everyone who was on it; the others of its commit add to it. It may be
// empty: nobody is on the list then.
type ContactsPut struct {
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	ListID    string    `json:"listId"`
	First     int       `json:"first"`
	Contacts  []Contact `json:"contacts" key:"own"`
}

var (
	_ = event.Register[ListDefined](Lists, "defined", 1)
	_ = event.Register[ContactsPut](Lists, "contacts-put", 1)
)

// Decide gives an event for the names when they differ, and those of all contacts when
// any of them differs or stands elsewhere.
func (c DefineList) Decide(s State) ([]event.Payload, error) {
	contacts, err := c.check()
	if err != nil {
		return nil, err
	}
	name, _ := access.CleanName(c.Name)
	description := strings.TrimSpace(c.Description)
	if other, taken := s.ByName(name); taken && other.ID != c.ID {
		return nil, fault.New(fault.Conflict, "the contact list name %q belongs to list %s", name, other.ID)
	}
	old, exists := s.Lists[c.ID]
	var events []event.Payload
	if !exists || old.Name != name || old.Description != description {
		events = append(events, ListDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, ListID: c.ID, Name: name, Description: description})
	}
	puts := c.puts(contacts)
	list := List{}
	for _, p := range puts {
		list = p.added(list)
	}
	if list.Digest == old.Digest {
		return events, nil
	}
	for _, p := range puts {
		events = append(events, p)
	}
	return events, nil
}

// puts cuts the contacts into events.
func (c DefineList) puts(contacts []Contact) []ContactsPut {
	out := []ContactsPut{{TenantID: c.TenantID, ProjectID: c.ProjectID, ListID: c.ID, Contacts: []Contact{}}}
	size := 0
	for i, contact := range contacts {
		n := contact.size()
		last := &out[len(out)-1]
		if len(last.Contacts) == chunkContacts || len(last.Contacts) > 0 && size+n > chunkBytes {
			out = append(out, ContactsPut{TenantID: c.TenantID, ProjectID: c.ProjectID, ListID: c.ID, First: i})
			last, size = &out[len(out)-1], 0
		}
		last.Contacts = append(last.Contacts, contact)
		size += n
	}
	return out
}

// check gives the contacts in their stored form. Of many that are wrong the first ones
// are named.
func (c DefineList) check() ([]Contact, error) {
	var f fault.Fields
	access.CheckID(&f, "metadata.id", c.ID)
	access.CheckName(&f, "metadata.name", c.Name)
	access.CheckDescription(&f, "spec.description", c.Description)
	if n := len(c.Contacts); n > MaxContacts {
		f.Add("spec.contacts", "must be at most %d, are %d: make several lists", MaxContacts, n)
		return nil, f.Err()
	}
	out := make([]Contact, len(c.Contacts))
	first, size := map[string]int{}, 0
	for i, contact := range c.Contacts {
		at := fmt.Sprintf("spec.contacts[%d]", i)
		out[i] = contact.clean(&f, at)
		if before, twice := first[out[i].PhoneNumber]; twice {
			f.Add(at+".phoneNumber", "is that of contacts[%d] as well: a number is on a list once", before)
		} else {
			first[out[i].PhoneNumber] = i
		}
		if size += out[i].size(); len(f) > mostFaults {
			break
		}
	}
	if size > MaxListBytes {
		f.Add("spec.contacts", "are more than %d bytes: make several lists", MaxListBytes)
	}
	return out, f.Err()
}

// mostFaults bounds a refusal: a file in the wrong form has one for each contact.
const mostFaults = 20

// digest continues that of the contacts before, and is empty without any. Members of
// custom fields are written in the order of their names, so equal contacts have equal
// digests.
func digest(before string, contacts []Contact) string {
	h := sha256.New()
	_, _ = h.Write([]byte(before))
	for _, c := range contacts {
		data, _ := json.Marshal(c)
		_, _ = h.Write(append(data, '\n'))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (e ContactsPut) added(l List) List {
	if e.First == 0 {
		l.Digest = ""
	}
	if len(e.Contacts) > 0 {
		l.Digest = digest(l.Digest, e.Contacts)
	}
	return l
}

// Apply folds the event.
func (e ListDefined) Apply(s *State) {
	if s.Lists == nil {
		s.Lists = map[string]List{}
	}
	l := s.Lists[e.ListID]
	l.ID, l.Name, l.Description = e.ListID, e.Name, e.Description
	s.Lists[e.ListID] = l
}

// Apply folds the event.
func (e ContactsPut) Apply(s *State) {
	if s.Lists == nil {
		s.Lists = map[string]List{}
	}
	s.Lists[e.ListID] = e.added(s.Lists[e.ListID])
}

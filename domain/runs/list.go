package runs

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// BeginPass begins the listing of a pass.
type BeginPass struct {
	Pass  int   // from 1
	Lists int64 // version of the project's contact lists; 0: it has none
	At    time.Time
}

// Decide begins the pass that follows the last one.
func (c BeginPass) Decide(s State) ([]event.Payload, error) {
	if !s.Exists() {
		return nil, fault.New(fault.NotFound, "there is no such run")
	}
	if c.Pass != s.Pass+1 || !s.Complete {
		return nil, nil
	}
	return []event.Payload{PassOpened{Pass: c.Pass, From: s.Contacts, Lists: c.Lists, At: event.Stamp(c.At)}}, nil
}

// PassOpened is a pass whose contacts follow: those of the lists at this version.
type PassOpened struct {
	Pass  int       `json:"pass"`
	From  int       `json:"from"`  // index of its first contact
	Lists int64     `json:"lists"` // version of the stream of the project's contact lists
	At    time.Time `json:"at"`
}

// Apply waits for the contacts.
func (e PassOpened) Apply(s *State) {
	s.Pass, s.From, s.Lists, s.Complete = e.Pass, e.From, e.Lists, false
}

// ListContacts adds the next chunk of the pass.
type ListContacts struct {
	Pass     int
	From     int                    // index of the first
	Contacts []contactlists.Contact // at most MaxChunk
}

// Decide takes the chunk that follows what is there.
func (c ListContacts) Decide(s State) ([]event.Payload, error) {
	if len(c.Contacts) == 0 || len(c.Contacts) > MaxChunk {
		return nil, fault.Field("contacts", "must be 1 to %d", MaxChunk)
	}
	if c.Pass != s.Pass || s.Complete || c.From != s.Contacts {
		return nil, nil
	}
	return []event.Payload{ContactsListed{Pass: c.Pass, From: c.From, Contacts: slices.Clone(c.Contacts)}}, nil
}

// ContactsListed is contacts of a pass, with the indexes From, From+1 and so on.
type ContactsListed struct {
	Pass     int                    `json:"pass"`
	From     int                    `json:"from"`
	Contacts []contactlists.Contact `json:"contacts" key:"own"`
}

// Apply counts them.
func (e ContactsListed) Apply(s *State) { s.Contacts = e.From + len(e.Contacts) }

// EndPass says that the pass has all its contacts.
type EndPass struct {
	Pass     int
	Contacts int // of the run so far
	At       time.Time
}

// Decide ends the listing once nothing is missing.
func (c EndPass) Decide(s State) ([]event.Payload, error) {
	if c.Pass != s.Pass || s.Complete || c.Contacts != s.Contacts {
		return nil, nil
	}
	return []event.Payload{PassListed{Pass: c.Pass, From: s.From, Contacts: s.Contacts, At: event.Stamp(c.At)}}, nil
}

// PassListed is a pass that has all its contacts: it may begin.
type PassListed struct {
	Pass     int       `json:"pass"`
	From     int       `json:"from"`
	Contacts int       `json:"contacts"` // of the run so far: From and the pass's own
	At       time.Time `json:"at"`
}

// Apply completes the pass.
func (e PassListed) Apply(s *State) { s.Complete = true }

var (
	_ = event.Register[PassOpened](Runs, "pass-opened", 1)
	_ = event.Register[ContactsListed](Runs, "contacts-listed", 1)
	_ = event.Register[PassListed](Runs, "pass-listed", 1)
)

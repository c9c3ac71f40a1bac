package channels

import (
	"net/textproto"
	"time"
)

// Request is what a provider sent us, byte by byte: signatures are over these bytes, never
// over what was made of them.
type Request struct {
	Method string
	URL    string // as the provider was told to call it, with its query; never made of the Host header
	Header map[string][]string
	Body   []byte
	At     time.Time // when it came
}

// Get is the value of a header; empty where there is none or several, which no signature
// can be taken from.
func (r Request) Get(name string) string {
	if values := r.Header[textproto.CanonicalMIMEHeaderKey(name)]; len(values) == 1 {
		return values[0]
	}
	return ""
}

// Received is what a verified request says: any number of entries and reports, or none.
// Echoes of what we sent and events that say nothing to us are left out.
type Received struct {
	Entries []Entry
	Reports []Report
	Answer  Answer // what the provider wants to hear at once; zero: an empty 200
}

// Entry is what a person said. ExternalID is the provider's and the same when it sends the
// entry again: with the connection's id it tells the one from the other.
type Entry struct {
	ExternalID string
	Thread     string // the provider's name of the conversation, unique in the connection
	From       string // the person, as the provider names them
	Name       string // as the person calls themselves; empty: the provider did not say
	ReplyTo    string // where an answer goes; empty: to From
	Text       string
	Choice     string // the Token of what was chosen; empty: nothing was
	OnlyKnown  bool   // it is for us only in a conversation that there is
	Files      []File
	At         time.Time // when it was said; zero: the provider did not say
}

// File is what a person sent with an entry. Its URL is the provider's, often needs the
// connection's credentials, and does not last.
type File struct {
	URL         string
	ContentType string
}

// Report is what a provider says later of a message that it took.
type Report struct {
	ExternalID        string // of this report: the same when it is sent again
	ProviderMessageID string
	State             State
	Code              string // the provider's, of Undelivered
}

// State is how far a message came that its provider took.
type State string

// The states.
const (
	Underway    State = "underway"
	Delivered   State = "delivered"
	Read        State = "read"
	Undelivered State = "undelivered"
)

// Answer is a synchronous answer: a challenge, a document.
type Answer struct {
	ContentType string
	Body        []byte
}

package channels

import (
	"io"
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
	Frame  bool      // it is not a request of its own: Body came on a socket that the rest of it opened
	Binary bool      // of a frame: it is no text
}

// Get is the value of a header; empty where there is none or several, which no signature
// can be taken from.
func (r Request) Get(name string) string {
	if values := r.Header[textproto.CanonicalMIMEHeaderKey(name)]; len(values) == 1 {
		return values[0]
	}
	return ""
}

// Received is what a verified request says: any number of entries, reports and calls, or none.
// Echoes of what we sent and events that say nothing to us are left out.
type Received struct {
	Entries []Entry
	Reports []Report
	Calls   []Call
	Answer  Answer // what the provider wants to hear at once; zero: an empty 200
	Opens   string // the conversation that is only begun: refused where something was said in it already; empty: none is
}

// Entry is what a person said. ExternalID is the provider's and the same when it sends the
// entry again: with the connection's id it tells the one from the other.
type Entry struct {
	ExternalID string
	Earlier    []string // what its ExternalID would be if it came a moment ago, where time tells repeats
	Thread     string   // the provider's name of the conversation, unique in the connection
	From       string   // the person, as the provider names them
	Name       string   // as the person calls themselves; empty: the provider did not say
	ReplyTo    string   // where an answer goes; empty: to From
	Text       string
	Choice     string // the Token of what was chosen; empty: nothing was
	OnlyKnown  bool   // it is for us only in a conversation that there is
	Opt        Opt    // whether replies are wanted, if it says so
	Files      []File
	About      []About   // what is known of it beside its words
	At         time.Time // when it was said; zero: the provider did not say
	Language   string    // in which they speak, as the provider says; empty: it does not
	Says       Saying

	MessageID string // what the provider calls the entry where its sender takes it back; empty: nobody is told of that
	TakesBack string // of TakesBack: the MessageID of what is taken back
}

// Saying is what an entry is, where it is not something that was said.
type Saying string

// What entries are.
const (
	Words  Saying = ""       // something was said, or chosen
	Begins Saying = "begins" // the person is there and has said nothing yet: the agent begins
	Waits  Saying = "waits"  // nothing was said: what is still to come is asked for
	Leaves Saying = "leaves" // the person is gone, and with them the conversation

	TakesBack Saying = "takesBack" // what the person said before is not to be shown any more
)

// About is something that is known of an entry beside its words, as the subject of a mail: agents see
// it with the message.
type About struct {
	Name  string
	Value string
}

// Opt is what a person says of replies.
type Opt string

// What people say. OptIn counts only of who had opted out; else it is a text as any other.
const (
	OptOut Opt = "out"
	OptIn  Opt = "in"
)

// File is what a person sent with an entry, where the provider has it. Its URL often needs the
// connection's credentials, and does not last. Providers that give no URL name it by an id.
type File struct {
	URL         string
	ID          string
	Name        string // as the person calls it
	ContentType string // as the provider says; it is not believed
	Size        int64  // as the provider says; 0: it does not
}

// Fetched is a file on its way from a provider. Who asked for it closes the body, and bounds it.
type Fetched struct {
	Body        io.ReadCloser
	Name        string // empty: the provider did not say more than File does
	ContentType string // as the provider says; it is not believed
}

// Unfetched is why a file does not come from its provider. Reason is told to agents: it is short,
// and has no secret, no address and none of the provider's words.
type Unfetched struct {
	Code       string
	Reason     string
	Again      bool          // of this moment: another try may get it
	RetryAfter time.Duration // of Again, if the provider said it
}

// Error implements error.
func (u *Unfetched) Error() string { return u.Reason }

// Codes of files that do not come.
const (
	FileGone      = "GONE"      // it is not there any more
	FileDenied    = "DENIED"    // the credentials do not open it
	FileTooLarge  = "TOO_LARGE" // for the provider, or for us
	FilePage      = "PAGE"      // a page came instead, mostly one to sign in at
	FileElsewhere = "ELSEWHERE" // its address is none of the provider's, or leads inward
	FileRefused   = "REFUSED"   // anything else that stays as it is
	FileAway      = "AWAY"      // the provider does not answer at the moment
)

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

// Reply is what an agent says to an entry whose provider waits for it, to be answered at once.
type Reply struct {
	Said  []Outbound // in its order; Text and Choices
	State ReplyState
	Code  string // of Unanswered: why

	// Before is what was said last, where this says nothing and the person may say something: a kind that has
	// to ask again asks that.
	Before []Outbound

	Language string // that is spoken, for what is said in the agent's place; empty: nobody knows
}

// ReplyState is how the agent leaves the conversation.
type ReplyState string

// The states.
const (
	GoesOn     ReplyState = "goesOn"     // the person may say something
	Working    ReplyState = "working"    // the agent is still at it, and says more later
	Ended      ReplyState = "ended"      // there is nothing more to say
	Escalated  ReplyState = "escalated"  // people have it
	Unanswered ReplyState = "unanswered" // nobody answers
	Elsewhere  ReplyState = "elsewhere"  // what is said is said on the line that the conversation has
)

package channels

import (
	"regexp"
	"time"
)

// Outbound is one message on its way to a provider. It must not be logged: it holds a
// person's number and what they are told.
type Outbound struct {
	Reference string // ours, the same for every attempt: the key by which a provider that takes one knows a repeat
	Attempt   int    // from 1
	Answers   int    // the number of the message that it answers, of kinds that are Asked; 0: none in particular
	From, To  string // as the provider names people and numbers
	Text      string
	Choices   []Choice // that go with it
	Fields    []Field  // of kinds that have them
	Shown     Shown    // what it takes the place of; zero: nothing
	ReportTo  string   // where the provider calls to tell what becomes of it; empty: it is told nowhere
	ByPerson  bool     // a human agent wrote it
}

// Shown is what stands in a conversation of a message that was still being written. A provider's id that is
// empty is not known: it was to be shown, and nobody noted what came of that.
type Shown struct {
	Reference string `json:"reference"` // ours
	ID        string `json:"id,omitempty"`
}

// Draft is a message that is still being written, as far as it has come.
type Draft struct {
	Shown
	To     string
	Text   string
	Number int // how often it was shown, with this time
}

// Drafts is how drafts are shown at a place.
type Drafts struct {
	Every  time.Duration // that one is shown anew at most
	Shared bool          // that Every is of all drafts by one connection, not of each
	For    time.Duration // that one may be shown; 0: for as long as it takes
	Kept   bool          // it stays where it is until the message takes its place; else it goes by itself
	Blank  bool          // the first time nothing of the text is seen
}

// Choice is a button. Whoever presses it sends its Token.
type Choice struct {
	Token string // short: two numbers with a dot between
	Label string
}

var token = regexp.MustCompile(`^[0-9]{1,9}\.[0-9]{1,4}$`)

// IsToken is whether a word may be the Token of a Choice. Others are of buttons that somebody else
// has made, of whom we know nothing.
func IsToken(word string) bool { return token.MatchString(word) }

// Field is a select, or where it has no options a text input.
type Field struct {
	Token   string // of an input: whoever fills it in sends it, with what they wrote
	Label   string
	Options []Choice // of a select: whoever takes one sends its Token
}

// Doubt names an attempt whose outcome nobody has told.
type Doubt struct {
	Outbound
	Node      string // that made the attempt
	StartedAt time.Time
}

// Status is what a provider did with a message.
type Status string

// The statuses. Only Taken, Refused and NotTaken are certain.
const (
	Unknown  Status = ""         // it may have been taken; nobody can say
	Taken    Status = "taken"    // the provider has it
	Refused  Status = "refused"  // and would refuse it again
	NotTaken Status = "notTaken" // certainly not taken, and worth another attempt
)

// Outcome is what is known of one attempt. Code and Reason stand in events, so they are
// short and hold no secret, nobody's number and nothing of the text.
type Outcome struct {
	Status            Status
	ProviderMessageID string // of Taken; may be empty if the provider gives none
	Segments          int    // of Taken: parts that it is billed as; 0: the provider did not say
	Code              string // of the others: the provider's own code, or a word
	Reason            string
	RetryAfter        time.Duration // of NotTaken, if the provider said it
	OptedOut          bool          // of Refused: the person wants no messages
	Denied            bool          // of NotTaken: the credentials are not accepted
}

package channels

import "time"

// Outbound is one message on its way to a provider. It must not be logged: it holds a
// person's number and what they are told.
type Outbound struct {
	Reference string // ours, the same for every attempt: the key by which a provider that takes one knows a repeat
	Attempt   int    // from 1
	From, To  string // as the provider names people and numbers
	Text      string
	Choices   []Choice // that go with it
}

// Choice is a button. Whoever presses it sends its Token.
type Choice struct {
	Token string // short
	Label string
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
}

package texts

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/numbers"
)

const (
	// MaxText bounds a text, in characters; longer ones no provider takes.
	MaxText = 1_600
	// DefaultSendWindow is how long a text is worth sending when nobody says.
	DefaultSendWindow = time.Hour
)

// Request asks for a text.
type Request struct {
	MessageID string // bare UUID
	TenantID  string
	ProjectID string
	From      string // E.164 number, or see ValidSender
	To        string // E.164: +15551234567
	Text      string // 1 to MaxText characters
	Campaign  *Campaign
	At        time.Time
	SendBy    time.Time // no attempt starts at or after it; zero: At + DefaultSendWindow
}

// Campaign says for which contact of which run of which campaign a text is.
type Campaign struct {
	CampaignID string `json:"campaignId"`
	RunID      string `json:"instanceId"`
	Index      int    `json:"index"` // of the contact in that run, from 0
}

// Requested is a message that is to be sent.
type Requested struct {
	MessageID string    `json:"messageId"`
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	From      string    `json:"from"`
	To        string    `json:"to" personal:"recipient"`
	Text      string    `json:"text" personal:"recipient"`
	Campaign  *Campaign `json:"campaign,omitempty"`
	At        time.Time `json:"at"`
	SendBy    time.Time `json:"sendBy"`
}

var _ = event.Register[Requested](Texts, "requested", 1)

// Decide takes the request once.
func (c Request) Decide(s State) ([]event.Payload, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, err
	}
	if s.Attempt.Number > 0 {
		return nil, fault.New(fault.Conflict, "the message %s exists already", c.MessageID)
	}
	e := Requested{MessageID: c.MessageID, TenantID: c.TenantID, ProjectID: c.ProjectID, From: c.From, To: c.To, Text: c.Text,
		Campaign: c.Campaign.clone(), At: event.Stamp(c.At), SendBy: event.Stamp(c.SendBy)}
	if c.SendBy.IsZero() {
		e.SendBy = e.At.Add(DefaultSendWindow)
	}
	return []event.Payload{e}, nil
}

var (
	// sender is a short code, or a sender name, which has a letter in it.
	sender  = regexp.MustCompile(`^([0-9]{3,8}|[A-Za-z0-9 ]{0,10}[A-Za-z][A-Za-z0-9 ]{0,10})$`)
	service = regexp.MustCompile(`^MG[0-9a-fA-F]{32}$`)
)

// ValidSender reports whether a text may stand in From that is no telephone number: a
// short code, a sender name of up to 11 characters, or the id of a Twilio messaging service.
func ValidSender(from string) bool {
	return len(from) <= 11 && sender.MatchString(from) || IsService(from)
}

// IsService reports whether a sender is the id of a Twilio messaging service: a group of
// senders.
func IsService(from string) bool { return service.MatchString(from) }

// Validate names every field of the request that is wrong.
func (c Request) Validate() fault.Fields {
	var f fault.Fields
	if c.MessageID == "" || len(c.MessageID) > 128 {
		f.Add("messageId", "must be 1 to 128 characters")
	}
	if c.ProjectID == "" {
		f.Add("projectId", "is required")
	}
	if problem := senderProblem(c.From); problem != "" {
		f.Add("from", "%s", problem)
	}
	if problem := numberProblem(c.To); problem != "" {
		f.Add("to", "%s", problem)
	}
	if problem := Problem(c.Text); problem != "" {
		f.Add("text", "%s", problem)
	}
	if !c.SendBy.IsZero() && !c.SendBy.After(c.At) {
		f.Add("sendBy", "must be after the time of the request")
	}
	return f
}

func numberProblem(n string) string {
	switch {
	case n == "":
		return "is required"
	case !numbers.Valid(n):
		return "must be an E.164 number: + and 2 to 15 digits, such as +15551234567"
	}
	return ""
}

func senderProblem(from string) string {
	switch {
	case from == "":
		return "is required"
	case numbers.Valid(from) || ValidSender(from):
		return ""
	}
	return "must be an E.164 number such as +15551234567, a short code of 3 to 8 digits, or a sender name of at most 11 letters, digits and " +
		"spaces with a letter in it, or the id of a messaging service (MG and 32 hexadecimal digits)"
}

// Problem says why nobody can send a text; empty: somebody can.
func Problem(text string) string {
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		return "is required"
	case !utf8.ValidString(text):
		return "must be valid UTF-8"
	case n > MaxText:
		return fmt.Sprintf("must be at most %d characters, not %d", MaxText, n)
	case strings.ContainsRune(text, 0):
		return "must not hold a null character"
	}
	return ""
}

// Apply keeps the request; the first attempt is due at once.
func (e Requested) Apply(s *State) {
	e.Campaign = e.Campaign.clone()
	s.Request = e
	s.Attempt.Ask()
}

func (c *Campaign) clone() *Campaign {
	if c == nil {
		return nil
	}
	v := *c
	return &v
}

package threads

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// Receive takes what a person said.
type Receive struct {
	TenantID     string
	ProjectID    string
	ConnectionID string
	Kind         string
	Entry        channels.Entry
	Asked        bool // somebody asks what becomes of it
	At           time.Time
	Brought      []Fetched // its files, where they came with it; nil: they are to be fetched

	Metadata  json.RawMessage      // of this message alone, as the caller gave it; nil: none
	Continues int                  // the message that began what this one goes on with; 0: it begins something
	Before    []sessions.Forwarded // what was said elsewhere before, for a session that begins with the message
}

// Received is what a person said, and what they chose by it.
type Received struct {
	Number       int              `json:"number"` // in the thread, from 1
	TenantID     string           `json:"tenantId"`
	ProjectID    string           `json:"projectId"`
	ConnectionID string           `json:"connectionId"`
	Kind         string           `json:"channelType"`
	ExternalID   string           `json:"externalId" personal:"customer"` // the provider's; some make it of the person's
	Thread       string           `json:"thread" personal:"customer"`
	From         string           `json:"from" personal:"customer"`
	Name         string           `json:"name,omitempty" personal:"customer"`
	ReplyTo      string           `json:"replyTo" personal:"customer"`
	Text         string           `json:"text" personal:"customer"`
	Chosen       *sessions.Chosen `json:"chosen,omitempty"`
	Files        []File           `json:"files,omitempty"`
	MoreFiles    int              `json:"moreFiles,omitempty"` // that came with it, and are left where they are
	About        []About          `json:"about,omitempty"`
	SaidAt       time.Time        `json:"saidAt,omitzero"` // as the provider says
	Language     string           `json:"language,omitempty"`
	Asked        bool             `json:"asked,omitempty"`
	Says         channels.Saying  `json:"says,omitempty"` // what it is, where nothing was said
	At           time.Time        `json:"at"`

	Metadata  json.RawMessage      `json:"metadata,omitempty" personal:"customer"`
	Continues int                  `json:"continues,omitempty"`
	Before    []sessions.Forwarded `json:"before,omitempty"`

	ProviderMessageID string `json:"providerMessageId,omitempty" personal:"customer"` // where its sender may take it back
}

// Begins is the message that began what this one is a part of.
func (e Received) Begins() int { return cmp.Or(e.Continues, e.Number) }

func (e Received) bytes() int {
	n := len(e.Text) + len(e.Metadata)
	for _, f := range e.Before {
		n += len(f.Text)
	}
	return n
}

// File is what came with a message, where the provider has it.
type File struct {
	URL         string `json:"url" personal:"customer"`
	ID          string `json:"id,omitempty" personal:"customer"`
	Name        string `json:"name,omitempty" personal:"customer"`
	ContentType string `json:"contentType,omitempty"`
	Size        int64  `json:"size,omitempty"`
}

// About is what is known of a message beside its words.
type About struct {
	Name  string `json:"name"`
	Value string `json:"value" personal:"customer"`
}

var _ = event.Register[Received](Threads, "received", 1)

// Decide refuses more than can wait: the provider sends it again. A press of what was never
// shown, or long ago, says nothing.
func (c Receive) Decide(s State) ([]event.Payload, error) {
	e := c.Entry
	if e.Says == channels.TakesBack {
		return s.takesBack(e.TakesBack, c.At), nil
	}
	if e.OnlyKnown && s.ConnectionID == "" {
		return nil, nil
	}
	if opted, is := c.opted(s); is {
		return opted, nil
	}
	out := Received{Number: s.Received + 1, TenantID: c.TenantID, ProjectID: c.ProjectID, ConnectionID: c.ConnectionID, Kind: c.Kind,
		ExternalID: e.ExternalID, Thread: e.Thread, From: e.From, Name: e.Name, ReplyTo: e.ReplyTo, Text: e.Text, Language: e.Language,
		Asked: c.Asked, Says: e.Says, Metadata: c.Metadata, Continues: c.Continues, Before: c.Before, At: event.Stamp(c.At),
		ProviderMessageID: e.MessageID}
	if out.ReplyTo == "" {
		out.ReplyTo = e.From
	}
	if !e.At.IsZero() {
		out.SaidAt = event.Stamp(e.At)
	}
	for _, f := range e.Files[:min(len(e.Files), MostFiles)] {
		out.Files = append(out.Files, File(f))
	}
	out.MoreFiles = len(e.Files) - len(out.Files)
	for _, a := range e.About {
		out.About = append(out.About, About(a))
	}
	switch o, is := s.chosen(e); {
	case e.Says != channels.Words:
		out.Text = ""
	case is:
		out.Chosen = &sessions.Chosen{ID: o.ID, Value: o.Value}
		if out.Text == "" {
			out.Text = o.Label
		}
	case e.Choice != "" && !s.forgot(e.Choice), sessions.Blank(e.Text) && len(e.Files) == 0:
		return nil, nil // what was never shown; but a button of a menu that is gone says its words, where the kind has them
	}
	waiting := out.bytes()
	for _, w := range s.Waiting {
		waiting += w.bytes()
	}
	if len(s.Waiting) >= MostWaiting || waiting > waitingBytes {
		return nil, fault.New(fault.QueueFull, "%d messages of this conversation wait for an answer", len(s.Waiting)).After(10 * time.Second)
	}
	if len(out.Files) > 0 && len(c.Brought) > 0 {
		return append(c.opens(s), out, FilesFetched{Number: out.Number, Files: c.Brought, At: out.At}), nil
	}
	return append(c.opens(s), out), nil
}

// forgot is whether a token may be of a menu that is not known any more.
func (s State) forgot(token string) bool {
	of, _, _ := strings.Cut(token, ".")
	reply, err := strconv.Atoi(of)
	return err == nil && reply > 0 && reply <= s.Queued && !slices.ContainsFunc(s.Menus, func(m Menu) bool { return m.Reply == reply })
}

// chosen is what somebody chose: by a button, by its number, or by its words.
func (s State) chosen(e channels.Entry) (Option, bool) {
	if e.Choice != "" {
		of, n, _ := strings.Cut(e.Choice, ".")
		for _, m := range s.Menus {
			if i, err := strconv.Atoi(n); err == nil && strconv.Itoa(m.Reply) == of && i >= 0 && i < len(m.Options) {
				o := m.Options[i]
				if o.Input {
					o.Value = asJSON(e.Text)
				}
				return o, true
			}
		}
		return Option{}, false
	}
	i := slices.IndexFunc(s.Menus, func(m Menu) bool { return m.Reply == s.Open })
	said := strings.TrimSpace(e.Text)
	if s.Open == 0 || i < 0 || said == "" {
		return Option{}, false
	}
	m, input := s.Menus[i], Option{}
	number := 0
	for _, o := range m.Options {
		if o.Input {
			if !input.Input {
				input = o
				input.Value = asJSON(said)
			}
			continue
		}
		if !o.Native {
			number++
		}
		numbered := (m.Numbers || m.Keys) && !o.Native
		if numbered && o.isLine(said, strconv.Itoa(number)) || o.isCalled(said) || o.isCalled(strings.TrimRight(said, ".)")) {
			return o, true
		}
	}
	return input, input.Input
}

// isCalled is whether a text has the words of an option.
func (o Option) isCalled(text string) bool {
	return text != "" && strings.EqualFold(text, strings.TrimSpace(o.Label))
}

// line is a number as people write those that they are shown: "2", "2." or "2. Two".
var line = regexp.MustCompile(`^([0-9]+)[.)]?(?:\s+(.+))?$`)

// isLine is whether a text is the line of an option by its number.
func (o Option) isLine(text, number string) bool {
	found := line.FindStringSubmatch(text)
	return found != nil && found[1] == number && (found[2] == "" || o.isCalled(found[2]))
}

func asJSON(text string) json.RawMessage {
	out, _ := json.Marshal(text) // a text always can be
	return out
}

// Apply keeps it until a session has taken it.
func (e Received) Apply(s *State) {
	s.ConnectionID, s.TenantID, s.ProjectID, s.Kind = e.ConnectionID, e.TenantID, e.ProjectID, e.Kind
	s.From, s.Name, s.ReplyTo, s.Received = e.From, e.Name, e.ReplyTo, e.Number
	if e.Language != "" && s.Session == "" {
		s.Language = e.Language
	}
	if e.Says != channels.Waits {
		s.Open = 0
	}
	e.Files, e.About, e.Before = slices.Clone(e.Files), slices.Clone(e.About), slices.Clone(e.Before)
	if e.Says != channels.Waits {
		s.Waiting = append(slices.Clip(s.Waiting), e)
	}
	s.mayTakeBack(e)
	if e.Asked {
		s.ask(Question{Fate: fateOf(e), ReplyTo: e.ReplyTo})
	}
}

// Take notes that a session has taken a message.
type Take struct {
	Number    int
	SessionID string
	Turn      int      // of the session; 0: it was passed on to people, or began what had begun before
	People    bool     // they have the session
	Left      []string // blobs of its files that the session has no room for
	MessageID string
	Language  string // of the session
	At        time.Time
}

// Taken says that a session answers a message.
type Taken struct {
	Number    int       `json:"number"`
	SessionID string    `json:"sessionId"`
	Turn      int       `json:"turn,omitempty"`
	People    bool      `json:"people,omitempty"` // have the session
	Left      []string  `json:"left,omitempty"`
	MessageID string    `json:"messageId,omitempty"` // what the message is there
	Language  string    `json:"language,omitempty"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Taken](Threads, "taken", 1)

// Decide notes it once.
func (c Take) Decide(s State) ([]event.Payload, error) {
	if next, is := s.Next(); !is || next.Number != c.Number {
		return nil, nil
	}
	return []event.Payload{Taken{Number: c.Number, SessionID: c.SessionID, Turn: c.Turn, People: c.People, Left: c.Left,
		MessageID: c.MessageID, Language: c.Language, At: event.Stamp(c.At)}}, nil
}

// Apply lets the message go.
func (e Taken) Apply(s *State) {
	s.Session, s.Language = e.SessionID, cmp.Or(e.Language, s.Language)
	for _, m := range s.Waiting {
		if m.Number == e.Number {
			s.Took = Took{Session: e.SessionID, Turn: e.Turn, CameAt: m.At}
		}
	}
	s.toldTo(e)
	s.release(e.Number, e.Left)
	s.tell(e)
}

func (s *State) release(number int, left []string) {
	s.leave(number, left)
	s.Waiting = slices.DeleteFunc(slices.Clone(s.Waiting), func(m Received) bool { return m.Number == number })
}

// Refuse notes that no session will take a message.
type Refuse struct {
	Number int
	Code   fault.Code
	Reason string // safe to show
	At     time.Time
}

// Why nobody answers a message that waited while something was done with its connection, and why a reply does not go out.
const (
	CodeConnection = "CONNECTION" // it was deleted
	CodeInactive   = "INACTIVE"   // it takes nothing
)

// Refused says that nobody answers a message.
type Refused struct {
	Number    int       `json:"number"`
	ProjectID string    `json:"projectId,omitempty"`
	Code      string    `json:"code"`
	Reason    string    `json:"reason"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Refused](Threads, "refused", 1)

// Decide notes it once.
func (c Refuse) Decide(s State) ([]event.Payload, error) {
	if next, is := s.Next(); !is || next.Number != c.Number {
		return nil, nil
	}
	return []event.Payload{Refused{Number: c.Number, ProjectID: s.ProjectID, Code: string(c.Code), Reason: c.Reason,
		At: event.Stamp(c.At)}}, nil
}

// Apply lets the message go.
func (e Refused) Apply(s *State) {
	s.release(e.Number, BlobsOf(s.Fetched[e.Number]))
	s.tell(e)
}

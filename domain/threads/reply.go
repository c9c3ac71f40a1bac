package threads

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Queue says something back.
type Queue struct {
	SessionID string
	MessageID string // of what was said in the session
	Text      string
	Rich      []sessions.Element
	Limits    channels.Limits
	At        time.Time
}

// Queued is something that is to go out, as the kind of channel has it.
type Queued struct {
	Reply        int       `json:"reply"` // in the thread, from 1
	TenantID     string    `json:"tenantId"`
	ProjectID    string    `json:"projectId"`
	ConnectionID string    `json:"connectionId"`
	Kind         string    `json:"channelType"`
	SessionID    string    `json:"sessionId"`
	MessageID    string    `json:"messageId"`
	To           string    `json:"to" personal:"customer"`
	Parts        []string  `json:"parts" personal:"customer"`
	Messages     int       `json:"messages"` // that it goes out in: as many as parts
	Options      []Option  `json:"options,omitempty"`
	Numbers      bool      `json:"numbers,omitempty"` // the options are numbered in the text
	Once         bool      `json:"once,omitempty"`    // the provider knows no repeats, and they cost
	At           time.Time `json:"at"`
	SendBy       time.Time `json:"sendBy"`
}

var _ = event.Register[Queued](Threads, "reply-queued", 1)

// Decide makes what was said fit.
func (c Queue) Decide(s State) ([]event.Payload, error) {
	if s.ConnectionID == "" {
		return nil, fault.New(fault.NotFound, "there is no such conversation")
	}
	if s.ReplyTo == "" { // the person was erased
		return nil, nil
	}
	text, options := c.Text, optionsOf(c.Rich)
	var labels []string
	for _, o := range options {
		if o.Input {
			text = lines(text, o.Label)
		} else {
			labels = append(labels, o.Label)
		}
	}
	numbers := len(labels) > 0 && !c.Limits.Native(labels)
	if numbers {
		for i, l := range labels {
			text = lines(text, itoa(i+1)+". "+l)
		}
	}
	if strings.TrimSpace(text) == "" {
		if text = "…"; len(labels) == 0 {
			return nil, nil
		}
	}
	at, parts := event.Stamp(c.At), c.Limits.Split(text)
	return []event.Payload{Queued{Reply: s.Queued + 1, TenantID: s.TenantID, ProjectID: s.ProjectID, ConnectionID: s.ConnectionID,
		Kind: s.Kind, SessionID: c.SessionID, MessageID: c.MessageID, To: s.ReplyTo, Parts: parts, Messages: len(parts),
		Options: options, Numbers: numbers, Once: c.Limits.Once, At: at, SendBy: at.Add(LastFor)}}, nil
}

func lines(text, more string) string {
	if strings.TrimSpace(more) == "" {
		return text
	}
	return strings.TrimLeft(text+"\n"+more, "\n")
}

// optionsOf is what can be chosen of what goes with a text.
func optionsOf(rich []sessions.Element) (out []Option) {
	for _, r := range rich {
		switch r.Kind {
		case "select":
			for _, o := range r.Options {
				out = append(out, Option{ID: r.ID, Label: o.Label, Value: asJSON(o.ID)})
			}
		case "input":
			out = append(out, Option{ID: r.ID, Label: r.Label, Input: true})
		default:
			out = append(out, Option{ID: r.ID, Label: cmp.Or(r.Label, r.ID), Value: r.Value})
		}
	}
	return out
}

// Apply puts it behind the others.
func (e Queued) Apply(s *State) {
	e.Parts, e.Options = slices.Clone(e.Parts), slices.Clone(e.Options)
	s.Queued = e.Reply
	if len(e.Options) > 0 {
		s.Menus = append(slices.Clip(s.Menus), Menu{Reply: e.Reply, Options: e.Options, Numbers: e.Numbers})
		s.Menus = slices.Clone(s.Menus[max(0, len(s.Menus)-mostMenus):])
		s.Open = e.Reply
	}
	s.queue(Reply{Queued: e})
}

func (s *State) queue(r Reply) {
	s.Replies = append(slices.Clip(s.Replies), r)
	if len(s.Replies) == 1 {
		s.Attempt.Ask()
	}
}

// head is the reply whose turn it is; a zero one where there is none.
func (s State) head() Reply {
	if len(s.Replies) == 0 {
		return Reply{}
	}
	return s.Replies[0]
}

// Attempts is how a conversation is spoken to about the attempts to carry the reply whose turn it
// is.
var Attempts = attempt.Rules[State]{
	State: func(s State) attempt.State { return s.Attempt },
	Name: func(s State) string {
		h := s.head()
		return fmt.Sprintf("%d.%d/%d/%d", h.Reply, h.Round, h.Part, s.Attempt.Number)
	},
	Start: func(c attempt.Claim) attempt.Decision[State] { return Start{c}.Decide },
	Fail: func(s State, f attempt.Failure) attempt.Decision[State] {
		late := channels.Outcome{Status: channels.NotTaken, Code: "LATE", Reason: f.Reason}
		return Record{ID: s.Attempt.ID, Outcome: late, Delay: f.Pause, At: f.At}.Decide
	},
	Wake:    func(at time.Time) attempt.Decision[State] { return Wake{at}.Decide },
	Backoff: attempt.Backoff{First: 2 * time.Second, Factor: 2, Jitter: 0.5, Ceiling: 10 * time.Minute},
}

func (s State) bounds() attempt.Bounds {
	return attempt.Bounds{Until: s.head().SendBy, Shortest: time.Second, Longest: time.Hour}
}

// Outbound is what the provider is asked to take in the current attempt.
func (s State) Outbound() channels.Outbound {
	h := s.head()
	if h.Part >= len(h.Parts) {
		return channels.Outbound{}
	}
	out := channels.Outbound{Reference: fmt.Sprintf("%s/%d/%d", h.MessageID, h.Round, h.Part), Attempt: s.Attempt.Number, To: h.To,
		Text: h.Parts[h.Part]}
	if h.Part == len(h.Parts)-1 && !h.Numbers {
		for i, o := range h.Options {
			if !o.Input {
				out.Choices = append(out.Choices, channels.Choice{Token: itoa(h.Reply) + "." + itoa(i), Label: o.Label})
			}
		}
	}
	return out
}

// Start claims the attempt that is wanted, before the provider is asked.
type Start struct{ attempt.Claim }

// Started says that a node is about to ask a provider.
type Started struct {
	Reply      int       `json:"reply"`
	Part       int       `json:"part"` // from 0
	Attempt    int       `json:"attempt"`
	ID         string    `json:"attemptId"`
	Node       string    `json:"node"`
	At         time.Time `json:"at"`
	LeaseUntil time.Time `json:"leaseUntil"`
}

var _ = event.Register[Started](Threads, "reply-attempt-started", 1)

// Decide gives up what waited for too long.
func (c Start) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	switch {
	case !s.Attempt.Wanted():
		return nil, nil
	case s.bounds().Over(at):
		return []event.Payload{s.failed("EXPIRED", "not sent in time", at)}, nil
	}
	return []event.Payload{Started{Reply: s.head().Reply, Part: s.head().Part, Attempt: s.Attempt.Number, ID: c.ID, Node: c.Node, At: at,
		LeaseUntil: event.Stamp(c.LeaseUntil)}}, nil
}

// Apply hands the attempt out.
func (e Started) Apply(s *State) { s.Attempt.Start(e.Attempt, e.ID, e.LeaseUntil) }

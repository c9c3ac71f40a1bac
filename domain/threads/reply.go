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
	Turn      int    // in which it was said; 0: in none, by a person
	Unasked   bool   // no message began the turn
	MessageID string // of what was said in the session
	Text      string
	Rich      []sessions.Element
	Limits    channels.Limits
	At        time.Time
	Polled    bool // who talks looks for it: nobody carries it
}

// Queued is something that is to go out, as the kind of channel has it.
type Queued struct {
	Reply        int       `json:"reply"` // in the thread, from 1
	TenantID     string    `json:"tenantId"`
	ProjectID    string    `json:"projectId"`
	ConnectionID string    `json:"connectionId"`
	Kind         string    `json:"channelType"`
	SessionID    string    `json:"sessionId"`
	Turn         int       `json:"turn,omitempty"` // of the agent; absent: a person said it
	MessageID    string    `json:"messageId"`
	To           string    `json:"to" personal:"customer"`
	Parts        []string  `json:"parts" personal:"customer"`
	Messages     int       `json:"messages"` // that it goes out in: as many as parts
	Options      []Option  `json:"options,omitempty"`
	Numbers      bool      `json:"numbers,omitempty"` // the options are numbered in the text
	Keys         bool      `json:"keys,omitempty"`    // they are not, and their numbers choose them all the same
	Once         bool      `json:"once,omitempty"`    // the provider knows no repeats, and they cost
	Fetched      bool      `json:"fetched,omitempty"` // it is not sent: it waits for the next request
	Answers      int       `json:"answers,omitempty"` // the message, where somebody asks what became of it
	Polled       bool      `json:"polled,omitempty"`  // who talks looks for it: nobody carries it
	At           time.Time `json:"at"`
	SendBy       time.Time `json:"sendBy"`

	Shown *channels.Shown `json:"shown,omitempty"` // a draft, whose place the first part takes
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
	text, options := c.Text, optionsOf(c.Rich, c.Limits)
	var labels []string
	for _, o := range options {
		switch {
		case o.Native:
		case o.Input:
			text = lines(text, o.Label)
		default:
			labels = append(labels, o.Label)
		}
	}
	numbers := len(labels) > 0 && (!c.Limits.Native(labels) || c.Limits.Numbered && slices.ContainsFunc(c.Rich, isSelect))
	if numbers {
		for i, l := range labels {
			text = lines(text, itoa(i+1)+". "+l)
		}
	}
	if strings.TrimSpace(text) == "" {
		if text = "…"; len(options) == 0 {
			return nil, nil
		}
	}
	at, parts := event.Stamp(c.At), c.Limits.Split(text)
	answers, to := s.about(c.SessionID, c.Turn, c.Unasked)
	return []event.Payload{Queued{Reply: s.Queued + 1, TenantID: s.TenantID, ProjectID: s.ProjectID, ConnectionID: s.ConnectionID,
		Kind: s.Kind, SessionID: c.SessionID, Turn: c.Turn, MessageID: c.MessageID, To: to, Answers: answers, Parts: parts,
		Messages: len(parts), Options: options, Numbers: numbers, Keys: c.Limits.Keys && len(labels) > 0 && !numbers, Once: c.Limits.Once,
		Fetched: c.Limits.Fetched, Polled: c.Polled, At: at, SendBy: at.Add(LastFor), Shown: s.becomes(c.SessionID, c.Turn, to)}}, nil
}

func isSelect(r sessions.Element) bool { return r.Kind == "select" }

func lines(text, more string) string {
	if strings.TrimSpace(more) == "" {
		return text
	}
	return strings.TrimLeft(text+"\n"+more, "\n")
}

// optionsOf is what can be chosen of what goes with a text.
func optionsOf(rich []sessions.Element, l channels.Limits) (out []Option) {
	for _, r := range rich {
		switch r.Kind {
		case "select":
			labels := make([]string, len(r.Options))
			for i, o := range r.Options {
				labels[i] = o.Label
			}
			native, field := l.Selects(labels), ""
			if native {
				field = r.Label
			}
			for _, o := range r.Options {
				out = append(out, Option{ID: r.ID, Label: o.Label, Value: asJSON(o.ID), Native: native, Field: field})
			}
		case "input":
			out = append(out, Option{ID: r.ID, Label: r.Label, Input: true, Native: l.Inputs})
		default:
			out = append(out, Option{ID: r.ID, Label: cmp.Or(r.Label, r.ID), Value: r.Value})
		}
	}
	return out
}

// Apply puts it behind the others.
func (e Queued) Apply(s *State) {
	e.Parts, e.Options = slices.Clone(e.Parts), slices.Clone(e.Options)
	s.Queued, s.Latest, s.Draft = e.Reply, e.MessageID, Draft{}
	if len(e.Options) > 0 {
		s.Menus = append(slices.Clip(s.Menus), Menu{Reply: e.Reply, Options: e.Options, Numbers: e.Numbers, Keys: e.Keys})
		s.Menus = slices.Clone(s.Menus[max(0, len(s.Menus)-mostMenus):])
		s.Open = e.Reply
	}
	if e.Polled {
		return
	}
	if e.Fetched {
		s.Unheard = append(slices.Clip(s.Unheard), e)
		s.Unheard = slices.Clone(s.Unheard[max(0, len(s.Unheard)-mostUnheard):])
		return
	}
	s.queue(Reply{Queued: e, AskedAt: s.askedAt(e)})
}

// askedAt is when the message came that a reply answers. That of a turn which says something first may
// not be noted as taken yet: it is the next one.
func (s State) askedAt(e Queued) time.Time {
	switch {
	case e.Turn > 0 && e.Turn == s.Took.Turn && e.SessionID == s.Took.Session:
		return s.Took.CameAt
	case e.Turn > 0 && len(s.Waiting) > 0 && (e.SessionID != s.Took.Session || e.Turn > s.Took.Turn):
		return s.Waiting[0].At
	}
	return time.Time{}
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
	out := h.Outbound(h.Part)
	out.Reference, out.Attempt = fmt.Sprintf("%s/%d/%d", h.MessageID, h.Round, h.Part), s.Attempt.Number
	return out
}

// Outbound is one part of it, with what can be chosen at the last one.
func (e Queued) Outbound(part int) channels.Outbound {
	out := channels.Outbound{Reference: e.MessageID, Answers: e.Answers, To: e.To, Text: e.Parts[part], ByPerson: e.Turn == 0}
	if part == len(e.Parts)-1 {
		e.show(&out)
	}
	if part == 0 && e.Shown != nil {
		out.Shown = *e.Shown
	}
	return out
}

// Text is all of it in one. Of somebody who was erased there are no parts any more: erased stands for them.
func (e Queued) Text(erased string) string {
	if len(e.Parts) == 0 {
		return erased
	}
	return strings.Join(e.Parts, "\n")
}

// Choices are the buttons beside it. Of somebody who was erased none can be pressed any more.
func (e Queued) Choices() []channels.Choice {
	var out channels.Outbound
	if len(e.Parts) > 0 {
		e.show(&out)
	}
	return out.Choices
}

// show adds what can be chosen, but for what the text has.
func (q Queued) show(out *channels.Outbound) {
	for i, o := range q.Options {
		c := channels.Choice{Token: itoa(q.Reply) + "." + itoa(i), Label: o.Label}
		switch {
		case o.Native && o.Input:
			out.Fields = append(out.Fields, channels.Field{Token: c.Token, Label: o.Label})
		case o.Native:
			if i == 0 || q.Options[i-1].ID != o.ID {
				out.Fields = append(out.Fields, channels.Field{Label: o.Field})
			}
			f := &out.Fields[len(out.Fields)-1]
			f.Options = append(f.Options, c)
		case !o.Input && !q.Numbers:
			out.Choices = append(out.Choices, c)
		}
	}
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
	case s.Stopped:
		return []event.Payload{s.failed(CodeOptedOut, optedOut, at)}, nil
	case s.bounds().Over(at):
		return []event.Payload{s.failed("EXPIRED", "not sent in time", at)}, nil
	}
	return []event.Payload{Started{Reply: s.head().Reply, Part: s.head().Part, Attempt: s.Attempt.Number, ID: c.ID, Node: c.Node, At: at,
		LeaseUntil: event.Stamp(c.LeaseUntil)}}, nil
}

// Apply hands the attempt out.
func (e Started) Apply(s *State) { s.Attempt.Start(e.Attempt, e.ID, e.LeaseUntil) }

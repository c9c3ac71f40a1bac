package conversations

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// MaxEvents is how many lifecycle events one report may hold.
const MaxEvents = 100

// About names the conversation that a command is about.
type About struct {
	TenantID       string
	ProjectID      string
	ConversationID string
	At             time.Time       // when the server was told
	Body           json.RawMessage // as told, for the audit of what comes after the end
}

func (a About) validate(f *fault.Fields) {
	if !ValidID(a.ConversationID) {
		f.Add("conversationId", "must be 1 to %d letters, digits or _ - : . @, and not only . or ..", MaxIDLength)
	}
}

// Report tells lifecycle events of one conversation: all of them are applied in
// their order, or none.
type Report struct {
	About
	Events []Told
}

// Told is one lifecycle event as a hook caller tells it (conversation-hook). Which
// members it needs depends on its name.
type Told struct {
	Name         string
	TransferType string
	Transition   string
	IsExtAD      *bool
	Language     string
	Experience   string
	Reason       string
	Participant  *Participant
	Data         *SummaryWanted
}

// The names of lifecycle events.
const (
	InternalTransfer  = "INTERNAL_TRANSFER_EVENT"
	TriggerSummary    = "TRIGGER_SUMMARY_EVENT"
	EndOfConversation = "END_OF_CONVERSATION"
)

// step is one lifecycle event that is well formed. It answers nothing when the
// state reflects it already, and a text when it cannot have happened.
type step interface {
	decide(s State, about About) (events []event.Payload, problem string, err error)
}

// Decide refuses fields that are wrong, then applies event by event.
func (c Report) Decide(s State) ([]event.Payload, error) {
	steps, err := c.steps()
	if err != nil {
		return nil, err
	}
	if s.Phase == Ended {
		return c.late(s, c.what())
	}
	var out []event.Payload
	now := s.clone()
	for i, step := range steps {
		at := fmt.Sprintf("events[%d]", i)
		if now.Phase == Ended {
			return nil, fault.Field(at, "comes after the end of the conversation")
		}
		events, problem, err := step.decide(now, c.About)
		switch {
		case err != nil:
			return nil, err
		case problem != "":
			return nil, fault.Field(at, "is out of order: %s", problem)
		}
		for _, e := range events {
			Conversations.Fold(&now, e)
		}
		out = append(out, events...)
	}
	return out, nil
}

// steps reads what was told, naming every member that is wrong.
func (c Report) steps() ([]step, error) {
	var f fault.Fields
	c.validate(&f)
	if n := len(c.Events); n == 0 || n > MaxEvents {
		f.Add("events", "must have 1 to %d items", MaxEvents)
	}
	var out []step
	for i, told := range c.Events {
		out = append(out, told.step(members{&f, fmt.Sprintf("events[%d].", i)}))
	}
	return out, f.Err()
}

func (t Told) step(m members) step {
	switch strings.ToUpper(t.Name) {
	case InternalTransfer:
		return t.transfer(m)
	case TriggerSummary:
		return t.summary(m)
	case EndOfConversation:
		return t.end(m)
	}
	m.add("name", "must be %s, %s or %s", InternalTransfer, TriggerSummary, EndOfConversation)
	return nil
}

// what was told, in a few words, for the audit.
func (c Report) what() string {
	first := c.Events[0]
	text := strings.ToUpper(first.Name)
	if text == InternalTransfer {
		text += " " + strings.ToLower(first.TransferType) + " " + strings.ToLower(first.Transition)
	}
	if n := len(c.Events); n > 1 {
		text += fmt.Sprintf(" and %d more", n-1)
	}
	return text
}

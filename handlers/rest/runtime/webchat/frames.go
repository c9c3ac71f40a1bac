package webchat

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

// heard is what a client says on a socket.
type heard struct {
	Type          string            `json:"type" enum:"message,action,typing,ping"`
	ID            string            `json:"id,omitempty" maxLength:"255"`
	Text          string            `json:"text,omitempty" maxLength:"20000"`
	AttachmentIDs []string          `json:"attachmentIds,omitempty" maxItems:"10"`
	ActionID      string            `json:"actionId,omitempty" maxLength:"128"`
	Value         jsontext.Anything `json:"value,omitempty"`
	Metadata      jsontext.Object   `json:"metadata,omitempty"`
}

var form = rest.FormOf[heard]()

// check refuses what a message or an action has to have.
func (h heard) check() error {
	var f fault.Fields
	if h.ID == "" {
		f.Add("id", "is required: a message that is sent again has the same")
	}
	if h.Type == "action" && h.ActionID == "" {
		f.Add("actionId", "is required: that of a button, a select or an input")
	}
	if h.Type == "message" && sessions.Blank(h.Text) && len(h.AttachmentIDs) == 0 {
		f.Add("text", "is required, or attachmentIds")
	}
	return f.Err()
}

// idOf is the id of what is of another form than it should be, if it has one: without it a client does not
// know which of its messages is refused, and says that one again whenever it comes back.
func idOf(data []byte) (id string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil || json.Unmarshal(members["id"], &id) != nil || len(id) > 255 { // as heard.ID
		return ""
	}
	return id
}

// frame is what is said to a client.
type frame struct {
	Type    string `json:"type"`
	EventID string `json:"eventId,omitempty"` // to go on behind, of what stands on the log

	SessionID string `json:"sessionId,omitempty"` // of ready
	Status    string `json:"status,omitempty"`
	Resumed   bool   `json:"resumed,omitempty"`

	ID            string                `json:"id,omitempty"` // of a message, or of the client's that is acknowledged or refused
	MessageID     string                `json:"messageId,omitempty"`
	Role          string                `json:"role,omitempty"`
	AgentName     string                `json:"agentName,omitempty"`
	Text          *string               `json:"text,omitempty"`
	RichContent   []runtime.ChatElement `json:"richContent,omitempty"`
	Actions       []runtime.ChatAction  `json:"actions,omitempty"`
	AttachmentIDs []string              `json:"attachmentIds,omitempty"`
	Timestamp     string                `json:"timestamp,omitempty"`

	Active *bool                `json:"active,omitempty"` // of typing
	Action *runtime.ChatOutcome `json:"action,omitempty"` // how a turn ended

	CallID string `json:"callId,omitempty"` // of a delta and its reset
	Delta  string `json:"delta,omitempty"`
	Reason string `json:"reason,omitempty"`

	Code         fault.Code `json:"code,omitempty"` // of an error
	Message      string     `json:"message,omitempty"`
	Field        string     `json:"field,omitempty"`
	RetryAfterMs *int64     `json:"retryAfterMs,omitempty"`
}

// typing says that an agent is at it, or is not any more.
func typing(active bool) frame { return frame{Type: "typing", Active: &active} }

// failed is an error as a client is told it; id is that of its message, if it was one.
func failed(refusal *rest.Refusal, err error, id string) frame {
	out := frame{Type: "error", ID: id, Code: fault.Code(refusal.Fault.Code), Message: refusal.Fault.Message,
		RetryAfterMs: refusal.Fault.RetryAfterMs}
	var f *fault.Error
	if errors.As(err, &f) && len(f.Details) > 0 {
		out.Field = f.Details[0].Field
	}
	return out
}

// shown is an event as a client is told it; false: it is told nothing.
func shown(e eventstore.Recorded) (out frame, ok bool) {
	out.EventID = strconv.FormatInt(e.Version, 10)
	switch p := e.Payload.(type) {
	case sessions.MessageReceived:
		out.says("user", p.MessageID, "", p.Action.Words(p.Text))
		out.AttachmentIDs, out.Timestamp = p.Attachments, rest.ISOTime(&p.At)
	case sessions.PassedOn:
		out.says("user", p.MessageID, "", p.Action.Words(p.Text))
		out.AttachmentIDs, out.Timestamp = p.Attachments, rest.ISOTime(&p.At)
	case sessions.Said:
		m := runtime.MessageOf(p)
		out.says("assistant", m.ID, m.AgentName, m.Text)
		out.RichContent, out.Actions, out.Timestamp = m.RichContent, runtime.ActionsOf(m.RichContent), rest.ISOTime(&p.At)
	case sessions.PersonSaid:
		out.says("agent", p.MessageID, p.HumanAgentID, p.Text)
		out.Timestamp = rest.ISOTime(&p.At)
	case sessions.TurnEnded:
		out.Type, out.Action = "turn_ended", &runtime.ChatOutcome{Type: string(p.Action), Error: p.Failed}
	case sessions.WasReset:
		out.Type = "cleared"
	case sessions.SessionEnded:
		out.Type, out.Reason = "ended", p.Reason
	default:
		return out, false
	}
	return out, true
}

func (f *frame) says(role, id, name, text string) {
	f.Type, f.Role, f.ID, f.AgentName, f.Text = "message", role, id, name, &text
}

// works is whether an agent is at it from an event on, or is not any more; otherwise it says nothing.
func works(e eventstore.Recorded) (active, says bool) {
	switch p := e.Payload.(type) {
	case sessions.MessageReceived, sessions.PickedUp:
		return true, true
	case sessions.CallEnded:
		return true, p.Later
	case sessions.TurnEnded, sessions.CallSent, sessions.SessionEnded:
		return false, true
	}
	return false, false
}

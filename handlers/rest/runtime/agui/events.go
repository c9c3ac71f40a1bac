package agui

import (
	"encoding/json"
	"strings"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

// fields are the members of an event.
type fields map[string]any

// run tells one turn in the events of the protocol, in the order that it asks for: what begins is
// ended before the run is, and nothing comes behind that.
type run struct {
	thread, id string
	before     []json.RawMessage // the messages that the client came with
	send       func(fields) error

	parts runtime.Parts
	text  string          // the message that is being told, by its call; empty: none is
	whole strings.Builder // of it, so far
	step  string          // that was begun
	said  []fields        // in this run, as messages
	fail  error
}

func (r *run) event(kind string, more fields) {
	if r.fail != nil {
		return
	}
	out := fields{"type": kind}
	for name, value := range more {
		out[name] = value
	}
	r.fail = r.send(out)
}

func (r *run) begin() { r.event("RUN_STARTED", fields{"threadId": r.thread, "runId": r.id}) }

// tell tells what is new.
func (r *run) tell(news driving.News) error {
	for i, e := range news.Events {
		r.happened(e, news.Events[i+1:])
	}
	for _, d := range news.Deltas {
		if r.parts.Tells(d) {
			r.delta(d)
		}
	}
	return r.fail
}

func (r *run) delta(d driving.Delta) {
	if r.text != d.CallID {
		r.endText()
		r.text = d.CallID
		r.event("TEXT_MESSAGE_START", fields{"messageId": d.CallID, "role": "assistant"})
	}
	if d.Text != "" {
		r.whole.WriteString(d.Text)
		r.event("TEXT_MESSAGE_CONTENT", fields{"messageId": d.CallID, "delta": d.Text})
	}
}

func (r *run) endText() {
	if r.text != "" {
		r.event("TEXT_MESSAGE_END", fields{"messageId": r.text})
	}
	r.text = ""
	r.whole.Reset()
}

func (r *run) endStep() {
	if r.step != "" {
		r.event("STEP_FINISHED", fields{"stepName": r.step})
	}
	r.step = ""
}

func (r *run) happened(e eventstore.Recorded, behind []eventstore.Recorded) {
	if _, why := r.parts.TakenBack(e, behind); why != "" {
		r.endText()
		r.snapshot() // there is no event that takes a text back
	}
	switch e := e.Payload.(type) {
	case sessions.StepEntered:
		r.endStep()
		r.step = e.Agent + "/" + e.Step
		r.event("STEP_STARTED", fields{"stepName": r.step})
	case sessions.CallOpened:
		r.event("TOOL_CALL_START", fields{"toolCallId": e.CallID, "toolCallName": e.Tool})
		r.event("TOOL_CALL_END", fields{"toolCallId": e.CallID})
	case sessions.CallEnded:
		content, _ := json.Marshal(fields{"outcome": e.Outcome, "code": e.Code}) // texts
		r.event("TOOL_CALL_RESULT", fields{"messageId": e.CallID + "-result", "toolCallId": e.CallID, "role": "tool",
			"content": string(content)})
	case sessions.Said:
		r.message(runtime.MessageOf(e))
	}
}

// message tells what was said, as far as it was not told before.
func (r *run) message(m runtime.SaidMessage) {
	id, told := m.ID, r.whole.String()
	switch {
	case r.text == "" && m.Text != "":
		r.event("TEXT_MESSAGE_START", fields{"messageId": id, "role": "assistant"})
		r.event("TEXT_MESSAGE_CONTENT", fields{"messageId": id, "delta": m.Text})
		r.event("TEXT_MESSAGE_END", fields{"messageId": id})
	case r.text != "":
		id = r.text
		r.endText()
	}
	r.said = append(r.said, fields{"id": id, "role": "assistant", "content": m.Text})
	if id != m.ID {
		if told != m.Text {
			r.snapshot()
		}
		r.event("CUSTOM", fields{"name": "message", "value": fields{"messageId": id, "id": m.ID}})
	}
	if len(m.RichContent) > 0 {
		r.event("CUSTOM", fields{"name": "actions", "value": fields{"messageId": id, "richContent": m.RichContent,
			"actions": runtime.ActionsOf(m.RichContent)}})
	}
}

// snapshot says all messages anew.
func (r *run) snapshot() {
	all := make([]any, 0, len(r.before)+len(r.said))
	for _, m := range r.before {
		all = append(all, m)
	}
	for _, m := range r.said {
		all = append(all, m)
	}
	r.event("MESSAGES_SNAPSHOT", fields{"messages": all})
}

// finish ends the run as the turn has ended.
func (r *run) finish(action runtime.ChatOutcome, state runtime.ChatState) {
	r.endText()
	r.endStep()
	r.event("STATE_SNAPSHOT", fields{"snapshot": state})
	r.event("RUN_FINISHED", fields{"threadId": r.thread, "runId": r.id, "result": fields{"action": action}})
}

// failed ends the run with what went wrong.
func (r *run) failed(code, message string) {
	r.event("RUN_ERROR", fields{"message": message, "code": code})
}

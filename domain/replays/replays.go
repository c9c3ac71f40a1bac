// Package replays decides the turns of a session again: by the sources that it went by, which
// must come to the events that stand on the log, or by others, to see where these part from them.
//
// What came from outside is taken from the log: messages, what came of calls, what models
// answered, and when. Each decision is made on the state that the recorded events left, so it is
// judged by itself. Nothing is asked and nothing is written.
package replays

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// Commit is what one decision put on the log.
type Commit []event.Payload

// Event is an event, by its name on the log.
type Event struct {
	Name string
	Data json.RawMessage
}

// Difference is the first thing that is not as it was recorded.
type Difference struct {
	Turn     int
	Agent    string // where the conversation stood before it
	Step     string
	Input    string // what was decided on, in words
	Expected *Event // nil: nothing more was recorded
	Got      *Event // nil: nothing more was decided
	Refused  string // in place of Got: why nothing was decided at all
}

// Replayed is how a replay went.
type Replayed struct {
	Turns      int // that were decided again
	Decisions  int
	Passed     int         // commits of turns that came of something that is not known here
	Difference *Difference // nil: all is as it was
}

// Replay decides the commits of a session again, up to the first difference. Where the programs
// are others than those that the session went by, models were asked something else as well: that
// alone is no difference.
func Replay(commits []Commit, programs turns.Programs, others bool) Replayed {
	var out Replayed
	var s sessions.State
	for _, c := range commits {
		if _, opens := c[0].(sessions.Opened); opens {
			sessions.Sessions.Fold(&s, c[0])
			c = c[1:]
		}
		of, known := inputOf(s, c, programs)
		if !known {
			out.Passed++
		}
		if of != nil {
			own := s
			own.Talk = s.Talk.Own()
			got, err := of.decide(own)
			out.Decisions++
			out.Turns = max(out.Turns, of.turn)
			if d := compare(c, got, err, others); d != nil {
				d.Turn, d.Agent, d.Step, d.Input = of.turn, s.Talk.Agent, s.Talk.Step, of.words
				out.Difference = d
				return out
			}
		}
		for _, p := range c {
			sessions.Sessions.Fold(&s, p)
		}
	}
	return out
}

// input is what a decision was made on.
type input struct {
	turn   int
	words  string
	decide func(sessions.State) ([]event.Payload, error)
}

// inputOf is the input that a commit came of; nil: it is no decision of a turn, or one that is
// not known.
func inputOf(s sessions.State, c Commit, programs turns.Programs) (of *input, known bool) {
	first, in, ok := firstOf(c)
	if !ok {
		return nil, true
	}
	of = &input{turn: in.Turn}
	at, try := in.At, tryOf(c)
	if cut := cutOff(c); cut != nil {
		of.words, of.decide = "a cancel", cut
		return of, true
	}
	if call := takenOver(c, first); call != "" {
		of.words, of.decide = "that another goes on with a call", turns.TakeOver{From: claimOf(s, call), Programs: programs, At: at,
			Try: try}.Decide
		return of, true
	}
	switch e := first.(type) {
	case sessions.MessageReceived:
		message := received(e, c, programs, try)
		message.OnCall = s.CallID != ""
		of.words, of.decide = fmt.Sprintf("the message %q", e.Text), message.Decide
	case sessions.PickedUp:
		of.words, of.decide = "that the call is picked up", turns.PickUp{Programs: programs, At: at, Try: try}.Decide
	case sessions.DelegateEnded:
		of.words, of.decide = "the end of the time that delegates have", turns.Late{Programs: programs, At: at, Try: try}.Decide
	case sessions.CallEnded:
		of.words = fmt.Sprintf("the outcome %s of the tool %s", strings.TrimSpace(string(e.Outcome)+" "+e.Code), e.Tool)
		of.decide = turns.Outcome{CallID: e.CallID, Ended: e, Programs: programs, At: at, Try: try}.Decide
	case sessions.ModelAnswered:
		of.words, of.decide = "the answer of the model", turns.Outcome{CallID: e.CallID, Answer: wanted(e, c), Programs: programs, At: at,
			Try: try}.Decide
	case sessions.CallSent:
		of.words, of.decide = "that a call was made whose answer comes later", turns.Suspend{CallID: e.CallID, Programs: programs, At: at}.Decide
	default:
		return nil, false
	}
	return of, true
}

// takenOver is a call that another took over: it claims it, or says that nobody knows what came of
// it; empty: that is not what a commit came of.
func takenOver(c Commit, first event.Payload) string {
	for _, p := range c {
		if e, is := p.(sessions.CallClaimed); is {
			return e.CallID
		}
	}
	if e, is := first.(sessions.CallEnded); is && e.Outcome == sessions.CallUnknown && e.Code == sessions.CodeUnknown && e.Tries == 0 {
		return e.CallID
	}
	return ""
}

// firstOf is the event that says what a commit came of. What a model wants too much of is noticed
// before its answer.
func firstOf(c Commit) (first event.Payload, in sessions.InTurn, ok bool) {
	for _, p := range c {
		of, is := p.(interface{ Of() sessions.InTurn })
		if _, figures := p.(sessions.ModelCounted); !is || figures {
			return nil, in, false
		}
		if _, noticed := p.(sessions.Noticed); !noticed {
			return p, of.Of(), true
		}
	}
	return nil, in, false
}

// tryOf is who made the calls that a commit wants. Any will do where it wants none.
func tryOf(c Commit) sessions.Claimed {
	for _, p := range c {
		switch e := p.(type) {
		case sessions.CallOpened:
			if e.Try != "" {
				return e.Claimed
			}
		case sessions.ModelAsked:
			return e.Claimed
		case sessions.CallClaimed:
			return e.Claimed
		}
	}
	return sessions.Claimed{Process: "replay", Try: "replay"}
}

// claimOf is the try that had a call before another took it over.
func claimOf(s sessions.State, call string) string {
	r := s.Talk.Running
	if of := r.Call(call); of != nil {
		return of.Try
	}
	if of := r.Question(call); of != nil {
		return of.Try
	}
	return ""
}

// cutOff is what ended a turn before its time; nil: nothing did.
func cutOff(c Commit) func(sessions.State) ([]event.Payload, error) {
	var at time.Time
	for _, p := range c {
		if e, is := p.(sessions.TurnEnded); is && e.Action == sessions.CutOff {
			at = e.At
		}
	}
	if at.IsZero() {
		return nil
	}
	switch last := c[len(c)-1].(type) {
	case sessions.SessionEnded:
		return sessions.End{Reason: last.Reason, At: last.At}.Decide
	case sessions.WasReset:
		return sessions.Reset{At: last.At}.Decide
	}
	return sessions.CancelTurn{At: at}.Decide
}

// received is a message as the guardrails left it, with what a test brought along.
func received(e sessions.MessageReceived, c Commit, programs turns.Programs, try sessions.Claimed) turns.Receive {
	r := turns.Receive{Text: e.Text, Action: e.Action, Metadata: e.Metadata, Programs: programs, Attached: e.Attachments, At: e.At, Try: try}
	if b := e.Brought; b != nil {
		r.StartAt, r.Mocks, r.SkipOnStart, r.Slots = b.StartAt, b.Mocks, b.SkipOnStart, b.Slots
	}
	var against []string
	for _, p := range c[slices.IndexFunc(c, func(p event.Payload) bool { _, is := p.(sessions.MessageReceived); return is })+1:] {
		n, is := p.(sessions.Noticed)
		if !is {
			break
		}
		switch {
		case n.Kind == "guardrail" && n.Detail == "input":
			against = append(against, n.What)
		case n.Kind == "ignored":
			r.IgnoredAgent = "another"
		}
	}
	if e.Blocked != "" || len(against) > 0 {
		r.Judged = &turns.Judged{Against: against, Blocked: e.Blocked}
	}
	return r
}

// wanted is an answer of a model with as many calls as it wanted: those that were too many are
// not on the log, but their number is.
func wanted(e sessions.ModelAnswered, c Commit) *sessions.ModelAnswered {
	if n, is := c[0].(sessions.Noticed); is && n.What == "MODEL_TOOL_CALLS" {
		var all int
		if _, err := fmt.Sscanf(n.Detail, "of %d calls", &all); err == nil {
			e.ToolCalls = append(slices.Clone(e.ToolCalls), make([]sessions.ModelCall, max(0, min(all, 10_000)-len(e.ToolCalls)))...)
		}
	}
	return &e
}

// compare finds the first event that is not as it was recorded.
func compare(recorded Commit, got []event.Payload, err error, others bool) *Difference {
	if err != nil {
		return &Difference{Expected: told(recorded[0]), Refused: err.Error()}
	}
	for i := range max(len(recorded), len(got)) {
		switch {
		case i >= len(got):
			return &Difference{Expected: told(recorded[i])}
		case i >= len(recorded):
			return &Difference{Got: told(got[i])}
		case !same(recorded[i], got[i], others):
			return &Difference{Expected: told(recorded[i]), Got: told(got[i])}
		}
	}
	return nil
}

func same(a, b event.Payload, others bool) bool {
	if x, is := a.(sessions.ModelAsked); is && others {
		if y, is := b.(sessions.ModelAsked); is {
			x.Prompt, y.Prompt = "", ""
			a, b = x, y
		}
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.DeepEqual(plain(a), plain(b))
}

// plain is an event as its JSON says it, whatever the spelling of that.
func plain(p event.Payload) (v any) {
	data, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		return err.Error()
	}
	return v
}

// masked is what is shown of a sensitive value.
var masked = json.RawMessage(`"***"`)

// told is an event as it is shown.
func told(p event.Payload) *Event {
	if e, is := p.(sessions.SlotsFilled); is && len(e.Sensitive) > 0 {
		values := map[string]json.RawMessage{}
		for name, v := range e.Values {
			if values[name] = v; slices.Contains(e.Sensitive, name) {
				values[name] = masked
			}
		}
		e.Values = values
		p = e
	}
	out := &Event{}
	if kind, err := sessions.Sessions.KindOf(p); err == nil {
		out.Name = kind.Name
	}
	out.Data, _ = json.Marshal(p) // it came of JSON, or goes there
	return out
}

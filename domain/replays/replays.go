// Package replays decides the turns of a session again: by the sources that it went by, which
// must come to the events that stand on the log, or by others, to see where these part from them.
//
// What came from outside is taken from the log: messages, what came of calls, what models
// answered, and when. Each decision is made on the state that the recorded events left, so it is
// judged by itself. Nothing is asked and nothing is written.
package replays

import (
	"encoding/json"
	"reflect"
	"slices"

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
	back := takenBack(commits)
	for _, c := range commits {
		c = behind(&s, c)
		of, known := inputOf(s, c, programs)
		if !known {
			out.Passed++
		}
		if of != nil {
			got, err := of.decide(s)
			out.Decisions++
			out.Turns = max(out.Turns, of.turn)
			if d := compare(c, got, err, others, back); d != nil {
				d.Turn, d.Agent, d.Step, d.Input = of.turn, s.Talk.Agent, s.Talk.Step, of.words
				if back.has(firstOf(c)) {
					d.Input = "a message that its sender has taken back"
				}
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

// compare finds the first event that is not as it was recorded.
func compare(recorded Commit, got []event.Payload, err error, others bool, back unsaid) *Difference {
	if err != nil {
		return &Difference{Expected: told(recorded[0], back), Refused: err.Error()}
	}
	for i := range max(len(recorded), len(got)) {
		switch {
		case i >= len(got):
			return &Difference{Expected: told(recorded[i], back)}
		case i >= len(recorded):
			return &Difference{Got: told(got[i], back)}
		case !same(recorded[i], got[i], others):
			return &Difference{Expected: told(recorded[i], back), Got: told(got[i], back)}
		}
	}
	return nil
}

func same(a, b event.Payload, others bool) bool {
	if others {
		a, b = unasked(a), unasked(b)
	}
	b = asBefore(a, b)
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.DeepEqual(plain(a), plain(b))
}

// unasked is that a model was asked, whatever it was asked.
func unasked(p event.Payload) event.Payload {
	if e, is := p.(sessions.ModelAsked); is {
		e.Prompt = ""
		return e
	}
	return p
}

// asBefore is what was decided as it was written when the recorded event had no such member yet: a call that is sent had no
// figures, and the end of a session no thread.
func asBefore(recorded, got event.Payload) event.Payload {
	switch a := recorded.(type) {
	case sessions.CallSent:
		if b, is := got.(sessions.CallSent); is && a.Figures == nil {
			b.Figures = nil
			return b
		}
	case sessions.SessionEnded:
		if b, is := got.(sessions.SessionEnded); is && a.Thread == "" {
			b.Thread = ""
			return b
		}
	}
	return got
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
func told(p event.Payload, back unsaid) *Event {
	p = back.hide(p)
	if e, _ := p.(sessions.SlotsFilled); len(e.Sensitive) > 0 {
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

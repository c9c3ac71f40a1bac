package threads

import (
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Fate is what became of a message: which session took it, how its turn left that, or why nobody answers it.
// It follows from the events of the conversation, in one way for all who ask: requests and sockets that wait, who
// have it in the state; who looks for a message later; and the tasks of other agents.
type Fate struct {
	Number    int             // of the message
	Says      channels.Saying // what it was, where nothing was said
	Session   string          // that took it; empty: none yet
	Turn      int             // of that; 0: it was passed on to people
	Behind    int             // the turn that was over before it, where it was passed on
	MessageID string          // what the message is there
	Over      sessions.Action // how its turn left the session; empty: it is not over
	Refused   string          // why nobody answers it; empty: somebody does, or may
	Reason    string
	RefusedAt time.Time
}

// fateOf is that of a message that has just come.
func fateOf(e Received) Fate { return Fate{Number: e.Number, Says: e.Says} }

// Decided is whether nothing becomes of it any more.
func (f Fate) Decided() bool { return f.Over != "" || f.Refused != "" }

// told takes an event behind the message. last is the turn that was over last: that may be noted before it is
// noted which message the turn was for.
func (f *Fate) told(e event.Payload, last WasOver) {
	switch e := e.(type) {
	case Taken:
		if e.Number == f.Number {
			f.taken(e, last)
			f.ends(last)
		}
	case WasOver:
		f.ends(e)
	case Refused:
		if e.Number == f.Number {
			f.Refused, f.Reason, f.RefusedAt = e.Code, e.Reason, e.At
		}
	case Left:
		if !f.Decided() {
			f.Refused, f.Reason, f.RefusedAt = CodeLeft, "the person has left", e.At
		}
	}
}

// taken notes which turn answers it. What is passed on to people has none.
func (f *Fate) taken(e Taken, last WasOver) {
	f.Session, f.Turn, f.MessageID = e.SessionID, e.Turn, e.MessageID
	switch {
	case e.Turn > 0:
	case f.Says == channels.Begins && !e.People: // the agent had begun before
		f.Over = sessions.Continue
	default:
		f.Over = sessions.ToPeople
		if last.SessionID == e.SessionID {
			f.Behind = last.Turn
		}
	}
}

func (f *Fate) ends(e WasOver) {
	if f.Session != "" && f.Session == e.SessionID && f.Turn <= e.Turn && f.Over == "" {
		f.Over = e.Action
	}
}

// Fates are those of messages that somebody follows who reads their conversation from the beginning.
type Fates struct {
	of   []Fate
	last WasOver
}

// Follow begins to follow a message.
func (f *Fates) Follow(e Received) { f.of = append(f.of, fateOf(e)) }

// Told takes the next event.
func (f *Fates) Told(e event.Payload) {
	for i := range f.of {
		f.of[i].told(e, f.last)
	}
	if over, is := e.(WasOver); is {
		f.last = over
	}
}

// Of is what became of a message that is followed; of another one nothing.
func (f Fates) Of(number int) Fate {
	for _, x := range f.of {
		if x.Number == number {
			return x
		}
	}
	return Fate{}
}

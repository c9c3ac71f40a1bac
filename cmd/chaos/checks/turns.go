package checks

import (
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// Turns checks that each turn of each session began once and ended once, one after the other; that
// each call, question and request to memory of a turn has one outcome; that nobody took over a
// call that must not be made again; and that nothing comes behind the end of a session.
func Turns(f *Fold, out *Findings) {
	all := map[string]*turnsOf{}
	folded(f, sessions.Sessions, func(stream string, after sessions.State, _ *eventstore.Record, p event.Payload) {
		t := all[stream]
		if t == nil {
			t = &turnsOf{stream: stream, open: map[string]bool{}, ended: map[string]bool{}, repeat: map[string]bool{}, out: out}
			all[stream] = t
		}
		t.sees(p)
	})
	for _, t := range all {
		if t.turn != t.last {
			out.Add("turns", "%s: turn %d has not ended", t.stream, t.turn)
		}
		for id := range t.open {
			out.Add("turns", "%s: call %s has no outcome", t.stream, id)
		}
	}
}

// turnsOf is what one session's stream has shown so far.
type turnsOf struct {
	stream     string
	turn, last int             // that began last, that ended last
	open       map[string]bool // calls without an outcome
	ended      map[string]bool // calls with one
	repeat     map[string]bool // calls that may be made again
	memory     string          // the request for memory that stands: the next one takes it over, and a turn that is cut off lets it go
	over       bool            // the session has ended
	out        *Findings
}

func (t *turnsOf) sees(p event.Payload) {
	if of, is := p.(interface{ Of() sessions.InTurn }); is && t.over && of.Of().Turn > 0 {
		t.out.Add("turns", "%s: %T comes behind the end of the session", t.stream, p)
	}
	switch e := p.(type) {
	case sessions.MessageReceived:
		t.begins(e.Turn)
	case sessions.PickedUp:
		t.begins(e.Turn)
	case sessions.GivenBack:
		if e.Turn > 0 {
			t.begins(e.Turn)
		}
	case sessions.TurnEnded:
		if e.Turn != t.turn || e.Turn == t.last {
			t.out.Add("turns", "%s: turn %d ended after turn %d had begun and turn %d had ended", t.stream, e.Turn, t.turn, t.last)
		}
		t.last = e.Turn
		delete(t.open, t.memory)
	case sessions.CallOpened:
		t.opens(e.CallID, e.Repeat)
	case sessions.ModelAsked:
		t.opens(e.CallID, true)
	case sessions.MemoryAsked:
		delete(t.open, t.memory)
		t.memory = e.CallID
		t.opens(e.CallID, true)
	case sessions.CallClaimed:
		if !t.repeat[e.CallID] {
			t.out.Add("turns", "%s: call %s was taken over, which must not be made again", t.stream, e.CallID)
		}
	case sessions.CallEnded:
		t.ends(e.CallID)
	case sessions.ModelAnswered:
		t.ends(e.CallID)
	case sessions.MemoryTold:
		if t.open[e.CallID] { // else it tells what a tool left
			t.ends(e.CallID)
		}
	case sessions.DelegateEnded:
		for _, id := range e.Left {
			delete(t.open, id)
		}
	case sessions.SessionEnded:
		t.over = true
	}
}

func (t *turnsOf) begins(turn int) {
	if turn != t.turn+1 || t.turn != t.last {
		t.out.Add("turns", "%s: turn %d began when turn %d was the last, and turn %d the last that had ended", t.stream, turn, t.turn, t.last)
	}
	t.turn = turn
}

func (t *turnsOf) opens(id string, repeat bool) {
	if t.open[id] || t.ended[id] {
		t.out.Add("turns", "%s: call %s was opened twice", t.stream, id)
	}
	t.open[id], t.repeat[id] = true, repeat
}

func (t *turnsOf) ends(id string) {
	if !t.open[id] {
		t.out.Add("turns", "%s: call %s has two outcomes, or one that nobody waits for", t.stream, id)
	}
	delete(t.open, id)
	t.ended[id] = true
}

package voice

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

// decision is a command on a session.
type decision = func(sessions.State) ([]event.Payload, error)

// pickUp opens the session, unless it was opened before, and lets the agent say what it begins
// with, as one commit.
func (c *conversation) pickUp(ctx context.Context, call calls.State) (sessions.State, []eventstore.Recorded, error) {
	open, err := sessionOf(call)
	if err != nil {
		return sessions.State{}, nil, err
	}
	return c.turn(ctx, "picked-up", c.by.CausationID, func(with turns.PickUp) decision {
		with.InRoom = call.Room()
		return driving.OneAfterTheOther(open.Decide, with.Decide)
	})
}

// answer is the turn of what the callee has said, behind what the detection has found out.
func (c *conversation) answer(ctx context.Context, u utterance) (sessions.State, []eventstore.Recorded, error) {
	informed := decision(nothing)
	if c.leg.order.plan != nil {
		if call, err := c.leg.d.read(ctx, c.leg.order.request.CallID); err == nil {
			if known, err := members(call.UserSession()); err == nil {
				informed = sessions.Inform{UserSession: known, At: c.turns.Now()}.Decide
			}
		}
	}
	metadata := u.told(c.cut)
	step := "heard-" + strconv.Itoa(u.number)
	s, said, err := c.turn(ctx, step, u.cause, func(with turns.PickUp) decision {
		hears := turns.Receive{Text: u.text, OnCall: true, Metadata: metadata, Programs: with.Programs, At: with.At, Try: with.Try}
		return driving.OneAfterTheOther(informed, hears.Decide)
	})
	if err == nil {
		c.cut = nil
		c.taken()
	} else if !fault.Is(err, fault.TurnSuspended) && ctx.Err() == nil {
		c.refused(step, err)
		c.taken()
	}
	return s, said, err
}

func nothing(sessions.State) ([]event.Payload, error) { return nil, nil }

// turn decides a turn until the log takes it, it is refused, or ctx ends. One that comes while
// another runs is refused as suspended: it has its time. The calls that the turn wants are made
// here, in the background.
func (c *conversation) turn(ctx context.Context, step, cause string, decide func(turns.PickUp) decision) (sessions.State,
	[]eventstore.Recorded, error) {
	by, try := c.by, c.turns.Try()
	by.CausationID, by.RequestID = cause, eventstore.CauseID("conversation", c.leg.order.request.CallID, step)
	var res eventstore.Result[sessions.State]
	err := acts.Persist(ctx, func() error {
		programs, err := c.turns.Programs.Of(ctx, c.tenant, c.project, c.agent.Manifest)
		if err == nil {
			err = c.turns.Room(c.tenant)
		}
		if err != nil {
			return err
		}
		with := turns.PickUp{Programs: programs, At: c.turns.Now(), Try: try}
		res, err = acts.Execute(ctx, c.turns.Log, by, sessions.Sessions, c.stream, decide(with))
		if turns.IsRunning(err) {
			err = fault.New(fault.TurnSuspended, "another turn runs")
		}
		return err
	})
	if err != nil {
		return sessions.State{}, nil, err
	}
	if res.State.Talk.Running.Claimed(try.Try) {
		c.drive = c.turns.Drive(ctx, by, c.stream, &res, try).Done
	}
	return res.State, res.Events, nil
}

// say says to the callee what the session has said since. said are the events that led to its
// state, if they are known: else the stream is read.
func (c *conversation) say(ctx context.Context, s sessions.State, said []eventstore.Recorded) {
	if s.Talk.Messages <= c.known {
		return
	}
	from := c.known
	if c.known+messagesIn(said) != s.Talk.Messages {
		told, err := eventstore.History(ctx, c.turns.Store, sessions.Sessions, c.stream)
		if err != nil {
			return // and looks again
		}
		said, from = told.Events, 0
	}
	cut := false
	for _, e := range said {
		text, is := messageOf(e.Payload)
		if is {
			from++
		}
		if from > c.known && text != "" {
			cut = c.tell(ctx, text, from, cut)
		}
		c.known = max(c.known, from)
	}
}

// tell says a message to the callee, unless what was said in the same breath before it was cut off: then
// nobody wants to hear it.
func (c *conversation) tell(ctx context.Context, text string, message int, cut bool) bool {
	at := c.leg.when(time.Now())
	c.leg.journal.add("said", calls.Say{Text: text, Language: c.agent.Language, Message: message, At: at}.Decide)
	if cut {
		c.leg.journal.add("played", calls.Play{Message: message, Interrupted: true, At: at}.Decide)
		return true
	}
	heard, cut := c.leg.speak(ctx, text, c.agent.Language, message)
	if cut {
		c.cut = &cutOff{Heard: heard}
	}
	return cut
}

// told is what a turn is told of how its message came; nil: there is nothing to tell.
func (u utterance) told(cut *cutOff) json.RawMessage {
	as := heardAs{Interrupted: cut}
	if u.as != nil {
		as = *u.as
		as.Interrupted = cut
	}
	if as == (heardAs{}) {
		return nil
	}
	out, err := json.Marshal(map[string]heardAs{"speech": as})
	if err != nil {
		return nil // it has nothing that cannot be encoded
	}
	return out
}

func messagesIn(all []eventstore.Recorded) (n int) {
	for _, e := range all {
		if _, is := messageOf(e.Payload); is {
			n++
		}
	}
	return n
}

// messageOf is whether an event is a message of the session, and what of it the callee is to hear:
// what the agent says, and what people do who have the session.
func messageOf(p event.Payload) (text string, is bool) {
	switch e := p.(type) {
	case sessions.MessageReceived, sessions.PassedOn:
		return "", true
	case sessions.Said:
		return e.Text, true
	case sessions.PersonSaid:
		return e.Text, true
	}
	return "", false
}

// ahead hears what a model says while it says it, and has its sentences spoken that are whole: when
// they are on the log, and may be said, they are sound already. Of what is never said nothing is heard.
// A nil one hears nothing.
type ahead struct {
	c     *conversation
	heard *driving.Hearing
	call  string // of the model
	text  string // that it has said so far
	made  int    // sentences of it that are spoken
}

// hearAhead begins, where it is of use.
func (c *conversation) hearAhead() (a *ahead, stop func()) {
	if c.leg.sound == nil || c.leg.sound.by == nil {
		return nil, func() {}
	}
	a = &ahead{c: c, heard: c.turns.Hear(c.stream)}
	return a, a.heard.Stop
}

// C gives a value when there may be something to prepare.
func (a *ahead) C() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.heard.C()
}

// prepare has spoken what has become whole. The last sentence may go on.
func (a *ahead) prepare(ctx context.Context) {
	for _, d := range a.heard.Take() {
		if d.CallID != a.call {
			a.call, a.text, a.made = d.CallID, "", 0
		}
		a.text += d.Text
		whole := calls.Sentences(a.text)
		for ; a.made < len(whole)-1; a.made++ {
			a.c.leg.sound.by.Prepare(ctx, whole[a.made], a.c.agent.Language)
		}
	}
}

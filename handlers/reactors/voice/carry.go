package voice

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// Carry is Take, and then what it gave, until the call is over.
func (d *Dialer) Carry(ctx context.Context, callID, streamID string, line Leg) error {
	carry, err := d.Take(ctx, callID, streamID, line)
	if err == nil {
		carry()
	}
	return err
}

// Take takes the line of a call that was brought, whose sound comes to this node. The line is given to
// who asks first: another is refused, and so is a call that is over. carry has to be called: it carries
// the call until it is over. An agent that can be run picks up, hears what the line tells, and ends
// the call by hanging up.
func (d *Dialer) Take(ctx context.Context, callID, streamID string, line Leg) (carry func(), err error) {
	if err := d.reserve(brought); err != nil {
		return nil, err
	}
	take := calls.TakeLine{Try: uuid.NewString(), StreamID: streamID, Node: d.cfg.Node}
	taken, err := d.execute(ctx, callID, "line/"+take.Try, func(s calls.State) ([]event.Payload, error) {
		take.At = d.cfg.Now()
		take.LeaseUntil = take.At.Add(d.cfg.Lease)
		return take.Decide(s)
	})
	if err != nil {
		d.release(brought)
		return nil, err
	}
	d.note(callID, take.Try)
	return func() {
		defer d.release(brought)
		defer d.note(callID, "")
		l := newLeg(d, *orderOf(taken.State))
		l.line, l.facts = line, line.Facts()
		l.recorded(func() { l.pickUp(taken) })
	}, nil
}

// pickUp lets the agent that the call was answered with begin.
func (l *leg) pickUp(taken eventstore.Result[calls.State]) {
	s := taken.State
	l.answeredAt = l.here.Add(s.AnsweredAt.Sub(l.shared))
	l.maxUntil = l.answeredAt.Add(l.d.cfg.MaxCall)
	l.sound = listenTo(l.line, l.d.cfg.Speaker)
	l.hearOthers()
	l.soundWaiting()
	l.record()
	if text := s.Request.Flow.StartText; s.Agent == nil && text != "" {
		l.unfollowed(s.SessionID)
		if !l.adopted {
			l.say(text, l.answeredAt)
		}
		return
	}
	agent := s.Agent
	if agent == nil && s.Joins() {
		agent = l.d.agentIn(s.SessionID)
	}
	if agent == nil || l.d.cfg.Agents == nil {
		l.hangUpAt = time.Now().Add(noAgentPause)
		return
	}
	l.talk = l.converse(*agent, s.SessionID)
	l.agentEnd = l.talk.over
	l.talk.begun <- taken
}

// agentIn is the agent of a session that was there before its call; nil: it has none that can be run.
func (d *Dialer) agentIn(session string) *calls.Agent {
	read, err := eventstore.Read(d.writing, d.cfg.Store, sessions.Sessions, sessions.Sessions.Stream(session))
	t := read.State.Talk
	if err != nil || t.Manifest == nil {
		return nil
	}
	return &calls.Agent{Name: t.Agent, DeploymentID: t.DeploymentID, Environment: t.Environment, Manifest: t.Manifest, Language: t.Language,
		BudgetPico: t.BudgetPico}
}

// joined is the session of a room. What was said in it before the agent came into the room was read there, and is not
// said; where nothing was, the agent begins.
func (c *conversation) joined(ctx context.Context, call calls.State) (sessions.State, []eventstore.Recorded, error) {
	read, err := eventstore.Read(ctx, c.turns.Store, sessions.Sessions, c.stream)
	if err != nil || read.State.Status == "" || read.State.Talk.Messages == 0 {
		return c.pickUp(ctx, call)
	}
	c.known = read.State.Talk.Messages
	return read.State, nil, nil
}

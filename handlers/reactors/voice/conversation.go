package voice

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

// conversation is an answered call whose agent hears and answers. It is driven by the node that
// has the line, beside the leg: what the callee says is a message of the session, one at a time and
// in order, and what the session says is said to the callee, whoever wrote it. So a turn that
// waits for a callback goes on here, wherever the answer came in.
type conversation struct {
	leg     *leg
	turns   *driving.Turns
	agent   calls.Agent
	tenant  string
	project string
	stream  string                              // of the session
	begun   chan eventstore.Result[calls.State] // the answer, as it was recorded
	wake    chan struct{}
	over    chan struct{} // closed when the session has ended, and all of it was said
	gone    chan struct{} // closed when nothing is done here any more
	cancel  context.CancelFunc

	mu    sync.Mutex
	heard []utterance // that no turn has taken yet

	// Of the goroutine that runs it.
	by    acts.Caller
	known int             // messages of the session that were said or heard
	drive <-chan struct{} // closed when the turn needs nothing more from here; nil: it did not
	cut   *cutOff         // of what we said last; nil: it was heard to its end
}

// utterance is what was heard and recorded.
type utterance struct {
	number int
	text   string
	as     *heardAs // nil: there is nothing to say of it
	cause  string   // the id of its event
}

// heardAs is what a turn is told of how a message came, as session.messageMetadata.speech.
type heardAs struct {
	EstimatedWords int     `json:"estimatedWords,omitempty"` // nobody recognised what was said
	Confidence     float64 `json:"confidence,omitempty"`
	Pressed        bool    `json:"pressed,omitempty"`     // keys, and not speech
	Written        bool    `json:"written,omitempty"`     // beside the sound
	Interrupted    *cutOff `json:"interrupted,omitempty"` // what was said before was cut off
}

// cutOff is what was heard of what we said.
type cutOff struct {
	Heard string `json:"heard"`
}

const (
	lookAtSession = time.Second     // where nobody tells what is new in it
	lookAnyway    = 5 * time.Second // where somebody does
)

// converse begins a conversation. It does nothing before the answer is recorded.
func (l *leg) converse(agent calls.Agent, session string) *conversation {
	ctx, cancel := context.WithCancel(l.d.writing)
	c := &conversation{leg: l, turns: l.d.cfg.Agents.Turns, agent: agent, stream: sessions.Sessions.Stream(session),
		begun: make(chan eventstore.Result[calls.State], 1), wake: make(chan struct{}, 1), over: make(chan struct{}),
		gone: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(c.gone)
		defer func() {
			if p := recover(); p != nil {
				l.d.cfg.Log.Error("the conversation of a call met a defect of the server", "call", l.order.request.CallID,
					"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				close(c.over)
			}
		}()
		c.run(ctx)
	}()
	return c
}

// end stops what is under way here. What the session still has to say is said to nobody.
func (c *conversation) end() {
	c.cancel()
	<-c.gone
}

// utteranceOf is what an event says that the callee said, or pressed.
func utteranceOf(p event.Payload) (u utterance, is bool) {
	switch of := p.(type) {
	case calls.Heard:
		u.number, u.text = of.Number, of.Text
		if of.EstimatedWords > 0 || of.Confidence > 0 || of.Written {
			u.as = &heardAs{EstimatedWords: of.EstimatedWords, Confidence: of.Confidence, Written: of.Written}
		}
		return u, true
	case calls.DigitsPressed:
		return utterance{number: of.Number, text: of.Digits, as: &heardAs{Pressed: true}}, true
	}
	return u, false
}

// hear takes what was heard, when it is recorded.
func (c *conversation) hear(res eventstore.Result[calls.State], number int) {
	for _, e := range res.Events {
		u, is := utteranceOf(e.Payload)
		if !is || u.number != number {
			continue
		}
		u.cause = e.ID
		c.mu.Lock()
		c.heard = append(c.heard, u)
		c.mu.Unlock()
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
}

func (c *conversation) next() (u utterance, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.heard) == 0 {
		return u, false
	}
	return c.heard[0], true
}

func (c *conversation) taken() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = c.heard[1:]
}

func (c *conversation) run(ctx context.Context) {
	var call eventstore.Result[calls.State]
	select {
	case call = <-c.begun:
	case <-ctx.Done():
		return
	}
	answer := answeredIn(call)
	if answer == nil { // it had ended before
		return
	}
	c.tenant, c.project = call.State.Request.TenantID, call.State.Request.ProjectID
	c.by = acts.Caller{Command: eventstore.Command{Tenant: answer.Tenant, Actor: dialerActor, CorrelationID: answer.CorrelationID,
		CausationID: answer.ID}}
	news, stop, look := c.follow()
	defer stop()
	ahead, deaf := c.hearAhead()
	defer deaf()
	s, said, err := c.begin(ctx, call.State)
	if err != nil && ctx.Err() == nil { // else the call is over, and the log was not quick enough
		c.refused("picked-up", err)
	}
	for ctx.Err() == nil {
		c.leg.caller.Stands(s)
		c.say(ctx, s, said)
		if s.Status == sessions.Ended && c.known == s.Talk.Messages {
			close(c.over)
			return
		}
		if u, waits := c.next(); waits && s.Status == sessions.Active && s.Talk.Running == nil {
			var after sessions.State
			if after, said, err = c.answer(ctx, u); err == nil {
				s = after
				continue
			}
		}
		select {
		case <-news:
		case <-c.wake:
		case <-ahead.C():
			ahead.prepare(ctx)
			continue
		case <-c.drive:
			c.drive = nil
		case <-time.After(look):
		case <-ctx.Done():
			return
		}
		if read, err := eventstore.Read(ctx, c.turns.Store, sessions.Sessions, c.stream); err == nil {
			s, said = read.State, nil
		}
	}
}

// follow tells when the session's log has grown, and after how long the session is looked at whatever was told.
func (c *conversation) follow() (news <-chan struct{}, stop func(), look time.Duration) {
	if c.turns.Follow != nil {
		if news, stop, err := c.turns.Follow(c.stream); err == nil {
			return news, stop, lookAnyway
		}
	}
	return nil, func() {}, lookAtSession
}

// begin has the person come to the agent: by this leg, in a room, or, where another node had the leg, long ago.
func (c *conversation) begin(ctx context.Context, call calls.State) (s sessions.State, said []eventstore.Recorded, err error) {
	switch {
	case c.leg.adopted:
		return c.resumed(ctx, call)
	case call.Room():
		return c.joined(ctx, call)
	}
	return c.pickUp(ctx, call)
}

// refused logs what should not be: a turn of the callee's that the session does not take.
func (c *conversation) refused(step string, err error) {
	c.leg.d.cfg.Log.Error("a turn of a call was refused", "call", c.leg.order.request.CallID, "step", step, "error", err)
}

// answeredIn is the record with which the call begins here: its answer, or that this node has its line,
// where a provider has brought it or another node is gone.
func answeredIn(res eventstore.Result[calls.State]) *eventstore.Record {
	for _, e := range res.Events {
		switch e.Payload.(type) {
		case calls.Answered, calls.LineTaken, calls.Adopted:
			return e.Record
		}
	}
	return nil
}

package voice

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/reactors/voice/pace"
)

const (
	lookupOfAgent = 10 * time.Second // since before the call is dialled
	agentPatience = 5 * time.Second  // of who has answered: without an agent nobody hears them at all
)

// Agents finds the agents that take calls.
type Agents struct {
	takers.Agents
	Log *slog.Logger
}

// Taker is who takes a call: the agent of a flow.
type Taker struct {
	Call string // for logs
	takers.Want
}

// Of is the agent of a call. Nil is one that cannot be run: what is wrong with it is logged, and
// the call goes on without it.
func (x *Agents) Of(ctx context.Context, of Taker) (*calls.Agent, error) {
	found, err := x.Find(ctx, of.Want)
	if takers.NotRun(err) {
		x.Log.Info("the agent of a call cannot be run: it says its start text, and no more", "call", of.Call, "agent", of.Name,
			"error", err)
		return nil, nil
	}
	if err != nil || found == nil {
		return nil, err
	}
	return &calls.Agent{DeploymentID: found.DeploymentID, Environment: found.Environment, Manifest: found.Manifest,
		Language: found.Language, BudgetPico: found.BudgetPico}, nil
}

// lookForAgent finds out how the agent of the flow is run, while it rings.
func (l *leg) lookForAgent() {
	if l.d.cfg.Agents == nil || l.order.takes.Name == "" || !l.order.talks {
		return
	}
	found := make(chan *calls.Agent, 1)
	l.found = found
	go func() {
		ctx, cancel := context.WithTimeout(l.d.writing, lookupOfAgent)
		defer cancel()
		agent, err := l.d.cfg.Agents.Of(ctx, l.order.takes)
		if err != nil {
			l.d.cfg.Log.Warn("the agent of a call was not found: it says its start text, and no more", "call", l.order.request.CallID,
				"error", err)
		}
		found <- agent
	}()
}

// whoTakesIt is the agent that the call is answered with; nil: none that can be run.
func (l *leg) whoTakesIt() *calls.Agent {
	if l.found == nil {
		return nil
	}
	patience := agentPatience
	if l.carrier.Speed() > 1 { // it rang for a moment only, and nobody is there who would mind
		patience = lookupOfAgent
	}
	select {
	case agent := <-l.found:
		return agent
	case <-time.After(patience):
		l.d.cfg.Log.Warn("the agent of a call was not found in time: it says its start text, and no more", "call", l.order.request.CallID)
		return nil
	}
}

// begin lets the agent begin: one that can be run a conversation, another its start text.
func (l *leg) begin(at time.Time) {
	agent, session := l.whoTakesIt(), uuid.Must(uuid.NewV7()).String()
	answer := calls.Answer{SessionID: session, Agent: agent, At: l.when(at)}
	switch {
	case agent != nil:
		l.talk = l.converse(*agent, session)
		l.agentEnd = l.talk.over
		l.journal.addThen("answered", answer.Decide, func(res eventstore.Result[calls.State]) { l.talk.begun <- res })
		return
	case l.order.takes.Name == "":
		l.hangUpAt = at.Add(l.scaled(noAgentPause))
	}
	l.journal.add("answered", answer.Decide)
	l.unfollowed(session)
	if text := l.order.startText; text != "" && l.order.takes.Name != "" {
		l.say(text, at)
	}
}

// say says the start text of an agent that says no more.
func (l *leg) say(text string, at time.Time) {
	l.journal.add("said", calls.Say{Text: text, At: l.when(at)}.Decide)
	ctx, cancel := context.WithCancel(l.d.writing)
	over := make(chan struct{})
	go func() {
		defer close(over)
		l.speak(ctx, text, l.order.takes.Language, 0)
	}()
	l.sayNoMore = func() {
		cancel()
		<-over
	}
}

// voice says a text to the callee, for as long as that takes.
func (l *leg) voice(ctx context.Context, text, language string) {
	if err := l.line.Say(ctx, text, language); err != nil && ctx.Err() == nil {
		l.d.cfg.Log.Warn("a text could not be said to the callee", "call", l.order.request.CallID, "error", err)
	}
}

// listen takes in what the callee says, where an agent hears it. Who may go on after a silence is given
// the time for it.
func (l *leg) listen(f calls.Fact) {
	if l.talk == nil || l.over {
		return
	}
	if l.pending != nil && (f.Kind == calls.FactSpeechBegan || f.Kind == calls.FactWords) {
		l.pendingAt = time.Time{}
	}
	u, ok := l.listener.Hear(f)
	patience := l.scaled(l.order.recognition.Patience)
	switch {
	case ok && patience == 0:
		l.hear(u)
	case ok && l.pending != nil && len(l.pending.Text)+len(u.Text) < calls.LongestHeard:
		u = l.pending.And(u)
		l.pending, l.pendingAt = &u, f.At.Add(patience)
	case ok:
		l.finish()
		l.pending, l.pendingAt = &u, f.At.Add(patience)
	case l.pending != nil && f.Kind == calls.FactSilence:
		l.pendingAt = f.At.Add(patience)
	}
}

// finish takes what may go on as it is.
func (l *leg) finish() {
	if u := l.pending; u != nil {
		l.pending, l.pendingAt = nil, time.Time{}
		l.hear(*u)
	}
}

// hear records an utterance; of one whose words were only counted, that there was one.
func (l *leg) hear(u calls.Utterance) {
	l.heard++
	number, talk := l.heard, l.talk
	l.sound.heard(u, false)
	l.journal.addThen("heard", calls.Hear{Number: number, Text: u.Text, Words: u.Words, Confidence: u.Confidence, Language: u.Language,
		Written: u.Written, At: l.when(u.At)}.Decide, func(res eventstore.Result[calls.State]) { talk.hear(res, number) })
}

const keyPause = 2 * time.Second // behind which keys that were pressed are one message

// pressed takes a key in.
func (l *leg) pressed(f calls.Fact) {
	if l.talk == nil || l.over || l.answeredAt.IsZero() {
		return
	}
	now, lost := l.keys.Press(f.Digit, f.At, l.scaled(keyPause), l.scaled(pace.Each))
	if now {
		l.press(f.At)
	}
	if lost {
		l.d.cfg.Log.Warn("more keys are pressed on a call than anybody can, and some are left out", "call", l.order.request.CallID)
	}
}

func (l *leg) press(at time.Time) {
	keys := l.keys.Take(at, l.scaled(pace.Each))
	if keys == "" {
		return
	}
	l.finish() // what was said before
	l.heard++
	number, talk := l.heard, l.talk
	l.sound.heard(calls.Utterance{At: at}, true)
	l.journal.addThen("pressed", calls.PressDigits{Number: number, Digits: keys, At: l.when(at)}.Decide,
		func(res eventstore.Result[calls.State]) { talk.hear(res, number) })
}

// written takes a text in, in as many messages as it needs. What somebody is saying meanwhile is another.
func (l *leg) written(f calls.Fact) {
	if l.talk == nil || l.over || l.answeredAt.IsZero() {
		return
	}
	if l.texts.Write(f.Text, f.At, l.scaled(pace.Each)) {
		l.d.cfg.Log.Warn("more is written on a call than anybody can, and some is left out", "call", l.order.request.CallID)
	}
	l.read(f.At)
}

// read takes the texts whose turn it is.
func (l *leg) read(at time.Time) {
	for text := l.texts.Take(at, l.scaled(pace.Each)); text != ""; text = l.texts.Take(at, l.scaled(pace.Each)) {
		l.finish() // what was said before
		l.hear(calls.Utterance{Text: text, Written: true, At: at})
	}
}

// settle takes what nothing has followed on, and what has its turn.
func (l *leg) settle(now time.Time) {
	if at := l.keys.At(); !at.IsZero() && !now.Before(at) {
		l.press(now)
	}
	l.read(now)
	if !l.pendingAt.IsZero() && !now.Before(l.pendingAt) {
		l.finish()
	}
	l.established(l.dialog.Due(now, l.scaled(pace.Each)))
	l.held(l.hold.Due(now, l.scaled(pace.Each)))
}

// cutOff takes in what the callee was saying when the call ended: nobody answers it, and it stands
// on the call's stream.
func (l *leg) cutOff(at time.Time) {
	if l.talk == nil {
		return
	}
	u, ok := l.listener.Hear(calls.Fact{Kind: calls.FactSilence, At: at})
	l.finish()
	if ok {
		l.hear(u)
	}
	l.press(at)
	for text := l.texts.Rest(); text != ""; text = l.texts.Rest() {
		l.hear(calls.Utterance{Text: text, Written: true, At: at})
	}
}

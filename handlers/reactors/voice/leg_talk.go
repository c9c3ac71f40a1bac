package voice

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/eventstore"
)

const (
	lookupOfAgent = 10 * time.Second // since before the call is dialled
	agentPatience = 2 * time.Second  // of who has answered
)

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
	select {
	case agent := <-l.found:
		return agent
	case <-time.After(agentPatience):
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
	if text := l.order.startText; text != "" && l.order.takes.Name != "" {
		l.journal.add("said", calls.Say{Text: text, At: l.when(at)}.Decide)
		go l.voice(l.d.writing, text, l.order.takes.Language)
	}
}

// voice says a text to the callee, for as long as that takes.
func (l *leg) voice(ctx context.Context, text, language string) {
	if err := l.line.Say(ctx, text, language); err != nil && ctx.Err() == nil {
		l.d.cfg.Log.Warn("a text could not be said to the callee", "call", l.order.request.CallID, "error", err)
	}
}

// listen takes in what the callee says, where an agent hears it.
func (l *leg) listen(f calls.Fact) {
	if l.talk == nil || l.over {
		return
	}
	if u, ok := l.listener.Hear(f); ok {
		l.hear(u)
	}
}

func (l *leg) hear(u calls.Utterance) {
	l.heard++
	number, talk := l.heard, l.talk
	l.journal.addThen("heard", calls.Hear{Number: number, Text: u.Text, Language: u.Language, At: l.when(u.At)}.Decide,
		func(res eventstore.Result[calls.State]) { talk.hear(res, number) })
}

// cutOff takes in what the callee was saying when the call ended: nobody answers it, and it stands
// on the call's stream.
func (l *leg) cutOff(at time.Time) {
	if l.talk == nil {
		return
	}
	if u, ok := l.listener.Hear(calls.Fact{Kind: calls.FactSilence, At: at}); ok {
		l.hear(u)
	}
}

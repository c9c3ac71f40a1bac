package runtime

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// Assist asks a project's assisting agent what people may say to the user: for each message of a
// conversation that wants it, in their order, in a session of the conversation's own.
//
// Which message is next, and what was suggested, the conversation's stream says; the session's says
// which turn a message began, once, whoever asks. So each step may be made by any node, and made
// again (docs/decisions/2026-11-25-the-assisting-agent.md).
type Assist struct {
	acts.Log
	Turns    *driving.Turns
	Agents   agentFinder
	Settings takers.Settings
	Said     transcripts
}

// agentFinder finds an agent that can be run.
type agentFinder interface {
	Find(ctx context.Context, of takers.Want) (*takers.Agent, error)
}

// transcripts know what was said in conversations.
type transcripts interface {
	Transcript(ctx context.Context, stream string, upTo, most int) ([]contactcenter.ConversationMessage, error)
}

const (
	assist       = "assist"
	assistAgain  = 4 * time.Second  // when a message that waits is looked at again
	assistBehind = 30 * time.Second // how long the look behind the end of a turn may take
)

// Reactor declares it.
func (x Assist) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: assist, Side: reactors.AtLeastOnce, Categories: []*event.Category{conversations.Conversations.Category},
		Events: []event.Payload{conversations.MessageReceived{}, conversations.ConversationEnded{}},
		Handle: func(ctx context.Context, e reactors.Event) error {
			by := acts.Caller{Command: reactors.Because(assist, "go-on", e)}.Further()
			switch p := e.Payload.(type) {
			case conversations.MessageReceived:
				if !p.AsksAssist() {
					return nil
				}
				_, err := x.goOn(ctx, by, e.Stream)
				return err
			}
			return x.end(ctx, by, e.Stream)
		}}
}

// Look is what the timer of a conversation does in which a message waits for its suggestion: it
// takes what a turn has come to, wherever that went on, and gives up what waits for too long.
func (x Assist) Look(ctx context.Context, t projections.Timer, _ time.Time) error {
	waits, err := x.goOn(ctx, acts.Caller{Command: eventstore.Command{Tenant: t.Tenant, Actor: "timer:assist"}}, t.Stream)
	if err == nil && waits {
		return reactors.Later(assistAgain)
	}
	return err
}

// goOn asks for one message after the other, until none waits, or the turn of one runs.
func (x Assist) goOn(ctx context.Context, by acts.Caller, stream string) (waits bool, err error) {
	for {
		res, err := acts.Execute(ctx, x.Log, by, conversations.Conversations, stream, conversations.ExpireAssist{At: x.Now()}.Decide)
		if err != nil {
			return true, fmt.Errorf("looking what the assisting agent is asked: %w", err)
		}
		next, is := res.State.Next()
		if !is {
			return false, nil
		}
		a := asking{Assist: x, by: by, stream: stream, of: res.State, next: next, session: max(res.State.AssistedBy, 1)}
		if done, err := a.ask(ctx); err != nil || !done {
			return true, err
		}
	}
}

// end ends the sessions of a conversation that has ended.
func (x Assist) end(ctx context.Context, by acts.Caller, stream string) error {
	read, err := eventstore.Read(ctx, x.Store, conversations.Conversations, stream)
	if err != nil {
		return err
	}
	a := asking{Assist: x, by: by, stream: stream, of: read.State}
	for a.session = max(read.State.AssistedBy, 1); ; a.session++ {
		s, err := eventstore.Read(ctx, x.Store, sessions.Sessions, a.inSession())
		if err != nil || s.State.Status == "" {
			return err
		}
		if _, err := acts.Execute(ctx, x.Log, by, sessions.Sessions, a.inSession(), sessions.End{Reason: conversationEnded,
			At: x.Now()}.Decide); err != nil {
			return err
		}
	}
}

// conversationEnded is why a session ended that assisted people.
const conversationEnded = "conversation_ended"

// asking is a message that waits, and the session in which the agent is asked.
type asking struct {
	Assist
	by      acts.Caller
	stream  string // of the conversation
	of      conversations.State
	next    conversations.Asked
	session int // among those of the conversation, from 1
}

// sessionID is the same whoever computes it.
func (a asking) sessionID() string {
	return eventstore.DerivedID(a.MAC, a.stream+"/"+strconv.Itoa(a.session), "assisting-session").String()
}

func (a asking) inSession() string { return sessions.Sessions.Stream(a.sessionID()) }

// ask asks for the message, once, and takes what came of that. It is not done while the turn runs.
func (a asking) ask(ctx context.Context) (done bool, err error) {
	turn, driven, err := a.turn(ctx)
	var none *noSuggestion
	switch {
	case errors.As(err, &none):
		return true, a.fail(ctx, none.code, none.problem)
	case err != nil || turn == 0:
		return false, err
	}
	read, err := eventstore.Read(ctx, a.Store, sessions.Sessions, a.inSession())
	if err != nil {
		return false, err
	}
	if t := read.State.Talk; t.Running == nil || t.Turns > turn {
		return true, a.take(ctx, turn)
	}
	if driven != nil {
		a.Turns.Behind(ctx, driven, func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, assistBehind)
			defer cancel()
			if _, err := a.goOn(ctx, a.by, a.stream); err != nil {
				acts.Logger(ctx).Warn("a suggestion is not told yet; its timer looks again", "conversation", a.stream, "error", err)
			}
		})
	}
	return false, nil
}

// take tells the conversation what a turn has come to.
func (a asking) take(ctx context.Context, turn int) error {
	whole, err := a.Turns.Ended(ctx, a.inSession(), turn, nil)
	if err != nil {
		return err
	}
	told := suggestionOf(whole)
	if told.code != "" {
		return a.fail(ctx, told.code, "")
	}
	return a.tell(ctx, conversations.AnswerAssist{Number: a.next.Number, Agent: told.agent, SessionID: a.sessionID(), Session: a.session,
		Text: told.text, At: a.Now()}.Decide)
}

func (a asking) fail(ctx context.Context, code, problem string) error {
	f := conversations.FailAssist{Number: a.next.Number, Code: code, Problem: problem, At: a.Now()}
	read, err := eventstore.Read(ctx, a.Store, sessions.Sessions, a.inSession())
	if err != nil {
		return err
	}
	if read.State.Status != "" {
		f.SessionID, f.Session = a.sessionID(), a.session
	}
	return a.tell(ctx, f.Decide)
}

func (a asking) tell(ctx context.Context, decide func(conversations.State) ([]event.Payload, error)) error {
	_, err := acts.Execute(ctx, a.Log, a.by, conversations.Conversations, a.stream, decide)
	return err
}

// noSuggestion is why a message is not asked about.
type noSuggestion struct{ code, problem string }

func (n *noSuggestion) Error() string { return n.code + " " + n.problem }

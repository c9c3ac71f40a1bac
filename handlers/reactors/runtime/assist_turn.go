package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// turn is the turn that the message began; whoever comes first begins it, and drives it. 0: somebody else has gone on meanwhile.
func (a *asking) turn(ctx context.Context) (turn int, driven *driving.Driven, err error) {
	for {
		begun, err := a.inTurn(ctx, func(sessions.State) ([]event.Payload, error) { return nil, nil })
		if err != nil {
			return 0, nil, err
		}
		if said, is := eventstore.Find[sessions.MessageReceived](begun); is {
			return said.Turn, nil, nil
		}
		read, err := eventstore.Read(ctx, a.Store, sessions.Sessions, a.inSession())
		if err != nil {
			return 0, nil, err
		}
		s := read.State
		switch {
		case s.Status == sessions.Ended:
			a.session++ // another one follows
			continue
		case s.Talk.Running != nil: // of a message that was given up
			if mine, err := a.cut(ctx, s.Talk.Turns); err != nil || !mine {
				return 0, nil, err
			}
			continue
		}
		try := a.Turns.Try()
		decide, err := a.message(ctx, s, try)
		if err != nil {
			return 0, nil, err
		}
		res, err := a.inTurn(ctx, decide)
		switch {
		case err == nil:
		case turns.IsRunning(err), fault.Is(err, fault.TurnSuspended), fault.Is(err, fault.Conflict):
			continue // somebody was faster
		case fault.Is(err, fault.Validation):
			return 0, nil, &noSuggestion{conversations.AssistRefused, wordsOf(err)}
		default:
			return 0, nil, err
		}
		said, is := eventstore.Find[sessions.MessageReceived](res)
		if !is {
			return 0, nil, &noSuggestion{conversations.AssistRefused, "the session took no turn of the message"}
		}
		if !res.Replayed && res.State.Talk.Running.Claimed(try.Try) {
			driven = a.Turns.Drive(ctx, a.by, a.inSession(), &res, try)
		}
		return said.Turn, driven, nil
	}
}

// inTurn decides on the session as the one request that the message is, whoever makes it.
func (a *asking) inTurn(ctx context.Context, decide func(sessions.State) ([]event.Payload, error)) (eventstore.Result[sessions.State],
	error) {
	by := a.by
	by.RequestID = eventstore.CauseID(assist, a.stream, strconv.Itoa(a.next.Number))
	return acts.Execute(ctx, a.Log, by, sessions.Sessions, a.inSession(), decide)
}

// cut ends a turn whose message does not wait any more; mine: this message is still the next.
// Nothing of a later one can run before that.
func (a *asking) cut(ctx context.Context, turn int) (mine bool, err error) {
	read, err := eventstore.Read(ctx, a.Store, conversations.Conversations, a.stream)
	if err != nil {
		return false, err
	}
	if next, is := read.State.Next(); !is || next.Number != a.next.Number {
		return false, nil
	}
	_, err = acts.Execute(ctx, a.Log, a.by, sessions.Sessions, a.inSession(), sessions.CancelTurn{Turn: turn, At: a.Now()}.Decide)
	if fault.Is(err, fault.Conflict) { // it has ended by itself
		err = nil
	}
	return true, err
}

// message is what the session makes of the message: it is opened with it, if it was not before.
func (a *asking) message(ctx context.Context, s sessions.State, try sessions.Claimed) (
	func(sessions.State) ([]event.Payload, error), error) {
	said, err := a.said(ctx)
	if err != nil {
		return nil, err
	}
	open := func(sessions.State) ([]event.Payload, error) { return nil, nil }
	manifest := s.Talk.Manifest
	if s.Status == "" {
		agent, err := a.agent(ctx, said.Language)
		if err != nil {
			return nil, err
		}
		manifest = agent.Manifest
		open = a.opening(agent).Decide
	}
	if err := a.Turns.Room(a.of.TenantID); err != nil {
		return nil, err
	}
	programs, err := a.Turns.Programs.Of(ctx, a.of.TenantID, a.of.ProjectID, manifest)
	if err != nil {
		return nil, notRun(err)
	}
	receive := turns.Receive{Text: said.Query, Asked: true, Programs: programs, At: a.Now(), Try: try}
	return driving.OneAfterTheOther(open, receive.Decide), nil
}

// said is the message.
func (a *asking) said(ctx context.Context) (contactcenter.ConversationMessage, error) {
	stream := conversations.StreamID(a.of.TenantID, a.of.ProjectID, a.of.ID)
	lines, err := a.Said.Transcript(ctx, stream, a.next.Number, 1)
	if err == nil && (len(lines) == 0 || lines[0].Number != a.next.Number) {
		err = errors.New("the message is not in the transcript yet")
	}
	if err != nil {
		return contactcenter.ConversationMessage{}, err
	}
	return lines[0], nil
}

// agent is the project's assisting agent.
func (a *asking) agent(ctx context.Context, language string) (*takers.Agent, error) {
	held, err := a.Settings.Held(ctx, a.of.TenantID, a.of.ProjectID, "")
	if err != nil {
		return nil, err
	}
	found, err := a.Agents.Find(ctx, takers.Want{Tenant: a.of.TenantID, Project: a.of.ProjectID, Name: held.AssistingAgent,
		Language: language})
	switch {
	case err != nil:
		return nil, notRun(err)
	case found != nil:
		return found, nil
	case held.AssistingAgent == "":
		return nil, &noSuggestion{conversations.AssistNoAgent, "nothing is deployed, and the settings of the project name no assistingAgent"}
	}
	return nil, &noSuggestion{conversations.AssistUnknown, "the project has no agent " + held.AssistingAgent}
}

// notRun is an error of an agent that cannot be run, as what the conversation is told.
func notRun(err error) error {
	if takers.NotRun(err) {
		return &noSuggestion{conversations.AssistNotRun, wordsOf(err)}
	}
	return err
}

func wordsOf(err error) string {
	var told *fault.Error
	if errors.As(err, &told) {
		return told.Message
	}
	return ""
}

// opening begins the session of a conversation.
func (a *asking) opening(agent *takers.Agent) sessions.Open {
	begun := agent.Begun
	begun.Assists = a.of.ID
	id, _ := json.Marshal(a.of.ID) // a text
	begun.Caller = map[string]json.RawMessage{"channel": json.RawMessage(`"` + sessions.AssistChannel + `"`), "conversationId": id}
	return sessions.Open{ID: a.sessionID(), TenantID: a.of.TenantID, ProjectID: a.of.ProjectID, Channel: sessions.AssistChannel,
		AgentName: agent.Name, Begun: &begun, At: a.Now()}
}

// suggestion is what a turn has come to.
type suggestion struct {
	agent, text string
	code        string // why it is none
}

// suggestionOf is what the agents say in a turn. Nothing is suggested where the conversation would
// be given to people, who have it.
func suggestionOf(whole *eventstore.Result[sessions.State]) (out suggestion) {
	var texts []string
	vain := false
	out.agent = whole.State.Talk.Agent
	for _, x := range whole.Events {
		switch e := x.Payload.(type) {
		case sessions.Said:
			texts, out.agent = append(texts, e.Text), e.Agent
		case sessions.Noticed:
			vain = vain || e.Kind == sessions.EscalationInVain
		case sessions.TurnEnded:
			out.code = e.Failed
			if e.Action == sessions.CutOff {
				out.code = conversations.AssistCancelled
			}
		}
	}
	if !vain {
		out.text = strings.Join(texts, "\n")
	}
	return out
}

package people

import (
	"cmp"
	"context"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// PassOn brings what the user said to the conversation that people have. What was said before
// anybody had taken it is brought when somebody has: then Early does it.
func (p People) PassOn(ctx context.Context, by acts.Caller, s sessions.State, e sessions.PassedOn) error {
	conversation := e.ConversationID
	if e.Early {
		if now := s.Talk.People; now == nil || !now.Taken() || now.TransferID != e.TransferID {
			return nil
		}
		conversation = s.Talk.People.ConversationID
	}
	return p.passOn(ctx, by, s, conversation, e)
}

// Early brings what the user said since the session was escalated to the conversation of those who
// have taken it.
func (p People) Early(ctx context.Context, by acts.Caller, stream string, taken sessions.TakenByPeople) error {
	told, err := eventstore.History(ctx, p.Store, sessions.Sessions, stream)
	if err != nil {
		return err
	}
	var early []sessions.PassedOn
	back := takenBack(told.Events)
	for _, x := range told.Events {
		switch e := x.Payload.(type) {
		case sessions.Escalated, sessions.GivenBack:
			early = nil
		case sessions.PassedOn:
			if e.Early && !back[e.MessageID] {
				early = append(early, e)
			}
		case sessions.TakenByPeople:
			if e.TransferID != taken.TransferID || e.HumanAgentID != taken.HumanAgentID {
				continue
			}
			for _, said := range early {
				if err := p.passOn(ctx, by, told.State, e.ConversationID, said); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return nil
}

// passOn brings one message, once: its request id is made of the message.
func (p People) passOn(ctx context.Context, by acts.Caller, s sessions.State, conversation string, e sessions.PassedOn) error {
	cmd := once(by, s, e.MessageID, "pass-on")
	pass := conversations.PassOn{Text: textOf(e), Language: s.Talk.Language, Experience: experience(s.Channel), At: e.At}
	return eventstore.Do(ctx, p.Store, conversations.Conversations, conversations.Stream(s.TenantID, s.ProjectID, conversation), cmd,
		pass.Decide)
}

// once is by whom a step is taken that a message has once.
func once(by acts.Caller, s sessions.State, message, step string) eventstore.Command {
	cmd := by.Command
	cmd.Tenant, cmd.RequestID, cmd.RequestHash, cmd.PlainHash = s.TenantID, eventstore.CauseID("people", message, step), "", ""
	return cmd
}

// takenBack are the messages that the user has taken back.
func takenBack(events []eventstore.Recorded) map[string]bool {
	out := map[string]bool{}
	for _, x := range events {
		if e, is := x.Payload.(sessions.MessageTakenBack); is {
			out[e.MessageID] = true
		}
	}
	return out
}

// broughtTo is the conversation to which a message is brought; empty: to none.
func broughtTo(events []eventstore.Recorded, message string) string {
	transfer := ""
	for _, x := range events {
		switch e := x.Payload.(type) {
		case sessions.PassedOn:
			switch {
			case e.MessageID != message:
			case e.Early: // whoever takes it says where
				transfer = e.TransferID
			default:
				return e.ConversationID
			}
		case sessions.TakenByPeople:
			if transfer != "" && e.TransferID == transfer {
				return e.ConversationID
			}
		}
	}
	return ""
}

// TakeBack has the conversation that people have show a message no more. One that was not brought there never is.
func (p People) TakeBack(ctx context.Context, by acts.Caller, stream string, back sessions.MessageTakenBack) error {
	told, err := eventstore.History(ctx, p.Store, sessions.Sessions, stream)
	if err != nil {
		return err
	}
	s, conversation := told.State, broughtTo(told.Events, back.MessageID)
	if conversation == "" {
		return nil
	}
	to := conversations.Stream(s.TenantID, s.ProjectID, conversation)
	was, err := eventstore.Execute(ctx, p.Store, conversations.Conversations, to, once(by, s, back.MessageID, "pass-on"),
		func(conversations.State) ([]event.Payload, error) { return nil, nil })
	if err != nil {
		return err
	}
	said, brought := eventstore.Find[conversations.MessageReceived](was)
	if !brought {
		return nil
	}
	take := conversations.TakeBack{Number: said.Number, At: back.At}
	return eventstore.Do(ctx, p.Store, conversations.Conversations, to, once(by, s, back.MessageID, "take-back"), take.Decide)
}

// textOf is what people read of a message: what was said or chosen, and the ids of files.
func textOf(e sessions.PassedOn) string {
	parts := []string{e.Action.Words(e.Text)}
	for _, id := range e.Attachments {
		parts = append(parts, "[file "+id+"]")
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// Heard brings what a person said in a conversation to the session that it is of. Hooks may name
// the conversation by the session's own id.
func (p People) Heard(ctx context.Context, by acts.Caller, stream string, e conversations.MessageReceived) error {
	if e.Author != conversations.HumanAgent || !e.Recorded {
		return nil
	}
	of, err := eventstore.Read(ctx, p.Store, conversations.Conversations, stream)
	if err != nil {
		return err
	}
	id := cmp.Or(of.State.SessionID, of.State.ID)
	if !access.ValidID(id) {
		return nil
	}
	session := sessions.Sessions.Stream(id)
	read, err := eventstore.Read(ctx, p.Store, sessions.Sessions, session)
	if err != nil || read.State.TenantID != of.State.TenantID || read.State.ProjectID != of.State.ProjectID {
		return err
	}
	hear := sessions.HearPerson{ConversationID: of.State.ID, Number: e.Number, HumanAgentID: e.HumanAgentID, Text: e.Query, At: e.At}
	_, err = acts.Execute(ctx, p.Log, by, sessions.Sessions, session, hear.Decide)
	return err
}

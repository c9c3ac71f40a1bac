// Package people has the operations by which somebody takes a session over, and hands it back to
// its agent.
//
// It never decides who has the session: the session's stream does.
package people

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/assign"
	"github.com/parley-platform/parley/handlers/acts/people"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

// API is what the operations need.
type API struct {
	rest.Commands
	Chat   runtime.ChatAPI
	People people.People
}

// Declare adds them.
func Declare(api *rest.API, x API) {
	const path = "/api/projects/{projectId}/sessions/{id}/"
	tags, needs := []string{"Sessions"}, access.SignedIn(access.CanEndSessions)
	refusals := []fault.Code{fault.NotExecuted, fault.OutcomeUnknown, fault.NotFound, fault.Conflict}
	rest.Declare(api, rest.Operation{
		ID: "take-over-session", Method: http.MethodPost, Path: path + "takeover", Tags: tags, Extension: true,
		Summary: "Give a session to a human agent, in place of its AI agent",
		Description: "As a transfer to that person, which is 409 with its reason if there is no capacity. A turn that runs still ends; " +
			"then the AI agent is silent, and what the user says is for the conversation that is answered, until it ends or the session " +
			"is handed back. Of a session that people have the new person takes the place of the one before.",
		Requirement: needs, Resolve: x.Chat.SessionOfPath(), Refusals: refusals,
	}, x.takeOver)
	rest.Declare(api, rest.Operation{
		ID: "hand-back-session", Method: http.MethodPost, Path: path + "handback", Tags: tags, Extension: true,
		Summary: "Give a session that people have back to its AI agent",
		Description: "Its transfers end. If the agent had escalated it, the agent goes on behind that, and says so in the transcript; else it " +
			"waits for the user as before. Also while it still waits in a queue's line. 409 if people do not have it.",
		Requirement: needs, Resolve: x.Chat.SessionOfPath(), Refusals: refusals,
	}, x.handBack)
}

type takeOverIn struct {
	runtime.SessionPath
	Body struct {
		AgentID string `json:"agentId" required:"true" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" doc:"The human agent who takes it." example:"a-acme-maria"`
	}
}

// TakenOver is who has a session from now on.
type TakenOver struct {
	SessionID      string `json:"sessionId"`
	AgentID        string `json:"agentId"`
	TransferID     string `json:"transferId" doc:"As list-transfers has it."`
	ConversationID string `json:"conversationId" doc:"As hooks and agents know it."`
	TakenAt        string `json:"takenAt" format:"date-time"`
}

type takeOverOut struct {
	Body struct {
		Success  bool      `json:"success"`
		Takeover TakenOver `json:"takeover"`
	}
}

func (x API) takeOver(ctx context.Context, in *takeOverIn) (*takeOverOut, error) {
	session, by := runtime.SessionOf(ctx).SessionID, x.Caller(ctx)
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(session))
	if err != nil {
		return nil, err
	}
	if s := read.State; s.Status == sessions.Active && s.Talk.Manifest == nil {
		return nil, s.Takes("takeover: transfer it with assign-conversation")
	}
	if asked := read.State.Talk.People; asked != nil && asked.Wish != nil {
		// What the agent asked for comes before this, also where nobody has made it yet: made later it would take this one's place.
		if err := x.People.Escalate(ctx, by.Further(), read.State, *asked.Wish); err != nil {
			return nil, err
		}
	}
	org, _, err := x.People.Queues.Organisation(ctx, by.Tenant)
	if err != nil {
		return nil, err
	}
	res, err := x.People.Assign.Do(ctx, by, assign.Ask{OrgID: org, SessionID: session, HumanAgentID: in.Body.AgentID})
	rest.Answers(ctx, res)
	if err != nil {
		return nil, err
	}
	t := res.State
	if t.Answer.Status != transfers.StatusTransferred {
		return nil, fault.New(fault.Conflict, "the agent cannot take the session: %s", t.Answer.Reason)
	}
	if err := x.People.Taken(ctx, by.Further(), t); err != nil {
		return nil, err
	}
	out := &takeOverOut{}
	out.Body.Success, out.Body.Takeover = true, TakenOver{SessionID: session, AgentID: t.Request.HumanAgentID,
		TransferID: t.Request.TransferID, ConversationID: t.Request.ConversationID, TakenAt: rest.ISOTime(&t.Answer.At)}
	return out, nil
}

// HandedBack is a session that its agent has again.
type HandedBack struct {
	SessionID  string `json:"sessionId"`
	Status     string `json:"status" enum:"active,ended" doc:"ended: that is what the agent does behind people."`
	TransferID string `json:"transferId"`
}

type handBackOut struct {
	Body struct {
		Success  bool       `json:"success"`
		Handback HandedBack `json:"handback"`
	}
}

func (x API) handBack(ctx context.Context, _ *struct{ runtime.SessionPath }) (*handBackOut, error) {
	session, by := runtime.SessionOf(ctx).SessionID, x.Caller(ctx)
	stream := sessions.Sessions.Stream(session)
	res, repeated, err := rest.Repeated(ctx, x.Commands, sessions.Sessions, stream)
	if err != nil {
		return nil, err
	}
	if !repeated {
		read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, stream)
		if err != nil {
			return nil, err
		}
		s := read.State
		if talks := s.CallID != "" && s.Status == sessions.Active && s.Talk.Manifest != nil; !talks { // who calls is answered again
			if err := s.Takes("handback"); err != nil {
				return nil, err
			}
		}
		people := s.Talk.People
		if people == nil {
			return nil, notWithPeople()
		}
		give := turns.GiveBack{TransferID: people.TransferID, Turn: people.Turn, Taken: people.Taken(), Reason: string(transfers.HandedBack)}
		if res, err = x.People.Turns.GiveBack(ctx, by, stream, give); err != nil {
			return nil, err
		}
	}
	back, ok := eventstore.Find[sessions.GivenBack](res)
	if !ok {
		return nil, notWithPeople()
	}
	if err := x.People.Release(ctx, by, session, back); err != nil {
		return nil, err
	}
	out := &handBackOut{}
	out.Body.Success, out.Body.Handback = true, HandedBack{SessionID: session, Status: string(res.State.Status), TransferID: back.TransferID}
	return out, nil
}

func notWithPeople() error { return fault.New(fault.Conflict, "people do not have the session") }

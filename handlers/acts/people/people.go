// Package people gives sessions in which agents talk to people, and gives them back: by a transfer
// that the agent wants, or that somebody makes who takes the session over. What is said on either
// side is brought to the other meanwhile.
//
// The stream of the session says who has it, that of the transfer what became of it, and that of
// the conversation what people say. Each step is made by whoever comes first, any number of times
// (docs/decisions/2026-11-25-people-in-sessions.md).
package people

import (
	"context"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/assign"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// People is what it needs.
type People struct {
	acts.Log
	Turns     *driving.Turns
	Assign    assign.Assign
	Queues    queueNames
	Transfers sessionTransfers
}

// queueNames knows queues as sources call them, and whose they are.
type queueNames interface {
	Organisation(ctx context.Context, tenant string) (orgID string, ok bool, err error)
	QueueCalled(ctx context.Context, tenant, text string) (id string, ok bool, err error)
}

// sessionTransfers knows the transfers of a session.
type sessionTransfers interface {
	OfSession(ctx context.Context, tenant, session string) ([]contactcenter.Transfer, error)
}

// NoSuchQueue is why a session is given back whose agent names a queue that is not there.
const NoSuchQueue = "NO_SUCH_QUEUE"

// Escalate makes the transfer that the agent of a session wants, unless nobody waits for it any
// more. In a test session nobody is disturbed.
func (p People) Escalate(ctx context.Context, by acts.Caller, s sessions.State, e sessions.Escalated) error {
	if waits := s.Talk.People; e.Test || s.Status != sessions.Active || waits == nil || waits.TransferID != e.TransferID || waits.Taken() {
		return nil
	}
	org, _, err := p.Queues.Organisation(ctx, s.TenantID)
	if err != nil {
		return err
	}
	queue, known, err := p.Queues.QueueCalled(ctx, s.TenantID, e.Queue)
	if err != nil {
		return err
	}
	if !known {
		return p.unknownQueue(ctx, by, s, e)
	}
	by.Tenant, by.Project = s.TenantID, s.ProjectID
	_, err = p.Assign.Do(ctx, by, assign.Ask{OrgID: org, SessionID: s.ID, QueueID: queue, Skills: e.Skills, TransferID: e.TransferID,
		Escalation: &transfers.Escalation{AgentName: e.Agent, Step: e.Step, Priority: e.Priority, Why: e.Why, Context: e.Context}})
	switch {
	case fault.Is(err, fault.NotFound): // it was removed meanwhile
		return p.unknownQueue(ctx, by, s, e)
	case fault.Is(err, fault.Conflict), fault.Is(err, fault.OutcomeUnknown): // the session has ended; others go on with it
		return nil
	}
	return err
}

// unknownQueue gives the session back, once, as the state says.
func (p People) unknownQueue(ctx context.Context, by acts.Caller, s sessions.State, e sessions.Escalated) error {
	_, err := p.Turns.GiveBack(ctx, by.Further(), sessions.Sessions.Stream(s.ID), turns.GiveBack{TransferID: e.TransferID, Failed: true,
		Reason: NoSuchQueue})
	return err
}

// Taken tells the session of a transfer that an agent or a queue has it.
func (p People) Taken(ctx context.Context, by acts.Caller, t transfers.State) error {
	r := t.Request
	stream := sessions.Sessions.Stream(r.SessionID)
	read, err := eventstore.Read(ctx, p.Store, sessions.Sessions, stream)
	if err != nil || t.Final() || read.State.Talk.Manifest == nil {
		return err
	}
	cause := causeOf(by)
	if r.Escalation != nil && read.State.Talk.People == nil { // it was handed back before anybody took it
		return p.Assign.Process.Finish(ctx, cause, r.TransferID, transfers.HandedBack)
	}
	if _, err := (assign.Conversations{Store: p.Store}).Open(ctx, cause, t); err != nil {
		return err
	}
	take := sessions.Take{TransferID: r.TransferID, ConversationID: r.ConversationID, QueueID: r.QueueID, HumanAgentID: t.HumanAgentID,
		Elsewhere: t.Phase == transfers.PhaseAssigned && t.HumanAgentID == "", Turn: r.Turn, At: p.Now()}
	_, err = acts.Execute(ctx, p.Log, by, sessions.Sessions, stream, take.Decide)
	return err
}

// Over tells the session of a transfer that it is over. One that another has replaced tells
// nothing: the other one has the session.
func (p People) Over(ctx context.Context, by acts.Caller, t transfers.State) error {
	if !t.Final() || t.Reason == transfers.Replaced {
		return nil
	}
	give := turns.GiveBack{TransferID: t.Request.TransferID, Turn: t.Request.Turn, Taken: t.Answer.Status == transfers.StatusTransferred,
		Failed: t.Phase != transfers.PhaseEnded && t.Reason != transfers.HandedBack, Reason: string(t.Reason)}
	_, err := p.Turns.GiveBack(ctx, by, sessions.Sessions.Stream(t.Request.SessionID), give)
	return err
}

// Release ends the transfers of a session that was handed back: those that were there then.
func (p People) Release(ctx context.Context, by acts.Caller, session string, back sessions.GivenBack) error {
	all, err := p.Transfers.OfSession(ctx, by.Tenant, session)
	if err != nil {
		return err
	}
	ends := acts.Others{Ctx: ctx, During: "ending the transfers of a session that was handed back"}
	for _, t := range all {
		if t.Active() && (t.TransferID == back.TransferID || t.Turn <= back.TransferTurn) {
			ends.Failed("transfer "+t.TransferID, p.Assign.Process.Finish(ctx, causeOf(by), t.TransferID, transfers.HandedBack))
		}
	}
	return ends.Err()
}

func causeOf(by acts.Caller) assign.Cause {
	return assign.Cause{Actor: by.Actor, CorrelationID: by.CorrelationID, CausationID: by.CausationID}
}

// experience is what people have of a session.
func experience(channel string) conversations.Experience {
	return assign.ExperienceOf(transfers.KindOf(channel))
}

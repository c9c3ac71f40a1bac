// Package assign takes conversations to human agents: a transfer is asked for, offered,
// claimed, assigned, waits in a line, and ends. The operation that asks for a transfer
// goes through it at once; reactors go on with what it did not live to finish.
//
// It decides nothing that the domain decides, and it knows nothing of how a caller came
// (docs/decisions/2026-11-22-transfers.md).
package assign

import (
	"cmp"
	"context"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// Assign asks for a transfer, and takes it as far as it can go at once.
type Assign struct {
	acts.Log
	Agents    targets
	Transfers sessionReads
	SealURL   acts.SealURL // of the callback
	Process   Process
}

// Ask is a conversation to be transferred: to HumanAgentID, or else to QueueID.
type Ask struct {
	OrgID, SessionID, HumanAgentID, QueueID string
	Skills                                  []string // that the agent must have beside those of the queue
	CallbackURL                             string

	TransferID string                // of one that has its id already; empty: it is made of the request
	Escalation *transfers.Escalation // of an agent's own wish
}

// Do asks for the transfer and drives it. The result has the transfer as it stands then;
// what is not decided yet is an OUTCOME_UNKNOWN, and reactors go on with it.
func (a Assign) Do(ctx context.Context, by acts.Caller, ask Ask) (eventstore.Result[transfers.State], error) {
	var none eventstore.Result[transfers.State]
	cmd, refusal, err := a.request(ctx, by, ask)
	if err != nil {
		return none, err
	}
	ctx, cancel := by.Limit(ctx)
	defer cancel()
	by.Early = false // whoever asks wants to know who has it
	begin, nobody := refused(refusal), false
	if refusal == nil {
		if begin, nobody, err = a.Process.begin(ctx, cmd); err != nil {
			return none, err
		}
	}
	res, err := acts.Create(ctx, a.Log, by, transfers.Transfers, transfers.Stream(cmd.TransferID), begin)
	if err != nil {
		return none, err
	}
	cause := Cause{Actor: by.Actor, CorrelationID: by.CorrelationID, CausationID: by.CausationID}
	if res.Replayed { // the result has what stood then
		res.State, err = a.Process.Drive(ctx, cause, cmd.TransferID)
	} else {
		res.State, err = a.Process.outcome(ctx, cause, res.State, nobody)
	}
	if err != nil && res.State.Answer.Status == "" {
		return res, fault.New(fault.OutcomeUnknown, "the transfer was taken down but is not decided yet: repeat with the same Idempotency-Key, "+
			"or wait for the callback").After(time.Second).Because(err)
	}
	return res, nil
}

// refused is the decision of a request that comes to nothing: a repeat has had its answer before it is asked.
func refused(refusal error) decision {
	return func(transfers.State) ([]event.Payload, error) { return nil, refusal }
}

// request builds the command. refusal is why there is nothing to be transferred, or
// nobody to transfer to.
func (a Assign) request(ctx context.Context, by acts.Caller, ask Ask) (cmd transfers.Request, refusal, err error) {
	id := cmp.Or(ask.TransferID, a.ID(by, "transfer").String())
	cmd = transfers.Request{TransferID: id, TenantID: by.Tenant, ProjectID: by.Project, OrgID: ask.OrgID, SessionID: ask.SessionID,
		ConversationID: "c-" + id,
		HumanAgentID:   ask.HumanAgentID, Skills: ask.Skills, Escalation: ask.Escalation, Turn: 1, At: a.Now()}
	if cmd.CallbackURL, cmd.CallbackSealed, err = a.SealURL(by.Tenant, ask.CallbackURL); err != nil {
		return cmd, nil, err
	}
	org, _, err := a.Agents.Organisation(ctx, by.Tenant)
	if err != nil {
		return cmd, nil, err
	}
	if org == "" || org != ask.OrgID {
		return cmd, fault.New(fault.NotFound, "there is no such organisation"), nil
	}
	session, known, err := a.Transfers.Session(ctx, by.Tenant, by.Project, ask.SessionID)
	switch {
	case err != nil:
		return cmd, nil, err
	case !known:
		return cmd, fault.New(fault.NotFound, "there is no such session"), nil
	}
	cmd.CustomerID, cmd.Kind = session.CustomerID, transfers.KindOf(session.Channel)
	if refusal, err = a.findTarget(ctx, &cmd, ask); refusal != nil || err != nil {
		return cmd, refusal, err
	}
	if session.Ended {
		return cmd, fault.New(fault.Conflict, "the session has ended"), nil
	}
	return cmd, nil, a.follow(ctx, &cmd)
}

func (a Assign) findTarget(ctx context.Context, cmd *transfers.Request, ask Ask) (refusal, err error) {
	if ask.HumanAgentID != "" {
		agent, ok, err := a.Agents.Agent(ctx, cmd.TenantID, ask.HumanAgentID)
		if err == nil && (!ok || agent.OrgID != ask.OrgID) {
			return fault.New(fault.NotFound, "there is no such agent"), nil
		}
		return nil, err
	}
	q, ok, err := a.Agents.Queue(ctx, cmd.TenantID, ask.QueueID)
	if err == nil && !ok {
		return fault.New(fault.NotFound, "there is no such queue"), nil
	}
	cmd.Queue = transfers.Queue{ID: q.ID, Name: q.Name, Wait: time.Duration(q.WaitTimeoutSeconds) * time.Second,
		Voicemail: q.OnTimeout == queues.Voicemail}
	return nil, err
}

// follow gives the transfer its place after the session's others. The conversation is
// that of the one that it would replace, unless that has ended by now: nothing could be told of it any more.
func (a Assign) follow(ctx context.Context, cmd *transfers.Request) error {
	before, err := a.Transfers.OfSession(ctx, cmd.TenantID, cmd.SessionID)
	for _, t := range before {
		cmd.Turn = max(cmd.Turn, t.Turn+1)
		if t.Active() && t.Status != transfers.PhaseRequested && !t.ConversationOver { // what nobody has taken yet may come to nothing
			cmd.ConversationID = t.ConversationID
		}
	}
	return err
}

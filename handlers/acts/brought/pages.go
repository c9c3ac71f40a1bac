package brought

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/handlers/acts"
)

// Page is a call that somebody makes from a page, by what was granted to it: one call for each grant.
type Page struct {
	GrantID             string
	TenantID, ProjectID string
	SessionID           string // in whose name somebody calls
	AgentName           string
	DeploymentID        string
}

// Identity is what somebody in a session is called by providers, and by us.
func Identity(session string) string { return "s_" + session }

// CallID is the call, whoever asks for it.
func (p Page) CallID() string { return ID("page", p.GrantID) }

// OwnSession is the session that the call gets.
func (p Page) OwnSession() string { return sessionOf(p.CallID()) }

// AnswerPage takes the call of a page for the agent that is to have it. One for which there is none has
// failed, and so the state says.
func (x Calls) AnswerPage(ctx context.Context, by acts.Caller, p Page) (calls.State, error) {
	at := x.Now()
	call := calls.Arrive{CallID: p.CallID(), TenantID: p.TenantID, ProjectID: p.ProjectID, Provider: calls.ProviderPage,
		ProviderID: p.GrantID, Person: calls.Client(p.SessionID), OurNumber: calls.RoomName(p.TenantID, p.ProjectID, p.SessionID),
		Direction: calls.Inbound, AgentName: p.AgentName, DeploymentID: p.DeploymentID, AnswerBy: at.Add(lineWithin), At: at}
	return x.Answer(ctx, by, call, channels.Call{})
}

// lineWithin is for how long the call of a page, or of a pipeline, is answered without a line: whoever answers it takes its line
// at once. A node that dies in between has the call end no later than another that died, and who comes again until then has it.
const lineWithin = 15 * time.Second

// HangUp ends a call because the person on it does. Nothing happens to one that is over.
func (x Calls) HangUp(ctx context.Context, by acts.Caller, callID, cause string) error {
	end := calls.Complete{By: calls.ByCallee, Cause: cause, At: x.Now()}
	_, err := acts.Execute(ctx, x.Log, by, calls.Calls, calls.Calls.Stream(callID), end.Decide)
	return err
}

// Package brought takes calls that providers bring: that one is there, how far it is, and who takes
// it. What comes twice, late, or before the call itself is one call all the same, by its provider's
// name for it.
//
// It judges no signature and knows no provider: who asked has done that.
package brought

import (
	"cmp"
	"context"
	"crypto/hmac"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/takers"
)

// Calls takes them.
type Calls struct {
	acts.Log
	Agents agentFinder
}

// agentFinder finds agents that can be run.
type agentFinder interface {
	Find(ctx context.Context, of takers.Want) (*takers.Agent, error)
}

const (
	answerWithin = 15 * time.Minute // longer than any telephone rings
	longest      = 4 * time.Hour    // a call of which only its provider tells
	tokenFor     = calls.LineWithin
)

// ID is the call that a provider's name stands for, by a connection.
func ID(connectionID, providerID string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("call/"+connectionID+"/"+providerID)).String()
}

// sessionOf is the session that a call gets where it joins none.
func sessionOf(call string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("session of "+call)).String()
}

// Of is the call that a provider tells of, as it comes to a connection.
func (x Calls) Of(c channels.Connection, told channels.Call) calls.Arrive {
	at := x.Now()
	return calls.Arrive{CallID: ID(c.ID, told.ProviderID), TenantID: c.TenantID, ProjectID: c.ProjectID, ConnectionID: c.ID,
		Provider: calls.ProviderTwilio, ProviderID: told.ProviderID, Person: told.Person, OurNumber: told.OurNumber,
		Direction: told.Direction, AgentName: c.AgentName, DeploymentID: c.DeploymentID, Environment: c.Environment,
		AnswerBy: at.Add(answerWithin), At: at}
}

// OfPipeline is the call that a pipeline brings, whose line the node takes at once that answers it.
func (x Calls) OfPipeline(c channels.Connection, session, person string) calls.Arrive {
	call := x.Of(c, channels.Call{ProviderID: session, Person: person, OurNumber: c.External, Direction: calls.Inbound})
	call.Provider, call.AnswerBy = calls.ProviderPipeline, call.At.Add(lineWithin)
	return call
}

// Tell takes what a provider says of a call, which may be the first that is heard of it.
func (x Calls) Tell(ctx context.Context, by acts.Caller, call calls.Arrive, told channels.Call) (calls.State, error) {
	tell, err := x.tell(ctx, call, told)
	if err != nil {
		return calls.State{}, err
	}
	return x.execute(ctx, by, call, call.Decide, tell.Decide)
}

// Answer takes a call for the agent that is to have it. One for which there is none has failed, and
// so the state says.
func (x Calls) Answer(ctx context.Context, by acts.Caller, call calls.Arrive, told channels.Call) (calls.State, error) {
	agent, err := x.agent(ctx, call)
	if err != nil {
		return calls.State{}, err
	}
	tell, err := x.tell(ctx, call, told)
	if err != nil {
		return calls.State{}, err
	}
	tell.Agent = agent
	steps := []decision{call.Decide}
	if told.Status != "" {
		steps = append(steps, tell.Decide)
	}
	if agent == nil {
		steps = append(steps, calls.Fail{SIPCode: 480, Phrase: "Nobody can answer", At: tell.At}.Decide)
	} else {
		steps = append(steps, calls.Answer{SessionID: tell.SessionID, Agent: agent, At: tell.At}.Decide, calls.AwaitLine{At: tell.At}.Decide)
	}
	return x.execute(ctx, by, call, steps...)
}

type decision = func(calls.State) ([]event.Payload, error)

func (x Calls) execute(ctx context.Context, by acts.Caller, call calls.Arrive, steps ...decision) (calls.State, error) {
	res, err := acts.Execute(ctx, x.Log, by, calls.Calls, calls.Calls.Stream(call.CallID), calls.InTurn(steps...))
	return res.State, err
}

// tell is what a provider says, as a command. An agent is looked for where the call is answered by
// it, and is not in a session that has one.
func (x Calls) tell(ctx context.Context, call calls.Arrive, told channels.Call) (calls.Tell, error) {
	at := x.Now()
	out := calls.Tell{Status: told.Status, Raw: told.Raw, Sequence: told.Sequence, SIPCode: told.SIPCode, Duration: told.Duration, At: at,
		SessionID: cmp.Or(call.SessionID, sessionOf(call.CallID))}
	if told.Status != calls.ToldInProgress {
		return out, nil
	}
	out.Until = at.Add(longest)
	if call.Joins {
		return out, nil
	}
	var err error
	out.Agent, err = x.agent(ctx, call)
	return out, err
}

// agent is who takes a call; nil: nobody that can be run.
func (x Calls) agent(ctx context.Context, call calls.Arrive) (*calls.Agent, error) {
	found, err := x.Agents.Find(ctx, takers.Want{Tenant: call.TenantID, Project: call.ProjectID, Name: call.AgentName, Deployed: true,
		DeploymentID: call.DeploymentID, Environment: call.Environment})
	if takers.NotRun(err) {
		acts.Logger(ctx).Warn("the agent of a call cannot be run", "call", call.CallID, "error", err)
		return nil, nil
	}
	if err != nil || found == nil {
		return nil, err
	}
	return &calls.Agent{Name: found.Name, DeploymentID: found.DeploymentID, Environment: found.Environment, Manifest: found.Manifest,
		Language: found.Language, BudgetPico: found.BudgetPico}, nil
}

// Read gives a call.
func (x Calls) Read(ctx context.Context, callID string) (calls.State, error) {
	read, err := eventstore.Read(ctx, x.Store, calls.Calls, calls.Calls.Stream(callID))
	return read.State, err
}

// Token opens the line of a call, for a while. That it does so once is the call's own rule.
func (x Calls) Token(callID string) string {
	until := strconv.FormatInt(x.Now().Add(tokenFor).Unix(), 10)
	return until + "." + x.sum(callID, until)
}

// Opens refuses a token that does not open the line of a call, or does not any more.
func (x Calls) Opens(callID, token string) error {
	until, sum, _ := strings.Cut(token, ".")
	last, err := strconv.ParseInt(until, 10, 64)
	if !hmac.Equal([]byte(sum), []byte(x.sum(callID, until))) || err != nil || x.Now().Unix() >= last {
		return fault.New(fault.Unauthorized, "the token of the stream is wrong, or too old")
	}
	return nil
}

func (x Calls) sum(callID, until string) string {
	return hex.EncodeToString(x.MAC("voice-stream", callID, until)[:16])
}

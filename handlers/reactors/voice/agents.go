package voice

import (
	"context"
	"log/slog"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/acts/takers"
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

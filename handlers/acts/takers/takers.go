// Package takers finds the agents that talk without anybody having chosen a deployment: who takes a
// call, and who assists people in a conversation.
//
// It opens no session and runs nothing: it says by which sources one would be begun, and refuses an
// agent that cannot be run.
package takers

import (
	"cmp"
	"context"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/projections/runtime"
)

// Agents finds agents as they are run: that of the deployment with which a chat would begin, and
// the working copy where that is missing (see projections.AgentSource).
type Agents struct {
	Turns       *driving.Turns
	Deployments Deployments
	Copies      workingCopies
	Settings    Settings
}

// Deployments knows what is deployed, and what serves an environment.
type Deployments interface {
	Serving(ctx context.Context, tenant, project, environment string) (runtime.Deployment, bool, error)
	Get(ctx context.Context, tenant, project, id string) (runtime.Deployment, bool, error)
}

// workingCopies knows agents by name, with their working copies.
type workingCopies interface {
	Named(ctx context.Context, tenant, project, name string) ([]runtime.Agent, error)
}

// Settings knows by which settings a project goes.
type Settings interface {
	Held(ctx context.Context, tenant, project, deployment string) (projectsettings.Settings, error)
}

// Want is who is to talk.
type Want struct {
	Tenant, Project string
	Name            string // empty: the entry agent of what is deployed
	Language        string // that is asked for; empty: the project's

	// As connections of channels have it: what is deployed, and nothing else.
	Deployed     bool
	DeploymentID string // empty: the newest active one
	Environment  string // in which that one is looked for; empty: production, staging, dev
}

// Agent is who talks, and how a session with it begins.
type Agent struct {
	Name string
	sessions.Begun
}

// Find is an agent that can be run. Nil: there is none of that name, or nothing is deployed. One
// that does not compile, or needs what the server has not, is a fault that says so.
func (x Agents) Find(ctx context.Context, of Want) (*Agent, error) {
	out, programs, err := x.served(ctx, of)
	if err == nil && out == nil && !of.Deployed {
		out, programs, err = x.frozen(ctx, of)
	}
	if err != nil || out == nil {
		return nil, err
	}
	models := driving.ModelsOf{Tenant: of.Tenant, Project: of.Project, Deployment: out.DeploymentID}
	if err := x.Turns.CanRun(ctx, models, programs...); err != nil {
		return nil, err
	}
	held, err := x.Settings.Held(ctx, of.Tenant, of.Project, out.DeploymentID)
	if err != nil {
		return nil, err
	}
	out.BudgetPico, out.IdleMinutes = held.Budgets.SessionPico(), held.Sessions.IdleMinutes
	ok := false
	if out.Language, ok = held.Languages.Choose(of.Language); !ok {
		out.Language, _ = held.Languages.Choose("")
	}
	return out, nil
}

// NotRun is whether an agent was found that cannot be run.
func NotRun(err error) bool {
	return fault.Is(err, fault.Validation) || fault.Is(err, fault.Unavailable)
}

// served is the agent of what is deployed; nil: nothing is, or it is not in it.
func (x Agents) served(ctx context.Context, of Want) (*Agent, []*dsl.Program, error) {
	d, ok, err := x.deployment(ctx, of)
	name := cmp.Or(of.Name, d.EntryAgent)
	if _, in := d.Manifest[name]; err != nil || !ok || !in {
		return nil, nil, err
	}
	out := &Agent{name, sessions.Begun{DeploymentID: d.DeploymentID, Environment: d.Environment, Manifest: d.Pinned()}}
	compiled, err := x.Turns.Programs.Of(ctx, of.Tenant, of.Project, out.Manifest)
	var programs []*dsl.Program
	for _, name := range compiled.From(out.Name) {
		programs = append(programs, compiled[name])
	}
	return out, programs, err
}

// deployment is what is deployed for who is wanted; false: nothing that begins sessions.
func (x Agents) deployment(ctx context.Context, of Want) (runtime.Deployment, bool, error) {
	if of.DeploymentID == "" {
		return x.Deployments.Serving(ctx, of.Tenant, of.Project, of.Environment)
	}
	d, ok, err := x.Deployments.Get(ctx, of.Tenant, of.Project, of.DeploymentID)
	if err == nil && ok {
		ok, _ = deployments.Serves(d.Status, d.DrainAt, x.Turns.Now())
	}
	return d, ok, err
}

// frozen is the agent as its working copy is now; nil: there is none.
func (x Agents) frozen(ctx context.Context, of Want) (*Agent, []*dsl.Program, error) {
	if of.Name == "" {
		return nil, nil, nil
	}
	manifest, reached, err := acts.Freeze(of.Name, func(name string) (string, bool, error) {
		if !agents.ValidName(name) {
			return "", false, nil
		}
		found, err := x.Copies.Named(ctx, of.Tenant, of.Project, name)
		if err != nil || len(found) == 0 {
			return "", false, err
		}
		return found[0].DSL, true, nil
	})
	switch {
	case err != nil || len(manifest) == 0:
		return nil, nil, err
	case len(reached.Errors)+len(reached.Missing) > 0:
		return nil, nil, fault.New(fault.Validation, "its working copy, or one that it hands over to, does not compile")
	}
	return &Agent{of.Name, sessions.Begun{Manifest: manifest}}, reached.Programs, nil
}

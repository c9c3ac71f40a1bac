package voice

import (
	"context"
	"errors"
	"log/slog"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/projections/runtime"
)

// Agents finds the agents that take calls, as they are run: that of the deployment with which a
// chat would begin, and the working copy where that is missing (see projections.AgentSource).
type Agents struct {
	Turns       *acts.Turns
	Deployments servingReader
	Copies      workingCopies
	Settings    heldSettings
	Log         *slog.Logger
}

// servingReader knows which deployment serves an environment.
type servingReader interface {
	Serving(ctx context.Context, tenant, project, environment string) (runtime.Deployment, bool, error)
}

// workingCopies knows agents by name, with their working copies.
type workingCopies interface {
	Named(ctx context.Context, tenant, project, name string) ([]runtime.Agent, error)
}

// heldSettings knows by which settings a project goes.
type heldSettings interface {
	Held(ctx context.Context, tenant, project, deployment string) (projectsettings.Settings, error)
}

// Taker is who takes a call: the agent of a flow.
type Taker struct {
	Call            string // for logs
	Tenant, Project string
	Name            string
	Language        string // of the flow; empty: the project's
}

// Of is the agent of a call. Nil is one that cannot be run: what is wrong with it is logged, and
// the call goes on without it.
func (x *Agents) Of(ctx context.Context, of Taker) (*calls.Agent, error) {
	out, programs, err := x.served(ctx, of)
	if err == nil && out == nil {
		out, programs, err = x.frozen(ctx, of)
	}
	if err == nil && out != nil {
		models := acts.ModelsOf{Tenant: of.Tenant, Project: of.Project, Deployment: out.DeploymentID}
		err = x.Turns.CanRun(ctx, models, programs...)
	}
	if refused := (*fault.Error)(nil); errors.As(err, &refused) && (refused.Code == fault.Validation || refused.Code == fault.Unavailable) {
		x.Log.Info("the agent of a call cannot be run: it says its start text, and no more", "call", of.Call, "agent", of.Name,
			"error", err)
		return nil, nil
	}
	if err != nil || out == nil {
		return nil, err
	}
	held, err := x.Settings.Held(ctx, of.Tenant, of.Project, out.DeploymentID)
	if err != nil {
		return nil, err
	}
	ok := false
	if out.Language, ok = held.Languages.Choose(of.Language); !ok {
		out.Language, _ = held.Languages.Choose("")
	}
	return out, nil
}

// served is the agent of what is deployed; nil: nothing is, or it is not in it.
func (x *Agents) served(ctx context.Context, of Taker) (*calls.Agent, []*dsl.Program, error) {
	d, ok, err := x.Deployments.Serving(ctx, of.Tenant, of.Project, "")
	if _, in := d.Manifest[of.Name]; err != nil || !ok || !in {
		return nil, nil, err
	}
	out := &calls.Agent{DeploymentID: d.DeploymentID, Environment: d.Environment, Manifest: d.Pinned()}
	compiled, err := x.Turns.Programs.Of(ctx, of.Tenant, of.Project, out.Manifest)
	var programs []*dsl.Program
	for _, name := range compiled.From(of.Name) {
		programs = append(programs, compiled[name])
	}
	return out, programs, err
}

// frozen is the agent as its working copy is now; nil: there is none.
func (x *Agents) frozen(ctx context.Context, of Taker) (*calls.Agent, []*dsl.Program, error) {
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
	return &calls.Agent{Manifest: manifest}, reached.Programs, nil
}

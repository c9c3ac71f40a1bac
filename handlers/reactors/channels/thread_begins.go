package channels

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/identities"
	"github.com/parley-platform/parley/projections/runtime"
)

// begin opens a session for the message, with who talks there, and gives it the message: one
// commit.
func (g *giving) begin(ctx context.Context, session string) (turn int, err error) {
	m, c := g.message, g.through
	g.account = c
	d, err := g.deployed(ctx, c)
	if err != nil {
		return 0, err
	}
	g.serving = d.DeploymentID
	held, err := g.Settings.Held(ctx, m.TenantID, m.ProjectID, d.DeploymentID)
	if err != nil {
		return 0, err
	}
	language, ok := held.Languages.Choose(m.Language)
	if !ok {
		language, _ = held.Languages.Choose("")
	}
	g.speaks = language
	open := sessions.Open{ID: session, TenantID: m.TenantID, ProjectID: m.ProjectID, Channel: m.Kind, Thread: g.stream,
		AgentName: cmp.Or(c.AgentName, d.EntryAgent), At: g.Turns.Now(), Begun: &sessions.Begun{DeploymentID: d.DeploymentID,
			Environment: d.Environment, Manifest: d.Pinned(), Language: language, Caller: g.caller(),
			Before: m.Before, BudgetPico: held.Budgets.SessionPico(), Patience: sessions.Patience{IdleMinutes: held.Sessions.IdleMinutes}}}
	if _, is := open.Begun.Manifest[open.AgentName]; !is {
		return 0, fault.New(fault.NotFound, "the agent %s is not in the deployment", open.AgentName)
	}
	said := g.turn()
	if said.Programs, err = g.programs(ctx, open); err != nil {
		return 0, err
	}
	link := sessions.LinkContact{At: open.At}
	if link.ContactID, err = g.contact(ctx); err != nil {
		return 0, err
	}
	talk := g.taking(said)
	if m.Says == channels.Begins {
		talk = turns.PickUp{Programs: said.Programs, At: said.At, Try: said.Try}.Decide
	}
	decide := driving.OneAfterTheOther(open.Decide, link.Decide, talk)
	if link.ContactID == "" {
		decide = driving.OneAfterTheOther(open.Decide, talk)
	}
	return g.take(ctx, sessions.Sessions.Stream(session), said.Try, decide)
}

// caller is what agents know of who talks.
func (g *giving) caller() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, value := range map[string]string{"userId": g.message.From, "channel": g.message.Kind, "name": g.message.Name} {
		if value != "" {
			out[name], _ = json.Marshal(value)
		}
	}
	return out
}

// deployed is what answers by a connection at this moment.
func (g *giving) deployed(ctx context.Context, c channels.Connection) (d runtime.Deployment, err error) {
	var ok bool
	if c.DeploymentID == "" {
		d, ok, err = g.Deployments.Serving(ctx, c.TenantID, c.ProjectID, c.Environment)
	} else {
		d, ok, err = g.Deployments.Get(ctx, c.TenantID, c.ProjectID, c.DeploymentID)
	}
	switch {
	case err != nil:
	case !ok:
		err = fault.New(fault.NotFound, "nothing is deployed that could answer")
	default:
		err = deployments.Begins(d.Status, d.DrainAt, g.Turns.Now())
	}
	return d, err
}

// programs are those of a session that begins. What the server lacks for one of them is not
// waited for.
func (g *giving) programs(ctx context.Context, open sessions.Open) (turns.Programs, error) {
	programs, err := g.Turns.Programs.Of(ctx, open.TenantID, open.ProjectID, open.Begun.Manifest)
	if err != nil {
		return nil, err
	}
	all := make([]*dsl.Program, 0, len(programs))
	for _, agent := range programs.From(open.AgentName) {
		all = append(all, programs[agent])
	}
	of := driving.ModelsOf{Tenant: open.TenantID, Project: open.ProjectID, Deployment: open.Begun.DeploymentID}
	if err = g.Turns.CanRun(ctx, of, all...); fault.Is(err, fault.Unavailable) {
		err = fault.New(fault.Gone, "%s", told(err))
	}
	return programs, err
}

// contact is who talks, as the account knows them; empty: what the provider says names nobody.
func (g *giving) contact(ctx context.Context) (string, error) {
	m := g.message
	d := contacts.Details{DisplayName: shortened(m.Name), Channel: m.Kind}
	d.IdentityType, d.Identity = threads.IdentityOf(m.Kind, m.From)
	clean, err := d.Clean()
	if err != nil || d.Identity == "" || !m.Named() {
		return "", nil
	}
	return identities.Known(ctx, g.Turns.Log, g.by, clean)
}

func shortened(name string) string {
	if all := []rune(name); len(all) > contacts.MaxName {
		return string(all[:contacts.MaxName])
	}
	return name
}

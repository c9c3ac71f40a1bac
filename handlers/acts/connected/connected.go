// Package connected gives the connections of channels with their credentials opened, to who talks
// to providers, and counts what comes and goes by them. It shows them to nobody else.
package connected

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	models "github.com/parley-platform/parley/projections/channels"
)

// Connections opens those that there are.
type Connections struct {
	Rows rows
	Open func(tenant, connectionID, name, sealed string) (string, error)
	// Make makes a credential of a connection that its owner did not give: always the same.
	Make func(tenant, connectionID, name string) string
}

// rows knows which connections there are, of all tenants.
type rows interface {
	WithID(ctx context.Context, tenant, id string) (models.Connection, bool, error)
	Taking(ctx context.Context, tenant, id string) (models.Connection, bool, error)
	Named(ctx context.Context, kind string, names []string) ([]models.Connection, error)
	Door(ctx context.Context, tenant, project, kind, external string) (models.Connection, bool, error)
	List(ctx context.Context, q models.ConnectionQuery) ([]models.Connection, int, error)
}

// At is the one of a kind whose path has the identifier; NOT_FOUND if there is none.
func (x Connections) At(ctx context.Context, kind, identifier string) (channels.Connection, error) {
	found, err := x.Rows.Named(ctx, kind, []string{identifier})
	if err == nil && len(found) != 1 {
		err = connections.Unknown()
	}
	if err != nil {
		return channels.Connection{}, err
	}
	return x.opened(found[0])
}

// WithID is the one of an account with an id; NOT_FOUND if there is none.
func (x Connections) WithID(ctx context.Context, tenant, id string) (channels.Connection, error) {
	return x.found(x.Rows.WithID(ctx, tenant, id))
}

// Taking is the one of an account with an id by which people may come: NOT_FOUND if there is none, or its project was removed.
func (x Connections) Taking(ctx context.Context, tenant, id string) (channels.Connection, error) {
	return x.found(x.Rows.Taking(ctx, tenant, id))
}

func (x Connections) found(c models.Connection, ok bool, err error) (channels.Connection, error) {
	if err == nil && !ok {
		err = connections.Unknown()
	}
	if err != nil {
		return channels.Connection{}, err
	}
	return x.opened(c)
}

// Door is the one of a project by which its own programs come: of a kind, by the name that the account
// gave it, else the newest active one. One that takes nothing is refused.
func (x Connections) Door(ctx context.Context, tenant, project, kind, external string) (channels.Connection, error) {
	c, ok, err := x.Rows.Door(ctx, tenant, project, kind, external)
	switch {
	case err != nil:
		return channels.Connection{}, err
	case !ok && external == "":
		return channels.Connection{}, fault.New(fault.NotFound, "the project has no active connection of the kind %s: see "+
			"create-channel-connection", kind)
	case !ok:
		return channels.Connection{}, connections.Unknown()
	case !c.Active:
		return channels.Connection{}, Resting()
	}
	return x.opened(c)
}

// Resting is the refusal of what comes by one that takes nothing.
func Resting() error {
	return fault.New(fault.Conflict, "the connection is not active: it takes nothing")
}

// Doors are those of a project by which its own programs come or have come, the newest first.
func (x Connections) Doors(ctx context.Context, tenant, project, kind string) ([]channels.Connection, error) {
	return x.list(ctx, models.ConnectionQuery{Tenant: tenant, Project: project, Kind: kind})
}

// Named are those that a provider calls by one of the names; without names all of the kind. One whose
// credentials cannot be opened is left out: a request may be for any of them, and nothing is wrong with
// the others.
func (x Connections) Named(ctx context.Context, kind string, names []string) ([]channels.Connection, error) {
	found, err := x.Rows.Named(ctx, kind, names)
	if err != nil {
		return nil, err
	}
	return x.all(ctx, found), nil
}

// all are those that can be opened.
func (x Connections) all(ctx context.Context, found []models.Connection) []channels.Connection {
	out := make([]channels.Connection, 0, len(found))
	for _, row := range found {
		c, err := x.opened(row)
		if err != nil {
			acts.Logger(ctx).Error("a connection is left out, whose credentials cannot be opened", "connection", row.ConnectionID,
				"kind", row.Kind, "error", err)
			continue
		}
		out = append(out, c)
	}
	return out
}

// mostOf is how many connections of a kind a project is looked at for.
const mostOf = 50

// Of are the active ones of a kind in a project, the newest first; without a project those of the
// account.
func (x Connections) Of(ctx context.Context, tenant, project, kind string) ([]channels.Connection, error) {
	active := true
	return x.list(ctx, models.ConnectionQuery{Tenant: tenant, Project: project, Kind: kind, Active: &active})
}

func (x Connections) list(ctx context.Context, q models.ConnectionQuery) ([]channels.Connection, error) {
	q.Limit = mostOf
	found, _, err := x.Rows.List(ctx, q)
	if err != nil {
		return nil, err
	}
	return x.all(ctx, found), nil
}

// Gone is one that was deleted, and whose provider is still to be told.
func (x Connections) Gone(g connections.Gone) (channels.Connection, error) {
	row := models.Connection{ConnectionID: g.ID, TenantID: g.TenantID, ProjectID: g.ProjectID, Kind: g.Kind, External: g.External,
		Credentials: map[string]string{}}
	for name, c := range g.Credentials {
		row.Credentials[name] = c.Sealed
	}
	return x.opened(row)
}

// By is the provider of a connection, who says something once: by the request id it is known again.
func By(by acts.Caller, c channels.Connection, requestID string) acts.Caller {
	by.Tenant, by.Actor, by.RequestID, by.RequestHash, by.PlainHash = c.TenantID, "channel:"+c.ID, requestID, "", ""
	by.Early = false
	return by
}

func (x Connections) opened(c models.Connection) (channels.Connection, error) {
	out := channels.Connection{ID: c.ConnectionID, TenantID: c.TenantID, ProjectID: c.ProjectID, Kind: c.Kind, External: c.External,
		Inactive: !c.Active, AgentName: c.AgentName, DeploymentID: c.DeploymentID, Environment: c.Environment,
		Credentials: channels.Credentials{}}
	out.Troubled, out.Unanswered = c.SendingError != nil, c.AnsweringError != nil
	if kind, ok := connections.KindOf(c.Kind); ok {
		for _, name := range kind.Ours() {
			out.Credentials[name] = channels.Secret(x.Make(c.TenantID, c.ConnectionID, name))
		}
	}
	for name, sealed := range c.Credentials {
		value, err := x.Open(c.TenantID, c.ConnectionID, name, sealed)
		if err != nil {
			return out, fmt.Errorf("opening a credential of the connection %s: %w", c.ConnectionID, err)
		}
		out.Credentials[name] = channels.Secret(value)
	}
	return out, nil
}

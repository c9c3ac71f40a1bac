// Package connected gives the connections of channels with their credentials opened, to who talks
// to providers. It shows them to nobody else.
package connected

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	models "github.com/parley-platform/parley/projections/channels"
)

// Connections opens those that there are.
type Connections struct {
	Rows rows
	Open func(tenant, connectionID, name, sealed string) (string, error)
}

// rows knows which connections there are, of all tenants.
type rows interface {
	WithID(ctx context.Context, tenant, id string) (models.Connection, bool, error)
	Named(ctx context.Context, kind string, names []string) ([]models.Connection, error)
}

// At is the one of a kind whose path has the identifier; NOT_FOUND if there is none.
func (x Connections) At(ctx context.Context, kind, identifier string) (channels.Connection, error) {
	found, err := x.Named(ctx, kind, []string{identifier})
	if err == nil && len(found) != 1 {
		err = connections.Unknown()
	}
	if err != nil {
		return channels.Connection{}, err
	}
	return found[0], nil
}

// WithID is the one of an account with an id; NOT_FOUND if there is none.
func (x Connections) WithID(ctx context.Context, tenant, id string) (channels.Connection, error) {
	c, ok, err := x.Rows.WithID(ctx, tenant, id)
	if err == nil && !ok {
		err = connections.Unknown()
	}
	if err != nil {
		return channels.Connection{}, err
	}
	return x.opened(c)
}

// Named are those that a provider calls by one of the names; without names all of the kind.
func (x Connections) Named(ctx context.Context, kind string, names []string) ([]channels.Connection, error) {
	found, err := x.Rows.Named(ctx, kind, names)
	if err != nil {
		return nil, err
	}
	out := make([]channels.Connection, len(found))
	for i, c := range found {
		if out[i], err = x.opened(c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (x Connections) opened(c models.Connection) (channels.Connection, error) {
	out := channels.Connection{ID: c.ConnectionID, TenantID: c.TenantID, ProjectID: c.ProjectID, Kind: c.Kind, External: c.External,
		Inactive: !c.Active, AgentName: c.AgentName, DeploymentID: c.DeploymentID, Environment: c.Environment,
		Credentials: channels.Credentials{}}
	for name, sealed := range c.Credentials {
		value, err := x.Open(c.TenantID, c.ConnectionID, name, sealed)
		if err != nil {
			return out, fmt.Errorf("opening a credential of the connection %s: %w", c.ConnectionID, err)
		}
		out.Credentials[name] = channels.Secret(value)
	}
	return out, nil
}

package channels

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/projections"
)

// ConnectionsModel stores the connections of channels, with their credentials sealed.
var ConnectionsModel = newConnectionsModel()

func newConnectionsModel() *projections.Model {
	m := projections.NewModel("channel connections", 1, []string{"channel_connections"}, connections.Connections.Category,
		connections.Identifiers.Category)
	connection := func(tenant, id string) projections.Row {
		return projections.Row{"tenant": tenant, "connection_id": id}
	}
	projections.On(m, func(b *projections.Batch, _ projections.At, e connections.Created) {
		row := held(e.Settings, e.Credentials)
		row["project_id"], row["kind"], row["external"] = e.ProjectID, e.Kind, e.External
		row["created_at"], row["updated_at"] = e.At, e.At
		b.Put("channel_connections", connection(e.TenantID, e.ConnectionID), row)
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e connections.Changed) {
		row := held(e.Settings, e.Credentials)
		row["updated_at"] = e.At
		b.Set("channel_connections", connection(e.TenantID, e.ConnectionID), row)
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e connections.Deleted) {
		b.Delete("channel_connections", connection(e.TenantID, e.ConnectionID))
	})
	projections.Ignore[connections.ClaimGivenUp](m) // claims are looked up in the streams, which decide
	projections.Ignore[connections.Claimed](m)
	return m
}

func held(s connections.Settings, credentials map[string]connections.Credential) projections.Row {
	sealed := make(map[string]string, len(credentials))
	for name, c := range credentials {
		sealed[name] = c.Sealed
	}
	return projections.Row{"name": s.Name, "agent_name": s.AgentName, "deployment_id": s.DeploymentID, "environment": s.Environment,
		"active": s.Active, "credentials": sealed}
}

// Connections answers which connections of channels there are.
type Connections struct{ db *pgxpool.Pool }

// NewConnections reads through the pool.
func NewConnections(db *pgxpool.Pool) *Connections { return &Connections{db} }

// Connection is one of them.
type Connection struct {
	ConnectionID string
	TenantID     string
	ProjectID    string
	Kind         string
	External     string
	Name         string
	AgentName    string
	DeploymentID string
	Environment  string
	Active       bool
	Credentials  map[string]string // sealed
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// CredentialNames are the names of its credentials, in order.
func (c Connection) CredentialNames() []string { return slices.Sorted(maps.Keys(c.Credentials)) }

const selectConnections = `SELECT connection_id, tenant AS tenant_id, project_id, kind, external, name, agent_name, deployment_id,
	environment, active, credentials, created_at, updated_at FROM channel_connections `

// Get finds a connection of a project.
func (x *Connections) Get(ctx context.Context, tenant, project, id string) (Connection, bool, error) {
	return projections.One[Connection](ctx, x.db, "reading a connection", selectConnections+
		`WHERE tenant = $1 AND project_id = $2 AND connection_id = $3`, tenant, project, id)
}

// WithID finds a connection of an account.
func (x *Connections) WithID(ctx context.Context, tenant, id string) (Connection, bool, error) {
	return projections.One[Connection](ctx, x.db, "reading a connection", selectConnections+
		`WHERE tenant = $1 AND connection_id = $2`, tenant, id)
}

// mostNamed is how many connections judge one request: whoever sends it is not known before.
const mostNamed = 100

// Named finds those of a kind, whosever they are, that a provider calls by one of the names; without
// names all of the kind. Of more than 100 it is the newest.
func (x *Connections) Named(ctx context.Context, kind string, names []string) ([]Connection, error) {
	return projections.All[Connection](ctx, x.db, "reading connections", selectConnections+
		`WHERE kind = $1 AND ($2::text[] IS NULL OR external = ANY($2)) ORDER BY created_at DESC, connection_id LIMIT $3`, kind, names,
		mostNamed)
}

// ConnectionQuery asks for connections of a project.
type ConnectionQuery struct {
	Tenant, Project string
	Kind            string // empty: all
	Active          *bool  // nil: both
	Limit, Offset   int
}

// List returns the connections of a project, the newest first, and how many there are in all.
func (x *Connections) List(ctx context.Context, q ConnectionQuery) ([]Connection, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR kind = $3) AND ($4::boolean IS NULL OR active = $4) `
	return projections.Page[Connection](ctx, x.db, "listing connections", projections.PageQuery{
		Count: `SELECT count(*) FROM channel_connections ` + where,
		Rows:  selectConnections + where + `ORDER BY created_at DESC, connection_id DESC LIMIT $5 OFFSET $6`,
		Args:  []any{q.Tenant, q.Project, q.Kind, q.Active}, Limit: q.Limit, Offset: q.Offset})
}

// LeadTo counts the active connections and SDK channels of a project that lead to a deployment:
// those that name it, and those that follow one of these environments, in which it is the newest
// active one; an empty one stands for connections that name none.
func (x *Connections) LeadTo(ctx context.Context, tenant, project, deployment string, environments []string) (n int, err error) {
	err = x.db.QueryRow(ctx, `SELECT (SELECT count(*) FROM channel_connections WHERE tenant = $1 AND project_id = $2 AND active
			AND (deployment_id = $3 OR deployment_id = '' AND environment = ANY($4)))
		+ (SELECT count(*) FROM sdk_channels WHERE tenant = $1 AND project_id = $2 AND active
			AND (NOT follows AND deployment_id = $3 OR follows AND environment = ANY($4)))`, tenant, project, deployment,
		environments).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting what leads to a deployment: %w", err)
	}
	return n, nil
}

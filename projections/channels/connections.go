package channels

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/projections"
)

// ConnectionsModel stores the connections of channels, with their credentials sealed.
var ConnectionsModel = newConnectionsModel()

func newConnectionsModel() *projections.Model {
	m := projections.NewModel("channel connections", 2, []string{"channel_connections", "timers"}, connections.Connections.Category,
		connections.Identifiers.Category)
	connection := func(tenant, id string) projections.Row {
		return projections.Row{"tenant": tenant, "connection_id": id}
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e connections.Created) {
		row := held(e.Settings, e.Credentials)
		row["project_id"], row["kind"], row["external"] = e.ProjectID, e.Kind, e.External
		row["created_at"], row["updated_at"] = e.At, e.At
		b.Put("channel_connections", connection(e.TenantID, e.ConnectionID), row)
		if e.Settings.Active {
			register(b, at, e.Kind, e.At)
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e connections.Changed) {
		row := held(e.Settings, e.Credentials)
		row["updated_at"] = e.At
		for _, column := range errorsOf {
			row[column] = nil
		}
		b.Set("channel_connections", connection(e.TenantID, e.ConnectionID), row)
		register(b, at, e.Kind, e.At)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e connections.Observed) {
		b.Set("channel_connections", connection(e.TenantID, e.ConnectionID), projections.Row{errorsOf[e.About]: e.Trouble})
		if e.About == connections.Webhook && e.Trouble == nil && e.URL == "" {
			b.ClearTimer(at, RegistrationTimer)
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e connections.Deleted) {
		b.Delete("channel_connections", connection(e.TenantID, e.ConnectionID))
		if e.Registered {
			b.SetTimer(at, RegistrationTimer, e.At)
		} else {
			b.ClearTimer(at, RegistrationTimer)
		}
	})
	projections.Ignore[connections.ClaimGivenUp](m) // claims are looked up in the streams, which decide
	projections.Ignore[connections.Claimed](m)
	return m
}

// errorsOf are the columns of what is wrong.
var errorsOf = map[connections.About]string{connections.Webhook: "webhook_error", connections.Sending: "sending_error",
	connections.Answering: "answering_error"}

// RegistrationTimer is of connections whose providers are told where to send what people say. It stays
// while the connection is active: where that is may change with the settings of the server.
const RegistrationTimer = "registration"

func register(b *projections.Batch, at projections.At, kind string, due time.Time) {
	if k, ok := connections.KindOf(kind); ok && k.Registered {
		b.SetTimer(at, RegistrationTimer, due)
	}
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
	WebhookError *connections.Trouble // nil: the provider sends us what people say, or is not told to
	SendingError *connections.Trouble

	AnsweringError *connections.Trouble
	Redeployed     bool // what AnsweringError says is of another deployment than that with which sessions begin now
}

// CredentialNames are the names of its credentials, in order.
func (c Connection) CredentialNames() []string { return slices.Sorted(maps.Keys(c.Credentials)) }

// Troubles are what is wrong with it. Whether what is deployed since could answer, nobody has tried.
func (c Connection) Troubles() map[connections.About]connections.Trouble {
	out := map[connections.About]connections.Trouble{}
	if c.WebhookError != nil {
		out[connections.Webhook] = *c.WebhookError
	}
	if c.SendingError != nil {
		out[connections.Sending] = *c.SendingError
	}
	if c.AnsweringError != nil && !c.Redeployed {
		out[connections.Answering] = *c.AnsweringError
	}
	return out
}

var selectConnections = `SELECT connection_id, tenant AS tenant_id, project_id, kind, external, name, agent_name, deployment_id,
	environment, active, credentials, created_at, updated_at, webhook_error, sending_error, answering_error,
	CASE WHEN answering_error IS NULL THEN false ELSE coalesce(answering_error ->> 'deploymentId', '') <> coalesce((
		SELECT d.deployment_id FROM deployments d WHERE d.tenant = channel_connections.tenant
			AND d.project_id = channel_connections.project_id AND d.status = 'active'
			AND (channel_connections.deployment_id = d.deployment_id OR channel_connections.deployment_id = ''
				AND channel_connections.environment IN ('', d.environment))
		` + projections.ServingFirst + `LIMIT 1), '') END AS redeployed
	FROM channel_connections `

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

// ofAProject leaves out the connections of projects that were removed, which stay behind: whoever comes by them would be let into what
// is not there any more, and its owner could not see it.
const ofAProject = `EXISTS (SELECT FROM projects p WHERE p.tenant = channel_connections.tenant
	AND p.project_id = channel_connections.project_id) `

// Taking finds a connection of an account by which people may come still.
func (x *Connections) Taking(ctx context.Context, tenant, id string) (Connection, bool, error) {
	return projections.One[Connection](ctx, x.db, "reading a connection", selectConnections+
		`WHERE tenant = $1 AND connection_id = $2 AND `+ofAProject, tenant, id)
}

// OfKind finds a connection of a kind. Without a tenant it is the oldest with that id: manifests may give the same one to
// connections of several accounts, and who comes later takes nothing from who was there.
func (x *Connections) OfKind(ctx context.Context, kind, tenant, id string) (Connection, bool, error) {
	return projections.One[Connection](ctx, x.db, "reading a connection", selectConnections+
		`WHERE kind = $1 AND ($2 = '' OR tenant = $2) AND connection_id = $3 AND `+ofAProject+`ORDER BY created_at, tenant LIMIT 1`,
		kind, tenant, id)
}

// Door finds a connection of a project of a kind that the account names itself, by that name; without
// one the newest that is active.
func (x *Connections) Door(ctx context.Context, tenant, project, kind, external string) (Connection, bool, error) {
	return projections.One[Connection](ctx, x.db, "reading a connection", selectConnections+
		`WHERE tenant = $1 AND project_id = $2 AND kind = $3 AND ($4 = '' AND active OR external = $4)
		ORDER BY created_at DESC, connection_id LIMIT 1`, tenant, project, kind, external)
}

// mostNamed is how many connections judge one request: whoever sends it is not known before.
const mostNamed = 100

// Named finds those of a kind, whosever they are, that a provider calls by one of the names; without
// names all of the kind. Of more than 100 it is the newest. Who asks is nobody yet, and may name what is no text.
func (x *Connections) Named(ctx context.Context, kind string, names []string) ([]Connection, error) {
	if names != nil {
		names = slices.DeleteFunc(append([]string{}, names...), func(name string) bool {
			return !utf8.ValidString(name) || strings.ContainsRune(name, 0)
		})
	}
	return projections.All[Connection](ctx, x.db, "reading connections", selectConnections+
		`WHERE kind = $1 AND ($2::text[] IS NULL OR external = ANY($2)) AND `+ofAProject+
		`ORDER BY created_at DESC, connection_id LIMIT $3`, kind, names, mostNamed)
}

// ConnectionQuery asks for connections of a project, or of all of an account's.
type ConnectionQuery struct {
	Tenant, Project string // without a project: of all
	Kind            string // empty: all
	Active          *bool  // nil: both
	Limit, Offset   int
}

// List returns connections, the newest first, and how many there are in all.
func (x *Connections) List(ctx context.Context, q ConnectionQuery) ([]Connection, int, error) {
	const where = `WHERE tenant = $1 AND ($2 = '' OR project_id = $2) AND ($3 = '' OR kind = $3) AND ($4::boolean IS NULL OR active = $4)
		AND ` + ofAProject
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

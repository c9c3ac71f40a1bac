package access

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/projections"
)

// Model stores tenants, projects, clients, scopes and API keys. A revoked
// key's row is deleted: it opens nothing from the reply on.
var Model = newModel()

func newModel() *projections.Model {
	m := projections.NewModel("access", 2, []string{"tenants", "projects", "project_names", "clients", "scopes", "api_keys"},
		access.Tenants.Category, access.Scopes.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e access.TenantDefined) {
		b.Put("tenants", projections.Row{"tenant": e.TenantID}, projections.Row{"name": e.Name, "org_id": e.OrgID})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e access.ProjectDefined) {
		b.Put("projects", projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID}, projections.Row{"name": e.Name, "slug": e.Slug,
			"webhook_secret": e.WebhookSecret, "language": e.Defaults.Language})
		b.DeleteWhere("project_names", projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID})
		for _, name := range append([]string{e.ProjectID}, e.Aliases...) {
			b.Put("project_names", projections.Row{"tenant": e.TenantID, "name": name}, projections.Row{"project_id": e.ProjectID})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e access.ProjectRemoved) {
		b.Delete("projects", projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID})
		b.DeleteWhere("project_names", projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e access.ClientDefined) {
		b.Put("clients", projections.Row{"tenant": e.TenantID, "client_id": e.ClientID}, projections.Row{"origin": string(e.Origin), "alg": e.Alg,
			"secret": e.Secret,
			"jwks":   e.JWKS, "jwks_url": e.JWKSURL, "audience": e.Audience, "scopes": projections.List(e.Scopes),
			"permissions": projections.List(e.Permissions)})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e access.ClientRemoved) {
		b.Delete("clients", projections.Row{"tenant": e.TenantID, "client_id": e.ClientID})
	})
	projections.Ignore[access.ScopeRegistered](m) // the scope's own stream has all that is read
	projections.Ignore[access.ScopeUnregistered](m)
	projections.On(m, func(b *projections.Batch, at projections.At, e access.ScopeDefined) {
		b.Put("scopes", scopeKey(e.TenantID, e.ScopeID), projections.Row{"project_id": e.ProjectID, "name": e.ScopeName,
			"description": e.Description, "created_at": e.CreatedAt, "permissions": e.Permissions})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e access.PermissionsChanged) {
		b.Set("scopes", scopeKey(e.TenantID, e.ScopeID), projections.Row{"permissions": e.Permissions})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e access.ScopeRemoved) {
		b.Delete("scopes", scopeKey(e.TenantID, e.ScopeID))
		b.DeleteWhere("api_keys", scopeKey(e.TenantID, e.ScopeID))
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e access.KeyCreated) {
		b.Put("api_keys", projections.Row{"tenant": e.TenantID, "key_id": e.KeyID}, projections.Row{"project_id": e.ProjectID,
			"scope_id": e.ScopeID, "name": e.Name, "kind": string(e.Kind), "hash": e.Hash,
			"allowed_origins": projections.List(e.AllowedOrigins), "created_at": e.CreatedAt})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e access.KeyOriginsChanged) {
		b.Set("api_keys", projections.Row{"tenant": e.TenantID, "key_id": e.KeyID},
			projections.Row{"allowed_origins": projections.List(e.AllowedOrigins)})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e access.KeyRevoked) {
		b.Delete("api_keys", projections.Row{"tenant": e.TenantID, "key_id": e.KeyID})
	})
	return m
}

func scopeKey(tenant, scope string) projections.Row {
	return projections.Row{"tenant": tenant, "scope_id": scope}
}

// Access answers who is who. What is revoked is gone with the reply: each request asks whether what is
// kept still holds.
type Access struct {
	db       *pgxpool.Pool
	clients  projections.Kept[named, access.Client]
	keys     projections.Kept[string, KeyHolder]
	projects projections.Kept[named, ProjectInfo]
}

// named is something of a tenant.
type named struct{ tenant, name string }

// NewAccess reads through the pool. One for all of a node asks least.
func NewAccess(db *pgxpool.Pool) *Access {
	a := &Access{db: db}
	a.clients.Ask, a.keys.Ask, a.projects.Ask = a.askClients, a.askKeys, a.askProjects
	moments := projections.NewMoments(db)
	a.clients.Moments, a.keys.Moments, a.projects.Moments = moments, moments, moments
	a.clients.Fits = func(_ named, c access.Client) bool { return len(c.JWKS) <= longestKept }
	a.keys.Fits = func(string, KeyHolder) bool { return true }
	a.projects.Fits = func(named, ProjectInfo) bool { return true }
	return a
}

// Knowing asks the database only when this node does not know how far settings are.
func (a *Access) Knowing(here projections.Here) *Access {
	a.clients.Moments.Here = here // which is that of all
	return a
}

// longestKept is the size of a client's published keys up to which they are remembered.
const longestKept = 16 << 10

// Client is a JWT issuer; ok is false when the tenant has none with that id.
func (a *Access) Client(ctx context.Context, tenant, id string) (c access.Client, ok bool, err error) {
	c, ok, err = a.clients.Get(ctx, named{tenant, id})
	return c, ok, projections.Found(err, "reading a client")
}

func (a *Access) askClients(ctx context.Context, keys []named) (map[named]access.Client, error) {
	return askNamed(ctx, a.db, `SELECT q.tenant, q.name, c.client_id, c.origin, c.alg, c.secret, c.jwks, c.jwks_url, c.audience,
			c.scopes, c.permissions
		FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) q(tenant, name)
		CROSS JOIN LATERAL (SELECT * FROM clients WHERE tenant = q.tenant AND client_id = q.name) c`, keys, func(c *access.Client) []any {
		return []any{&c.ID, &c.Origin, &c.Alg, &c.Secret, &c.JWKS, &c.JWKSURL, &c.Audience, &c.Scopes, &c.Permissions}
	})
}

// askNamed asks for things of tenants; the first two columns are the key.
func askNamed[V any](ctx context.Context, db *pgxpool.Pool, sql string, keys []named, fields func(*V) []any) (map[named]V, error) {
	rows, err := db.Query(ctx, sql, projections.Column(keys, func(k named) string { return k.tenant }),
		projections.Column(keys, func(k named) string { return k.name }))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[named]V, len(keys))
	for rows.Next() {
		var k named
		var v V
		if err := rows.Scan(append([]any{&k.tenant, &k.name}, fields(&v)...)...); err != nil {
			return nil, err
		}
		out[k] = v
	}
	return out, rows.Err()
}

// KeyHolder is an API key with what its scope permits now.
type KeyHolder struct {
	TenantID       string
	ProjectID      string
	ScopeID        string
	KeyID          string
	Kind           access.KeyKind
	AllowedOrigins []string
	Permissions    map[access.KeyPermission]string
}

// APIKey finds an existing key by the keyed hash of its secret.
func (a *Access) APIKey(ctx context.Context, hash string) (k KeyHolder, ok bool, err error) {
	k, ok, err = a.keys.Get(ctx, hash)
	return k, ok, projections.Found(err, "reading an API key")
}

func (a *Access) askKeys(ctx context.Context, hashes []string) (map[string]KeyHolder, error) {
	rows, err := a.db.Query(ctx, `SELECT k.hash, k.tenant, k.project_id, k.scope_id, k.key_id, k.kind, k.allowed_origins, s.permissions
		FROM unnest((SELECT $1::text[])) q(hash) CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE hash = q.hash) k
		CROSS JOIN LATERAL (SELECT permissions FROM scopes WHERE tenant = k.tenant AND scope_id = k.scope_id) s`, hashes)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[string]KeyHolder, len(hashes))
	for rows.Next() {
		var hash string
		var k KeyHolder
		if err := rows.Scan(&hash, &k.TenantID, &k.ProjectID, &k.ScopeID, &k.KeyID, &k.Kind, &k.AllowedOrigins, &k.Permissions); err != nil {
			return nil, err
		}
		out[hash] = k
	}
	return out, rows.Err()
}

// KeyWith finds whose key an existing one is, by the keyed hash of its secret.
func (a *Access) KeyWith(ctx context.Context, hash string) (tenant, id string, ok bool, err error) {
	err = a.db.QueryRow(ctx, `SELECT tenant, key_id FROM api_keys WHERE hash = $1`, hash).Scan(&tenant, &id)
	return tenant, id, err == nil, projections.Found(err, "reading an API key")
}

// Key is an existing API key of a tenant by its id.
func (a *Access) Key(ctx context.Context, tenant, id string) (KeyHolder, bool, error) {
	return projections.One[KeyHolder](ctx, a.db, "reading an API key", `SELECT k.tenant AS tenant_id, k.project_id, k.scope_id, k.key_id,
		k.kind, k.allowed_origins, s.permissions FROM api_keys k JOIN scopes s USING (tenant, scope_id)
		WHERE k.tenant = $1 AND k.key_id = $2`, tenant, id)
}

// Listed reports whether a public key of any tenant is for the pages of an origin.
func (a *Access) Listed(ctx context.Context, origin string) (listed bool, err error) {
	err = a.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM api_keys WHERE kind = 'public' AND allowed_origins ? $1)`, origin).Scan(&listed)
	return listed, projections.Found(err, "looking for an origin")
}

// ProjectInfo is a project as operations need it.
type ProjectInfo struct {
	ID            string
	Name          string
	Slug          string
	Language      string
	WebhookSecret string // sealed
}

// Project resolves an id or alias inside a tenant.
func (a *Access) Project(ctx context.Context, tenant, name string) (p ProjectInfo, ok bool, err error) {
	p, ok, err = a.projects.Get(ctx, named{tenant, name})
	return p, ok, projections.Found(err, "reading a project")
}

func (a *Access) askProjects(ctx context.Context, keys []named) (map[named]ProjectInfo, error) {
	return askNamed(ctx, a.db, `SELECT q.tenant, q.name, p.project_id, p.name, p.slug, p.language, p.webhook_secret
		FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) q(tenant, name)
		CROSS JOIN LATERAL (SELECT project_id FROM project_names WHERE tenant = q.tenant AND name = q.name) n
		CROSS JOIN LATERAL (SELECT * FROM projects WHERE tenant = q.tenant AND project_id = n.project_id) p`, keys, func(p *ProjectInfo) []any {
		return []any{&p.ID, &p.Name, &p.Slug, &p.Language, &p.WebhookSecret}
	})
}

// Tenant is a tenant's name and organisation.
func (a *Access) Tenant(ctx context.Context, tenant string) (name, orgID string, ok bool, err error) {
	err = a.db.QueryRow(ctx, `SELECT name, org_id FROM tenants WHERE tenant = $1`, tenant).Scan(&name, &orgID)
	return name, orgID, err == nil, projections.Found(err, "reading a tenant")
}

// ScopeInfo is a scope as get-scope shows it.
type ScopeInfo struct {
	ID          string
	ProjectID   string
	Name        string
	Description string
	CreatedAt   time.Time
	Permissions map[access.KeyPermission]string
}

const selectScope = `SELECT scope_id AS id, project_id, name, description, created_at, permissions FROM scopes WHERE tenant = $1 AND `

// Scope finds a scope by its id.
func (a *Access) Scope(ctx context.Context, tenant, id string) (ScopeInfo, bool, error) {
	return a.scope(ctx, selectScope+`scope_id = $2`, tenant, id)
}

// ScopeNamed finds a scope of a project by its name, in the form of access.PlainName:
// what stands on the log since before may be written otherwise.
func (a *Access) ScopeNamed(ctx context.Context, tenant, project, name string) (ScopeInfo, bool, error) {
	return a.scope(ctx, selectScope+`project_id = $2 AND normalize(name) = $3`, tenant, project, name)
}

func (a *Access) scope(ctx context.Context, sql string, args ...any) (s ScopeInfo, ok bool, err error) {
	s, ok, err = projections.One[ScopeInfo](ctx, a.db, "reading a scope", sql, args...)
	s.CreatedAt = s.CreatedAt.UTC()
	return s, ok, err
}

// KeyScope finds the scope and project that an existing key belongs to.
func (a *Access) KeyScope(ctx context.Context, tenant, keyID string) (scopeID, projectID string, ok bool, err error) {
	err = a.db.QueryRow(ctx, `SELECT scope_id, project_id FROM api_keys WHERE tenant = $1 AND key_id = $2`, tenant, keyID).Scan(&scopeID,
		&projectID)
	return scopeID, projectID, err == nil, projections.Found(err, "reading an API key")
}

// ScopeOfRequest finds the scope on which a request with that id took effect, whether
// what it made is still there or not; empty if there is none.
func (a *Access) ScopeOfRequest(ctx context.Context, tenant, requestID string) (scopeID string, err error) {
	var stream string
	err = a.db.QueryRow(ctx, `SELECT stream FROM events WHERE topic = 'parley.scopes' AND request_id = $1
		AND tenant = $2 ORDER BY stream LIMIT 1`, requestID, tenant).Scan(&stream)
	return strings.TrimPrefix(stream, access.ScopeStream(tenant, "")), projections.Found(err, "asking what a request did")
}

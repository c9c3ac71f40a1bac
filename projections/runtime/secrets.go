package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/secrets"
	"github.com/parley-platform/parley/projections"
)

// SecretsModel stores which secrets tools have, without their values.
var SecretsModel = newSecretsModel()

func newSecretsModel() *projections.Model {
	m := projections.NewModel("tool secrets", 1, []string{"tool_secrets"}, secrets.Secrets.Category)
	secret := func(id string) projections.Row { return projections.Row{"secret_id": id} }
	projections.On(m, func(b *projections.Batch, _ projections.At, e secrets.Created) {
		b.Put("tool_secrets", secret(e.SecretID), projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID, "tool_name": e.ToolName,
			"secret_key": e.SecretKey, "environment": e.Environment, "version": e.Version, "expires_at": e.ExpiresAt, "created_at": e.At,
			"updated_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e secrets.Changed) {
		b.Set("tool_secrets", secret(e.SecretID), projections.Row{"version": e.Version, "expires_at": e.ExpiresAt, "updated_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e secrets.Deleted) {
		b.Delete("tool_secrets", secret(e.SecretID))
	})
	return m
}

// Secrets answers which secrets tools have.
type Secrets struct{ db *pgxpool.Pool }

// NewSecrets reads through the pool.
func NewSecrets(db *pgxpool.Pool) *Secrets { return &Secrets{db} }

// Secret is one secret of a tool, without its value.
type Secret struct {
	SecretID    string
	ProjectID   string
	ToolName    string
	SecretKey   string
	Environment string
	Version     int
	ExpiresAt   *time.Time // nil: never
	CreatedAt   time.Time
	UpdatedAt   time.Time // of the value
}

const selectSecrets = `SELECT secret_id, project_id, tool_name, secret_key, environment, version, expires_at, created_at, updated_at
	FROM tool_secrets `

// Get finds a secret of a tenant.
func (x *Secrets) Get(ctx context.Context, tenant, id string) (Secret, bool, error) {
	return projections.One[Secret](ctx, x.db, "reading a tool secret", selectSecrets+`WHERE tenant = $1 AND secret_id = $2`, tenant, id)
}

// ActedBefore reports whether a request of a tenant has done something to a secret.
func (x *Secrets) ActedBefore(ctx context.Context, tenant, requestID string) (did bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM events WHERE topic = $3 AND request_id = $1 AND tenant = $2)`, requestID, tenant,
		secrets.Secrets.Category.Topic()).Scan(&did)
	return did, projections.Found(err, "asking what a request did")
}

// List returns the secrets of a project by tool, key and environment, of one tool or one
// environment if it is named, and how many there are in all.
func (x *Secrets) List(ctx context.Context, tenant, project, tool, environment string, limit, offset int) ([]Secret, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR tool_name = $3) AND ($4 = '' OR environment = $4) `
	return projections.Page[Secret](ctx, x.db, "listing tool secrets", projections.PageQuery{
		Count: `SELECT count(*) FROM tool_secrets ` + where,
		Rows:  selectSecrets + where + `ORDER BY tool_name, secret_key, environment LIMIT $5 OFFSET $6`,
		Args:  []any{tenant, project, tool, environment}, Limit: limit, Offset: offset})
}

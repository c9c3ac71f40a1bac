package runtime

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/projections"
)

// AgentsModel stores the AI agents of projects with their working copies, and the versions
// that were cut from these. Calls and campaigns read what their agents say first (see
// projections.AgentSource).
var AgentsModel = newAgentsModel()

func newAgentsModel() *projections.Model {
	m := projections.NewModel("agents", 1, []string{"agents", "agent_sources", "agent_versions"}, agents.Agents.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e agents.AgentDefined) {
		row := projections.Row{"name": e.Name, "description": e.Description, "created_at": nil, "updated_at": at.Time}
		if !e.CreatedAt.IsZero() {
			row["created_at"] = e.CreatedAt
		}
		b.Put("agents", agent(e.TenantID, e.ProjectID, e.AgentID), row)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e agents.DSLDeclared) {
		working(b, agent(e.TenantID, e.ProjectID, e.AgentID), e.DSLContent, at.Time)
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e agents.DSLSaved) {
		working(b, agent(e.TenantID, e.ProjectID, e.AgentID), e.DSLContent, e.At)
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e agents.VersionSaved) {
		version, _ := strconv.Atoi(e.Version) // the domain counts
		key := agent(e.TenantID, e.ProjectID, e.AgentID)
		key["version"] = version
		b.Put("agent_versions", key, projections.Row{"source_hash": string(e.Source), "saved_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e agents.AgentRemoved) {
		b.Delete("agents", agent(e.TenantID, e.ProjectID, e.AgentID))
	})
	return m
}

func agent(tenant, project, id string) projections.Row {
	return projections.Row{"tenant": tenant, "project_id": project, "agent_id": id}
}

// working sets the working copy of an agent.
func working(b *projections.Batch, key projections.Row, source string, at time.Time) {
	b.Set("agents", key, projections.Row{"dsl": source, "updated_at": at})
	kept := projections.Row{"source_hash": string(agents.HashOf(source))}
	for name, value := range key {
		kept[name] = value
	}
	b.Put("agent_sources", kept, projections.Row{"dsl": source})
}

// Agents answers which AI agents there are.
type Agents struct{ db *pgxpool.Pool }

// NewAgents reads through the pool.
func NewAgents(db *pgxpool.Pool) *Agents { return &Agents{db} }

// Agent is one AI agent.
type Agent struct {
	ProjectID   string
	AgentID     string
	Name        string
	Description string
	DSL         string    // the working copy; empty in lists
	Versions    int       // that were saved
	CreatedAt   time.Time // of an agent from before events said so: when it was changed last
	UpdatedAt   time.Time // of the definition or the working copy
}

const (
	agentColumns = `project_id, agent_id, name, description, coalesce(created_at, updated_at) AS created_at, updated_at,
		(SELECT count(*) FROM agent_versions v
		WHERE v.tenant = a.tenant AND v.project_id = a.project_id AND v.agent_id = a.agent_id) AS versions`
	selectAgents = `SELECT ` + agentColumns + `, '' AS dsl FROM agents a `
	selectAgent  = `SELECT ` + agentColumns + `, dsl FROM agents a `
)

// List returns the agents of a tenant by name, of all projects or of one, without their
// working copies, and how many there are in all.
func (x *Agents) List(ctx context.Context, tenant, project string, limit, offset int) ([]Agent, int, error) {
	const where = `WHERE tenant = $1 AND ($2 = '' OR project_id = $2) `
	return projections.Page[Agent](ctx, x.db, "listing agents", projections.PageQuery{
		Count: `SELECT count(*) FROM agents ` + where,
		Rows:  selectAgents + where + `ORDER BY name, project_id LIMIT $3 OFFSET $4`,
		Args:  []any{tenant, project}, Limit: limit, Offset: offset})
}

// Named returns the agents of that name, of all projects of a tenant or of one: in one at most
// one.
func (x *Agents) Named(ctx context.Context, tenant, project, name string) ([]Agent, error) {
	return projections.All[Agent](ctx, x.db, "looking for an agent", selectAgent+
		`WHERE tenant = $1 AND ($2 = '' OR project_id = $2) AND name = $3 ORDER BY project_id LIMIT 200`, tenant, project, name)
}

// AgentVersion is one version of an agent.
type AgentVersion struct {
	Version int
	DSL     string // empty in lists
	SavedAt time.Time
}

// Versions returns the versions of an agent, the newest first, without their texts, and how
// many there are in all.
func (x *Agents) Versions(ctx context.Context, tenant, project, id string, limit, offset int) ([]AgentVersion, int, error) {
	const where = `FROM agent_versions WHERE tenant = $1 AND project_id = $2 AND agent_id = $3 `
	return projections.Page[AgentVersion](ctx, x.db, "listing the versions of an agent", projections.PageQuery{
		Count: `SELECT count(*) ` + where,
		Rows:  `SELECT version, '' AS dsl, saved_at ` + where + `ORDER BY version DESC LIMIT $4 OFFSET $5`,
		Args:  []any{tenant, project, id}, Limit: limit, Offset: offset})
}

// Version returns one version of an agent with its text.
func (x *Agents) Version(ctx context.Context, tenant, project, id string, version int) (AgentVersion, bool, error) {
	return projections.One[AgentVersion](ctx, x.db, "reading a version of an agent", `SELECT version, dsl, saved_at
		FROM agent_versions JOIN agent_sources USING (tenant, project_id, agent_id, source_hash)
		WHERE tenant = $1 AND project_id = $2 AND agent_id = $3 AND version = $4`, tenant, project, id, version)
}

package runtime

import (
	"context"

	"github.com/parley-platform/parley/projections"
)

// WorkingCopy is an agent with what names its working copy.
type WorkingCopy struct {
	AgentID string
	Name    string
	Hash    string // see agents.HashOf; empty: it has no source
}

// WorkingCopies returns the agents of a project by name, without their sources.
func (x *Agents) WorkingCopies(ctx context.Context, tenant, project string, limit int) ([]WorkingCopy, error) {
	return projections.All[WorkingCopy](ctx, x.db, "listing working copies", `SELECT agent_id, name, CASE WHEN dsl = '' THEN '' ELSE
		translate(rtrim(encode(sha256(convert_to(dsl, 'UTF8')), 'base64'), '='), '+/', '-_') END AS hash
		FROM agents WHERE tenant = $1 AND project_id = $2 ORDER BY name, agent_id LIMIT $3`, tenant, project, limit)
}

// WorkingSource is the text of a working copy.
type WorkingSource struct {
	AgentID string
	DSL     string
}

// WorkingSources returns the texts of the working copies of some agents of a project.
func (x *Agents) WorkingSources(ctx context.Context, tenant, project string, ids []string) ([]WorkingSource, error) {
	return projections.All[WorkingSource](ctx, x.db, "reading working copies", `SELECT agent_id, dsl FROM agents
		WHERE tenant = $1 AND project_id = $2 AND agent_id = ANY($3) ORDER BY agent_id`, tenant, project, ids)
}

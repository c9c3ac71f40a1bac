package voice

import (
	"context"

	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/projections"
)

// Called is an experience flow that takes the calls to a number.
type Called struct {
	ProjectID string
	FlowID    string
	Name      string
	AgentName string
	Language  string
	Recording bool
	AgentDSL  string // see projections.AgentSource; empty when there is no such agent
}

// CalledNumber finds the flows of a number among all projects of an account, in the order of the
// projects. There is one where the number chooses who answers.
func (v *Setups) CalledNumber(ctx context.Context, tenant, number string) ([]Called, error) {
	return projections.All[Called](ctx, v.db, "looking for the flow of a called number",
		`SELECT f.project_id, f.flow_id, f.name, f.agent_name, f.language, f.recording, coalesce(a.dsl, '') AS agent_dsl FROM flows f
		`+projections.AgentSource+` WHERE f.tenant = $1 AND f.number = $2 ORDER BY f.project_id LIMIT 2`,
		tenant, flows.NormalNumber(number))
}

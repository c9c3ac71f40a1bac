package projections

import (
	"strings"

	"github.com/parley-platform/parley/domain/deployments"
)

// ServingFirst orders rows of deployments, of which the first serves what asks for no
// environment: that of production before that of staging before that of dev, and in each the
// one that was made active last.
var ServingFirst = `ORDER BY array_position('{` + strings.Join(deployments.Environments, ",") +
	`}'::text[], environment) DESC, activation DESC `

// AgentSource joins the source (a.dsl) of the agent that an experience flow (f, a row of
// flows) names: the one that the deployment serves by which a chat of the project would begin.
// The working copy counts only where that is missing: nothing is deployed, or not this agent.
// So calls and campaigns say what was deployed, whatever somebody is writing now.
var AgentSource = `LEFT JOIN LATERAL (SELECT coalesce((SELECT s.dsl FROM (SELECT manifest FROM deployments
				WHERE tenant = f.tenant AND project_id = f.project_id AND status = 'active' ` + ServingFirst + `LIMIT 1) d
			JOIN agent_sources s ON s.tenant = f.tenant AND s.project_id = f.project_id
				AND s.agent_id = d.manifest -> f.agent_name ->> 'agentId' AND s.source_hash = d.manifest -> f.agent_name ->> 'hash'),
		(SELECT w.dsl FROM agents w WHERE w.tenant = f.tenant AND w.project_id = f.project_id AND w.name = f.agent_name LIMIT 1))
	AS dsl) a ON true `

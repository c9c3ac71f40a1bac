package runtime_test

import (
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/deployments"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given the events of a project's deployments, then these are the rows after each.
func TestRowsOfDeployments(t *testing.T) {
	model := given.Open(t).Follow(runtime.DeploymentsModel)
	soon := time.Date(2026, 11, 24, 12, 30, 0, 0, time.UTC)
	model.After("acme.bot", given.Filled(func(e *deployments.Created) { e.DeploymentID = "d-1" }),
		"+ deployments deployment_id=d-1 tenant=tenantId project_id=projectId environment=environment status=active label=label "+
			"description=description endpoint_slug=endpointSlug entry_agent=entryAgent "+
			`manifest={"manifest":{"agentId":"agentId","hash":"hash","version":15}} overrides={"modelOverrides":{"is":"modelOverrides"}} `+
			`workflows={"workflows":22} promoted_from=promotedFrom created_by=createdBy created_at=12:00:30 activation=1 `+
			`settings_version=settingsVersionId workflow_ids={"workflowIds":"workflowIds"}`)
	retired := given.Filled(func(e *deployments.WasRetired) { e.DeploymentID, e.DrainAt, e.NextDrainAt = "d-1", soon, &soon })
	model.After("acme.bot", retired,
		"~ deployments deployment_id=d-1: status=retired retired_at=12:00:06 drain_at=2026-11-24T12:30:00Z",
		"+ timers stream=deployments-acme.bot name=drain topic=parley.deployments tenant=tenantId due_at=2026-11-24T12:30:00Z "+
			"claimed_until=-infinity")
	model.After("acme.bot", given.Filled(func(e *deployments.Drained) { e.NextDrainAt = nil }),
		"- timers stream=deployments-acme.bot name=drain")
	model.After("acme.bot", given.Filled(func(e *deployments.RolledBack) { e.DeploymentID, e.NextDrainAt = "d-1", nil }),
		"~ deployments deployment_id=d-1: status=active retired_at= drain_at= activation=4")
}

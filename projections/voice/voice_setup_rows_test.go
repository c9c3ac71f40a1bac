package voice_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/trunks"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// Given the events of trunks and flows, then these are the rows after each.
func TestRowsOfVoiceSetup(t *testing.T) {
	model := given.Open(t).Follow(voice.SetupModel)
	model.After("tenantId", given.Filled[trunks.TrunkDefined](),
		"+ default_trunks tenant=tenantId name=name",
		"+ trunks tenant=tenantId name=name provider=provider address=address transport=transport username=username password=password",
	)
	model.After("tenantId", given.Filled(func(e *trunks.TrunkDefined) { e.Name, e.Default = "second", false }),
		"+ trunks tenant=tenantId name=second provider=provider address=address transport=transport username=username password=password",
	)
	model.After("tenantId", given.Filled[trunks.TrunkUnreachable](), "~ trunks tenant=tenantId name=name: unreachable=problem")
	model.After("tenantId", given.Filled[trunks.TrunkReachable](), "~ trunks tenant=tenantId name=name: unreachable=")
	model.After("tenantId", given.Filled[trunks.TrunkRegistered](), "~ trunks tenant=tenantId name=name: registered_by=node")
	model.After("tenantId", given.Filled[trunks.TrunkNotRegistered](),
		"~ trunks tenant=tenantId name=name: registered_by= not_registered=problem")
	model.After("tenantId", given.Filled(func(e *trunks.TrunkRemoved) { e.Name = "second" }),
		"- trunks tenant=tenantId name=second",
	)
	model.After("tenantId", given.Filled[trunks.TrunkRemoved](),
		"- default_trunks tenant=tenantId",
		"- trunks tenant=tenantId name=name",
	)
	model.After("x", given.Filled(func(e *flows.FlowDefined) { e.Number = "+1-555 01" }),
		"+ flows tenant=tenantId project_id=projectId flow_id=flowId name=name number=+1-555 01 agent_name=agentName language=language "+
			"recording=true",
	)
	model.After("x", given.Filled[flows.FlowRemoved](),
		"- flows tenant=tenantId project_id=projectId flow_id=flowId",
	)
}

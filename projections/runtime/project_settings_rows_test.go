package runtime_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/modelproviders"
	"github.com/parley-platform/parley/domain/projectsettings"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given versions of a project's settings, then each has its row for ever.
func TestRowsOfProjectSettings(t *testing.T) {
	model := given.Open(t).Follow(runtime.ProjectSettingsModel)
	for _, id := range []string{"ps-1", "ps-2"} {
		model.After("acme.bot", given.Filled(func(e *projectsettings.Changed) { e.VersionID = id }), "+ project_settings version_id="+id+
			` tenant=tenantId project_id=projectId version=5 settings={"assistingAgent":"assistingAgent","budgets":{"monthUsd":23,"sessionUsd":22},`+
			`"languages":{"allowed":["allowed"],"default":"default"},`+
			`"limits":{"concurrentSessions":20,"messagesPerMinute":19},"models":{"default":"default","defaultTier":"defaultTier",`+
			`"tiers":{"tiers":["tiers"]}},"sessions":{"idleMinutes":25}} created_by=createdBy created_at=12:00:28`)
	}
}

// Given the events of providers, then these are the rows after each.
func TestRowsOfModelProviders(t *testing.T) {
	model := given.Open(t).Follow(runtime.ModelProvidersModel)
	model.After("acme", given.Filled[modelproviders.Defined](), "+ model_providers tenant=tenantId name=name project_id=projectId kind=kind "+
		`base_url=baseUrl api_key=apiKey models=[{"id":"id","model":"model","pictures":true,`+
		`"prices":{"input":17,"output":18,"version":"version"},"tier":"tier"}] version=1`)
	model.After("acme", given.Filled[modelproviders.Defined](), "~ model_providers tenant=tenantId name=name: version=2")
	model.After("acme", given.Filled[modelproviders.Removed](), "- model_providers tenant=tenantId name=name")
}

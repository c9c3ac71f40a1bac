package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// Given an agent that was deployed and changed since, then calls and campaigns are told what the deployment serves that a chat would
// begin with, and the working copy where nothing is deployed.
func TestCallsAndCampaignsSayWhatIsDeployed(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	saved := func(text string) {
		w.Given(runtime.AgentsModel, "p", given.Filled(func(e *agents.DSLSaved) { e.DSLContent = text }))
	}
	deployed := func(id, environment, agent, text string) {
		w.Given(runtime.DeploymentsModel, "p", given.Filled(func(e *deployments.Created) {
			e.DeploymentID, e.Environment = id, environment
			e.Manifest = map[string]deployments.Pin{agent: {AgentID: "agentId", Version: 1, Hash: string(agents.HashOf(text))}}
		}))
	}
	retired := func(id string) {
		w.Given(runtime.DeploymentsModel, "p", given.Filled(func(e *deployments.WasRetired) { e.DeploymentID, e.NextDrainAt = id, nil }))
	}
	says := func(want, why string) {
		t.Helper()
		c, err := voice.NewSetups(w.DB).CallSetup(ctx, "tenantId", "projectId", "", "+15550001")
		require.NoError(t, err)
		require.Equal(t, want, c.AgentDSL, why)
		f, ok, err := campaigns.NewCampaigns(w.DB).FlowOf(ctx, "tenantId", "projectId", "flowId")
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want, f.AgentDSL, why)
	}
	w.Given(voice.SetupModel, "p", given.Filled(func(e *flows.FlowDefined) { e.Number, e.AgentName = "+15550001", "ann" }))
	says("", "no agent")
	w.Given(runtime.AgentsModel, "p", given.Filled(func(e *agents.AgentDefined) { e.Name = "ann" }))
	saved("first")
	says("first", "nothing is deployed")

	deployed("d-1", "dev", "ann", "first")
	saved("second")
	says("first", "the working copy has changed since")
	deployed("d-2", "production", "ann", "second")
	saved("third")
	deployed("d-3", "dev", "ann", "third")
	says("second", "production before dev, whichever is newer")
	deployed("d-4", "production", "ann", "first")
	says("first", "the newest of production")
	w.Given(runtime.DeploymentsModel, "p", given.Filled(func(e *deployments.RolledBack) {
		e.DeploymentID, e.NextDrainAt, e.At = "d-2", nil, time.Now()
	}))
	says("second", "what was rolled back to")
	deployed("d-5", "production", "bob", "first")
	says("third", "the agent is not in what is deployed")
	for _, id := range []string{"d-1", "d-2", "d-3", "d-4", "d-5"} {
		retired(id)
	}
	says("third", "nothing is deployed any more")
	w.Given(runtime.DeploymentsModel, "other", given.Filled(func(e *deployments.Created) {
		e.DeploymentID, e.Environment, e.TenantID = "d-6", "production", "other"
		e.Manifest = map[string]deployments.Pin{"ann": {AgentID: "agentId", Version: 1, Hash: string(agents.HashOf("first"))}}
	}))
	says("third", "another tenant's deployment")
}

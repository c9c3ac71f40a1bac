package campaigns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/flows"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// Given campaigns of two projects, then a project has its own, in the order in which they were made.
func TestAnswersAboutCampaigns(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := campaignmodels.NewCampaigns(w.DB)
	for i, id := range []string{"cd-2", "cd-1", "cd-3"} {
		w.Given(campaignmodels.CampaignsModel, "x", given.Filled(func(e *campaigns.Defined) {
			if e.CampaignID, e.At = id, given.Second(i); id == "cd-3" {
				e.ProjectID = "other"
			}
		}))
	}
	w.Given(campaignmodels.CampaignsModel, "x", given.Filled(func(e *campaigns.Started) { e.CampaignID = "cd-1" }))
	list, total, err := x.List(ctx, "tenantId", "projectId", 10, 0)
	require.NoError(t, err)
	require.Equal(t, 2, total)
	require.Equal(t, []string{"cd-2", "cd-1"}, []string{list[0].ID, list[1].ID})
	list, total, err = x.List(ctx, "tenantId", "projectId", 1, 1)
	require.NoError(t, err)
	require.Equal(t, 2, total)
	require.Len(t, list, 1)
	require.Equal(t, campaigns.Active, list[0].Status)

	c, ok, err := x.Get(ctx, "tenantId", "projectId", "cd-1")
	require.NoError(t, err)
	require.True(t, ok)
	c.CreatedAt, c.UpdatedAt = c.CreatedAt.UTC(), c.UpdatedAt.UTC()
	require.Equal(t, campaignmodels.Campaign{ID: "cd-1", Definition: given.Filled[campaigns.Defined]().Definition, Status: campaigns.Active,
		RunID: "campaignInstanceId", CreatedAt: given.Second(1), UpdatedAt: given.Second(26)}, c)
	for _, place := range [][3]string{{"other", "projectId", "cd-1"}, {"tenantId", "other", "cd-1"}, {"tenantId", "projectId", "cd-9"}} {
		_, ok, err = x.Get(ctx, place[0], place[1], place[2])
		require.NoError(t, err)
		require.False(t, ok)
	}
}

// Given an experience flow with an agent, then a campaign finds it by its name and by its id.
func TestAnswersAboutTheFlowOfACampaign(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := campaignmodels.NewCampaigns(w.DB)
	w.Given(voice.SetupModel, "p", given.Filled(func(e *flows.FlowDefined) { e.AgentName = "ann" }))
	want := campaignmodels.CampaignFlow{ID: "flowId", Name: "name", AgentName: "ann"}
	f, ok, err := x.FlowOf(ctx, "tenantId", "projectId", "flowId")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, f, "an agent that is not there has no source")
	w.Given(runtime.AgentsModel, "p", given.Filled(func(e *agents.AgentDefined) { e.Name = "ann" }),
		given.Filled[agents.DSLDeclared]())
	want.AgentDSL = "dslContent"
	f, ok, err = x.FlowNamed(ctx, "tenantId", "projectId", "name")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, f)
	for _, place := range [][3]string{{"other", "projectId", "name"}, {"tenantId", "other", "name"}, {"tenantId", "projectId", "flowId"}} {
		_, ok, err = x.FlowNamed(ctx, place[0], place[1], place[2])
		require.NoError(t, err)
		require.False(t, ok)
	}
}

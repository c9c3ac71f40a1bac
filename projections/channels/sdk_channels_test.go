package channels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/projections/channels"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of a channel, then these are the rows after each.
func TestRowsOfSDKChannels(t *testing.T) {
	model := given.Open(t).Follow(channels.SDKChannelsModel)
	model.After("x", given.Filled(func(e *sdkchannels.Created) { e.Settings.Config = []byte(`{"mode":"chat"}`) }),
		`+ sdk_channels tenant=tenantId channel_id=channelId project_id=projectId name=name type=channelType key_id=publicApiKeyId `+
			`deployment_id=deploymentId environment=environment follows=true config={"mode":"chat"} active=true `+
			`created_at=12:00:14 updated_at=12:00:14`)
	model.After("x", given.Filled(func(e *sdkchannels.Changed) { e.Settings = sdkchannels.Settings{Name: "n"} }),
		`~ sdk_channels tenant=tenantId channel_id=channelId: name=n type= key_id= deployment_id= environment= follows= config= active=`)
	model.After("x", given.Filled[sdkchannels.Deleted](), "- sdk_channels tenant=tenantId channel_id=channelId")
}

// Given channels of two projects, then each question finds those that it is about.
func TestAnswersAboutSDKChannels(t *testing.T) {
	w := given.Open(t)
	for id, s := range map[string]sdkchannels.Created{
		"sdk-1": {ProjectID: "p", Settings: sdkchannels.Settings{Type: sdkchannels.IOS, KeyID: "ak-1", Active: true}},
		"sdk-2": {ProjectID: "p", Settings: sdkchannels.Settings{Type: sdkchannels.Web, KeyID: "ak-1", Active: true}},
		"sdk-3": {ProjectID: "p", Settings: sdkchannels.Settings{Type: sdkchannels.Web, KeyID: "ak-1"}},
		"sdk-4": {ProjectID: "q", Settings: sdkchannels.Settings{Type: sdkchannels.Web, KeyID: "ak-2", Active: true}},
	} {
		w.Given(channels.SDKChannelsModel, id, given.Filled(func(e *sdkchannels.Created) {
			e.ChannelID, e.ProjectID, e.Settings = id, s.ProjectID, s.Settings
		}))
	}
	x, ctx := channels.NewSDKChannels(w.DB), t.Context()
	for _, c := range []struct {
		tenant, project string
		limit, offset   int
		want            []string
		total           int
	}{
		{"tenantId", "p", 9, 0, []string{"sdk-3", "sdk-2", "sdk-1"}, 3}, {"tenantId", "p", 1, 1, []string{"sdk-2"}, 3},
		{"other", "p", 9, 0, nil, 0}, {"tenantId", "r", 9, 0, nil, 0},
	} {
		found, total, err := x.List(ctx, c.tenant, c.project, c.limit, c.offset)
		require.NoError(t, err)
		var ids []string
		for _, f := range found {
			ids = append(ids, f.ChannelID)
		}
		require.Equal(t, c.want, ids)
		require.Equal(t, c.total, total)
	}
	for _, c := range []struct {
		tenant, key string
		page        bool
		want        string
	}{
		{"tenantId", "ak-1", true, "sdk-2"}, {"tenantId", "ak-1", false, "sdk-1"}, {"tenantId", "ak-2", true, "sdk-4"},
		{"tenantId", "ak-2", false, "sdk-4"}, {"other", "ak-1", true, ""}, {"tenantId", "ak-3", true, ""},
	} {
		found, ok, err := x.OfKey(ctx, c.tenant, c.key, c.page)
		require.NoError(t, err)
		require.Equal(t, c.want != "", ok)
		require.Equal(t, c.want, found.ChannelID, c)
	}
	for _, at := range [][4]string{{"tenantId", "p", "sdk-1", "yes"}, {"other", "p", "sdk-1", ""}, {"tenantId", "q", "sdk-1", ""}} {
		_, ok, err := x.Get(ctx, at[0], at[1], at[2])
		require.NoError(t, err)
		require.Equal(t, at[3] != "", ok)
	}
}

// Given connections and channels that name a deployment, follow an environment, or do neither,
// then those are counted that lead to it.
func TestWhatLeadsToADeployment(t *testing.T) {
	w := given.Open(t)
	for id, s := range map[string]connections.Settings{"cn-1": {DeploymentID: "d-1", Active: true}, "cn-2": {DeploymentID: "d-1"},
		"cn-3": {Active: true}, "cn-4": {Environment: "dev", Active: true}, "cn-5": {DeploymentID: "d-2", Environment: "dev", Active: true}} {
		w.Given(channels.ConnectionsModel, id, given.Filled(func(e *connections.Created) { e.ConnectionID, e.Settings = id, s }))
	}
	for id, s := range map[string]sdkchannels.Settings{"sdk-1": {DeploymentID: "d-1", Active: true}, "sdk-2": {Follows: true,
		DeploymentID: "d-1", Environment: "staging", Active: true}, "sdk-3": {Follows: true, Environment: "dev", Active: true},
		"sdk-4": {Follows: true, Environment: "dev"}} {
		w.Given(channels.SDKChannelsModel, id, given.Filled(func(e *sdkchannels.Created) { e.ChannelID, e.Settings = id, s }))
	}
	for _, c := range []struct {
		tenant, project, deployment string
		environments                []string
		want                        int
	}{
		{"tenantId", "projectId", "d-1", []string{}, 2}, {"tenantId", "projectId", "d-1", []string{""}, 3},
		{"tenantId", "projectId", "d-1", []string{"", "dev"}, 5}, {"tenantId", "projectId", "d-3", []string{"staging"}, 1},
		{"other", "projectId", "d-1", []string{"", "dev"}, 0}, {"tenantId", "other", "d-1", []string{"", "dev"}, 0},
	} {
		n, err := channels.NewConnections(w.DB).LeadTo(t.Context(), c.tenant, c.project, c.deployment, c.environments)
		require.NoError(t, err)
		require.Equal(t, c.want, n, c)
	}
}

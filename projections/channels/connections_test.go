package channels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/projections/channels"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of a connection, then these are the rows after each.
func TestRowsOfConnections(t *testing.T) {
	model := given.Open(t).Follow(channels.ConnectionsModel)
	token := map[string]connections.Credential{"token": {Sealed: "sealed:v1:a", Fingerprint: "f"}}
	model.After("x", given.Filled(func(e *connections.Created) { e.Credentials = token }),
		`+ channel_connections tenant=tenantId connection_id=connectionId project_id=projectId kind=channelType `+
			`external=externalIdentifier name=name agent_name=agentName deployment_id=deploymentId environment=environment active=true `+
			`credentials={"token":"sealed:v1:a"} created_at=12:00:19 updated_at=12:00:19`)
	model.After("x", given.Filled(func(e *connections.Changed) { e.Settings, e.Credentials = connections.Settings{Name: "n"}, nil }),
		`~ channel_connections tenant=tenantId connection_id=connectionId: name=n agent_name= deployment_id= environment= active= `+
			`credentials={} updated_at=12:00:17`)
	model.After("x", given.Filled[connections.Deleted](), "- channel_connections tenant=tenantId connection_id=connectionId")
}

// Given connections of two projects, then each question finds those that it is about.
func TestAnswersAboutConnections(t *testing.T) {
	w := given.Open(t)
	for id, s := range map[string]connections.Created{
		"cn-1": {ProjectID: "p", Kind: "slack", Settings: connections.Settings{Active: true}},
		"cn-2": {ProjectID: "p", Kind: "line", Settings: connections.Settings{Active: false}},
		"cn-3": {ProjectID: "q", Kind: "line", Settings: connections.Settings{Active: true}},
	} {
		w.Given(channels.ConnectionsModel, id, given.Filled(func(e *connections.Created) {
			e.ConnectionID, e.ProjectID, e.Kind, e.Settings.Active = id, s.ProjectID, s.Kind, s.Settings.Active
			e.Credentials = map[string]connections.Credential{"b": {}, "a": {Sealed: "x"}}
		}))
	}
	x, ctx, yes, no := channels.NewConnections(w.DB), t.Context(), true, false
	for _, c := range []struct {
		q     channels.ConnectionQuery
		want  []string
		total int
	}{
		{channels.ConnectionQuery{Tenant: "tenantId", Project: "p", Limit: 9}, []string{"cn-2", "cn-1"}, 2},
		{channels.ConnectionQuery{Tenant: "tenantId", Project: "p", Limit: 1, Offset: 1}, []string{"cn-1"}, 2},
		{channels.ConnectionQuery{Tenant: "tenantId", Project: "p", Kind: "line", Limit: 9}, []string{"cn-2"}, 1},
		{channels.ConnectionQuery{Tenant: "tenantId", Project: "p", Active: &yes, Limit: 9}, []string{"cn-1"}, 1},
		{channels.ConnectionQuery{Tenant: "tenantId", Project: "p", Active: &no, Limit: 9}, []string{"cn-2"}, 1},
		{channels.ConnectionQuery{Tenant: "other", Project: "p", Limit: 9}, nil, 0},
		{channels.ConnectionQuery{Tenant: "tenantId", Project: "r", Limit: 9}, nil, 0},
	} {
		found, total, err := x.List(ctx, c.q)
		require.NoError(t, err)
		var ids []string
		for _, f := range found {
			ids = append(ids, f.ConnectionID)
		}
		require.Equal(t, c.want, ids)
		require.Equal(t, c.total, total)
	}
	one, ok, err := x.Get(ctx, "tenantId", "p", "cn-1")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []string{"a", "b"}, one.CredentialNames())
	for _, at := range [][3]string{{"other", "p", "cn-1"}, {"tenantId", "q", "cn-1"}, {"tenantId", "p", "cn-3"}} {
		_, ok, err = x.Get(ctx, at[0], at[1], at[2])
		require.NoError(t, err)
		require.False(t, ok, at)
	}
}

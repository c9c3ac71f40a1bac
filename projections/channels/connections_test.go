package channels_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/event"
	accessmodels "github.com/parley-platform/parley/projections/access"
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
	const row = "~ channel_connections tenant=tenantId connection_id=connectionId: "
	model.After("x", given.Filled(func(e *connections.Observed) { e.About = connections.Sending }),
		row+`sending_error={"at":"2026-03-01T12:00:11Z","code":"code","deploymentId":"deploymentId","reason":"reason"}`)
	model.After("x", given.Filled(func(e *connections.Observed) { e.About, e.Trouble = connections.Sending, nil }), row+"sending_error=")
	model.After("x", given.Filled(func(e *connections.Observed) { e.About = connections.Answering }),
		row+`answering_error={"at":"2026-03-01T12:00:11Z","code":"code","deploymentId":"deploymentId","reason":"reason"}`)
	model.After("x", given.Filled(func(e *connections.Observed) { e.About, e.Trouble = connections.Answering, nil }), row+"answering_error=")
	model.After("x", given.Filled(func(e *connections.Deleted) { e.Registered = false }),
		"- channel_connections tenant=tenantId connection_id=connectionId")
}

// Given a kind whose providers are told where to send, then there is a timer for as long as one is to be
// told, or may be to be told of another address.
func TestTheTimerOfARegistration(t *testing.T) {
	w := given.Open(t)
	timers := func() (n int) {
		for _, row := range w.All(channels.ConnectionsModel) {
			if strings.Contains(row, "name="+channels.RegistrationTimer) {
				n++
			}
		}
		return n
	}
	created := func(kind string, active bool) connections.Created {
		return given.Filled(func(e *connections.Created) { e.Kind, e.Settings.Active, e.Credentials = kind, active, nil })
	}
	changed := given.Filled(func(e *connections.Changed) { e.Kind, e.Credentials = "telegram", nil })
	told := given.Filled(func(e *connections.Observed) { e.About, e.Trouble = connections.Webhook, nil })
	withdrawn := given.Filled(func(e *connections.Observed) { e.About, e.Trouble, e.URL = connections.Webhook, nil, "" })
	gone := func(registered bool) connections.Deleted {
		return given.Filled(func(e *connections.Deleted) { e.Registered = registered })
	}
	for name, c := range map[string]struct {
		given []event.Payload
		want  int
	}{
		"one that is called by hand": {[]event.Payload{created("slack", true)}, 0},
		"one that rests":             {[]event.Payload{created("telegram", false)}, 0},
		"a new one":                  {[]event.Payload{created("telegram", true)}, 1},
		"told":                       {[]event.Payload{created("telegram", true), told}, 1},
		"changed":                    {[]event.Payload{created("telegram", false), changed}, 1},
		"withdrawn":                  {[]event.Payload{created("telegram", true), told, changed, withdrawn}, 0},
		"gone":                       {[]event.Payload{created("telegram", true), told, gone(true)}, 1},
		"gone, and told so":          {[]event.Payload{created("telegram", true), told, gone(true), withdrawn}, 0},
		"gone before it was told":    {[]event.Payload{created("telegram", true), gone(false)}, 0},
	} {
		w.Clear()
		w.Given(channels.ConnectionsModel, "tenantId.connectionId", c.given...)
		require.Equal(t, c.want, timers(), name)
	}
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
	for _, id := range []string{"p", "q"} {
		w.Given(accessmodels.Model, "tenantId", given.Filled(func(e *access.ProjectDefined) { e.ProjectID = id }))
	}
	x, ctx, yes, no := channels.NewConnections(w.DB), t.Context(), true, false
	for _, c := range []struct{ project, kind, external, want string }{{"p", "slack", "", "cn-1"}, {"p", "line", "", ""},
		{"p", "line", "externalIdentifier", "cn-2"}, {"q", "line", "", "cn-3"}, {"q", "line", "another", ""}} {
		found, ok, err := x.Door(ctx, "tenantId", c.project, c.kind, c.external)
		require.NoError(t, err)
		require.Equal(t, []any{c.want != "", c.want}, []any{ok, found.ConnectionID}, c)
	}
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
	taking := func() (ids []string) {
		named, err := x.Named(ctx, "line", nil)
		require.NoError(t, err)
		all, _, err := x.List(ctx, channels.ConnectionQuery{Tenant: "tenantId", Kind: "line", Limit: 9})
		require.NoError(t, err)
		require.ElementsMatch(t, named, all)
		for _, c := range named {
			_, ok, err := x.OfKind(ctx, "line", "tenantId", c.ConnectionID)
			require.NoError(t, err)
			require.True(t, ok)
			_, ok, err = x.Taking(ctx, "tenantId", c.ConnectionID)
			require.NoError(t, err)
			require.True(t, ok)
			_, ok, err = x.Taking(ctx, "other", c.ConnectionID)
			require.NoError(t, err)
			require.False(t, ok)
			ids = append(ids, c.ConnectionID)
		}
		return ids
	}
	require.ElementsMatch(t, []string{"cn-2", "cn-3"}, taking())
	for names, want := range map[string]int{"externalIdentifier": 2, "externalIdentifier,\x00": 2, "\x00": 0, "a\xff": 0, "another": 0} {
		named, err := x.Named(ctx, "line", strings.Split(names, ","))
		require.NoError(t, err, "%q", names)
		require.Len(t, named, want, "%q", names)
	}
	w.Given(accessmodels.Model, "tenantId", given.Filled(func(e *access.ProjectRemoved) { e.ProjectID = "q" }))
	require.Equal(t, []string{"cn-2"}, taking(), "of a project that was removed none takes anything")
	_, ok, err = x.OfKind(ctx, "line", "", "cn-3")
	require.NoError(t, err)
	require.False(t, ok)
	_, ok, err = x.Taking(ctx, "tenantId", "cn-3")
	require.NoError(t, err)
	require.False(t, ok)

	w.Given(accessmodels.Model, "rival", given.Filled(func(e *access.ProjectDefined) { e.TenantID, e.ProjectID = "rival", "p" }))
	w.Given(channels.ConnectionsModel, "rival", given.Filled(func(e *connections.Created) {
		e.TenantID, e.ProjectID, e.Kind, e.ConnectionID, e.At = "rival", "p", "line", "cn-2", e.At.Add(time.Hour)
	}))
	for of, want := range map[string]string{"": "tenantId", "tenantId": "tenantId", "rival": "rival"} {
		found, _, err := x.OfKind(ctx, "line", of, "cn-2")
		require.NoError(t, err)
		require.Equal(t, want, found.TenantID, "another account's manifest takes no address away")
	}
}

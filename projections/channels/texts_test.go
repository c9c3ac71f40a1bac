package channels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/projections/channels"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given texts of two projects, then a list has one project's, newest first, as asked for.
func TestAnswersAboutTexts(t *testing.T) {
	w := given.Open(t)
	text := func(id string, at int, edit func(*texts.Requested)) {
		w.Given(channels.TextsModel, id, given.Filled(func(e *texts.Requested) {
			e.At = given.Second(at)
			edit(e)
		}))
	}
	text("m-1", 1, func(*texts.Requested) {})
	text("m-2", 2, func(e *texts.Requested) { e.Campaign = nil })
	text("m-3", 3, func(e *texts.Requested) { e.Campaign.CampaignID, e.Campaign.RunID = "other", "run" })
	text("m-4", 4, func(e *texts.Requested) { e.ProjectID = "other" })
	text("m-5", 5, func(e *texts.Requested) { e.TenantID = "other" })
	w.Given(channels.TextsModel, "m-3", given.Filled[texts.AttemptStarted](), given.Filled[texts.Sent]())

	list := func(q channels.TextQuery) (ids []string, total int) {
		q.Tenant, q.Project = "tenantId", "projectId"
		found, total, err := channels.NewTexts(w.DB).List(t.Context(), q)
		require.NoError(t, err)
		for _, m := range found {
			ids = append(ids, m.ID)
		}
		return ids, total
	}
	for name, c := range map[string]struct {
		q     channels.TextQuery
		ids   []string
		total int
	}{
		"all":           {channels.TextQuery{Limit: 10}, []string{"m-3", "m-2", "m-1"}, 3},
		"a page":        {channels.TextQuery{Limit: 1, Offset: 1}, []string{"m-2"}, 3},
		"past the end":  {channels.TextQuery{Limit: 1, Offset: 9}, nil, 3},
		"of a status":   {channels.TextQuery{Limit: 10, Status: channels.TextQueued}, []string{"m-2", "m-1"}, 2},
		"of a campaign": {channels.TextQuery{Limit: 10, CampaignID: "other"}, []string{"m-3"}, 1},
		"of a run":      {channels.TextQuery{Limit: 10, RunID: "instanceId"}, []string{"m-1"}, 1},
	} {
		ids, total := list(c.q)
		require.Equal(t, c.ids, ids, name)
		require.Equal(t, c.total, total, name)
	}
	found, _, err := channels.NewTexts(w.DB).List(t.Context(), channels.TextQuery{Tenant: "tenantId", Project: "projectId", Limit: 1})
	require.NoError(t, err)
	require.Equal(t, "ID=m-3 From=from To=to Text=text Status=sent CampaignID=other RunID=run ContactIndex=12 "+
		"Provider=provider ProviderMessageID=providerMessageId Segments=5 Attempts=3 RequestedAt=12:00:03 "+
		"SendBy=12:00:14 EndedAt=12:00:11", given.Shown(found[0]))
}

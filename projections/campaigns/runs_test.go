package campaigns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/runs"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given a run, when it goes on, then it is listing, running, held, waiting, stopped or finished.
func TestAnswersAboutARun(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := campaignmodels.NewRuns(w.DB, nil)
	run := func() campaignmodels.Run {
		r, ok, err := x.Run(ctx, "tenantId", "campaignId", "run-1")
		require.NoError(t, err)
		require.True(t, ok)
		return r
	}
	w.Given(campaignmodels.RunsModel, "x", given.Filled(func(e *campaigns.Started) { e.RunID = "run-1" }))
	require.Equal(t, campaignmodels.RunListing, run().Status)
	require.Equal(t, []int{0, 0}, []int{run().Pass, run().Contacts})
	w.Given(campaignmodels.RunsModel, "tenantId.run-1", given.Filled(func(e *runs.Opened) { e.RunID = "run-1" }),
		runs.PassOpened{Pass: 1}, runs.PassListed{Pass: 1, Contacts: 7})
	pace := func(events ...event.Payload) campaignmodels.Run {
		w.Given(campaignmodels.RunsModel, "tenantId", events...)
		return run()
	}
	require.Equal(t, campaignmodels.RunRunning, pace(given.Filled(func(e *pacing.RunEntered) { e.RunID = "run-1" })).Status)
	r := pace(pacing.ContactsTaken{RunID: "run-1", Contacts: []int{0, 1, 2}, At: given.Second(1)},
		pacing.ContactsReturned{RunID: "run-1", Contacts: []int{2}},
		pacing.ContactFinished{RunID: "run-1", Contact: 0, Tally: pacing.Tally{CallsCompleted: 1, MessagesSent: 2, Failed: 3}})
	require.Equal(t, []int{1, 7, 1, 1, 2, 3}, []int{r.Pass, r.Contacts, r.UnderWay, r.CallsCompleted, r.MessagesSent, r.Failed})
	require.Equal(t, campaignmodels.RunHeld, pace(pacing.RunHeld{RunID: "run-1"}).Status)
	require.Equal(t, campaignmodels.RunRunning, pace(pacing.RunReleased{RunID: "run-1"}).Status)
	r = pace(given.Filled(func(e *pacing.PassFinished) { e.RunID = "run-1" }))
	require.Equal(t, campaignmodels.RunWaiting, r.Status)
	require.Equal(t, given.Second(4), r.NextPassAt.UTC())
	require.Equal(t, 2, pace(pacing.PassBegun{RunID: "run-1", Pass: 2}).Pass)
	r = pace(pacing.RunHeld{RunID: "run-1"}, given.Filled(func(e *pacing.RunFinished) { e.RunID = "run-1" }))
	require.Equal(t, campaignmodels.RunFinished, r.Status, "held no more, once it is over")
	require.Equal(t, given.Second(13), r.EndedAt.UTC())
	require.Equal(t, campaignmodels.RunStopped, pace(pacing.RunStopped{RunID: "run-1"}).Status)
	require.Equal(t, "RunID=run-1 CampaignID=campaignId ProjectID=projectId Kind=campaignType "+
		`Hours={"frequency":"frequency","timezone":"timezone","days":[{"day":"day","start":"start","end":"end"}]} `+
		"Status=finished Pass=2 Contacts=7 UnderWay=1 CallsCompleted=1 MessagesSent=2 Failed=3 StartedAt=12:00:26 "+
		"EndedAt=12:00:13", given.Shown(r))

	for _, place := range [][3]string{{"other", "campaignId", "run-1"}, {"tenantId", "other", "run-1"}, {"tenantId", "campaignId", "run-2"}} {
		_, ok, err := x.Run(ctx, place[0], place[1], place[2])
		require.NoError(t, err)
		require.False(t, ok)
	}
	pace(given.Filled(func(e *pacing.RunEntered) { e.RunID = "run-2" }),
		pacing.ContactsTaken{RunID: "run-2", Contacts: []int{0}, At: given.Second(1)},
		pacing.ContactFinished{RunID: "run-2", Tally: pacing.Tally{CallsCompleted: 10}})
	totals, err := x.RunTotals(ctx, "tenantId", []string{"campaignId", "another"})
	require.NoError(t, err)
	require.Equal(t, map[string]campaignmodels.CampaignTotals{"campaignId": {CallsCompleted: 11, MessagesSent: 2, Failed: 3}}, totals)
}

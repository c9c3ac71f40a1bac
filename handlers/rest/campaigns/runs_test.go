package campaigns_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/campaigns"
	models "github.com/parley-platform/parley/projections/campaigns"
)

const run = one + "/runs/cid-1"

// aRun is one of ten contacts, on a Saturday at noon in New York's morning; its campaign
// may reach people on Mondays from nine.
func aRun(change ...func(*models.Run)) models.Run {
	r := models.Run{RunID: "cid-1", CampaignID: "cd-1", ProjectID: "p-1", Kind: campaigns.Voice, Hours: hours,
		Status: models.RunRunning, Pass: 2, Contacts: 10, UnderWay: 1, CallsCompleted: 2, MessagesSent: 3, Failed: 1, StartedAt: given}
	for _, c := range change {
		c(&r)
	}
	return r
}

func TestHowFarARunIs(t *testing.T) {
	end := given.Add(time.Hour)
	w, o := newOffice(t)
	o.runs["acme/cd-1/cid-1"] = aRun(func(r *models.Run) { r.Status, r.EndedAt = models.RunFinished, &end })
	require.JSONEq(t, `{"status":"success","message":"Run Found","data":{"campaignInstanceId":"cid-1","campaignId":"cd-1",
		"campaignType":"voice",
		"status":"finished","pass":2,"totalContacts":10,"pending":3,"underWay":1,"totalCallsCompleted":2,"totalMessagesSent":3,"totalFailed":1,
		"startedAt":"`+noon+`","endedAt":"`+later+`"}}`, w.Ask("GET", run, "", named()...).Text)
}

// What is shown while read models are a moment apart: a pass from 1, and none pending.
func TestARunBeforeItsFirstPass(t *testing.T) {
	w, o := newOffice(t)
	o.runs["acme/cd-1/cid-1"] = aRun(func(r *models.Run) { r.Pass, r.Contacts = 0, 2 })
	var got struct{ Data struct{ Pass, Pending int } }
	w.Ask("GET", run, "", named()...).Decode(t, &got)
	require.Equal(t, 1, got.Data.Pass)
	require.Equal(t, 0, got.Data.Pending)
}

// nextOpening is said of what reaches nobody now and will again.
func TestWhenARunReachesPeopleAgain(t *testing.T) {
	const monday, pass = "2025-03-03T14:00:00.000Z", "2025-03-05T08:00:00.000Z"
	saturday, inside := given, time.Date(2025, 3, 3, 15, 0, 0, 0, time.UTC)
	next := time.Date(2025, 3, 5, 8, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		status models.RunStatus
		hours  campaigns.Hours
		now    time.Time
		want   string
	}{
		"running, outside":          {models.RunRunning, hours, saturday, monday},
		"running, inside":           {models.RunRunning, hours, inside, ""},
		"listing, outside":          {models.RunListing, hours, saturday, monday},
		"listing, inside":           {models.RunListing, hours, inside, ""},
		"held":                      {models.RunHeld, hours, saturday, ""},
		"stopped":                   {models.RunStopped, hours, saturday, ""},
		"finished":                  {models.RunFinished, hours, saturday, ""},
		"waiting for its next pass": {models.RunWaiting, hours, saturday, pass},
		"no hours to be read":       {models.RunRunning, campaigns.Hours{Timezone: "nowhere"}, saturday, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, o := newOffice(t)
			o.runs["acme/cd-1/cid-1"] = aRun(func(r *models.Run) { r.Status, r.Hours, r.NextPassAt = c.status, c.hours, &next })
			w.Now = c.now
			w.Token = w.Grant("acme", []access.ClientScope{access.ScopeCampaigns}) // of that time
			var got struct{ Data struct{ NextOpening string } }
			w.Ask("GET", run, "", named()...).Decode(t, &got)
			require.Equal(t, c.want, got.Data.NextOpening)
		})
	}
}

func TestWhoseRunsTheyAre(t *testing.T) {
	w, o := newOffice(t)
	o.runs["acme/cd-1/cid-1"] = aRun()
	o.runs["acme/cd-1/cid-9"] = aRun(func(r *models.Run) { r.ProjectID = "p-9" })
	o.runs["globex/cd-1/cid-2"] = aRun()
	for path, status := range map[string]int{run: 200, one + "/runs/cid-9": 404, one + "/runs/cid-2": 404, one + "/runs/%20": 404,
		"/agentassist/api/v1/public/p-1/campaign/%20/runs/cid-1": 404, "/agentassist/api/v1/public/p-1/campaign/cd-2/runs/cid-1": 404} {
		require.Equal(t, status, w.Ask("GET", path, "", named()...).Status, path)
	}
	require.Equal(t, 404, w.Ask("GET", run, "", "accountId", "acme", "iid", "p-9").Status)
	require.Equal(t, []string{"accountId", "iid"}, w.Ask("GET", run, "").Fields())
	require.Equal(t, 401, w.Call("GET", run, "").Status)
	o.down["Run"] = errors.New("relation does not exist")
	require.Equal(t, 500, w.Ask("GET", run, "", named()...).Status)
	w.Token = w.Grant("acme", nil)
	require.Equal(t, 403, w.Ask("GET", run, "", named()...).Status)
}

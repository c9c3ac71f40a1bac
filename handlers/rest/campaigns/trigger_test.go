package campaigns_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/campaigns"
)

func trigger(kind campaigns.Kind, what string) string {
	return fmt.Sprintf("/api/v2/public/p-1/campaign/trigger/cd-1?campaignType=%s&trigger=%s", kind, what)
}

var given = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

// Each trigger in each status: the answer, and the event if there is one.
func TestTriggersByStatus(t *testing.T) {
	d := voiceOnes
	stand := map[string][]event.Payload{"Ready": ready(d, given), "Active": active(d, given), "Paused": paused(d, given),
		"Completed": completed(d, given)}
	completed := 7
	resumed := campaigns.RunResumed{TenantID: "acme", ProjectID: "p-1", CampaignID: "cd-1", RunID: "cid-1", CallsCompleted: &completed,
		At: given.Add(time.Hour)}
	for _, c := range []struct {
		given, trigger  string
		status, message string // of the answer; empty: refused
		at              string
		event           event.Payload // but a Started, whose run is new
	}{
		{"Ready", "play", "Active", "Campaign Started", later, nil},
		{"Completed", "play", "Active", "Campaign Started", later, nil},
		{"Paused", "play", "Active", "Campaign Resumed", later, resumed},
		{"Paused", "resume", "Active", "Campaign Resumed", later, resumed},
		{"Active", "pause", "Paused", "Campaign Paused", later, campaigns.RunPaused(resumed)},
		{"Paused", "pause", "Paused", "Campaign Paused", noon, nil},   // it is already
		{"Active", "resume", "Active", "Campaign Resumed", noon, nil}, // the same
		{"Active", "play", "", "", "", nil},
		{"Ready", "pause", "", "", "", nil}, {"Ready", "resume", "", "", "", nil},
		{"Completed", "pause", "", "", "", nil}, {"Completed", "resume", "", "", "", nil},
	} {
		t.Run(c.given+": "+c.trigger, func(t *testing.T) {
			w, _ := newOffice(t, stand[c.given]...)
			w.Now = w.Now.Add(time.Hour)
			got := w.Ask("POST", trigger(campaigns.Voice, c.trigger), "", named()...)
			if c.status == "" {
				require.Equal(t, []any{409, fault.Conflict}, []any{got.Status, got.Code()}, got.Text)
				require.Empty(t, w.Since())
				return
			}
			run := "cid-1"
			switch {
			case c.message == "Campaign Started":
				e := resttest.Only[campaigns.Started](w, campaigns.Campaigns.Category)
				run = e.RunID
				require.Regexp(t, "^cid-[0-9a-f-]{36}$", run)
				require.Equal(t, campaigns.Started{TenantID: "acme", ProjectID: "p-1", CampaignID: "cd-1", RunID: run, Name: d.Name,
					Kind: d.Kind, Priority: d.Priority, OurNumber: d.OurNumber, Hours: d.Hours, ContactLists: d.ContactLists, FlowID: d.FlowID,
					FlowName: d.FlowName, MachineDetect: true, Recurring: true, Format: d.Format,
					CallsCompleted: &completed, At: w.Now}, e)
			case c.event != nil:
				require.Equal(t, c.event, resttest.Only[event.Payload](w, campaigns.Campaigns.Category))
			default:
				require.Empty(t, w.Since())
			}
			require.Equal(t, 200, got.Status, got.Text)
			require.JSONEq(t, fmt.Sprintf(`{"status":%q,"message":%q,"totalCallsCompleted":7,"updatedAt":%q,"campaignInstanceId":%q}`,
				c.status, c.message, c.at, run), got.Text)
		})
	}
}

func TestASecondPlayNamesTheRun(t *testing.T) {
	w, _ := newOffice(t, active(voiceOnes, given)...)
	got := w.Ask("POST", trigger(campaigns.Voice, "play"), "", named()...)
	w.Refused(got, 409, "campaignInstanceId")
	require.Equal(t, "cid-1", got.Refusal.Error.Details[0].Problem)
}

// A run of sms says what the agent of the flow says first. One that would reach nobody or
// say nothing is not started.
func TestWhatARunBeginsWith(t *testing.T) {
	for name, c := range map[string]struct {
		d      campaigns.Definition
		say    string
		counts map[string]int
		status int
		text   string
	}{
		"a message":                 {smsOnes(), "ON_START:\n  SAY: Hello", map[string]int{"All": 1}, 200, "Hello"},
		"one list that is gone":     {smsOnes(), "ON_START:\n  SAY: Hello", map[string]int{"VIPs": 1}, 200, "Hello"},
		"an agent that is silent":   {smsOnes(), "NAME: greeter", map[string]int{"All": 1}, 409, ""},
		"an agent being edited":     {smsOnes(), "ON_START: [", map[string]int{"All": 1}, 409, ""},
		"empty lists":               {smsOnes(), "ON_START:\n  SAY: Hello", map[string]int{"All": 0, "VIPs": 0}, 409, ""},
		"lists that are gone":       {voiceOnes, "", nil, 409, ""},
		"calls, by a silent agent":  {voiceOnes, "", map[string]int{"VIPs": 1, "All": 0}, 200, ""},
		"calls, by one that speaks": {voiceOnes, "ON_START:\n  SAY: Hello", map[string]int{"VIPs": 1}, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, o := newOffice(t, ready(c.d, given)...)
			o.say, o.counts = c.say, c.counts
			got := w.Ask("POST", trigger(c.d.Kind, "play"), "", named()...)
			require.Equal(t, c.status, got.Status, got.Text)
			if c.status != 200 {
				w.Refused(got, 409)
				return
			}
			require.Equal(t, c.text, resttest.Only[campaigns.Started](w, campaigns.Campaigns.Category).MessageText)
		})
	}
}

// A repeat is the first result even when the run has ended meanwhile, and no second run.
func TestARunIsStartedOnceForAKey(t *testing.T) {
	w, o := newOffice(t, ready(voiceOnes, given)...)
	first := w.Ask("POST", trigger(campaigns.Voice, "play"), "", named("Idempotency-Key", "one")...)
	require.Equal(t, 200, first.Status, first.Text)
	run := resttest.Only[campaigns.Started](w, campaigns.Campaigns.Category).RunID
	resttest.Given(w, campaigns.Campaigns, campaigns.Stream("acme", "cd-1"),
		campaigns.RunCompleted{TenantID: "acme", ProjectID: "p-1", CampaignID: "cd-1", RunID: run, At: given})
	w.Now = w.Now.Add(time.Hour)
	o.totals["acme/cd-1"] = models.CampaignTotals{CallsCompleted: 9}
	again := w.Ask("POST", trigger(campaigns.Voice, "play"), "", named("Idempotency-Key", "one")...)
	require.Equal(t, []any{200, first.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("Idempotency-Replayed")})
	require.Empty(t, w.Since())
	w.Refused(w.Ask("POST", trigger(campaigns.Voice, "pause"), "", named("Idempotency-Key", "one")...), 409)
	w.Events.Forget()
	next := w.Ask("POST", trigger(campaigns.Voice, "play"), "", named("Idempotency-Key", "two")...)
	require.Equal(t, 200, next.Status, next.Text)
	require.NotEqual(t, run, resttest.Only[campaigns.Started](w, campaigns.Campaigns.Category).RunID)
}

func TestWhatATriggerIsRefused(t *testing.T) {
	w, _ := newOffice(t, ready(voiceOnes, given)...)
	base := "/api/v2/public/p-1/campaign/trigger/cd-1?"
	for query, fields := range map[string][]string{
		"": {"campaignType", "trigger"}, "campaignType=voice": {"trigger"}, "campaignType=voice&trigger=stop": {"trigger"},
		"campaignType=email&trigger=play": {"campaignType"}, "campaignType=sms&trigger=play": {"campaignType"},
		"campaignType=sms&trigger=pause": {"campaignType"},
	} {
		w.Refused(w.Ask("POST", base+query, "", named()...), 400, fields...)
	}
	require.Contains(t, w.Ask("POST", base+"campaignType=sms&trigger=play", "", named()...).Text, "must be voice, as the campaign is")
	w.Refused(w.Ask("POST", trigger(campaigns.Voice, "play")+"&accountId=globex", "", named()...), 404)
	w.Refused(w.Ask("POST", "/api/v2/public/p-9/campaign/trigger/cd-1", "", "accountId", "acme", "iid", "p-9"), 404)
	w.Refused(w.Ask("POST", "/api/v2/public/p-1/campaign/trigger/cd-2", "", named()...), 404)
	w.Refused(w.Call("POST", base, ""), 401)
	w.Token = w.Grant("acme", nil)
	w.Refused(w.Ask("POST", base, "", named()...), 403)
}

func TestTriggersWhoseReadModelsFail(t *testing.T) {
	for _, method := range []string{"Get", "Counts", "FlowOf"} {
		w, o := newOffice(t, ready(smsOnes(), given)...)
		o.down[method] = errors.New("relation does not exist")
		w.Refused(w.Ask("POST", trigger(campaigns.SMS, "play"), "", named()...), 500)
	}
	w, o := newOffice(t, active(voiceOnes, given)...)
	o.down["Counts"], o.down["FlowOf"] = errors.New("away"), errors.New("away")
	require.Equal(t, 200, w.Ask("POST", trigger(campaigns.Voice, "pause"), "", named()...).Status, "to pause needs neither lists nor flow")
}

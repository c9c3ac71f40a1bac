package campaigns_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

const (
	all = "/agentassist/api/v1/public/p-1/campaigns"
	one = "/agentassist/api/v1/public/p-1/campaign/cd-1"
)

// body is the campaign Renewals as a request says it, with members changed; nil leaves
// one out.
func body(kind campaigns.Kind, changes map[string]any) string {
	members := map[string]any{"name": "Renewals", "description": "Contracts that end", "contactLists": []string{"VIPs", "All"},
		"priority": "3",
		"format":   "advanced", "campaignType": string(kind), "dialingStrategy": strategy("+15550100000", "America/New_York"),
		"experienceFlowName": "Support line", "schedule": map[string]any{"isSchedulingEnabled": true, "isRecurrenceEnabled": true},
		"enableMachineDetect": true}
	maps.Copy(members, changes)
	maps.DeleteFunc(members, func(_ string, v any) bool { return v == nil })
	raw, _ := json.Marshal(members)
	return string(raw)
}

func strategy(phone, zone string) map[string]any {
	return map[string]any{"callerId": map[string]any{"phoneNumber": phone}, "callingHours": map[string]any{"frequency": "WEEKLY",
		"timezone": zone,
		"days":     []any{map[string]any{"day": "MO", "start": "9:00 AM", "end": "5:00 PM"}}}}
}

// asShown is how campaign Renewals is answered.
func asShown(id, kind, status, runID, created, updated string, calls, messages int) string {
	run := ""
	if runID != "" {
		run = fmt.Sprintf(`"campaignInstanceId":%q,`, runID)
	}
	return fmt.Sprintf(`{"_id":%q,"name":"Renewals","lname":"renewals","description":"Contracts that end","status":%q,"priority":"3",
		"dialingStrategy":{"callerId":{"phoneNumber":"+15550100000"},"callingHours":{"frequency":"WEEKLY","timezone":"America/New_York",
			"days":[{"day":"MO","start":"9:00 AM","end":"5:00 PM"}]}},
		"experienceFlow":"cf-1","experienceFlowName":"Support line","schedule":{"isSchedulingEnabled":true,"isRecurrenceEnabled":true},
		"contactLists":["VIPs","All"],"enableMachineDetect":%t,"format":"advanced","campaignType":%q,"direction":"outbound",%s
		"totalMessagesSent":%d,"totalCallsCompleted":%d,"createdAt":%q,"updatedAt":%q}`,
		id, status, kind == "voice", kind, run, messages, calls, created, updated)
}

const noon, later = "2025-03-01T12:00:00.000Z", "2025-03-01T13:00:00.000Z"

func TestACampaignIsCreated(t *testing.T) {
	for kind, d := range map[campaigns.Kind]campaigns.Definition{campaigns.Voice: voiceOnes, campaigns.SMS: smsOnes()} {
		w, _ := newOffice(t)
		got := w.Ask("POST", all, body(kind, map[string]any{"name": " Renewals ", "contactLists": []string{" VIPs", "All "},
			"experienceFlowName": " Support line ", "dialingStrategy": strategy("+1 (555) 010-0000", "America/New_York")}), named()...)
		require.Equal(t, 201, got.Status, got.Text)
		e := resttest.Only[campaigns.Defined](w, campaigns.Campaigns.Category)
		require.Equal(t, campaigns.Defined{TenantID: "acme", ProjectID: "p-1", CampaignID: e.CampaignID, Definition: d, At: w.Now}, e)
		require.True(t, campaigns.ValidID(e.CampaignID))
		require.Equal(t, campaigns.Stream("acme", e.CampaignID), w.Events.Accepted()[0].Stream)
		require.JSONEq(t, `{"status":"success","message":"Campaign Created","data":`+asShown(e.CampaignID, string(kind), "Ready", "", noon, noon,
			0, 0)+`}`, got.Text)
	}
}

// A list is found by its name as it is kept, however the accents of the one that is given are written.
func TestListsAreFoundHoweverTheirAccentsAreWritten(t *testing.T) {
	w, o := newOffice(t)
	o.counts["G\u00e4ste"] = 2
	got := w.Ask("POST", all, body(campaigns.SMS, map[string]any{"contactLists": []string{"Ga\u0308ste "}}), named()...)
	require.Equal(t, 201, got.Status, got.Text)
}

func TestACampaignWithoutAScheduleRunsOnce(t *testing.T) {
	w, _ := newOffice(t)
	got := w.Ask("POST", all, body(campaigns.Voice, map[string]any{"schedule": nil, "enableMachineDetect": nil}), named()...)
	require.Equal(t, 201, got.Status, got.Text)
	d := resttest.Only[campaigns.Defined](w, campaigns.Campaigns.Category).Definition
	require.Equal(t, []bool{false, false, false}, []bool{d.SchedulingEnabled, d.RecurrenceEnabled, d.MachineDetect})
}

func TestACampaignIsCreatedOnceForAKey(t *testing.T) {
	w, _ := newOffice(t)
	first := w.Ask("POST", all, body(campaigns.Voice, nil), named("Idempotency-Key", "one")...)
	w.Events.Forget()
	w.Now = w.Now.Add(time.Minute)
	again := w.Ask("POST", all, body(campaigns.Voice, nil), named("Idempotency-Key", "one")...)
	require.Equal(t, []any{201, first.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("Idempotency-Replayed")})
	require.Len(t, w.Since(), 1)
	w.Refused(w.Ask("POST", all, body(campaigns.Voice, map[string]any{"priority": "4"}), named("Idempotency-Key", "one")...), 409)
	require.Equal(t, 201, w.Ask("POST", all, body(campaigns.Voice, nil), named("Idempotency-Key", "two")...).Status)
	require.Len(t, w.Since(), 1)
}

// Whatever is wrong is named at once, in the order of the names, by creating and by
// updating alike.
func TestWhatIsWrongWithACampaign(t *testing.T) {
	w, _ := newOffice(t, ready(smsOnes(), time.Time{})...)
	lists := func(n int) (names []string) {
		for range n {
			names = append(names, "VIPs")
		}
		return names
	}
	for _, c := range []struct {
		wrong  map[string]any
		fields []string
	}{
		{map[string]any{"experienceFlowName": "Sales"}, []string{"experienceFlowName"}},
		{map[string]any{"contactLists": []string{"VIPs", "Nobody"}}, []string{"contactLists[1]"}},
		{map[string]any{"contactLists": []string{"Nobody", "VIPs", "None"}, "experienceFlowName": "Sales",
			"dialingStrategy": strategy("1", "EST5")}, []string{"contactLists[0]", "contactLists[2]",
			"dialingStrategy.callerId.phoneNumber", "dialingStrategy.callingHours.timezone", "experienceFlowName"}},
		{map[string]any{"contactLists": []string{"VIPs", "VIPs"}}, []string{"contactLists[1]"}},
		{map[string]any{"contactLists": []string{}}, []string{"contactLists"}},
		{map[string]any{"contactLists": lists(51)}, []string{"contactLists"}},
		{map[string]any{"contactLists": nil, "name": nil, "format": nil}, []string{"contactLists", "format", "name"}},
		{map[string]any{"name": strings.Repeat("n", 49)}, []string{"name"}},
		{map[string]any{"description": strings.Repeat("d", 257)}, []string{"description"}},
		{map[string]any{"priority": "6"}, []string{"priority"}},
		{map[string]any{"priority": 3}, []string{"priority"}},
		{map[string]any{"dialingStrategy": nil}, []string{"dialingStrategy"}},
		{map[string]any{"dialingStrategy": map[string]any{}}, []string{"dialingStrategy.callerId", "dialingStrategy.callingHours"}},
	} {
		w.Refused(w.Ask("POST", all, body(campaigns.SMS, c.wrong), named()...), 400, c.fields...)
		w.Refused(w.Ask("PUT", one+"?campaignType=sms", body(campaigns.SMS, c.wrong), named()...), 400, c.fields...)
	}
	got := w.Ask("POST", all, body(campaigns.SMS, map[string]any{"contactLists": []string{"Nobody"}, "experienceFlowName": "Sales"}),
		named()...)
	require.Contains(t, got.Text, `\"Nobody\" is not a contact list of the project`)
	require.Contains(t, got.Text, `\"Sales\" is not an experience flow of the project`)
	w.Refused(w.Ask("POST", all, body("email", nil), named()...), 400, "campaignType")
}

// A Ready, Paused or Completed campaign takes what it is told; the run of a Paused one
// ends with that.
func TestACampaignIsUpdated(t *testing.T) {
	at, otherwise := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC), smsOnes()
	otherwise.Priority = 1
	for name, c := range map[string]struct {
		past       []event.Payload
		run, ended string
	}{
		"Ready":     {ready(otherwise, at), "", ""},
		"Paused":    {paused(smsOnes(), at), "cid-1", "cid-1"},
		"Completed": {completed(smsOnes(), at), "cid-1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, o := newOffice(t, c.past...)
			before := o.campaigns["acme/p-1/cd-1"]
			before.Definition.Priority = 5 // what the read model says of it is not what is answered
			o.campaigns["acme/p-1/cd-1"] = before
			w.Now = w.Now.Add(time.Hour)
			got := w.Ask("PUT", one+"?campaignType=sms", body(campaigns.SMS, nil), named()...)
			require.Equal(t, 200, got.Status, got.Text)
			require.JSONEq(t, `{"status":"success","message":"Campaign Updated","data":`+asShown("cd-1", "sms", "Ready", c.run, noon, later, 7,
				8)+`}`, got.Text)
			require.Equal(t, campaigns.Updated{TenantID: "acme", ProjectID: "p-1", CampaignID: "cd-1", Definition: smsOnes(),
				EndedRunID: c.ended, At: w.Now}, resttest.Only[campaigns.Updated](w, campaigns.Campaigns.Category))
		})
	}
}

// Given a Ready campaign, when it is told what it is already, then it is answered as it is, and nothing is written.
func TestAnUpdateThatChangesNothing(t *testing.T) {
	w, _ := newOffice(t, ready(smsOnes(), time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC))...)
	w.Now = w.Now.Add(time.Hour)
	got := w.Ask("PUT", one+"?campaignType=sms", body(campaigns.SMS, nil), named()...)
	require.Equal(t, 200, got.Status, got.Text)
	require.Contains(t, got.Text, `"updatedAt":"2025-03-01T12:00:00.000Z"`)
	require.Empty(t, w.Since())
}

func TestACampaignThatIsNotUpdated(t *testing.T) {
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	w, _ := newOffice(t, active(smsOnes(), at)...)
	got := w.Ask("PUT", one+"?campaignType=sms", body(campaigns.SMS, nil), named()...)
	w.Refused(got, 409, "campaignInstanceId")
	require.Equal(t, "cid-1", got.Refusal.Error.Details[0].Problem, "the caller learns which run is in the way")

	w, _ = newOffice(t, ready(voiceOnes, at)...)
	for query, c := range map[string]struct {
		kind   campaigns.Kind
		fields []string
	}{
		"?campaignType=sms": {campaigns.Voice, []string{"campaignType"}}, // body and query differ
		"?campaignType=":    {campaigns.SMS, []string{"campaignType"}}, "": {campaigns.SMS, []string{"campaignType"}},
		"?campaignType=voice": {campaigns.Voice, []string{"campaignType"}},
	} {
		w.Refused(w.Ask("PUT", one+query, body(c.kind, nil), named()...), 400, c.fields...)
	}
	w.Refused(w.Ask("PUT", one+"?campaignType=sms", body(campaigns.SMS, nil), named()...), 400, "campaignType") // the stored one is of voice
	w.Refused(w.Ask("PUT", one+"?campaignType=sms", body(campaigns.Voice, map[string]any{"experienceFlowName": "Sales"}), named()...), 400,
		"campaignType", "experienceFlowName")
}

func TestAnUpdateIsMadeOnceForAKey(t *testing.T) {
	w, _ := newOffice(t, ready(smsOnes(), time.Time{})...)
	first := w.Ask("PUT", one+"?campaignType=sms", body(campaigns.SMS, map[string]any{"priority": "5"}), named("Idempotency-Key", "one")...)
	w.Now = w.Now.Add(time.Minute)
	again := w.Ask("PUT", one+"?campaignType=sms", body(campaigns.SMS, map[string]any{"priority": "5"}), named("Idempotency-Key", "one")...)
	require.Equal(t, []any{200, first.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("Idempotency-Replayed")})
	require.Len(t, w.Since(), 1)
	w.Refused(w.Ask("PUT", one+"?campaignType=sms", body(campaigns.SMS, nil), named("Idempotency-Key", "one")...), 409)
}

// The project of the path, the account and the application of the headers must agree,
// and another's campaign does not exist.
func TestWhoseCampaignsTheyAre(t *testing.T) {
	w, o := newOffice(t, ready(smsOnes(), time.Time{})...)
	o.campaigns["globex/p-1/cd-2"], o.campaigns["acme/p-9/cd-3"] = o.campaigns["acme/p-1/cd-1"], o.campaigns["acme/p-1/cd-1"]
	path := func(project, id string) string { return "/agentassist/api/v1/public/" + project + "/campaign/" + id }
	for name, c := range map[string]struct {
		path    string
		headers []string
		status  int
		fields  []string
	}{
		"its own":               {path("main", "cd-1"), named(), 200, nil},
		"another project's":     {path("p-1", "cd-3"), named(), 404, nil},
		"another tenant's":      {path("p-1", "cd-2"), named(), 404, nil},
		"no campaign":           {path("p-1", "cd-4"), named(), 404, nil},
		"no id of a campaign":   {path("p-1", "1"), named(), 404, nil},
		"a project of globex":   {path("p-2", "cd-1"), []string{"accountId", "acme", "iid", "p-2"}, 404, nil},
		"another account":       {path("p-1", "cd-1"), []string{"accountId", "globex", "iid", "p-1"}, 404, nil},
		"another application":   {path("p-1", "cd-1"), []string{"accountId", "acme", "iid", "p-9"}, 404, nil},
		"another one beside it": {path("p-1", "cd-1"), named("iId", "p-9"), 404, nil},
		"an unknown one":        {path("p-1", "cd-1"), []string{"accountId", "acme", "iid", "p-7"}, 404, nil},
		"no account":            {path("p-1", "cd-1"), []string{"iid", "p-1"}, 400, []string{"accountId"}},
		"neither":               {path("p-1", "cd-1"), nil, 400, []string{"accountId", "iid"}},
		"no id, and no account": {path("p-1", "cd-4"), nil, 404, nil},
	} {
		got := w.Ask("GET", c.path, "", c.headers...)
		require.Equal(t, c.status, got.Status, "%s: %s", name, got.Text)
		require.Equal(t, c.fields, got.Fields(), name)
	}
	require.Equal(t, 401, w.Call("GET", one, "").Status)
	w.Token = w.Grant("acme", nil)
	require.Equal(t, 403, w.Ask("GET", one, "", named()...).Status)
	w.Refused(w.Ask("POST", all, "{}", named()...), 403)
}

func TestCampaignsAreRead(t *testing.T) {
	w, o := newOffice(t, active(voiceOnes, time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC))...)
	shown := asShown("cd-1", "voice", "Active", "cid-1", noon, noon, 7, 8)
	require.JSONEq(t, `{"status":"success","message":"Campaign Found","data":`+shown+`}`, w.Ask("GET", one, "", named()...).Text)
	o.total = 9
	require.JSONEq(t, `{"success":true,"campaigns":[`+shown+`],"pagination":{"total":9,"limit":50,"offset":0}}`,
		w.Ask("GET", all, "", named()...).Text)
	clear(o.campaigns)
	require.JSONEq(t, `{"success":true,"campaigns":[],"pagination":{"total":9,"limit":200,"offset":8}}`,
		w.Ask("GET", all+"?limit=200&offset=8", "", named()...).Text)
	require.Equal(t, []string{"acme p-1 50 0", "acme p-1 200 8"}, o.asked)
	for query, field := range map[string]string{"limit=0": "limit", "limit=201": "limit", "offset=-1": "offset"} {
		w.Refused(w.Ask("GET", all+"?"+query, "", named()...), 400, field)
	}
	w.Refused(w.Ask("GET", strings.Replace(all, "p-1", "p-2", 1), "", "accountId", "acme", "iid", "p-2"), 404)
}

// What cannot be read is no refusal of the caller, and nothing is written on half of it.
func TestReadModelsOfCampaignsThatFail(t *testing.T) {
	for method, asks := range map[string][]string{"Get": {"GET " + one}, "List": {"GET " + all}, "RunTotals": {"GET " + all, "GET " + one},
		"FlowNamed": {"POST " + all, "PUT " + one + "?campaignType=sms"}, "Counts": {"POST " + all, "PUT " + one + "?campaignType=sms"}} {
		for _, ask := range asks {
			w, o := newOffice(t, ready(smsOnes(), time.Time{})...)
			o.down[method] = errors.New("relation does not exist")
			verb, path, _ := strings.Cut(ask, " ")
			text := ""
			if slices.Contains([]string{"POST", "PUT"}, verb) {
				text = body(campaigns.SMS, nil)
			}
			got := w.Ask(verb, path, text, named()...)
			w.Refused(got, 500)
			require.Equal(t, fault.Internal, got.Code(), ask)
		}
	}
}

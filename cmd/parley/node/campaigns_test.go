//go:build !apache

package node_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// triggerAnswer is what starting answers.
type triggerAnswer struct {
	Status              string   `json:"status"`
	Message             string   `json:"message"`
	TotalCallsCompleted *float64 `json:"totalCallsCompleted"`
	UpdatedAt           string   `json:"updatedAt"`
	RunID               string   `json:"campaignInstanceId"`
}

func newCampaignWorld(t *testing.T) *campaignWorld {
	t.Helper()
	w := &campaignWorld{tenant: shared(t).tenant(t, "")}
	w.auth = []string{"auth", w.token(t), "accountId", w.id, "iid", mainApp}
	w.tenant.apply(t, "Agent", "greeter", "greeter", fields{"projectId": mainApp, "dslContent": "ON_START:\n  SAY: Your invoice is due\n"})
	w.tenant.apply(t, "ExperienceFlow", "cf-main", "Support line", fields{"projectId": mainApp, "number": "15550100", "agentName": "greeter"})
	w.tenant.apply(t, "ExperienceFlow", "cf-mute", "Mute line", fields{"projectId": mainApp, "number": "15550101"})
	w.tenant.apply(t, "ContactList", "vips", "VIPs", fields{"projectId": mainApp,
		"contacts": []any{fields{"phoneNumber": "+15550000001", "firstName": "Ann", "customFields": fields{"plan": "gold"}}}})
	w.tenant.apply(t, "ContactList", "nobody", "Nobody", fields{"projectId": mainApp})
	w.tenant.apply(t, "Campaign", voiceID, "Renewals", w.spec("voice"))
	w.tenant.apply(t, "Campaign", smsID, "Reminders", w.spec("sms"))
	return w
}

func (w *campaignWorld) trigger(t *testing.T, id, kind, what string, headers ...string) *answer {
	t.Helper()
	return w.on.do(t, "POST", w.triggerPath(id, kind, what), fields{}, append(headers, w.auth...)...)
}

func (w *campaignWorld) triggerPath(id, kind, what string) string {
	return "/api/v2/public/" + mainAlias + "/campaign/trigger/" + id + "?accountId=" + w.id + "&campaignType=" + kind + "&trigger=" + what
}

func (w *campaignWorld) triggered(t *testing.T, id, kind, what string, headers ...string) (a triggerAnswer) {
	t.Helper()
	w.trigger(t, id, kind, what, headers...).must(t, 200).into(t, &a)
	return a
}

// "a voice campaign | start | campaign exists | Active | message Campaign Started, response carries campaignInstanceId"
func TestAVoiceCampaignIsStarted(t *testing.T) {
	t.Parallel()
	w := newCampaignWorld(t)
	require.Equal(t, "Ready", w.get(t, voiceID).Status)
	a := w.triggered(t, voiceID, "voice", "play")
	require.Equal(t, "Campaign Started", a.Message)
	require.Equal(t, "Active", a.Status)
	require.Regexp(t, "^cid-"+uuidForm+"$", a.RunID)
	require.NotNil(t, a.TotalCallsCompleted)
	require.Zero(t, *a.TotalCallsCompleted)
	_, err := time.Parse(time.RFC3339, a.UpdatedAt)
	require.NoError(t, err)
	shown := w.get(t, voiceID)
	require.Equal(t, "Active", shown.Status)
	require.Equal(t, a.RunID, shown.RunID)
	require.Equal(t, a.UpdatedAt, shown.UpdatedAt)
	for name, s := range shared(t).both() { // with the reply, before anything has followed
		run := s.do(t, "GET", campaignBase+"/"+voiceID+"/runs/"+a.RunID, nil, w.auth...).must(t, 200)
		require.Contains(t, run.Text, `"nextOpening"`, name)
	}

	w.trigger(t, voiceID, "voice", "play").refused(t, 409, "CONFLICT", "campaignInstanceId")
	require.Contains(t, w.trigger(t, voiceID, "voice", "play").Text, a.RunID, "the run that is under way is named")
	w.complete(t, voiceID, a.RunID)
	require.Equal(t, "Completed", w.get(t, voiceID).Status)
	require.NotEqual(t, a.RunID, w.triggered(t, voiceID, "voice", "play").RunID)
}

// "an SMS campaign | update | campaign exists | Ready (as returned) | fields replaced"
func TestAnSMSCampaignIsUpdated(t *testing.T) {
	t.Parallel()
	w := newCampaignWorld(t)
	before := w.get(t, smsID)
	var out struct {
		Status, Message string
		Data            map[string]any
	}
	body := campaignBody("sms").and(fields{"schedule": fields{"isSchedulingEnabled": true, "isRecurrenceEnabled": true},
		"enableMachineDetect": true})
	w.put(t, smsID, body).must(t, 200).into(t, &out)
	require.Equal(t, "success", out.Status)
	require.NotEmpty(t, out.Message)
	updatedAt, _ := out.Data["updatedAt"].(string)
	require.GreaterOrEqual(t, updatedAt, before.CreatedAt)
	require.Equal(t, map[string]any{"_id": smsID, "name": "Reminders 2", "lname": "reminders 2", "description": "About invoices",
		"status": "Ready", "priority": "5",
		"dialingStrategy": map[string]any{"callerId": map[string]any{"phoneNumber": "+15550100100"},
			"callingHours": out.Data["dialingStrategy"].(map[string]any)["callingHours"]},
		"experienceFlow": "cf-main", "experienceFlowName": "Support line", "schedule": map[string]any{"isSchedulingEnabled": true,
			"isRecurrenceEnabled": true}, "contactLists": []any{"VIPs"},
		"enableMachineDetect": false, "format": "advanced", "campaignType": "sms", "direction": "outbound", "totalMessagesSent": float64(0),
		"totalCallsCompleted": float64(0),
		"createdAt":           before.CreatedAt, "updatedAt": updatedAt}, out.Data)
	var got struct{ Data map[string]any }
	shared(t).b.do(t, "GET", campaignBase+"/"+smsID, nil, w.auth...).must(t, 200).into(t, &got)
	require.Equal(t, out.Data, got.Data)
	again := out
	w.put(t, smsID, body).must(t, 200).into(t, &again)
	require.Equal(t, out, again, "what is there already changes nothing, updatedAt included")
}

func TestOnlyWhatDoesNotRunIsUpdated(t *testing.T) {
	t.Parallel()
	w := newCampaignWorld(t)
	runID := w.triggered(t, smsID, "sms", "play").RunID
	refused := w.put(t, smsID, campaignBody("sms"))
	refused.refused(t, 409, "CONFLICT", "campaignInstanceId")
	require.Contains(t, refused.Text, runID)
	require.Equal(t, "Campaign Paused", w.triggered(t, smsID, "sms", "pause").Message)
	w.put(t, smsID, campaignBody("sms")).must(t, 200)
	require.Equal(t, "Ready", w.get(t, smsID).Status)
	loaded, err := eventstore.Read(t.Context(), w.on.Store(), campaigns.Campaigns, campaigns.Stream(w.id, smsID))
	require.NoError(t, err)
	require.Equal(t, campaigns.Ready, loaded.State.Status)
	require.NotEqual(t, runID, w.triggered(t, smsID, "sms", "play").RunID, "the paused run has ended with the update")
}

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	w := newCampaignWorld(t)
	for _, what := range []string{"pause", "resume"} {
		w.trigger(t, voiceID, "voice", what).refused(t, 409, "CONFLICT")
	}
	run := w.triggered(t, voiceID, "voice", "play")
	for _, step := range []struct{ what, message, status string }{
		{"resume", "Campaign Resumed", "Active"}, {"pause", "Campaign Paused", "Paused"}, {"pause", "Campaign Paused", "Paused"},
		{"resume", "Campaign Resumed", "Active"},
		{"pause", "Campaign Paused", "Paused"}, {"play", "Campaign Resumed", "Active"},
	} {
		a := w.triggered(t, voiceID, "voice", step.what)
		require.Equal(t, step.message, a.Message)
		require.Equal(t, step.status, a.Status)
		require.Equal(t, run.RunID, a.RunID)
		require.Equal(t, step.status, w.get(t, voiceID).Status)
	}
}

// Of many starts at once, on both nodes, one wins; all others name its run.
func TestStartsAtOnceMakeOneRun(t *testing.T) {
	t.Parallel()
	w := newCampaignWorld(t)
	answers := make([]*answer, 8)
	var wait sync.WaitGroup
	for i := range answers {
		on := shared(t).a
		if i%2 == 1 {
			on = shared(t).b
		}
		wait.Go(func() {
			headers := append([]string{"Idempotency-Key", fmt.Sprint("start-", i)}, w.auth...)
			answers[i] = on.surely(t, "POST", w.triggerPath(voiceID, "voice", "play"), fields{}, headers...)
		})
	}
	wait.Wait()
	runID, won := w.get(t, voiceID).RunID, 0
	for _, a := range answers {
		require.Contains(t, a.Text, runID)
		if a.Status == 200 {
			won++
		} else {
			a.refused(t, 409, "CONFLICT", "campaignInstanceId")
		}
	}
	require.Equal(t, 1, won)
}

func TestAStartIsRepeatedWithItsKey(t *testing.T) {
	t.Parallel()
	w := newCampaignWorld(t)
	first := w.triggered(t, voiceID, "voice", "play", "Idempotency-Key", "one")
	require.Equal(t, first, w.triggered(t, voiceID, "voice", "play", "Idempotency-Key", "one"))
}

func TestWhatCannotBeStarted(t *testing.T) {
	t.Parallel()
	w := newCampaignWorld(t)
	w.tenant.apply(t, "Campaign", "cd-empty", "Empty", w.spec("voice").and(fields{"contactLists": []string{"Nobody"}}))
	w.tenant.apply(t, "Campaign", "cd-mute", "Mute", w.spec("sms").and(fields{"experienceFlowName": "Mute line"}))
	empty := w.trigger(t, "cd-empty", "voice", "play")
	empty.refused(t, 409, "CONFLICT")
	require.Contains(t, empty.Text, "Nobody")
	mute := w.trigger(t, "cd-mute", "sms", "play")
	mute.refused(t, 409, "CONFLICT")
	require.Contains(t, mute.Text, "Mute line")
	for id, kind := range map[string]string{voiceID: "sms", smsID: "voice"} {
		w.trigger(t, id, kind, "play").refused(t, 400, "VALIDATION_ERROR", "campaignType")
	}
	w.trigger(t, voiceID, "voice", "stop").refused(t, 400, "VALIDATION_ERROR", "trigger")
	require.Equal(t, "Ready", w.get(t, voiceID).Status)
}

func TestCampaignsAreCreatedAndListed(t *testing.T) {
	t.Parallel()
	w := newCampaignWorld(t)
	path := campaignBase + "s"
	var made struct{ Data shownCampaign }
	headers := append([]string{"Idempotency-Key", "k"}, w.auth...)
	w.on.do(t, "POST", path, campaignBody("voice"), headers...).must(t, 201).into(t, &made)
	require.Regexp(t, "^cd-"+uuidForm+"$", made.Data.ID)
	require.Equal(t, made.Data, w.get(t, made.Data.ID))
	again := made
	shared(t).b.do(t, "POST", path, campaignBody("voice"), headers...).must(t, 201).into(t, &again)
	require.Equal(t, made, again)
	shared(t).b.do(t, "POST", path, campaignBody("sms"), headers...).refused(t, 409, "CONFLICT")

	var list struct {
		Campaigns  []shownCampaign
		Pagination struct{ Total, Limit, Offset int }
	}
	w.on.do(t, "GET", path+"?limit=2&offset=1", nil, w.auth...).must(t, 200).into(t, &list)
	require.Equal(t, 3, list.Pagination.Total)
	require.Len(t, list.Campaigns, 2)
	require.Equal(t, smsID, list.Campaigns[0].ID)
	require.Equal(t, made.Data.ID, list.Campaigns[1].ID)
	w.on.do(t, "GET", path+"?limit=201", nil, w.auth...).refused(t, 400, "VALIDATION_ERROR", "limit")
}

func TestCampaignsOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	w, other := newCampaignWorld(t), newCampaignWorld(t)
	foreign := append([]string{}, other.auth...)
	other.tenant.apply(t, "Campaign", "cd-theirs", "Theirs", other.spec("sms"))
	w.on.do(t, "GET", campaignBase+"/cd-theirs", nil, w.auth...).refused(t, 404, "NOT_FOUND")
	w.on.do(t, "PUT", campaignBase+"/cd-theirs"+smsQuery, campaignBody("sms"), w.auth...).refused(t, 404, "NOT_FOUND")
	w.trigger(t, "cd-theirs", "sms", "play").refused(t, 404, "NOT_FOUND")
	other.on.do(t, "GET", campaignBase+"/cd-theirs", nil, foreign...).must(t, 200)
	w.on.do(t, "GET", strings.Replace(campaignBase, mainApp, otherApp, 1)+"/"+smsID, nil, "auth", w.auth[1], "accountId", w.id, "iid",
		otherApp).refused(t, 404, "NOT_FOUND")
	w.on.do(t, "GET", campaignBase+"/"+smsID, nil, "auth", w.auth[1], "accountId", w.id, "iid", otherApp).refused(t, 404, "NOT_FOUND")
	w.on.do(t, "GET", campaignBase+"/"+smsID, nil, "auth", w.auth[1], "accountId", other.id, "iid", mainApp).refused(t, 404, "NOT_FOUND")
	w.on.do(t, "POST", "/api/v2/public/"+mainApp+"/campaign/trigger/"+smsID+"?accountId="+other.id+"&campaignType=sms&trigger=play", fields{},
		w.auth...).refused(t, 404, "NOT_FOUND")
	w.on.do(t, "GET", campaignBase+"/cd-"+strings.Repeat("x", 200), nil, w.auth...).refused(t, 404, "NOT_FOUND")
	for _, missing := range []string{"accountId", "iid"} {
		headers := []string{"auth", w.auth[1]}
		for name, value := range map[string]string{"accountId": w.id, "iid": mainApp} {
			if name != missing {
				headers = append(headers, name, value)
			}
		}
		w.on.do(t, "GET", campaignBase+"/"+smsID, nil, headers...).refused(t, 400, "VALIDATION_ERROR", missing)
	}
	token := w.token(t, func(g *tokens.Grant) { g.Scopes = nil })
	w.on.do(t, "GET", campaignBase+"/"+smsID, nil, "auth", token, "accountId", w.id, "iid", mainApp).refused(t, 403, "FORBIDDEN")
}

func TestBadUpdatesNameTheField(t *testing.T) {
	t.Parallel()
	w := newCampaignWorld(t)
	dialing := func(caller string, hours fields) fields {
		return fields{"dialingStrategy": fields{"callerId": fields{"phoneNumber": caller}, "callingHours": hours}}
	}
	days := func(days ...any) fields { return dialing("15550100100", shut().and(fields{"days": days})) }
	for name, c := range map[string]struct {
		change fields
		field  string
	}{
		"long name": {fields{"name": strings.Repeat("é", 49)}, "name"}, "no name": {fields{"name": nil}, "name"},
		"blank name": {fields{"name": "  "}, "name"}, "U+0000": {fields{"name": "a\x00b"}, "name"},
		"long description": {fields{"description": strings.Repeat("é", 257)}, "description"}, "no description": {fields{"description": nil},
			"description"},
		"no lists": {fields{"contactLists": []string{}}, "contactLists"}, "no lists at all": {fields{"contactLists": nil}, "contactLists"},
		"unknown list": {fields{"contactLists": []string{"VIPs", "Strangers"}}, "contactLists[1]"},
		"a list twice": {fields{"contactLists": []string{"VIPs", "VIPs"}}, "contactLists[1]"},
		"priority 0":   {fields{"priority": "0"}, "priority"}, "priority 6": {fields{"priority": "6"}, "priority"}, "priority as a number": {
			fields{"priority": 3}, "priority"},
		"no format": {fields{"format": nil}, "format"}, "another kind": {fields{"campaignType": "voice"}, "campaignType"},
		"no kind":      {fields{"campaignType": "fax"}, "campaignType"},
		"unknown flow": {fields{"experienceFlowName": "Nowhere"}, "experienceFlowName"}, "no flow": {fields{"experienceFlowName": nil},
			"experienceFlowName"},
		"caller":       {dialing("+++", shut()), "dialingStrategy.callerId.phoneNumber"},
		"frequency":    {dialing("15550100100", shut().and(fields{"frequency": "YEARLY"})), "dialingStrategy.callingHours.frequency"},
		"zone":         {dialing("15550100100", shut().and(fields{"timezone": "Mars/Olympus"})), "dialingStrategy.callingHours.timezone"},
		"no days":      {days(), "dialingStrategy.callingHours.days"},
		"bad day":      {days(fields{"day": "XX", "start": "9:00 AM", "end": "5:00 PM"}), "dialingStrategy.callingHours.days[0].day"},
		"bad time":     {days(fields{"day": "MO", "start": "9:00", "end": "5:00 PM"}), "dialingStrategy.callingHours.days[0].start"},
		"end is start": {days(fields{"day": "MO", "start": "9:00 AM", "end": "9:00 AM"}), "dialingStrategy.callingHours.days[0].end"},
		"a day twice": {days(fields{"day": "MO", "start": "9:00 AM", "end": "5:00 PM"}, fields{"day": "MO", "start": "6:00 PM",
			"end": "7:00 PM"}), "dialingStrategy.callingHours.days[1].day"},
	} {
		t.Run(name, func(t *testing.T) {
			w.put(t, smsID, campaignBody("sms").and(c.change)).refused(t, 400, "VALIDATION_ERROR", c.field)
		})
	}
	w.put(t, smsID, campaignBody("sms").and(fields{"name": strings.Repeat("é", 48), "description": strings.Repeat("é", 256)})).must(t, 200)
	w.put(t, smsID, campaignBody("sms").and(days(fields{"day": "FR", "start": "10:00 PM", "end": "2:00 AM"}))).must(t, 200)
	w.put(t, voiceID, campaignBody("sms")).refused(t, 400, "VALIDATION_ERROR", "campaignType")
	w.on.do(t, "PUT", campaignBase+"/"+smsID+"?campaignType=voice", campaignBody("voice"), w.auth...).refused(t, 400, "VALIDATION_ERROR",
		"campaignType")
	w.on.do(t, "PUT", campaignBase+"/"+smsID, campaignBody("sms"), w.auth...).refused(t, 400, "VALIDATION_ERROR", "campaignType")
}

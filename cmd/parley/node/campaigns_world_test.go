package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/campaigns"
)

const (
	campaignBase = "/agentassist/api/v1/public/" + mainApp + "/campaign"
	smsQuery     = "?campaignType=sms"
	voiceID      = "cd-voice"
	smsID        = "cd-sms"
)

// shownCampaign is the data of get-campaign.
type shownCampaign struct {
	ID              string         `json:"_id"`
	Name            string         `json:"name"`
	LowerName       string         `json:"lname"`
	Status          string         `json:"status"`
	Priority        string         `json:"priority"`
	DialingStrategy map[string]any `json:"dialingStrategy"`
	ExperienceFlow  string         `json:"experienceFlow"`
	ContactLists    []string       `json:"contactLists"`
	RunID           string         `json:"campaignInstanceId"`
	CreatedAt       string         `json:"createdAt"`
	UpdatedAt       string         `json:"updatedAt"`
}

// campaignWorld is a tenant with two campaigns whose calling hours are shut for days, so
// that a run stays as it was started.
type campaignWorld struct {
	*tenant
	auth []string
}

// shut are calling hours in UTC that are days away.
func shut() fields {
	day := strings.ToUpper(time.Now().UTC().AddDate(0, 0, 3).Weekday().String()[:2])
	return fields{"frequency": "WEEKLY", "timezone": "UTC", "days": []any{fields{"day": day, "start": "9:00 AM", "end": "5:00 PM"}}}
}

// body is the least that an update can say.
func campaignBody(kind string) fields {
	return fields{"name": "Reminders 2", "description": "About invoices", "contactLists": []string{"VIPs"}, "priority": "5",
		"format": "advanced", "campaignType": kind,
		"dialingStrategy": fields{"callerId": fields{"phoneNumber": "15550100100"}, "callingHours": shut()}, "experienceFlowName": "Support line",
		"schedule": fields{"isSchedulingEnabled": false}}
}

func (w *campaignWorld) spec(kind string) fields {
	return campaignBody(kind).and(fields{"projectId": mainApp, "name": nil})
}

func (w *campaignWorld) put(t *testing.T, id string, body any) *answer {
	t.Helper()
	return w.on.do(t, "PUT", campaignBase+"/"+id+smsQuery, body, w.auth...)
}

func (w *campaignWorld) get(t *testing.T, id string) (c shownCampaign) {
	t.Helper()
	var out struct{ Data shownCampaign }
	w.on.do(t, "GET", campaignBase+"/"+id, nil, w.auth...).must(t, 200).into(t, &out)
	return out.Data
}

// complete is what the engine reports at the end of a run.
func (w *campaignWorld) complete(t *testing.T, id, runID string) {
	t.Helper()
	executed(t, w.on, w.id, campaigns.Campaigns, campaigns.Stream(w.id, id), campaigns.Complete{RunID: runID, At: time.Now().UTC()}.Decide)
}

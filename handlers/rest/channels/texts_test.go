package channels_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	channelapi "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/channels"
)

// outbox is the read model of text messages.
type outbox struct {
	page  []models.Text
	total int
	asked []models.TextQuery
	down  error
}

func (o *outbox) List(_ context.Context, q models.TextQuery) ([]models.Text, int, error) {
	o.asked = append(o.asked, q)
	return o.page, o.total, o.down
}

func TestTextMessagesAreListed(t *testing.T) {
	const list = "/api/v1/projects/main/messages"
	w, o := resttest.NewStored(t, nil, access.PermSessionRead), &outbox{}
	channelapi.DeclareTexts(w.Api, channelapi.TextsAPI{Texts: o})
	require.JSONEq(t, `{"success":true,"messages":[],"pagination":{"total":0,"limit":50,"offset":0}}`, w.Ask("GET", list, "").Text)

	end, none, two := w.Now.Add(time.Minute), 0, 2
	o.total = 9
	o.page = []models.Text{{ID: "m-1", From: "+15550100", To: "+15550001", Text: "Hello", Status: "failed", CampaignID: "cd-1",
		RunID: "cid-1", ContactIndex: &none, Provider: "twilio", ProviderMessageID: "SM1", Segments: &two, Attempts: 3,
		Code:   "21610",
		Reason: "stopped", RequestedAt: w.Now, SendBy: end, EndedAt: &end}, {ID: "m-2", Status: "queued", RequestedAt: w.Now, SendBy: end}}
	require.JSONEq(t, `{"success":true,"messages":[{"messageId":"m-1","from":"+15550100","to":"+15550001","text":"Hello","status":"failed",
		"campaignId":"cd-1","campaignInstanceId":"cid-1","contactIndex":0,"provider":"twilio","providerMessageId":"SM1","segments":2,"attempts":3,
		"code":"21610","reason":"stopped","requestedAt":"2025-03-01T12:00:00.000Z","sendBy":"2025-03-01T12:01:00.000Z",
		"endedAt":"2025-03-01T12:01:00.000Z"},{"messageId":"m-2","from":"","to":"","text":"","status":"queued","attempts":0,
		"requestedAt":"2025-03-01T12:00:00.000Z","sendBy":"2025-03-01T12:01:00.000Z"}],"pagination":{"total":9,"limit":200,"offset":7}}`,
		w.Ask("GET", list+"?status=failed&campaignId=cd-1&campaignInstanceId=cid-1&limit=200&offset=7", "").Text)
	require.Equal(t, []models.TextQuery{{Tenant: "acme", Project: "p-1", Limit: 50}, {Tenant: "acme", Project: "p-1", Status: "failed",
		CampaignID: "cd-1", RunID: "cid-1", Limit: 200, Offset: 7}}, o.asked)

	long := strings.Repeat("c", 129)
	for query, field := range map[string]string{"status=lost": "status", "limit=0": "limit", "limit=201": "limit", "offset=-1": "offset",
		"campaignId=a%20b": "campaignId", "campaignId=" + long: "campaignId", "campaignInstanceId=a%20b": "campaignInstanceId",
		"campaignInstanceId=" + long: "campaignInstanceId"} {
		w.Refused(w.Ask("GET", list+"?"+query, ""), 400, field)
	}
	w.Refused(w.Ask("GET", "/api/v1/projects/p-2/messages", ""), 404)
	w.Refused(w.Call("GET", list, ""), 401)
	require.Len(t, o.asked, 2)
	o.down = errors.New("relation does not exist")
	w.Refused(w.Ask("GET", list, ""), 500)
	w.Token = w.Grant("acme", nil)
	w.Refused(w.Ask("GET", list, ""), 403)
}

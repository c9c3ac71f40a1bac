// Command goclient makes calls of a real user with what oapi-codegen makes of Parley's
// document. Where the server is and who asks is in the environment, as dev.env has it.
// It ends with 1 at the first answer that is another than it should be.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"example.com/goclient/parley"
)

var bot, account = os.Getenv("BOT_ID"), os.Getenv("ACCOUNT_ID")

func main() {
	c, err := parley.NewClientWithResponses(os.Getenv("PARLEY_URL"),
		parley.WithRequestEditorFn(with("Authorization", "Bearer "+os.Getenv("PARLEY_TOKEN"))))
	check(err)
	k, err := parley.NewClientWithResponses(os.Getenv("PARLEY_URL"),
		parley.WithRequestEditorFn(with("x-api-key", os.Getenv("PARLEY_API_KEY"))))
	check(err)
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	session := calls(ctx, c)
	lists(ctx, c)
	files(ctx, c, session)
	keys(ctx, k)
	campaigns(ctx, c)
	bothCredentials(ctx, c)
	fmt.Println("all answers were right")
}

// calls dials out, twice under one key, sees the call end, and is refused; it gives the session.
func calls(ctx context.Context, c *parley.ClientWithResponses) string {
	key := rand.Text()
	dial := func(target string) *parley.DialOutResponse {
		r, err := c.DialOutWithResponse(ctx, bot, &parley.DialOutParams{IdempotencyKey: &key},
			parley.DialOutRequest{BotId: bot, Target: target, Caller: os.Getenv("CALLER")})
		check(err)
		return r
	}
	placed, again := dial("tel:+15550000001"), dial("tel:+15550000001")
	expect("dial-out", placed.JSON200 != nil && *placed.JSON200 == *again.JSON200, string(again.Body))
	expect("repeat", again.HTTPResponse.Header.Get("Idempotency-Replayed") == "true", again.HTTPResponse.Header)
	other := dial("tel:+15550000002")
	expect("another request under the key", other.JSON409 != nil && other.JSON409.Error.Code == "CONFLICT", string(other.Body))
	for {
		call, err := c.GetDialOutWithResponse(ctx, bot, placed.JSON200.CallId)
		check(err)
		expect("get-dial-out", call.JSON200 != nil, string(call.Body))
		if call.JSON200.Status == parley.InteractionStatusCompleted {
			return *call.JSON200.SessionId
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// lists pages, filters by lists in both forms, and is told all fields that are wrong.
func lists(ctx context.Context, c *parley.ClientWithResponses) {
	limit := int64(1)
	page, err := c.ListInteractionsWithResponse(ctx, bot, &parley.ListInteractionsParams{Limit: &limit})
	check(err)
	expect("list-interactions", page.JSON200 != nil && len(page.JSON200.Interactions) == 1 && page.JSON200.Pagination.Limit == 1,
		string(page.Body))
	m, err := c.AnalyticsMetricsWithResponse(ctx, bot, &parley.AnalyticsMetricsParams{GroupBy: &[]parley.AnalyticsMetricsParamsGroupBy{
		"category", "day"}})
	check(err)
	expect("analytics-metrics", m.JSON200 != nil, string(m.Body))
	types := []string{"call_answered", "call_completed"}
	events, err := c.AnalyticsEventsWithResponse(ctx, bot, &parley.AnalyticsEventsParams{EventTypes: &types})
	check(err)
	expect("analytics-events", events.JSON200 != nil, string(events.Body))
	limit = 1000
	bad, err := c.ListInteractionsWithResponse(ctx, bot, &parley.ListInteractionsParams{Limit: &limit})
	check(err)
	expect("a wrong limit", bad.JSON400 != nil && bad.JSON400.Error.Details != nil && (*bad.JSON400.Error.Details)[0].Field == "limit",
		string(bad.Body))
	log, err := c.ListEventsWithResponse(ctx, &parley.ListEventsParams{Limit: &limit})
	check(err)
	expect("a wrong limit of events", log.JSON400 != nil, string(log.Body))
	log, err = c.ListEventsWithResponse(ctx, &parley.ListEventsParams{})
	check(err)
	expect("list-events", log.JSON200 != nil && len(log.JSON200.Events) > 0, string(log.Body))
}

// files adds a recording as bytes and reads where it is.
func files(ctx context.Context, c *parley.ClientWithResponses, session string) {
	sound := append(
		[]byte(
			"RIFF\x44\x03\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x20\x03\x00\x00"),
		bytes.Repeat([]byte{128}, 800)...)
	added, err := c.AddVoicemailWithBodyWithResponse(ctx, bot, session, &parley.AddVoicemailParams{}, "application/octet-stream",
		bytes.NewReader(sound))
	check(err)
	expect("add-voicemail", added.JSON201 != nil && added.JSON201.ContentType == "audio/wav", string(added.Body))
	found, err := c.GetVoicemailWithResponse(ctx, bot, &parley.GetVoicemailParams{SessionId: session, Transcription: "false"})
	check(err)
	expect("get-voicemail", found.JSON200 != nil && len(found.JSON200.VoicemailRecording) == 1, string(found.Body))
	file, err := http.Get(found.JSON200.VoicemailRecording[0].FileUrl)
	check(err)
	defer file.Body.Close()
	var back bytes.Buffer
	_, err = back.ReadFrom(file.Body)
	check(err)
	expect("download-file", bytes.Equal(back.Bytes(), sound), file.Status)
}

func keys(ctx context.Context, k *parley.ClientWithResponses) {
	made, err := k.CreateApiKeyWithResponse(ctx, bot, &parley.CreateApiKeyParams{}, parley.CreateKeyRequest{ScopeName: "main",
		ApiKeyName: "go " + rand.Text()})
	check(err)
	expect("create-api-key", made.JSON201 != nil && made.JSON201.ApiKey.Apikey != nil, string(made.Body))
	gone, err := k.RevokeApiKeyWithResponse(ctx, bot, made.JSON201.ApiKey.KeyId, &parley.RevokeApiKeyParams{})
	check(err)
	expect("revoke-api-key", gone.JSON200 != nil, string(gone.Body))
}

func campaigns(ctx context.Context, c *parley.ClientWithResponses) {
	all, err := c.ListCampaignsWithResponse(ctx, bot, &parley.ListCampaignsParams{AccountId: account, Iid: bot})
	check(err)
	expect("list-campaigns", all.JSON200 != nil && len(all.JSON200.Campaigns) > 1, string(all.Body))
	one, err := c.GetCampaignWithResponse(ctx, bot, os.Getenv("SMS_CAMPAIGN_ID"), &parley.GetCampaignParams{AccountId: account, Iid: bot})
	check(err)
	expect("get-campaign", one.JSON200 != nil && one.JSON200.Data.CampaignType == "sms", string(one.Body))
}

// bothCredentials is refused, with the names of the headers.
func bothCredentials(ctx context.Context, c *parley.ClientWithResponses) {
	both, err := c.ListInteractionsWithResponse(ctx, bot, &parley.ListInteractionsParams{}, with("x-api-key", os.Getenv("PARLEY_API_KEY")))
	check(err)
	expect("two credentials", both.JSON401 != nil && strings.Contains(both.JSON401.Error.Message, "Authorization and x-api-key"),
		string(both.Body))
}

func with(header, value string) parley.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set(header, value)
		return nil
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(what string, right bool, got any) {
	if !right {
		check(errors.New(what + " was answered with " + fmt.Sprint(got)))
	}
}

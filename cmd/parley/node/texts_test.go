package node_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

const messagesPath = "/api/v1/projects/" + mainApp + "/messages"

// textsPage is the answer of the list of messages.
type textsPage struct {
	Success    bool             `json:"success"`
	Messages   []map[string]any `json:"messages"`
	Pagination map[string]int   `json:"pagination"`
}

func (w *tenant) texts(t *testing.T, query string) (page textsPage) {
	t.Helper()
	w.on.do(t, "GET", messagesPath+query, nil, "auth", w.token(t)).must(t, 200).into(t, &page)
	return page
}

// text asks for a message as a campaign does; more is decided in the same commit.
func (w *tenant) text(t *testing.T, to string, more ...func(texts.Request) []event.Payload) (id string, asked texts.Request) {
	t.Helper()
	now := time.Now()
	asked = texts.Request{
		MessageID: uuid.NewString(),
		TenantID:  w.id,
		ProjectID: mainApp,
		From:      "+15550100",
		To:        to,
		Text:      "Your appointment is tomorrow.",
		Campaign:  &texts.Campaign{CampaignID: "cid-1", RunID: "run-1", Index: 4},
		At:        now,
		SendBy:    now.Add(time.Hour),
	}
	_, err := eventstore.Execute(
		t.Context(),
		w.on.Store(),
		texts.Texts,
		texts.Texts.Stream(asked.MessageID),
		eventstore.Command{Tenant: w.id, Actor: "reactor:campaigns"},
		func(s texts.State) ([]event.Payload, error) {
			events, err := asked.Decide(s)
			for _, f := range more {
				events = append(events, f(asked)...)
			}
			return events, err
		},
	)
	require.NoError(t, err)
	return asked.MessageID, asked
}

// textEnded waits for the end of a message and returns its row in the list.
func (w *tenant) textEnded(t *testing.T, id string) (row map[string]any) {
	t.Helper()
	until(t, "the end of the message", func() bool {
		for _, m := range w.texts(t, "?limit=200").Messages {
			if m["messageId"] == id {
				row = m
			}
		}
		return row["status"] == "sent" || row["status"] == "failed"
	})
	return row
}

func TestTextMessages(t *testing.T) {
	t.Parallel()
	w := shared(t).tenant(t, "")
	require.Equal(
		t,
		textsPage{Success: true, Messages: []map[string]any{}, Pagination: map[string]int{"total": 0, "limit": 50, "offset": 0}},
		w.texts(t, ""),
	)

	sent, asked := w.text(t, "+15550000001")
	t.Run("a message is sent by the local provider", func(t *testing.T) {
		row := w.textEnded(t, sent)
		require.NotEmpty(t, row["endedAt"])
		delete(row, "endedAt")
		iso := func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
		require.Equal(
			t,
			map[string]any{
				"messageId":          sent,
				"from":               "+15550100",
				"to":                 "+15550000001",
				"text":               asked.Text,
				"status":             "sent",
				"provider":           "local",
				"providerMessageId":  "local-" + sent,
				"segments":           1.0,
				"attempts":           1.0,
				"campaignId":         "cid-1",
				"campaignInstanceId": "run-1",
				"contactIndex":       4.0,
				"requestedAt":        iso(asked.At),
				"sendBy":             iso(asked.SendBy),
			},
			row,
		)
	})
	t.Run("a refused one fails", func(t *testing.T) {
		id, _ := w.text(t, "+15550000006")
		row := w.textEnded(t, id)
		require.Equal(t, []any{"failed", "OPTED_OUT", 1.0}, []any{row["status"], row["code"], row["attempts"]})
	})
	t.Run("one that was not taken is tried again", func(t *testing.T) {
		id, _ := w.text(t, "+15550000007")
		row := w.textEnded(t, id)
		require.Equal(t, []any{"sent", nil, 2.0}, []any{row["status"], row["code"], row["attempts"]})
	})
	lost := func(provider string) func(texts.Request) []event.Payload {
		return func(r texts.Request) []event.Payload { // as a node leaves it that dies before the outcome
			return []event.Payload{
				texts.AttemptStarted{
					AttemptID:  "a",
					Attempt:    1,
					Node:       "node-gone",
					Provider:   provider,
					At:         r.At,
					LeaseUntil: r.At.Add(100 * time.Millisecond),
				},
			}
		}
	}
	t.Run("a node dies between the start and the outcome", func(t *testing.T) {
		id, _ := w.text(t, "+15550000001", lost("local"))
		row := w.textEnded(t, id)
		require.Equal(
			t,
			[]any{"failed", "OUTCOME_UNKNOWN", "outcome unknown", 1.0},
			[]any{row["status"], row["code"], row["reason"], row["attempts"]},
		)
	})
	t.Run("and the provider can tell", func(t *testing.T) {
		id, _ := w.text(t, "+15550000009", lost("local"))
		require.Equal(t, []any{"sent", 1.0}, []any{w.textEnded(t, id)["status"], w.textEnded(t, id)["attempts"]})
	})
	t.Run("newest first, page by page, by status and campaign", func(t *testing.T) {
		require.Equal(t, map[string]int{"total": 5, "limit": 1, "offset": 4}, w.texts(t, "?limit=1&offset=4").Pagination)
		require.Equal(t, sent, w.texts(t, "?limit=1&offset=4").Messages[0]["messageId"])
		require.Equal(t, 2, w.texts(t, "?status=failed").Pagination["total"])
		require.Equal(t, 5, w.texts(t, "?campaignId=cid-1&campaignInstanceId=run-1").Pagination["total"])
		require.Zero(t, w.texts(t, "?campaignId=cid-2").Pagination["total"])
		require.Zero(t, w.texts(t, "?campaignInstanceId=run-2").Pagination["total"])
	})
	t.Run("faults", func(t *testing.T) {
		for query, field := range map[string]string{"limit=201": "limit", "offset=-1": "offset", "status=lost": "status",
			"campaignId=%00": "campaignId", "campaignInstanceId=a'b": "campaignInstanceId"} {
			w.on.do(t, "GET", messagesPath+"?"+query, nil, "auth", w.token(t)).refused(t, 400, fault.Validation, field)
		}
	})
	t.Run("who may see them", func(t *testing.T) {
		w.on.do(t, "GET", messagesPath, nil).refused(t, 401, fault.Unauthorized)
		w.on.do(t, "GET", messagesPath, nil, "auth", w.token(t, func(g *tokens.Grant) { g.Permissions = nil })).
			refused(t, 403, fault.Forbidden)
		require.Zero(t, shared(t).tenant(t, "").texts(t, "").Pagination["total"], "another tenant's project of the same name")
	})
}

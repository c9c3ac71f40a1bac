package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// interactionsPage is the answer of the Interactions list.
type interactionsPage struct {
	Success      bool             `json:"success"`
	Interactions []map[string]any `json:"interactions"`
	Pagination   map[string]int   `json:"pagination"`
}

// interactions lists those of a bot; query begins with ? or is empty.
func (w *callWorld) interactions(t *testing.T, bot, query string) interactionsPage {
	t.Helper()
	var page interactionsPage
	w.ask(t, "GET", "/api/v1/projects/"+bot+"/interactions"+query, nil).must(t, 200).into(t, &page)
	return page
}

// interaction is one of a bot's, by its id.
func (w *callWorld) interaction(t *testing.T, bot, callID string) map[string]any {
	t.Helper()
	for _, i := range w.interactions(t, bot, "?limit=200").Interactions {
		if i["conversationId"] == callID {
			return i
		}
	}
	require.Fail(t, "no such interaction")
	return nil
}

// checkInteraction: the row of a call that has ended.
func checkInteraction(t *testing.T, w *callWorld, callID string, l life) {
	t.Helper()
	row, call := w.interaction(t, mainApp, callID), w.call(t, callID)
	reasonCode, reason, _ := strings.Cut(l.reason, " / ")
	iso := func(at time.Time) string { return at.Format("2006-01-02T15:04:05.000Z") }
	want := map[string]any{"conversationId": callID, "channel": "voice", "direction": "Outbound", "status": l.status, "userId": "+1555000" + l.callee,
		"centerId": callCaller, "agentName": "greeter", "reasonCode": reasonCode, "reason": reason, "requestedAt": iso(call.Request.At), "endedAt": iso(call.EndedAt)}
	if l.status != "failed" {
		want["sessionId"], want["startedAt"], want["durationMs"] = call.SessionID, iso(call.AnsweredAt), float64(call.DurationMs)
	}
	if l.verdict != "" {
		want["machineDetection"] = l.verdict
	}
	if l.with["caller"] != nil {
		want["centerId"] = l.with["caller"]
		delete(want, "agentName")
	}
	require.Equal(t, want, row)
}

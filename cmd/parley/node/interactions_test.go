package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
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
	want := map[string]any{"conversationId": callID, "channel": "voice", "direction": "Outbound", "status": l.status, "userId": "+1555000" +
		l.callee,
		"centerId": callCaller, "agentName": "greeter", "provider": "local", "reasonCode": reasonCode, "reason": reason,
		"requestedAt": iso(call.Request.At), "endedAt": iso(call.EndedAt)}
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

func TestInteractions(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials)
	at := time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC)
	path := "/api/v1/projects/" + mainApp + "/interactions"

	t.Run("there are none", func(t *testing.T) {
		require.JSONEq(t, `{"success":true,"interactions":[],"pagination":{"total":0,"limit":50,"offset":0}}`, w.ask(t, "GET", path, nil).must(t,
			200).Text)
	})
	t.Run("a status goes with its call", func(t *testing.T) {
		c := w.past(t, w.one, mainApp, at)
		status := func() any { return w.interaction(t, mainApp, c.id)["status"] }
		require.Equal(t, "dialing", status())
		w.happened(t, c, calls.Ring{At: at.Add(time.Second)}.Decide)
		require.Equal(t, "ringing", status())
		w.answered(t, c, at.Add(2*time.Second))
		require.Equal(t, "inProgress", status())
		w.completed(t, c, calls.ByCallee, at.Add(3500*time.Millisecond))
		require.Equal(t, map[string]any{"conversationId": c.id, "channel": "voice", "direction": "Outbound", "status": "completed",
			"userId": "+15550000001", "centerId": callCaller, "sessionId": c.session, "provider": "local",
			"reasonCode": "Caller-disconnected", "reason": "200 OK", "requestedAt": "2026-11-10T09:00:00.000Z",
			"startedAt": "2026-11-10T09:00:02.000Z", "endedAt": "2026-11-10T09:00:03.500Z", "durationMs": 1500.0},
			w.interaction(t, mainApp, c.id))
	})
	t.Run("newest first, page by page, by status", func(t *testing.T) {
		newer, newest := w.past(t, w.one, mainApp, at.Add(time.Hour)), w.past(t, w.one, mainApp, at.Add(2*time.Hour))
		all := w.interactions(t, mainApp, "")
		require.Equal(t, map[string]int{"total": 3, "limit": 50, "offset": 0}, all.Pagination)
		require.Equal(t, []any{newest.id, newer.id}, []any{all.Interactions[0]["conversationId"], all.Interactions[1]["conversationId"]})
		second := w.interactions(t, mainApp, "?limit=1&offset=1")
		require.Equal(t, map[string]int{"total": 3, "limit": 1, "offset": 1}, second.Pagination)
		require.Equal(t, newer.id, second.Interactions[0]["conversationId"])
		require.Equal(t, map[string]int{"total": 2, "limit": 50, "offset": 0}, w.interactions(t, mainApp, "?status=dialing").Pagination)
		require.Equal(t, 0, w.interactions(t, mainApp, "?status=machineDetected").Pagination["total"])
		require.Equal(t, 3, w.interactions(t, mainAlias, "?offset=99").Pagination["total"])
		require.Empty(t, w.interactions(t, otherApp, "").Interactions, "another bot's")
	})
	t.Run("faults", func(t *testing.T) {
		for query, field := range map[string]string{"limit=201": "limit", "limit=0": "limit", "limit=x": "limit", "offset=-1": "offset",
			"status=running": "status"} {
			w.ask(t, "GET", path+"?"+query, nil).refused(t, 400, fault.Validation, field)
		}
	})
	t.Run("who may see them", func(t *testing.T) {
		w.do(t, "GET", path, nil).refused(t, 401, fault.Unauthorized)
		w.do(t, "GET", path, nil, "auth", w.one.token(t, func(g *tokens.Grant) { g.Permissions = nil })).refused(t, 403, fault.Forbidden)
		w.do(t, "GET", path, nil, "x-api-key", w.one.key(t, mainScope)).must(t, 200)
		w.do(t, "GET", path, nil, "x-api-key", w.one.key(t, otherScope)).refused(t, 404, fault.NotFound)
		w.ask(t, "GET", "/api/v1/projects/"+foreignBot+"/interactions", nil).refused(t, 404, fault.NotFound)
		theirs := w.do(t, "GET", path, nil, "auth", w.two.token(t)).must(t, 200)
		require.Contains(t, theirs.Text, `"total":0`)
	})
}

package slack_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/slack"
	"github.com/parley-platform/parley/domain/channels"
)

// draftProblem: a draft is posted with a mark, and edited.
func draftProblem(step string, r *http.Request, body []byte) string {
	const text = `"text":"Fish \u0026amp; \u0026lt;chips\u0026gt;?"`
	want := map[string][2]string{
		channelstest.DraftFirst: {"/api/chat.postMessage", `{"channel":"C024BE91L","metadata":{"event_payload":{"id":"s-1/1/1"},` +
			`"event_type":"parley_draft"},` + text + `,"thread_ts":"1699999999.000200"}`},
		channelstest.DraftAgain: {"/api/chat.update", `{"channel":"C024BE91L",` + text + `,"ts":"1503435956.000247"}`},
		channelstest.DraftFinal: {"/api/chat.update", `{"channel":"C024BE91L",` + text + `,"ts":"1503435956.000247"}`},
	}[step]
	switch {
	case r.Header.Get("Authorization") != "Bearer xoxb-hush":
		return "the credentials"
	case r.Method != http.MethodPost || r.URL.Path != want[0]:
		return r.Method + " " + r.URL.Path
	case string(body) != want[1]:
		return string(body)
	}
	return ""
}

// Given a draft whose id nobody noted, then it is looked for by its mark: the message takes its place, or is
// one of its own where there is none, or where the bot may not look. While Slack does not say, nothing is
// sent.
func TestADraftIsFoundByItsMark(t *testing.T) {
	const ok = `{"ok":true,"channel":"C1","ts":"9.1"}`
	mine := `{"ok":true,"messages":[{"ts":"7.1","metadata":{"event_type":"parley_draft","event_payload":{"id":"other"}}},` +
		`{"ts":"8.1","metadata":{"event_type":"parley_draft","event_payload":{"id":"s-1/1/1"}}}]}`
	for name, c := range map[string]struct {
		to, found string
		want      channels.Status
		asked     []string
	}{
		"in a thread":       {"C1:1.0", mine, channels.Taken, []string{"/api/conversations.replies", "/api/chat.update"}},
		"in a conversation": {"D1", mine, channels.Taken, []string{"/api/conversations.history", "/api/chat.update"}},
		"it was never there": {"D1", `{"ok":true,"messages":[]}`, channels.Taken,
			[]string{"/api/conversations.history", "/api/chat.postMessage"}},
		"the bot may not look": {"D1", `{"ok":false,"error":"missing_scope"}`, channels.Taken,
			[]string{"/api/conversations.history", "/api/chat.postMessage"}},
		"too often":          {"D1", `{"ok":false,"error":"ratelimited"}`, channels.NotTaken, []string{"/api/conversations.history"}},
		"a fault of its":     {"D1", `{"ok":false,"error":"internal_error"}`, channels.NotTaken, []string{"/api/conversations.history"}},
		"nobody can read it": {"D1", `<html>`, channels.NotTaken, []string{"/api/conversations.history"}},
	} {
		var asked, bodies []string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked, bodies = append(asked, r.URL.Path), append(bodies, string(body))
			answer := ok
			if r.Method == http.MethodGet {
				answer = c.found
			}
			_, _ = io.WriteString(w, answer)
		}))
		by, err := slack.New(s.URL)
		require.NoError(t, err)
		out := by.Send(t.Context(), connection, channels.Outbound{Reference: "r-1", Attempt: 1, To: c.to, Text: "all of it",
			Shown: channels.Shown{Reference: "s-1/1/1"}})
		s.Close()
		require.Equal(t, c.want, out.Status, "%s: %+v", name, out)
		require.Equal(t, c.asked, asked, name)
		if last := bodies[len(bodies)-1]; c.found == mine {
			require.Contains(t, last, `"ts":"8.1"`, name)
		}
	}
}

// Given a draft that becomes no reply, then it is deleted.
func TestADraftIsWithdrawn(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.URL.Path+" "+string(body))
	}))
	defer s.Close()
	by, err := slack.New(s.URL)
	require.NoError(t, err)
	by.Withdraw(t.Context(), connection, channels.Draft{To: "C1:1.0"})
	by.Withdraw(t.Context(), connection, channels.Draft{To: "C1:1.0", Shown: channels.Shown{ID: "8.1"}})
	require.Equal(t, []string{`/api/chat.delete {"channel":"C1","ts":"8.1"}`}, asked)
}

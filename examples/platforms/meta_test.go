package platforms_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const graphMessages = "/v25.0/1065/messages"

// graph posts to the Graph API of a kind.
func (w world) graph(kind, body string) answer {
	w.t.Helper()
	return w.must("POST", "/"+kind+graphMessages, body, "Authorization", "Bearer EAAhush")
}

func (w world) line(method, body, key string) answer {
	w.t.Helper()
	return w.must("POST", "/line/v2/bot/"+method, body, "Authorization", "Bearer hush", "X-Line-Retry-Key", key)
}

func to(id, message string) string {
	return `{"recipient":{"id":"` + id + `"},"message":{` + message + `}}`
}

func buttons(text, title string) string {
	return `{"to":"1","interactive":{"body":{"text":"` + text + `"},"action":{"buttons":[{"reply":{"id":"1.0","title":"` + title + `"}}]}}}`
}

// Given messages in the forms of Meta and LINE, then each is taken with its text and what can be chosen.
func TestFormsOfMetaAndLINE(t *testing.T) {
	w := newWorld(t)
	a := w.graph("whatsapp", `{"recipient":"US.1","type":"interactive","interactive":{"body":{"text":"Which?"},"action":{"buttons":`+
		`[{"reply":{"id":"1.0","title":"Yes"}}]}}}`)
	require.Equal(t, "wamid.RECORDER00000001", a.body["messages"].([]any)[0].(map[string]any)["id"])
	w.graph("whatsapp", `{"to":"16505551234","interactive":{"body":{"text":"Which?"},"action":{"sections":[{"rows":`+
		`[{"id":"1.0","title":"Yes"}]}]}}}`)
	a = w.graph("messenger", to("6789", `"attachment":{"payload":{"text":"Which?","buttons":[{"payload":"1.0","title":"Yes"}]}}`))
	require.Equal(t, "m_recorder00000003", a.body["message_id"])
	w.graph("instagram", to("6789", `"text":"Which?","quick_replies":[{"payload":"1.0","title":"Yes"}]`))
	a = w.line("message/push", `{"to":"U1","messages":[{"altText":"Which?","template":{"text":"Which?","actions":`+
		`[{"data":"1.0","label":"Yes"}]}}]}`, "k-1")
	require.Equal(t, "460000000000000005", a.body["sentMessages"].([]any)[0].(map[string]any)["id"])
	w.line("message/push", `{"to":"U1","messages":[{"text":"Which?","quickReply":{"items":[{"action":{"data":"1.0","label":"Yes"}}]}}]}`,
		"k-2")
	all := w.Sent("", "")
	require.Len(t, all, 6)
	for i, whom := range []string{"US.1", "16505551234", "6789", "6789", "U1", "U1"} {
		m := all[i]
		require.Equal(t, []string{whom, "Which?", "Yes", "1.0"}, []string{m.To, m.Text, m.Choices[0].Label, m.Choices[0].Token})
	}
	again := w.line("message/push", `{"to":"U1","messages":[{"text":"Which?"}]}`, "k-1")
	require.Equal(t, []any{409, "recorder-460000000000000005"}, []any{again.status, again.header.Get("X-Line-Accepted-Request-Id")})
	require.Len(t, w.Sent("line", ""), 2, "a repeat is known by its key")
}

// Given a text with buttons, whose bound is another, then the bound of texts is what it was before.
func TestButtonsBoundNoOtherText(t *testing.T) {
	w := newWorld(t)
	for _, kind := range []string{"messenger", "instagram"} {
		w.graph(kind, to("1", `"attachment":{"payload":{"text":"Which?","buttons":[{"payload":"1.0","title":"Yes"}]}}`))
	}
	require.Equal(t, 200, w.graph("messenger", to("1", `"text":"`+strings.Repeat("x", 2_000)+`"`)).status)
	require.Equal(t, 400, w.graph("instagram", to("1", `"text":"`+strings.Repeat("é", 501)+`"`)).status, "it counts bytes")
}

// Meta and LINE refuse what they would refuse, and what only shows something is no message.
func TestWhatMetaAndLINEWouldNotTake(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", 5_001)
	for _, c := range [][2]string{{"whatsapp", `{"text":{"body":"x"}}`}, {"whatsapp", `{"to":"1","text":{"body":"` + long[:4_097] + `"}}`},
		{"whatsapp", buttons("x", long[:21])}, {"whatsapp", buttons(long[:1_025], "a")},
		{"whatsapp", "{"}, {"messenger", to("", `"text":"x"`)}, {"messenger", to("1", `"text":"`+long[:2_001]+`"`)},
		{"messenger", to("1", `"attachment":{"payload":{"text":"`+long[:641]+`"}}`)},
		{"instagram", to("1", `"text":"`+strings.Repeat("é", 501)+`"`)},
		{"instagram", to("1", `"text":"x","quick_replies":[{"title":"Yes"}]`)}} {
		a := w.graph(c[0], c[1])
		require.Equal(t, []any{400, 100.}, []any{a.status, a.body["error"].(map[string]any)["code"]}, c)
	}
	require.Equal(t, 401, w.must("POST", "/whatsapp"+graphMessages, `{}`).status)
	require.Equal(t, 404, w.must("POST", "/whatsapp/v25.0/../messages", `{}`, "Authorization", "Bearer x").status)
	for _, body := range []string{`{"messages":[{"text":"x"}]}`, `{"to":"U1"}`, `{"to":"U1","messages":[{"text":"` + long + `"}]}`,
		`{"to":"U1","messages":[{"template":{"text":"x"}}]}`,
		`{"to":"U1","messages":[{"altText":"x","template":{"text":"` + long[:161] + `"}}]}`} {
		require.Equal(t, 400, w.line("message/push", body, "").status, body)
	}
	require.Equal(t, "Invalid reply token", w.line("message/reply", `{"replyToken":"t","messages":[{"text":"x"}]}`, "").body["message"])
	require.Equal(t, 404, w.line("message/sing", "{}", "").status)
	require.Equal(t, 401, w.must("POST", "/line/v2/bot/message/push", "{}").status)
	require.Equal(t, 202, w.line("chat/loading/start", `{"chatId":"U1"}`, "").status)
	known := w.must("GET", "/messenger/v25.0/1065?fields=id", "", "Authorization", "Bearer x")
	require.Equal(t, []any{200, "1065"}, []any{known.status, known.body["id"]})
	require.NotEmpty(t, w.must("GET", "/line/v2/bot/info", "", "Authorization", "Bearer x").body["userId"])
	require.Equal(t, 200, w.graph("whatsapp", `{"status":"read"}`).status)
	require.Equal(t, 200, w.graph("messenger", `{"sender_action":"typing_on"}`).status)
	require.Empty(t, w.Sent("", ""))
}

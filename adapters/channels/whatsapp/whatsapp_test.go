package whatsapp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/graph"
	"github.com/parley-platform/parley/adapters/channels/graph/graphtest"
	"github.com/parley-platform/parley/adapters/channels/whatsapp"
	"github.com/parley-platform/parley/domain/channels"
)

var (
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "whatsapp", External: "1065", Credentials: channels.Credentials{
		graph.AppSecret: "an app secret of these tests", graph.VerifyToken: "a-word-of-these-tests", whatsapp.AccessToken: "EAAhush"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "whatsapp", External: "1066", Credentials: channels.Credentials{
		graph.AppSecret: "another secret", graph.VerifyToken: "another-word", whatsapp.AccessToken: "EAAanother"}}
	hello = channels.Outbound{Reference: "r-1", Attempt: 1, To: "16505551234 wamid.before", Text: "Fish & <chips>? 😀",
		Choices: []channels.Choice{{Token: "1.0", Label: "Yes"}, {Token: "1.1", Label: "No"}}}
)

const sent = `{"interactive":{"action":{"buttons":[{"reply":{"id":"1.0","title":"Yes"},"type":"reply"},` +
	`{"reply":{"id":"1.1","title":"No"},"type":"reply"}]},"body":{"text":"Fish \u0026 \u003cchips\u003e? 😀"},"type":"button"},` +
	`"messaging_product":"whatsapp","recipient_type":"individual","to":"16505551234","type":"interactive"}`

func TestWhatsApp(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return whatsapp.New(base) },
		Connection: connection, Outbound: hello,
		Provider: graphtest.Provider("/v25.0/1065/messages", "EAAhush", sent,
			`{"messaging_product":"whatsapp","contacts":[{"input":"+16505551234","wa_id":"16505551234"}],"messages":[{"id":"wamid.HBgL"}]}`,
			"wamid.HBgL"),
		Inbound: inbound, Files: graphtest.Files("/v25.0/M1", "EAAhush"),
	})
}

// asked is what the API is asked for one message, or by anything else that is done.
func asked(t *testing.T, do func(w *whatsapp.WhatsApp)) (bodies []string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		_, _ = io.WriteString(out, `{"messages":[{"id":"wamid.1"}]}`)
	}))
	defer s.Close()
	w, err := whatsapp.New(s.URL + "/v26.0/")
	require.NoError(t, err)
	do(w)
	return bodies
}

func choices(labels ...string) (out []channels.Choice) {
	for _, l := range labels {
		out = append(out, channels.Choice{Token: "1." + string(rune('0'+len(out))), Label: l})
	}
	return out
}

// Given a message, then it has the form that holds it.
func TestFormsOfMessages(t *testing.T) {
	for name, c := range map[string]struct {
		to, text string
		choices  []channels.Choice
		want     []string
	}{
		"a text": {"16505551234 wamid.1", "hi", nil, []string{`"to":"16505551234"`, `"text":{"body":"hi","preview_url":false}`, `"type":"text"`}},
		"to who shows no number": {"US.13491208655302741918 wamid.1", "hi", nil, []string{`"recipient":"US.13491208655302741918"`,
			`"recipient_type":"individual"`}},
		"to a group":   {"group:Y2FwaV9n wamid.1", "hi", nil, []string{`"recipient_type":"group","text"`, `"to":"Y2FwaV9n"`}},
		"three":        {"16505551234", "hi", choices("a", "b", "c"), []string{`"type":"button"`}},
		"four":         {"16505551234", "hi", choices("a", "b", "c", "d"), []string{`"type":"list"`, `{"id":"1.3","title":"d"}`, `"button":"☰"`}},
		"two the same": {"16505551234", "hi", choices("a", "a"), []string{`"type":"list"`}},
		"20 letters":   {"16505551234", "hi", choices(strings.Repeat("é", 20)), []string{`"type":"button"`}},
		"21 letters":   {"16505551234", "hi", choices(strings.Repeat("é", 21)), []string{`"type":"list"`}},
		"beside 1,024": {"16505551234", strings.Repeat("é", 1024), choices("a"), []string{`"type":"button"`}},
		"beside 1,025": {"16505551234", strings.Repeat("é", 1025), choices("a"), []string{`"type":"list"`}},
	} {
		bodies := asked(t, func(w *whatsapp.WhatsApp) {
			out := w.Send(t.Context(), connection, channels.Outbound{Reference: "r", Attempt: 1, To: c.to, Text: c.text, Choices: c.choices})
			require.Equal(t, channels.Outcome{Status: channels.Taken, ProviderMessageID: "wamid.1"}, out, name)
		})
		require.Len(t, bodies, 1, name)
		for _, part := range c.want {
			require.Contains(t, bodies[0], part, name)
		}
	}
	require.Empty(t, asked(t, func(w *whatsapp.WhatsApp) {
		for _, to := range []string{"", " wamid.1", "nobody", "group:", "12", "us.1"} {
			out := w.Send(t.Context(), connection, channels.Outbound{To: to, Text: "hi"})
			require.Equal(t, channels.Outcome{Status: channels.Refused, Code: "ADDRESS", Reason: "there is no such person or group"}, out, to)
		}
	}))
}

// Given a message of a person, when it is answered, then they see that it was read.
func TestTheLastMessageIsMarkedAsRead(t *testing.T) {
	require.Equal(t, []string{`{"message_id":"wamid.7","messaging_product":"whatsapp","status":"read","typing_indicator":{"type":"text"}}`},
		asked(t, func(w *whatsapp.WhatsApp) {
			w.Typing(t.Context(), connection, "US.1 wamid.7")
			w.Typing(t.Context(), connection, "US.1")
			w.Typing(t.Context(), channels.Connection{}, "US.1 wamid.7")
		}))
}

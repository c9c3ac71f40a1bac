package channels_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	adapters "github.com/parley-platform/parley/adapters/channels"
	"github.com/parley-platform/parley/domain/channels"
	channelapi "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

// Given two accounts whose provider shows the same word, when a request that names neither comes on the path
// that all share, then nobody has it: it might be what is said to the other.
func TestWhatNamesNobodyIsForNobody(t *testing.T) {
	for kind, c := range map[string]struct{ credential, header, shown, body string }{
		"telegram":   {"secretToken", "X-Telegram-Bot-Api-Secret-Token", "secret", `{"update_id":1,"message":{"message_id":1,"text":"hi"}}`},
		"zendesk":    {"webhookSecret", "X-Api-Key", "secret", `{"events":[]}`},
		"genesys":    {"token", "Authorization", "Bearer secret", `{"inputMessage":{"type":"Text","text":"hi"}}`},
		"vxml":       {"token", "Authorization", "Bearer secret", "sessionId=c&turn=1&utterance=hi"},
		"audiocodes": {"token", "Authorization", "Bearer secret", `{"conversation":"c"}`},
		"jambonz":    {"token", "Authorization", "Bearer secret", `{"call_sid":"c"}`},
	} {
		t.Run(kind, func(t *testing.T) {
			adapter, err := adapters.New(kind, "")
			require.NoError(t, err)
			receiver, is := adapter.(channelapi.Receiver)
			require.True(t, is)
			b, asked := &inbox{ids: map[string]bool{}}, httptest.NewRequest(http.MethodPost,
				"https://parley.example.com/api/v1/channels/"+kind+"/webhook", strings.NewReader(c.body))
			for _, tenant := range []string{"acme", "globex"} {
				b.all = append(b.all, channels.Connection{ID: tenant, TenantID: tenant, Kind: kind, External: tenant,
					Credentials: channels.Credentials{c.credential: "secret"}})
			}
			w := resttest.NewWorld(t)
			channelapi.DeclareWebhooks(w.Api, channelapi.Webhooks{Receivers: map[string]channelapi.Receiver{kind: receiver}, Connections: b,
				Inbox: b, PublicURL: func() string { return "https://parley.example.com" }, Now: func() time.Time { return w.Now }})
			asked.Header.Set(c.header, c.shown)
			require.NoError(t, receiver.Verify(b.all[0], channels.Request{Header: asked.Header}), "the word is that of both")
			code, answer := answered(w, asked)
			require.Equal(t, http.StatusNotFound, code, answer)
			require.Empty(t, b.took)
		})
	}
}

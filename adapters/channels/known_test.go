package channels

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

// Given an account of Meta or LINE, when its provider is asked whether it knows the token, then it is
// asked once, by what changes nothing there, and what it says is told.
func TestWhetherAProviderKnowsTheToken(t *testing.T) {
	meta := func(token string) channels.Credentials {
		return channels.Credentials{"appSecret": "s", "verifyToken": "v", token: "hush"}
	}
	for kind, c := range map[string]struct {
		credentials channels.Credentials
		path, says  string
	}{
		"whatsapp":  {meta("accessToken"), "/v25.0/1065?fields=id", `{"id":"1065"}`},
		"messenger": {meta("pageAccessToken"), "/v25.0/1065?fields=id", `{"id":"1065"}`},
		"instagram": {meta("accessToken"), "/v25.0/1065?fields=id", `{"id":"1065"}`},
		"line":      {channels.Credentials{"channelSecret": "s", "channelAccessToken": "hush"}, "/v2/bot/info", `{"userId":"U1"}`},
	} {
		status, asked := http.StatusOK, []string{}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization"))
			w.WriteHeader(status)
			if body := c.says; status == http.StatusOK {
				_, _ = w.Write([]byte(body))
				return
			}
			_, _ = w.Write([]byte(`{"error":{"code":190},"message":"no"}`))
		}))
		s.Config.SetKeepAlivesEnabled(false) // a connection that stays open could be asked once more when the server is gone
		adapter, err := New(kind, s.URL)
		require.NoError(t, err)
		who, asks := adapter.(interface {
			Known(ctx context.Context, c channels.Connection) channels.Outcome
		})
		require.True(t, asks, kind)
		connection := channels.Connection{Kind: kind, External: "1065", Credentials: c.credentials}
		assert.Equal(t, channels.Outcome{Status: channels.Taken}, who.Known(t.Context(), connection), kind)
		assert.Equal(t, []string{"GET " + c.path + " Bearer hush"}, asked, kind)
		status = http.StatusUnauthorized
		assert.Equal(t, channels.NotTaken, who.Known(t.Context(), connection).Status, kind)
		assert.Equal(t, "CREDENTIALS", who.Known(t.Context(), channels.Connection{}).Code, kind)
		status = http.StatusInternalServerError
		assert.Equal(t, channels.Unknown, who.Known(t.Context(), connection).Status, kind)
		assert.Len(t, asked, 3, kind)
		s.Close()
		assert.Equal(t, channels.NotTaken, who.Known(t.Context(), connection).Status, "%s: nobody is there", kind)
	}
}

// Given an account of Zendesk, Teams or LiveKit, when its provider is asked whether it knows the key, then it is asked once,
// and what it says is told: yes, no, or that it cannot say.
func TestWhetherAProviderKnowsTheKey(t *testing.T) {
	desk := func(secret string) channels.Credentials {
		return channels.Credentials{"keyId": "ann", "keySecret": "hush", "subdomain": "acme", secret: "s"}
	}
	for name, c := range map[string]struct {
		kind, external  string
		credentials     channels.Credentials
		asks, yes, no   string
		refused, denied int
	}{
		"conversations": {"zendesk", "app-1", desk("webhookSecret"), "GET /sc/v2/apps/app-1", `{"app":{"id":"app-1"}}`, `{}`, 401, 401},
		"tickets": {"zendesk", "hook-1", desk("signingSecret"), "GET /api/v2/users/me.json", `{"user":{"id":7}}`,
			`{"user":{"id":null}}`, 200, 401},
		"teams": {"msteams", "app-1", channels.Credentials{"appPassword": "hush", "tenantId": "t-1"}, "POST /t-1/oauth2/v2.0/token",
			`{"access_token":"a","expires_in":3600}`, `{"error":"invalid_client"}`, 401, 400},
		"rooms": {"livekit", "rooms", channels.Credentials{"url": "wss://livekit.example", "apiKey": "k", "apiSecret": "hush"},
			"POST /twirp/livekit.RoomService/ListRooms", `{"rooms":[]}`, `{"code":"unauthenticated"}`, 401, 403},
	} {
		status, says, asked := http.StatusOK, c.yes, []string{}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Method+" "+r.URL.String())
			w.WriteHeader(status)
			_, _ = w.Write([]byte(says))
		}))
		s.Config.SetKeepAlivesEnabled(false)
		adapter, err := New(c.kind, s.URL)
		require.NoError(t, err)
		who, is := adapter.(interface {
			Known(ctx context.Context, c channels.Connection) channels.Outcome
		})
		require.True(t, is, name)
		connection := channels.Connection{TenantID: "acme", Kind: c.kind, External: c.external, Credentials: c.credentials}
		assert.Equal(t, channels.Outcome{Status: channels.Taken}, who.Known(t.Context(), connection), name)
		assert.Equal(t, []string{c.asks}, asked, name)
		for _, status = range []int{c.refused, c.denied} {
			says = c.no
			no := who.Known(t.Context(), connection)
			assert.Equal(t, []any{channels.NotTaken, true}, []any{no.Status, no.Denied}, "%s: %+v", name, no)
		}
		assert.Equal(t, "CREDENTIALS", who.Known(t.Context(), channels.Connection{}).Code, name)
		status, says = http.StatusInternalServerError, c.yes
		assert.NotEqual(t, channels.Taken, who.Known(t.Context(), connection).Status, name)
		assert.Len(t, asked, 4, "%s: nobody is asked for what is not there", name)
		s.Close()
		assert.Equal(t, "UNREACHABLE", who.Known(t.Context(), connection).Code, name)
	}
}

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

package msteams_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/domain/channels"
)

const personal = service + " a:1personal"

var drafts = &channelstest.Drafts{To: personal, Nowhere: hello.To, ID: "a-0000l",
	Taken:  channelstest.Reply{Status: 201, Body: `{"id":"a-0000l"}`},
	Edited: channelstest.Reply{Status: 202, Body: `{}`},
	Gone:   channelstest.Reply{Status: 403, Body: `{"error":{"code":"ContentStreamNotAllowed","message":"Content stream is not allowed"}}`},
	Problem: func(step string, r *http.Request, body []byte) string {
		want := map[string]string{
			channelstest.DraftFirst: `{"entities":[{"streamSequence":1,"streamType":"informative","type":"streaminfo"}],"text":"…","type":"typing"}`,
			channelstest.DraftAgain: `{"entities":[{"streamId":"a-0000l","streamSequence":2,"streamType":"streaming","type":"streaminfo"}],` +
				`"text":"Fish \u0026 \u003cchips\u003e? 😀","type":"typing"}`,
			channelstest.DraftFinal: `{"entities":[{"streamId":"a-0000l","streamType":"final","type":"streaminfo"}],` +
				`"text":"Fish \u0026 \u003cchips\u003e? 😀","textFormat":"plain","type":"message"}`,
		}[step]
		switch {
		case r.Header.Get("Authorization") != "Bearer token-of-login":
			return "the credentials"
		case r.Method != http.MethodPost || r.URL.EscapedPath() != "/amer/v3/conversations/a:1personal/activities":
			return r.Method + " " + r.URL.EscapedPath()
		case string(body) != want:
			return string(body)
		}
		return ""
	}}

// Given a text whose end Teams has already, of which nobody was told, then it is not sent once more.
func TestTheEndOfATextIsKnownForARepeat(t *testing.T) {
	by := newLogin(t)
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"error":{"code":"ContentStreamNotAllowed",`+
			`"message":"Content stream is not allowed on an already completed streamed message"}}`)
	}))
	defer s.Close()
	teams, err := at(s.URL, by.URL)
	require.NoError(t, err)
	m := hello
	m.To, m.Attempt, m.Shown = personal, 2, channels.Shown{Reference: "s-1/1/1", ID: "a-0000l"}
	require.Equal(t, channels.Outcome{Status: channels.Taken, ProviderMessageID: "a-0000l"}, teams.Send(t.Context(), connection, m))
	require.Equal(t, 1, asked)
}

package msteams_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/msteams"
	"github.com/parley-platform/parley/domain/channels"
)

const service = "https://smba.trafficmanager.net/amer/"

var (
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "msteams", External: "app-1", Credentials: channels.Credentials{
		msteams.AppPassword: "hush-password"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "msteams", External: "app-2", Credentials: channels.Credentials{
		msteams.AppPassword: "another-password"}}
	hello = channels.Outbound{Reference: "r-1", Attempt: 1, To: service + " 19:meeting_1@thread.v2;messageid=17", Text: "Fish & <chips>? 😀",
		Choices: []channels.Choice{{Token: "1.0", Label: "Yes"}}, Fields: []channels.Field{
			{Label: "Size", Options: []channels.Choice{{Token: "1.1", Label: "S"}, {Token: "1.2", Label: "L"}}}, {Token: "1.3", Label: "Age?"}}}
)

const sent = `{"attachments":[{"content":{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","actions":[` +
	`{"data":{"choice":"1.0"},"title":"Yes","type":"Action.Submit"}],"body":[` +
	`{"choices":[{"title":"S","value":"1.1"},{"title":"L","value":"1.2"}],"id":"taken-1.1","label":"Size","style":"compact",` +
	`"type":"Input.ChoiceSet"},{"actions":[{"data":{"menu":"taken-1.1"},"title":"OK","type":"Action.Submit"}],"type":"ActionSet"},` +
	`{"id":"taken-1.3","label":"Age?","type":"Input.Text"},` +
	`{"actions":[{"data":{"input":"taken-1.3"},"title":"OK","type":"Action.Submit"}],"type":"ActionSet"}],` +
	`"type":"AdaptiveCard","version":"1.5"},"contentType":"application/vnd.microsoft.card.adaptive"}],` +
	`"text":"Fish \u0026 \u003cchips\u003e? 😀","textFormat":"plain","type":"message"}`

func fileProblem(r *http.Request) string {
	if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer token-of-login" {
		return "the request of a file"
	}
	return ""
}

// login is where bots get tokens: it counts, and knows one secret.
type login struct {
	*httptest.Server
	asked atomic.Int32
}

func newLogin(t *testing.T) *login {
	l := &login{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.asked.Add(1)
		if r.URL.Path != "/botframework.com/oauth2/v2.0/token" && r.URL.Path != "/contoso.example/oauth2/v2.0/token" ||
			r.FormValue("grant_type") != "client_credentials" || r.FormValue("client_id") != "app-1" ||
			r.FormValue("client_secret") != "hush-password" || r.FormValue("scope") != "https://api.botframework.com/.default" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"AADSTS7000215: hush-password"}`))
			return
		}
		_, _ = w.Write([]byte(`{"token_type":"Bearer","expires_in":3599,"access_token":"token-of-login"}`))
	}))
	l.Config.SetKeepAlivesEnabled(false) // one that goes away leaves no connection on which it could be asked once more
	t.Cleanup(l.Close)
	return l
}

// at is an adapter whose conversations are at base, without one where the activities say.
func at(base, login string) (*msteams.Teams, error) {
	return msteams.At(msteams.Addresses{Keys: keyServer.URL, Issuer: "https://api.botframework.com", Login: login,
		Scope: "https://api.botframework.com/.default", Services: []string{"smba.trafficmanager.net"}, Service: base})
}

func problem(r *http.Request, body []byte) string {
	switch {
	case r.Header.Get("Authorization") != "Bearer token-of-login":
		return "the credentials"
	case r.Method != http.MethodPost || r.URL.EscapedPath() != "/amer/v3/conversations/19:meeting_1@thread.v2%3Bmessageid=17/activities":
		return r.Method + " " + r.URL.EscapedPath()
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return "the content type"
	case string(body) != sent:
		return string(body)
	}
	return ""
}

func fails(status int, as channels.Status, code, reason string) channelstest.Case {
	return channelstest.Case{Reply: channelstest.Reply{Status: status, Body: `{"error":{"code":"X","message":"hush"}}`},
		Want: channels.Outcome{Status: as, Code: code, Reason: reason}}
}

func TestTeams(t *testing.T) {
	by := newLogin(t)
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return at(base, by.URL) },
		Connection: connection, Outbound: hello,
		Drafts: drafts,
		Provider: &channelstest.Provider{Problem: problem,
			Taken: channelstest.Case{Reply: channelstest.Reply{Status: 201, Body: `{"id":"1700000000123"}`},
				Want: channels.Outcome{Status: channels.Taken, ProviderMessageID: "1700000000123"}},
			Final:   fails(404, channels.Refused, "HTTP_404", "the bot is not in the conversation"),
			Limited: channelstest.Reply{Status: 429, Body: `{"error":{"code":"TooManyRequests"}}`},
			Denied:  fails(401, channels.NotTaken, "HTTP_401", "Microsoft Teams does not accept the credentials").Denies(),
			Others: map[string]channelstest.Case{
				"the person blocked the bot": {Reply: channelstest.Reply{Status: 403, Body: `{"error":{"code":"MessageWritesBlocked"}}`},
					Want: channels.Outcome{Status: channels.Refused, Code: "HTTP_403", Reason: "the person has blocked the bot", OptedOut: true}},
				"the bot was taken out": fails(403, channels.Refused, "HTTP_403", "the bot is not in the conversation"),
				"too large":             fails(413, channels.Refused, "HTTP_413", "Microsoft Teams refused the message"),
				"once more, please":     fails(412, channels.NotTaken, "HTTP_412", "Microsoft Teams asks for another attempt"),
				"taken, without its id": {Reply: channelstest.Reply{Status: 200, Body: `{}`},
					Want: channels.Outcome{Reason: "Microsoft Teams does not say what it did"}},
				"a gateway in the midst": fails(504, channels.Unknown, "", "Microsoft Teams does not say what it did"),
			},
		},
		Files: &channelstest.Files{Problem: fileProblem, File: func(address string) channels.File {
			return channels.File{URL: address, ContentType: "image/*"}
		}},
		Inbound: inbound,
	})
}

// Given a token, then it is asked for once while it lasts, and again when the connector does not take
// it any more.
func TestATokenIsKeptForAsLongAsItIsTaken(t *testing.T) {
	by, denied, typing := newLogin(t), atomic.Bool{}, atomic.Int32{}
	connector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); string(body) == `{"type":"typing"}` {
			typing.Add(1)
		}
		if denied.Load() {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = w.Write([]byte(`{"id":"1"}`))
	}))
	defer connector.Close()
	teams, err := at(connector.URL, by.URL)
	require.NoError(t, err)
	of := func(tenant string) channels.Connection {
		c := connection
		c.Credentials = channels.Credentials{msteams.AppPassword: "hush-password", msteams.TenantID: channels.Secret(tenant)}
		return c
	}
	for range 3 {
		require.Equal(t, channels.Taken, teams.Send(t.Context(), connection, hello).Status)
		teams.Typing(t.Context(), connection, hello.To)
	}
	require.EqualValues(t, []int32{1, 3}, []int32{by.asked.Load(), typing.Load()})
	require.Equal(t, channels.Taken, teams.Send(t.Context(), of("contoso.example"), hello).Status)
	require.EqualValues(t, 2, by.asked.Load(), "another tenant has another token")
	denied.Store(true)
	require.Equal(t, "HTTP_401", teams.Send(t.Context(), connection, hello).Code)
	denied.Store(false)
	require.Equal(t, channels.Taken, teams.Send(t.Context(), connection, hello).Status)
	require.EqualValues(t, 3, by.asked.Load())

	wrong := connection
	wrong.Credentials = channels.Credentials{msteams.AppPassword: "wrong"}
	require.Equal(t, channels.Outcome{Status: channels.NotTaken, Code: "LOGIN_401", Reason: "Microsoft does not accept the credentials",
		Denied: true}, teams.Send(t.Context(), wrong, hello))
	require.Equal(t, "CREDENTIALS", teams.Send(t.Context(), of("../evil"), hello).Code)
	_, err = teams.Fetch(t.Context(), wrong, channels.File{URL: service + "v3/attachments/1"})
	require.Equal(t, &channels.Unfetched{Code: channels.FileDenied, Reason: "Microsoft does not accept the credentials"}, err)
	by.Close()
	_, err = teams.Fetch(t.Context(), of("else.example"), channels.File{URL: service + "v3/attachments/1"})
	require.Equal(t, &channels.Unfetched{Code: channels.FileAway, Reason: "Microsoft's login cannot be reached", Again: true}, err)
	require.Equal(t, channels.NotTaken, teams.Send(t.Context(), of("else.example"), hello).Status, "nothing was sent")
}

// Given an address that is none of Microsoft's, then no token goes there.
func TestOnlyMicrosoftIsSpokenTo(t *testing.T) {
	by := newLogin(t)
	for _, to := range []string{"", "https://evil.example 19:x", "http://smba.trafficmanager.net 19:x", "%zz 19:x",
		"https://smba.trafficmanager.net.evil.example 19:x", "https://a@smba.trafficmanager.net 19:x",
		"https://smba.trafficmanager.net:8443 19:x", "https://smba.trafficmanager.net/amer/", "https://169.254.169.254/ 19:x"} {
		teams, err := msteams.New("")
		require.NoError(t, err)
		m := hello
		m.To = to
		require.Equal(t, "ADDRESS", teams.Send(t.Context(), connection, m).Code, to)
	}
	require.Zero(t, by.asked.Load())
	for _, base := range []string{"smoke", "ftp://x", "http://"} {
		_, err := msteams.New(base)
		require.Error(t, err, base)
	}
	_, err := msteams.New(msteams.Government)
	require.NoError(t, err)
}

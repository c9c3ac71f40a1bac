package msteams_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/msteams"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

var now = time.Unix(1_700_000_000, 0)

// microsoft signs: it has a key that speaks for Teams, and one that does not.
var (
	teamsKey, otherKey, strangers = newKey(), newKey(), newKey()
	keysAsked                     atomic.Int32
	keysAway                      atomic.Bool
	keyServer                     = httptest.NewServer(http.HandlerFunc(serveKeys))
)

func newKey() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
}

func serveKeys(w http.ResponseWriter, r *http.Request) {
	keysAsked.Add(1)
	number := func(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }
	jwk := func(id string, k *rsa.PrivateKey, endorses ...string) map[string]any {
		return map[string]any{"kty": "RSA", "use": "sig", "kid": id, "n": number(k.N), "e": number(big.NewInt(int64(k.E))),
			"endorsements": endorses}
	}
	switch {
	case keysAway.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.URL.Path == "/v1/.well-known/openidconfiguration":
		_, _ = fmt.Fprintf(w, `{"issuer":"https://api.botframework.com","jwks_uri":"http://%s/keys?v=1"}`, r.Host)
	case r.URL.Path == "/keys":
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{jwk("teams", teamsKey, "webchat", "msteams"),
			jwk("other", otherKey, "skype"), map[string]any{"kty": "EC", "kid": "ec"}}})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func serviceOf(body []byte) (out string) {
	var a struct{ ServiceURL string }
	_ = json.Unmarshal(body, &a)
	return a.ServiceURL
}

// claims are those of a token for a connection and an activity.
func claims(c channels.Connection, r channels.Request) jwt.MapClaims {
	return jwt.MapClaims{"iss": "https://api.botframework.com", "aud": c.External, "nbf": r.At.Unix(), "exp": r.At.Add(time.Hour).Unix(),
		"serviceurl": serviceOf(r.Body)}
}

func carrying(r channels.Request, method jwt.SigningMethod, kid string, by any, of jwt.MapClaims) channels.Request {
	token := jwt.NewWithClaims(method, of)
	token.Header["kid"] = kid
	signed, err := token.SignedString(by)
	if err != nil {
		panic(err)
	}
	r.Header = maps.Clone(r.Header)
	r.Header["Authorization"] = []string{"Bearer " + signed}
	return r
}

func sign(c channels.Connection, r channels.Request) channels.Request {
	return carrying(r, jwt.SigningMethodRS256, "teams", teamsKey, claims(c, r))
}

func post(body string) channels.Request {
	return channels.Request{Method: "POST", URL: "https://parley.example.com/api/v1/channels/msteams/webhook", At: now,
		Header: map[string][]string{}, Body: []byte(body)}
}

// activity is one of Ann, with members of its own or others.
func activity(kind, members string) channels.Request {
	return post(`{"type":"` + kind + `","id":"17","timestamp":"2023-11-14T22:13:20.5Z","serviceUrl":"` + service + `","channelId":"msteams",` +
		`"from":{"id":"29:ann","name":"Ann","aadObjectId":"a-1"},"recipient":{"id":"28:app-1","name":"Bot"},` + members + `}`)
}

const (
	alone   = `"conversation":{"id":"a:1","conversationType":"personal","tenantId":"t"}`
	grouped = `"conversation":{"id":"19:g@thread.v2","conversationType":"groupChat"}`
	channel = `"conversation":{"id":"19:c@thread.tacv2;messageid=17","conversationType":"channel"}`
	called  = `,"text":"<at>Bot</at>&nbsp;ask <at id=\"1\">Bob</at> &lt;at&gt;\r\n","entities":[{"type":"mention","text":"<at>Bot</at>",` +
		`"mentioned":{"id":"28:app-1"}},{"type":"mention","text":"<at id=\"1\">Bob</at>","mentioned":{"id":"29:bob"}},` +
		`{"type":"clientInfo","locale":"de-DE"}]`
)

func entry(conversation, text string) channels.Entry {
	return channels.Entry{ExternalID: "17", Thread: conversation, From: "29:ann", Name: "Ann", ReplyTo: service + " " + conversation,
		Text: text, At: now.Add(500 * time.Millisecond).UTC()}
}

func said(r channels.Request, e channels.Entry, change ...func(*channels.Entry)) channelstest.Said {
	for _, f := range change {
		f(&e)
	}
	return channelstest.Said{Request: r, Want: channels.Received{Entries: []channels.Entry{e}}}
}

func speaking(language string) func(*channels.Entry) {
	return func(e *channels.Entry) { e.Language = language }
}

func chosen(token string) func(*channels.Entry) {
	return func(e *channels.Entry) { e.Choice = token }
}

var inbound = &channelstest.Inbound{Sign: sign, Another: another, Unsigned: "Microsoft signs for whom a request is, not what it says",
	Says: map[string]channelstest.Said{
		"what is said to the bot": said(activity("message", alone+`,"text":"fish &amp; chips"`), entry("a:1", "fish & chips")),
		"a mention in a channel": said(activity("message", channel+called), entry("19:c@thread.tacv2;messageid=17", "ask Bob <at>"),
			speaking("de-DE")),
		"in a language": said(activity("message", alone+`,"locale":"fr-CA","text":"oui","entities":[{"type":"clientInfo","locale":"de"}]`),
			entry("a:1", "oui"), speaking("fr-CA")),
		"what follows there": said(activity("message", channel+`,"text":"and now?"`), entry("19:c@thread.tacv2;messageid=17", "and now?"),
			func(e *channels.Entry) { e.OnlyKnown = true }),
		"a mention in a group": said(activity("message", grouped+called), entry("19:g@thread.v2", "ask Bob <at>"), speaking("de-DE")),
		"a button":             said(activity("message", grouped+`,"value":{"choice":"1.0"}`), entry("19:g@thread.v2", ""), chosen("1.0")),
		"an option": said(activity("message", alone+`,"value":{"menu":"taken-1.1","taken-1.1":"1.2","taken-1.3":"x"}`), entry("a:1", ""),
			chosen("1.2")),
		"an input": said(activity("message", alone+`,"value":{"input":"taken-1.3","taken-1.3":"1.2","taken-1.1":"1.1"}`), entry("a:1", "1.2"),
			chosen("1.3")),
		"files": said(activity("message", alone+`,"text":"","attachments":[{"contentType":"application/vnd.microsoft.teams.file.download.info",`+
			`"name":"a.pdf","content":{"downloadUrl":"https://x.sharepoint.com/1","uniqueId":"U1","fileType":"pdf"}},{"contentType":"image/*",`+
			`"contentUrl":"`+service+`v3/attachments/1/views/original"},{"contentType":"text/html","content":"<p>x</p>"}]`), entry("a:1", ""),
			func(e *channels.Entry) {
				e.Files = []channels.File{{URL: "https://x.sharepoint.com/1", ID: "U1", Name: "a.pdf"},
					{URL: service + "v3/attachments/1/views/original", ContentType: "image/*"}}
			}),
	},
	Ignored: map[string]channels.Request{
		"echo": post(strings.Replace(string(activity("message", alone+`,"text":"x"`).Body), "29:ann", "28:app-1", 1)),
		"another bot": post(strings.Replace(string(activity("message", alone+`,"text":"x"`).Body), `"name":"Ann"`, `"name":"Ann","role":"bot"`,
			1)),
		"what others say in a group": activity("message", grouped+`,"text":"x"`),
		"who joins":                  activity("conversationUpdate", alone+`,"membersAdded":[{"id":"29:bob"}]`),
		"a reaction":                 activity("messageReaction", alone+`,"reactionsAdded":[{"type":"like"}]`),
		"a changed message":          activity("messageUpdate", alone+`,"text":"x"`),
		"somebody types":             activity("typing", alone),
		"an invoke":                  activity("invoke", alone+`,"name":"adaptiveCard/action","value":{"action":{"type":"Action.Execute"}}`),
		"a card of others":           activity("message", alone+`,"value":{"x":1}`),
		"a field that is empty":      activity("message", alone+`,"value":{"input":"taken-1.3","taken-1.3":""}`),
		"a field that is not there":  activity("message", alone+`,"value":{"menu":"x"}`),
		"nothing":                    activity("message", alone),
		"no conversation":            activity("message", `"text":"x"`),
	},
	Extend: func(r channels.Request) channels.Request {
		r.Body = append([]byte(`{"new":{"a":[1]},`), r.Body[1:]...)
		return r
	},
}

// Given a request, then it is believed by a token of Microsoft's alone: of this time, for this app,
// for where the conversation is, by a key that speaks for Teams.
func TestATokenIsJudged(t *testing.T) {
	teams, err := at("", "https://login.example")
	require.NoError(t, err)
	r := activity("message", alone+`,"text":"hi"`)
	public, err := x509.MarshalPKIXPublicKey(&teamsKey.PublicKey)
	require.NoError(t, err)
	published := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	with := func(name string, value any, more ...string) channels.Request {
		of := claims(connection, r)
		if of[name] = value; value == nil {
			delete(of, name)
		}
		for i := 0; i < len(more); i += 2 {
			of[more[i]] = more[i+1]
		}
		return carrying(r, jwt.SigningMethodRS256, "teams", teamsKey, of)
	}
	elsewhere := post(strings.Replace(string(r.Body), service, "https://evil.example/", 1))
	unendorsed := post(strings.Replace(string(r.Body), `"channelId":"msteams"`, `"channelId":"emulator"`, 1))
	for name, c := range map[string]struct {
		request channels.Request
		good    bool
	}{
		"as it should be":           {sign(connection, r), true},
		"another spelling":          {with("serviceUrl", service), true},
		"only the other spelling":   {with("serviceurl", nil, "serviceUrl", service), true},
		"two spellings, two places": {with("serviceUrl", "https://evil.example/"), false},
		"several audiences":         {with("aud", []string{"x", "app-1"}), true},
		"four minutes late":         {with("exp", now.Add(-4*time.Minute).Unix()), true},
		"six minutes late":          {with("exp", now.Add(-6*time.Minute).Unix()), false},
		"six minutes early":         {with("nbf", now.Add(6*time.Minute).Unix()), false},
		"without an end":            {with("exp", nil), false},
		"of another issuer":         {with("iss", "https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/"), false},
		"without an issuer":         {with("iss", nil), false},
		"for another app":           {with("aud", "app-2"), false},
		"for nobody":                {with("aud", nil), false},
		"for another place":         {with("serviceurl", "https://smba.trafficmanager.net/emea/"), false},
		"for no place":              {with("serviceurl", nil), false},
		"none of Microsoft's": {carrying(elsewhere, jwt.SigningMethodRS256, "teams", teamsKey, claims(connection, elsewhere)),
			false},
		"a key that does not speak for Teams": {carrying(r, jwt.SigningMethodRS256, "other", otherKey, claims(connection, r)), false},
		"a channel that nobody endorses":      {sign(connection, unendorsed), false},
		"an unknown key":                      {carrying(r, jwt.SigningMethodRS256, "none", strangers, claims(connection, r)), false},
		"a stranger by the name of a key":     {carrying(r, jwt.SigningMethodRS256, "teams", strangers, claims(connection, r)), false},
		"no key":                              {carrying(r, jwt.SigningMethodRS256, "", teamsKey, claims(connection, r)), false},
		"alg none": {carrying(r, jwt.SigningMethodNone, "teams", jwt.UnsafeAllowNoneSignatureType, claims(connection, r)),
			false},
		"HS256 under the public key": {carrying(r, jwt.SigningMethodHS256, "teams", published, claims(connection, r)), false},
		"HS256 under its modulus":    {carrying(r, jwt.SigningMethodHS256, "teams", teamsKey.N.Bytes(), claims(connection, r)), false},
		"another algorithm":          {carrying(r, jwt.SigningMethodRS512, "teams", teamsKey, claims(connection, r)), false},
	} {
		err := teams.Verify(connection, c.request)
		if c.good {
			require.NoError(t, err, name)
			continue
		}
		require.True(t, fault.Is(err, fault.Forbidden), "%s: %v", name, err)
		require.NotContains(t, err.Error(), "hush", name)
	}
}

// Given a token that was taken, then it is taken again until its end, and by no other signature.
func TestATokenIsTakenAgain(t *testing.T) {
	teams, err := at("", "https://login.example")
	require.NoError(t, err)
	r := sign(connection, activity("message", alone+`,"text":"hi"`))
	for range 2 {
		require.NoError(t, teams.Verify(connection, r))
	}
	require.True(t, fault.Is(teams.Verify(another, r), fault.Forbidden), "for another app")
	late := r
	late.At = r.At.Add(time.Hour + 6*time.Minute)
	require.True(t, fault.Is(teams.Verify(connection, late), fault.Forbidden), "behind its end")
	forged := r
	forged.Header = maps.Clone(r.Header)
	given := r.Get("Authorization")
	forged.Header["Authorization"] = []string{given[:len(given)-8] + "AAAAAAAA"}
	require.True(t, fault.Is(teams.Verify(connection, forged), fault.Forbidden), "by another signature")
}

// Given keys that were asked for, then who shows unknown ones has them asked for once an hour, and
// while they cannot be had those that are known do.
func TestKeysAreAskedForSeldom(t *testing.T) {
	teams, err := at("", "https://login.example")
	require.NoError(t, err)
	r := activity("message", alone+`,"text":"hi"`)
	before := keysAsked.Load()
	asked := func() int { return int(keysAsked.Load() - before) }
	later := func(d time.Duration) channels.Request {
		r := r
		r.At = now.Add(d)
		return r
	}
	unknown := func(d time.Duration) error {
		r := later(d)
		return teams.Verify(connection, carrying(r, jwt.SigningMethodRS256, "none", strangers, claims(connection, r)))
	}
	good := func(d time.Duration) error { return teams.Verify(connection, sign(connection, later(d))) }

	keysAway.Store(true)
	for range 3 {
		require.True(t, fault.Is(good(0), fault.Unavailable), "nobody can say: it is sent again")
	}
	require.Equal(t, 1, asked())
	keysAway.Store(false)
	require.True(t, fault.Is(good(10*time.Second), fault.Unavailable))
	require.NoError(t, good(time.Minute))
	require.Equal(t, 3, asked())
	for d := 2 * time.Minute; d < time.Hour; d += 10 * time.Minute {
		require.True(t, fault.Is(unknown(d), fault.Forbidden))
		require.NoError(t, good(d))
	}
	require.Equal(t, 3, asked())
	require.Error(t, unknown(2*time.Hour))
	require.Error(t, unknown(2*time.Hour+time.Minute))
	require.NoError(t, good(0), "an older request")
	require.Equal(t, 5, asked())
	keysAway.Store(true)
	defer keysAway.Store(false)
	require.NoError(t, good(6*24*time.Hour))
	require.Equal(t, 6, asked())
}

func TestAnActivityNamesItsApp(t *testing.T) {
	teams, err := msteams.New("")
	require.NoError(t, err)
	require.Equal(t, []string{"app-1"}, teams.Routes(activity("message", alone)))
	for _, body := range []string{"", "x", `{"recipient":{"id":"app-1"}}`, `{"recipient":{"id":"28:"}}`} {
		require.Empty(t, teams.Routes(post(body)), body)
	}
	require.False(t, bytes.Contains([]byte(fmt.Sprintf("%+v", teams)), []byte("hush")))
}

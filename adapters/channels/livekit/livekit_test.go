package livekit_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/livekit"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
)

const (
	apiKey    = "APIfixture0001"
	apiSecret = "a secret of these tests"
	room      = "t_acme__p_a-1__s_s-9"
)

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

var (
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "livekit", External: "main", Credentials: channels.Credentials{
		livekit.URL: "wss://rooms.example.com", livekit.APIKey: apiKey, livekit.APISecret: apiSecret}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "livekit", External: "main", Credentials: channels.Credentials{
		livekit.URL: "wss://others.example.com", livekit.APIKey: "APIfixture0002", livekit.APISecret: "another secret"}}
	hello = channels.Outbound{Reference: "018f0000-0000-7000-8000-000000000001", Attempt: 1, To: room, Text: "Good day, Ümlaut"}
)

// opens is what a token says, if it is of the key.
func opens(t require.TestingT, token, secret string) (claims map[string]any, problem string) {
	parsed, err := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithoutClaimsValidation()).Parse(token,
		func(*jwt.Token) (any, error) { return []byte(secret), nil })
	if err != nil {
		return nil, "the token: " + err.Error()
	}
	return parsed.Claims.(jwt.MapClaims), ""
}

// problem is what LiveKit finds wrong with a request for hello by connection.
func problem(r *http.Request, body []byte) string {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	claims, wrong := opens(nil, token, apiSecret)
	var asked struct {
		Room, Data, Kind, Topic, Nonce string
	}
	data, err := []byte(nil), json.Unmarshal(body, &asked)
	if err == nil {
		data, err = base64.StdEncoding.DecodeString(asked.Data)
	}
	grants, _ := claims["video"].(map[string]any)
	switch {
	case !bearer || wrong != "":
		return "the credentials " + wrong
	case claims["iss"] != apiKey || claims["exp"] == nil || grants["roomAdmin"] != true || grants["room"] != room || grants["roomJoin"] != nil:
		return "the grants"
	case r.Method != http.MethodPost || r.URL.Path != "/twirp/livekit.RoomService/SendData":
		return r.Method + " " + r.URL.Path
	case err != nil || r.Header.Get("Content-Type") != "application/json":
		return "the body"
	case asked.Room != room || asked.Kind != "RELIABLE" || asked.Topic != livekit.Topic:
		return "the members"
	case string(data) != `{"id":"`+hello.Reference+`","text":"Good day, Ümlaut"}`:
		return "the data " + string(data)
	}
	return ""
}

func nonce(_ *http.Request, body []byte) string {
	var asked struct{ Nonce string }
	_ = json.Unmarshal(body, &asked)
	return asked.Nonce
}

func twirp(status int, code string) channelstest.Reply {
	return channelstest.Reply{Status: status, Body: `{"code":"` + code + `","msg":"requested room ` + room + ` is wrong"}`}
}

func out(status channels.Status, code, reason string) channels.Outcome {
	return channels.Outcome{Status: status, Code: code, Reason: reason}
}

func TestLiveKit(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return livekit.New(base) },
		Connection: connection, Public: []string{livekit.URL, livekit.APIKey}, Outbound: hello,
		Provider: &channelstest.Provider{Problem: problem, Key: nonce,
			Taken: channelstest.Case{Reply: channelstest.Reply{Status: 200, Body: "{}"},
				Want: channels.Outcome{Status: channels.Taken, ProviderMessageID: "d604c61b95ebfb79347557e2b9bad92e"}},
			Final:   channelstest.Case{Reply: twirp(404, "not_found"), Want: out(channels.Refused, "not_found", "there is no such room any more")},
			Limited: twirp(429, "resource_exhausted"),
			Denied: channelstest.Case{Reply: twirp(401, "unauthenticated"),
				Want: out(channels.NotTaken, "unauthenticated", "LiveKit does not accept the credentials")}.Denies(),
			Others: map[string]channelstest.Case{
				"not allowed": channelstest.Case{Reply: twirp(403, "permission_denied"),
					Want: out(channels.NotTaken, "permission_denied", "LiveKit does not accept the credentials")}.Denies(),
				"wrong": {Reply: twirp(400, "invalid_argument"),
					Want: out(channels.Refused, "invalid_argument", "LiveKit refused the request")},
				"away":          {Reply: twirp(503, "unavailable"), Want: out(channels.NotTaken, "unavailable", "LiveKit is not available")},
				"a proxy's 503": {Reply: channelstest.Reply{Status: 503, Body: "<html>"}, Want: out("", "", "LiveKit does not say what it did")},
				"another path": {Reply: channelstest.Reply{Status: 404, Body: "404 page not found"},
					Want: out(channels.Refused, "HTTP_404", "LiveKit refused the request")},
				"not LiveKit": {Reply: channelstest.Reply{Status: 200, Body: "<html>"}, Want: out("", "", "LiveKit does not say what it did")},
				"a word of its own": {Reply: twirp(400, "Ünknown "+strings.Repeat("x", 99)),
					Want: out(channels.Refused, "HTTP_400", "LiveKit refused the request")},
			},
		},
		Inbound: inbound,
	})
}

// asking is a peer that keeps what it is asked.
type asking struct {
	*httptest.Server
	paths  []string
	bodies []map[string]any
	tokens []map[string]any
}

func ask(t *testing.T) *asking {
	a := &asking{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var said map[string]any
		_ = json.Unmarshal(body, &said)
		claims, _ := opens(t, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), apiSecret)
		a.paths, a.bodies, a.tokens = append(a.paths, r.URL.Path), append(a.bodies, said), append(a.tokens, claims)
		_, _ = io.WriteString(w, `{"sid":"RM_1","name":"x"}`)
	}))
	t.Cleanup(a.Close)
	return a
}

func TestARoomIsMadeAndAnAgentIsCalledIntoIt(t *testing.T) {
	peer := ask(t)
	l, err := livekit.New(peer.URL)
	require.NoError(t, err)
	desk := &livekit.Dispatch{Name: "desk", Metadata: `{"sessionId":"s-9"}`}
	require.Equal(t, channels.Taken, l.Create(t.Context(), connection, room, desk, `{"sessionId":"s-9"}`, 90*time.Second).Status)
	require.Equal(t, channels.Taken, l.Create(t.Context(), connection, room, nil, "{}", 90*time.Second).Status)
	require.Equal(t, []string{"/twirp/livekit.RoomService/CreateRoom", "/twirp/livekit.RoomService/CreateRoom"}, peer.paths)
	require.Equal(t, []map[string]any{{"name": room, "metadata": `{"sessionId":"s-9"}`, "empty_timeout": float64(90),
		"agents": []any{map[string]any{"agent_name": "desk", "metadata": `{"sessionId":"s-9"}`}}},
		{"name": room, "metadata": "{}", "empty_timeout": float64(90)}}, peer.bodies)
	require.Equal(t, map[string]any{"roomCreate": true}, peer.tokens[0]["video"])
}

func TestATokenToJoin(t *testing.T) {
	l, err := livekit.New("")
	require.NoError(t, err)
	token, err := l.Join(connection, "s_s-9", room, &livekit.Dispatch{Name: "desk", Metadata: `{"x":1}`}, noon)
	require.NoError(t, err)
	claims, wrong := opens(t, token, apiSecret)
	require.Empty(t, wrong)
	require.Equal(t, map[string]any{"iss": apiKey, "sub": "s_s-9", "iat": float64(noon.Unix()),
		"nbf":        float64(noon.Add(-time.Minute).Unix()), // clocks differ
		"exp":        float64(noon.Add(15 * time.Minute).Unix()),
		"video":      map[string]any{"room": room, "roomJoin": true, "canPublish": true, "canSubscribe": true, "canPublishData": true},
		"roomConfig": map[string]any{"agents": []any{map[string]any{"agentName": "desk", "metadata": `{"x":1}`}}}}, claims)
	token, err = l.Join(connection, "s_s-9", room, nil, noon)
	require.NoError(t, err)
	claims, _ = opens(t, token, apiSecret)
	require.NotContains(t, claims, "roomConfig")
	token, err = l.Come(connection, "parley-1", room)
	require.NoError(t, err)
	claims, _ = opens(t, token, apiSecret)
	require.Equal(t, []any{"agent", "parley-1"}, []any{claims["kind"], claims["sub"]})
	_, err = l.Join(channels.Connection{}, "s_s-9", room, nil, noon)
	require.ErrorContains(t, err, "API key")
}

// Where the sound of a room goes: to the account's server, which is anywhere only where the operator says so.
func TestWhereARoomIs(t *testing.T) {
	l, err := livekit.New("")
	require.NoError(t, err)
	url, inside, err := l.Place(connection)
	require.NoError(t, err)
	require.Equal(t, []any{"https://rooms.example.com", false}, []any{url, inside})
	own := connection
	own.TenantID = ""
	_, inside, err = l.Place(own)
	require.NoError(t, err)
	require.True(t, inside)
	_, _, err = l.Place(channels.Connection{})
	require.Error(t, err)
	l, err = livekit.New("http://127.0.0.1:7880")
	require.NoError(t, err)
	url, inside, err = l.Place(connection)
	require.NoError(t, err)
	require.Equal(t, []any{"http://127.0.0.1:7880", true}, []any{url, inside})
	url, _, err = l.Place(own)
	require.NoError(t, err)
	require.Equal(t, "https://rooms.example.com", url, "the server's own account is asked where it says")
}

// An account names its own server: it cannot make us ask inside, and the operator's own can be there.
func TestWhereAnAccountMayBe(t *testing.T) {
	peer := ask(t)
	inside := connection
	inside.Credentials = channels.Credentials{livekit.URL: channels.Secret(strings.Replace(peer.URL, "http", "ws", 1)),
		livekit.APIKey: apiKey, livekit.APISecret: apiSecret}
	l, err := livekit.New("")
	require.NoError(t, err)
	require.Equal(t, channels.NotTaken, l.Create(t.Context(), inside, room, nil, "", time.Minute).Status)
	require.Empty(t, peer.paths)
	inside.TenantID = ""
	require.Equal(t, channels.Taken, l.Create(t.Context(), inside, room, nil, "", time.Minute).Status)
	for _, wrong := range []string{"", "rooms.example.com", "ftp://x", "wss://u:p@x", "wss://", "%"} {
		inside.Credentials[livekit.URL] = channels.Secret(wrong)
		require.Error(t, l.Check(inside), wrong)
		require.NotEqual(t, channels.Taken, l.Create(t.Context(), inside, room, nil, "", time.Minute).Status, wrong)
	}
	_, err = livekit.New("ftp://x")
	require.ErrorContains(t, err, "base URL of LiveKit")
}

// sign signs as LiveKit does.
func sign(c channels.Connection, r channels.Request) channels.Request {
	sum := sha256.Sum256(r.Body)
	return signed(c, r, jwt.SigningMethodHS256, jwt.MapClaims{"iss": c.Credentials.Reveal(livekit.APIKey), "nbf": noon.Unix(),
		"exp": noon.Add(5 * time.Minute).Unix(), "sha256": base64.StdEncoding.EncodeToString(sum[:])})
}

func signed(c channels.Connection, r channels.Request, by jwt.SigningMethod, claims jwt.MapClaims) channels.Request {
	key := any([]byte(c.Credentials.Reveal(livekit.APISecret)))
	if by == jwt.SigningMethodNone {
		key = jwt.UnsafeAllowNoneSignatureType
	}
	token, err := jwt.NewWithClaims(by, claims).SignedString(key)
	if err != nil {
		panic(err)
	}
	header := map[string][]string{"Authorization": {token}}
	for name, values := range r.Header {
		if name != "Authorization" {
			header[name] = values
		}
	}
	r.Header = header
	return r
}

func says(event, more string) channels.Request {
	return channels.Request{Method: "POST", URL: "https://parley.example.com/api/v1/channels/livekit/webhook", At: noon,
		Header: map[string][]string{"Content-Type": {"application/webhook+json"}},
		Body: []byte(`{"event":"` + event + `","id":"EV_` + event + `","createdAt":"1764072000","room":{"sid":"RM_1","name":"` + room +
			`"}` + more + `}`)}
}

func tells(status calls.Told, raw, event, person string) channels.Received {
	return channels.Received{Calls: []channels.Call{{ExternalID: "EV_" + event, ProviderID: room, OurNumber: room, Person: person,
		Direction: calls.Inbound, Status: status, Raw: raw, At: time.Unix(1764072000, 0).UTC()}}}
}

const (
	person = `,"participant":{"sid":"PA_1","identity":"s_s-9","state":"ACTIVE"}`
	agent  = `,"participant":{"sid":"PA_2","identity":"agent-AJ_1","kind":"AGENT"}`
)

var inbound = &channelstest.Inbound{Sign: sign, Another: another,
	Says: map[string]channelstest.Said{
		"it began": {Request: says("room_started", ""), Want: tells(calls.ToldInitiated, "room_started", "room_started", "")},
		"somebody came": {Request: says("participant_joined", person),
			Want: tells(calls.ToldInProgress, "participant_joined", "participant_joined", "s_s-9")},
		"somebody went": {Request: says("participant_left", person),
			Want: tells(calls.ToldInProgress, "participant_left", "participant_left", "s_s-9")},
		"an agent came": {Request: says("participant_joined", agent),
			Want: tells(calls.ToldInitiated, "agent_joined", "participant_joined", "agent-AJ_1")},
		"it is over": {Request: says("room_finished", ""), Want: tells(calls.ToldCompleted, "room_finished", "room_finished", "")},
	},
	Ignored: map[string]channels.Request{
		"echo":        says("track_published", person),
		"an egress":   says("egress_started", ""),
		"of tomorrow": says("participant_waved", person),
	},
	Extend: func(r channels.Request) channels.Request {
		r.Body = []byte(strings.Replace(string(r.Body), `{"event"`, `{"numDropped":3,"event"`, 1))
		return r
	},
}

// The vector is that of LiveKit's own verifier: a token of a known key, which expired long ago.
func TestLiveKitsOwnToken(t *testing.T) {
	const published = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJleHAiOjE2MDg5MzAzMDgsImlzcyI6IkFQSUQzQjY3dXhrNE5qMkdLaVJQaWJBWjkiLCJuYmYiOj" +
		"E2MDg5MjY3MDgsInJvb21fam9pbiI6dHJ1ZSwicm9vbV9zaWQiOiJteWlkIiwic3ViIjoiQVBJRDNCNjd1eGs0TmoyR0tpUlBpYkFaOSJ9.cmHEBq0MLyRqphmVLM2cLX" +
		"g5ao5Sro7am8yXhcYKcwE"
	l, err := livekit.New("")
	require.NoError(t, err)
	c := connection
	c.Credentials = channels.Credentials{livekit.APIKey: "APID3B67uxk4Nj2GKiRPibAZ9", livekit.APISecret: "YHC-CUhbQhGeVCaYgn1BNA++"}
	r := channels.Request{Header: map[string][]string{"Authorization": {published}}, At: noon}
	require.ErrorContains(t, l.Verify(c, r), "the token", "it has expired")
	r.At = time.Unix(1608927000, 0)
	require.ErrorContains(t, l.Verify(c, r), "the body", "its signature is good, and it names no body")
	c.Credentials[livekit.APISecret] = "YHC-CUhbQhGeVCaYgn1BNA+"
	require.ErrorContains(t, l.Verify(c, r), "the token")
}

func TestTheRoomThatARequestIsOf(t *testing.T) {
	l, err := livekit.New("")
	require.NoError(t, err)
	require.Equal(t, room, l.Room(says("room_started", "")))
	for _, body := range []string{"", "{}", "[]", `{"room":7}`, `{"room":{"name":"a\u0000b"}}`, `{"room":{"name":"ä"}}`} {
		require.Empty(t, l.Room(channels.Request{Body: []byte(body)}), body)
	}
}

// What a token could be that is none of LiveKit's.
func TestForgedTokensAreRefused(t *testing.T) {
	l, err := livekit.New("")
	require.NoError(t, err)
	r := says("room_started", "")
	sum := sha256.Sum256(r.Body)
	good := func(change func(jwt.MapClaims)) jwt.MapClaims {
		c := jwt.MapClaims{"iss": apiKey, "nbf": noon.Unix(), "exp": noon.Add(time.Minute).Unix(),
			"sha256": base64.StdEncoding.EncodeToString(sum[:])}
		change(c)
		return c
	}
	require.NoError(t, l.Verify(connection, signed(connection, r, jwt.SigningMethodHS256, good(func(jwt.MapClaims) {}))))
	for name, forged := range map[string]channels.Request{
		"alg none":    signed(connection, r, jwt.SigningMethodNone, good(func(jwt.MapClaims) {})),
		"HS512":       signed(connection, r, jwt.SigningMethodHS512, good(func(jwt.MapClaims) {})),
		"another key": signed(connection, r, jwt.SigningMethodHS256, good(func(c jwt.MapClaims) { c["iss"] = "APIother" })),
		"no expiry":   signed(connection, r, jwt.SigningMethodHS256, good(func(c jwt.MapClaims) { delete(c, "exp") })),
		"two minutes": signed(connection, r, jwt.SigningMethodHS256, good(func(c jwt.MapClaims) {
			c["exp"] = noon.Add(-2 * time.Minute).Unix()
		})),
		"not yet": signed(connection, r, jwt.SigningMethodHS256, good(func(c jwt.MapClaims) {
			c["nbf"] = noon.Add(2 * time.Minute).Unix()
		})),
		"no sum":       signed(connection, r, jwt.SigningMethodHS256, good(func(c jwt.MapClaims) { delete(c, "sha256") })),
		"a sum in hex": signed(connection, r, jwt.SigningMethodHS256, good(func(c jwt.MapClaims) { c["sha256"] = "00" })),
	} {
		require.Error(t, l.Verify(connection, forged), name)
	}
}

//go:build !apache

package node_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	given "github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

const (
	rtcToken = "/api/v1/rtc/token"
	rtcKey   = "APIroom"
	rtcHush  = "hush-rooms"
)

// liveKit is a server of rooms, as far as its API goes: it judges tokens, and remembers what it was
// asked.
type liveKit struct {
	*httptest.Server
	mu    sync.Mutex
	asked []fields
	fails string // a method that it refuses
	cuts  bool   // it does what it is asked, and says nothing
}

func newLiveKit(t *testing.T) *liveKit {
	l := &liveKit{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := strings.TrimPrefix(r.URL.Path, "/twirp/livekit.")
		var body fields
		data, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(data, &body)
		claims := jwt.MapClaims{}
		_, err := jwt.ParseWithClaims(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), claims,
			func(*jwt.Token) (any, error) { return []byte(rtcHush), nil }, jwt.WithValidMethods([]string{"HS256"}), jwt.WithIssuer(rtcKey))
		grants, _ := claims["video"].(map[string]any)
		may := grants["roomCreate"] == true
		if !strings.HasSuffix(method, "CreateRoom") {
			may = grants["roomAdmin"] == true && grants["room"] == body["room"]
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case err != nil || !may:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":"unauthenticated","msg":"permissions denied"}`)
		case l.fails != "" && strings.HasSuffix(method, l.fails):
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"code":"unavailable","msg":"away"}`)
		default:
			l.asked = append(l.asked, fields{"method": method, "body": body})
			if l.cuts {
				panic(http.ErrAbortHandler)
			}
			_, _ = io.WriteString(w, `{}`)
		}
	}))
	t.Cleanup(l.Close)
	return l
}

// of are the requests of a method, once there are so many.
func (l *liveKit) of(t *testing.T, method, room string, want int) (all []fields) {
	t.Helper()
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		all = nil
		for _, a := range l.asked {
			if body := a["body"].(fields); a["method"] == method && (body["room"] == room || body["name"] == room) {
				all = append(all, body)
			}
		}
		return len(all) >= want
	}, patience, 20*time.Millisecond)
	require.Len(t, all, want, method)
	return all
}

func (l *liveKit) refuses(method string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fails = method
}

// hangsUp has it do what it is asked without a word, or not.
func (l *liveKit) hangsUp(does bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cuts = does
}

// roomWorld is a tenant whose people talk in rooms, with two nodes that allow three of them.
type roomWorld struct {
	sdkWorld
	*liveKit
}

func newRoomWorld(t *testing.T, change ...func(*given.Providers)) roomWorld {
	return newRoomsOf(t, func(*testing.T) func(*node.Config) { return func(*node.Config) {} }, change...)
}

// newRoomsOf is newRoomWorld, with nodes of another make.
func newRoomsOf(t *testing.T, make func(*testing.T) func(*node.Config), change ...func(*given.Providers)) roomWorld {
	c, l := newCluster(t), newLiveKit(t)
	by := func(cfg *node.Config) {
		make(t)(cfg)
		cfg.Providers = given.Providers{Channels: map[string]string{"livekit": l.URL}, MostRooms: 3}
		for _, f := range change {
			f(&cfg.Providers)
		}
	}
	c.a, c.b = c.start(t, by), c.start(t, by)
	w := &agentsWorld{cluster: c, tenant: c.tenant(t, "")}
	w.apply(t, "Agent", "a-meter", "meter", fields{"projectId": mainApp, "dslContent": readingAgent})
	w.apply(t, "Agent", "a-closer", "closer", fields{"projectId": mainApp, "dslContent": closingAgent})
	w.auth = w.token(t)
	out := roomWorld{sdkWorld{talkWorld: talkWorld{w}}, l}
	out.key, out.keyID = out.keyOfKind(t, mainScope, access.PublicKey, shop)
	return out
}

func (w roomWorld) account(t *testing.T) {
	t.Helper()
	w.connect(t, fields{"channelType": "livekit", "externalIdentifier": mainApp, "credentials": fields{"url": "wss://rooms.example.com",
		"apiKey": rtcKey, "apiSecret": rtcHush}})
}

// roomToken is what rtc-token answers.
type roomToken struct {
	Success                                   bool
	Token, RoomName, URL, Identity, SessionID string
}

func (w roomWorld) enters(t *testing.T, session string, more ...fields) (out roomToken) {
	t.Helper()
	body := fields{"projectId": mainAlias, "sessionId": session}
	for _, m := range more {
		body = body.and(m)
	}
	w.ask(t, "POST", rtcToken, body).must(t, 200).into(t, &out)
	require.True(t, out.Success)
	return out
}

// tells has LiveKit tell a node of a room.
func (w roomWorld) tells(t *testing.T, on *server, event, room string, more ...fields) *answer {
	t.Helper()
	return w.signed(t, on, event, room, rtcKey, rtcHush, more...)
}

func (w roomWorld) signed(t *testing.T, on *server, event, room, key, secret string, more ...fields) *answer {
	t.Helper()
	said := fields{"event": event, "id": "EV_" + uuid.NewString(), "createdAt": fmt.Sprint(time.Now().Unix()),
		"room": fields{"sid": "RM_1", "name": room}}
	for _, m := range more {
		said = said.and(m)
	}
	body, err := json.Marshal(said)
	require.NoError(t, err)
	return w.sends(t, on, string(body), key, secret)
}

// sends has a body signed and sent, whatever it is.
func (w roomWorld) sends(t *testing.T, on *server, body, key, secret string) *answer {
	t.Helper()
	sum := sha256.Sum256([]byte(body))
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": key, "exp": time.Now().Add(time.Minute).Unix(),
		"sha256": base64.StdEncoding.EncodeToString(sum[:])}).SignedString([]byte(secret))
	require.NoError(t, err)
	return on.do(t, "POST", "/api/v1/channels/livekit/webhook", body, "Content-Type", "application/webhook+json", "Authorization",
		token)
}

var guest = fields{"participant": fields{"sid": "PA_1", "identity": "s_x", "state": "ACTIVE"}}

func TestPeopleTalkInARoomOfTheirOwnSession(t *testing.T) {
	t.Parallel()
	w := newRoomWorld(t)
	var has map[string]any
	w.ask(t, "GET", "/api/v1/rtc/capabilities", nil).must(t, 200).into(t, &has)
	require.Equal(t, map[string]any{"success": true, "enabled": false, "configured": false, "own": false}, has)
	w.ask(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": "s-1"}).refused(t, 503, fault.Unavailable)
	w.account(t)
	w.ask(t, "GET", "/api/v1/rtc/capabilities", nil).must(t, 200).into(t, &has)
	require.Equal(t, map[string]any{"success": true, "enabled": true, "configured": true, "own": false}, has)
	d := w.deploy(t, "production")

	got := w.enters(t, "s-4711", fields{"agentName": "closer", "deploymentId": d["id"]})
	room := "t_" + w.id + "__p_" + mainApp + "__s_s-4711"
	require.Equal(t, []any{room, "wss://rooms.example.com", "s_s-4711"}, []any{got.RoomName, got.URL, got.Identity})
	opened := func(token string) jwt.MapClaims {
		t.Helper()
		out := jwt.MapClaims{}
		_, err := jwt.ParseWithClaims(token, out, func(*jwt.Token) (any, error) { return []byte(rtcHush), nil })
		require.NoError(t, err)
		return out
	}
	claims := opened(got.Token)
	require.Equal(t, map[string]any{"room": room, "roomJoin": true, "canPublish": true, "canSubscribe": true, "canPublishData": true},
		claims["video"])
	require.InDelta(t, 15*60, claims["exp"].(float64)-claims["iat"].(float64), 0)
	require.Equal(t, []any{rtcKey, "s_s-4711"}, []any{claims["iss"], claims["sub"]})
	made := w.of(t, "RoomService/CreateRoom", room, 1)[0]
	require.Equal(t, []any{map[string]any{"agent_name": "closer", "metadata": made["metadata"]}}, made["agents"])
	require.Contains(t, made["metadata"], got.SessionID)
	again := w.enters(t, "s-4711")
	require.Equal(t, got.SessionID, again.SessionID)
	bySession := w.enters(t, got.SessionID)
	require.Equal(t, []any{room, got.SessionID, "s_" + got.SessionID}, []any{bySession.RoomName, bySession.SessionID, bySession.Identity},
		"who was told the session before it has begun comes into its room")
	require.Equal(t, made, w.of(t, "RoomService/CreateRoom", room, 3)[1], "nobody has come: it may not have been made")
	require.Equal(t, map[string]any{"agents": []any{map[string]any{"agentName": "closer", "metadata": made["metadata"]}}},
		opened(again.Token)["roomConfig"], "where the room is gone when somebody joins, it is made with the agent")

	row := w.interactionOf(t, room, is("status", "dialing"))
	require.Equal(t, []any{"voice", "Inbound", room, "livekit"}, []any{row["channel"], row["direction"], row["centerId"], row["provider"]})
	w.tells(t, w.a, "room_started", room).must(t, 200)
	w.tells(t, w.a, "participant_joined", room, fields{"participant": fields{"sid": "PA_2", "identity": "agent-1",
		"kind": "AGENT"}}).must(t, 200)
	require.Nil(t, w.interactionOf(t, room, is("providerStatus", "agent_joined"))["sessionId"], "nobody is there yet")
	w.tells(t, w.b, "participant_joined", room, guest).must(t, 200)
	row = w.interactionOf(t, room, is("status", "inProgress"))
	require.Equal(t, []any{got.SessionID, "closer", "participant_joined"}, []any{row["sessionId"], row["agentName"], row["providerStatus"]})
	w.enters(t, "s-4711")
	w.of(t, "RoomService/CreateRoom", room, 3)
	w.told(t, got.SessionID, 0)
	said := w.say(t, got.SessionID, "Gas")
	require.Contains(t, said.Response, "Thank you for the")
	sent := w.of(t, "RoomService/SendData", room, 1)[0]
	text, err := base64.StdEncoding.DecodeString(sent["data"].(string))
	require.NoError(t, err)
	var heard map[string]string
	require.NoError(t, json.Unmarshal(text, &heard))
	require.Equal(t, said.Response, heard["text"])
	require.NotEmpty(t, heard["id"])
	require.Equal(t, []any{"parley.text", "RELIABLE"}, []any{sent["topic"], sent["kind"]})
	w.tells(t, w.a, "participant_left", room, guest).must(t, 200)
	w.tells(t, w.a, "track_published", room, guest).must(t, 200)
	w.tells(t, w.b, "room_finished", room).must(t, 200)
	row = w.interactionOf(t, room, is("status", "completed"))
	require.Equal(t, []any{"Caller-disconnected", "room_finished"}, []any{row["reasonCode"], row["providerStatus"]})
	w.tells(t, w.b, "participant_joined", room, guest).must(t, 200)
	require.Equal(t, "room_finished", w.interactionOf(t, room, is("status", "completed"))["providerStatus"], "it is over")

	second := w.enters(t, "s-4711")
	require.NotEqual(t, got.SessionID, second.SessionID, "another room, another session")
	w.of(t, "RoomService/CreateRoom", room, 4)
	w.tells(t, w.a, "room_finished", room, fields{"createdAt": fmt.Sprint(time.Now().Add(-time.Minute).Unix())}).must(t, 200)
	require.Equal(t, second.SessionID, w.enters(t, "s-4711").SessionID, "that was late, of the first one")
	w.of(t, "RoomService/CreateRoom", room, 5)
	w.tells(t, w.a, "room_finished", room).must(t, 200)
	require.Eventually(t, func() bool {
		var page interactionsPage
		w.ask(t, "GET", "/api/v1/projects/"+mainApp+"/interactions?status=failed", nil).must(t, 200).into(t, &page)
		return len(page.Interactions) == 1 && page.Interactions[0]["reason"] == "487 Request Terminated"
	}, patience, 20*time.Millisecond, "nobody came")
}

// A session that there is goes on, before and behind its room.
func TestARoomOfASessionThatThereIs(t *testing.T) {
	t.Parallel()
	w := newRoomWorld(t)
	w.account(t)
	w.deploy(t, "production")
	w.widget(t, fields{"config": fields{"mode": "unified"}})
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	sdk := []string{"X-SDK-Token", begun.Token, "Origin", shop}
	var got roomToken
	w.b.do(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": begun.SessionID}, sdk...).must(t, 200).into(t, &got)
	require.Equal(t, begun.SessionID, got.SessionID)
	w.b.do(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": "s-2"}, sdk...).refused(t, 404, fault.NotFound)
	w.tells(t, w.a, "participant_joined", got.RoomName, guest).must(t, 200)
	w.interactionOf(t, got.RoomName, is("status", "inProgress"))
	w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": begun.SessionID, "message": "Hi"}, sdk...).must(t, 200)
	w.tells(t, w.a, "room_finished", got.RoomName).must(t, 200)
	w.interactionOf(t, got.RoomName, is("status", "completed"))
	w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": begun.SessionID, "message": "Hi"}, sdk...).must(t, 200)

	w.widget(t, fields{"config": fields{"mode": "chat"}})
	begun = w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	w.b.do(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": begun.SessionID}, "X-SDK-Token", begun.Token, "Origin",
		shop).refused(t, 403, fault.Forbidden)
}

func TestWhatARoomIsRefusedFor(t *testing.T) {
	t.Parallel()
	w := newRoomWorld(t)
	w.account(t)
	good := fields{"projectId": mainAlias, "sessionId": "s-1"}
	for field, bodies := range map[string][]fields{
		"sessionId":    {{"sessionId": ""}, {"sessionId": strings.Repeat("s", 129)}, {"sessionId": "a/b"}, {"sessionId": "ä"}, {"sessionId": 7}},
		"projectId":    {{"projectId": ""}, {"projectId": strings.Repeat("p", 129)}, {"projectId": "a b"}},
		"agentName":    {{"agentName": strings.Repeat("a", 65)}, {"agentName": "a b"}, {"agentName": "-a"}},
		"deploymentId": {{"deploymentId": strings.Repeat("d", 129)}, {"deploymentId": "d/1"}},
	} {
		for _, body := range bodies {
			w.ask(t, "POST", rtcToken, good.and(body)).refused(t, 400, fault.Validation, field)
		}
	}
	w.ask(t, "POST", rtcToken, fields{"sessionId": "s-1"}).refused(t, 400, fault.Validation, "projectId")
	w.ask(t, "POST", rtcToken, fields{"projectId": mainAlias}).refused(t, 400, fault.Validation, "sessionId")
	w.ask(t, "POST", rtcToken, good.and(fields{"projectId": "none"})).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", rtcToken, good.and(fields{"deploymentId": "d-none"})).refused(t, 404, fault.NotFound)
	w.a.do(t, "POST", rtcToken, good, "auth", w.operator(t)).refused(t, 403, fault.Forbidden)
	w.a.do(t, "POST", rtcToken, good).refused(t, 401, fault.Unauthorized)
	stranger := w.cluster.tenant(t, "")
	w.b.do(t, "POST", rtcToken, good.and(fields{"projectId": mainApp}), "auth", stranger.token(t)).refused(t, 503, fault.Unavailable)
	w.b.do(t, "POST", rtcToken, good, "X-API-Key", w.talkWorld.tenant.key(t, otherScope)).refused(t, 404, fault.NotFound)
	foreign := w.begin(t, "meter")
	w.b.do(t, "POST", rtcToken, fields{"projectId": otherApp, "sessionId": foreign}, "auth", w.token(t)).refused(t, 404, fault.NotFound)

	w.refuses("CreateRoom")
	w.ask(t, "POST", rtcToken, good).refused(t, 503, fault.Unavailable)
	w.refuses("")
	for i := range 3 {
		w.enters(t, fmt.Sprint("s-", i))
	}
	w.ask(t, "POST", rtcToken, good.and(fields{"sessionId": "s-more"})).refused(t, 429, fault.QueueFull)
	w.enters(t, "s-1") // which is open
	w.tells(t, w.a, "room_finished", "t_"+w.id+"__p_"+mainApp+"__s_s-1").must(t, 200)
	w.enters(t, "s-more")

	room := "t_" + w.id + "__p_" + mainApp + "__s_s-more"
	w.signed(t, w.a, "participant_joined", room, rtcKey, "another", guest).refused(t, 401, fault.Unauthorized)
	w.signed(t, w.a, "participant_joined", room, "APIother", rtcHush, guest).refused(t, 401, fault.Unauthorized)
	w.signed(t, w.a, "participant_joined", "t_x__p_y__s_z", rtcKey, rtcHush, guest).refused(t, 404, fault.NotFound)
	for _, body := range []string{"", "{", "[]", `{"room":7}`, `{"event":"room_started","id":"EV_1","room":{"name":"` + room} {
		w.a.do(t, "POST", "/api/v1/channels/livekit/webhook", body, "Authorization", "x").refused(t, 404, fault.NotFound)
		w.sends(t, w.a, body, rtcKey, "another").refused(t, 404, fault.NotFound)
		w.sends(t, w.a, body, rtcKey, rtcHush).refused(t, 400, fault.BadRequest)
	}
	w.sends(t, w.a, `{"event":"egress_started","id":"EV_2","egressInfo":{}}`, rtcKey, rtcHush).must(t, 200)
	require.Equal(t, "dialing", w.interactionOf(t, room, func(map[string]any) bool { return true })["status"])
}

// Given a server of rooms that makes one and does not say so, then whoever asks again, on whichever node, comes into
// that room: it is asked for as it was, so there is one agent in it, who knows the right session.
func TestARoomOfWhichNobodyKnowsWhetherItWasMade(t *testing.T) {
	t.Parallel()
	w := newRoomWorld(t)
	w.account(t)
	w.deploy(t, "production")
	asked, room := fields{"projectId": mainAlias, "sessionId": "s-1", "agentName": "desk"}, "t_"+w.id+"__p_"+mainApp+"__s_s-1"
	w.hangsUp(true)
	w.ask(t, "POST", rtcToken, asked).refused(t, 503, fault.Unavailable)
	w.hangsUp(false)
	var got roomToken
	w.b.do(t, "POST", rtcToken, asked, "auth", w.token(t)).must(t, 200).into(t, &got)
	made := w.of(t, "RoomService/CreateRoom", room, 2)
	require.Equal(t, made[0], made[1])
	require.Contains(t, made[0]["metadata"], got.SessionID)
}

// Given a server of rooms that says nothing for a while, then nobody is turned away for the rooms that it may have made, on no node;
// when one is made after all, it counts.
func TestRoomsInDoubtDoNotCount(t *testing.T) {
	t.Parallel()
	w := newRoomWorld(t)
	w.account(t)
	w.deploy(t, "production")
	asks := func(on *server, session string) *answer {
		return on.do(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": session}, "auth", w.token(t))
	}
	w.hangsUp(true)
	for i := range 5 {
		asks([]*server{w.a, w.b}[i%2], fmt.Sprint("s-", i)).refused(t, 503, fault.Unavailable)
	}
	w.hangsUp(false)
	for i := range 3 {
		asks(w.b, fmt.Sprint("s-", i)).must(t, 200)
	}
	asks(w.a, "s-3").refused(t, 429, fault.QueueFull)
	room := "t_" + w.id + "__p_" + mainApp + "__s_s-"
	require.Equal(t, "room_in_doubt", w.interactionOf(t, room+"4", is("status", "dialing"))["providerStatus"])
	w.tells(t, w.a, "room_finished", room+"0").must(t, 200)
	asks(w.a, "s-3").must(t, 200)
}

// The server's own account is for projects that have none; half of one is none.
func TestTheServersOwnRooms(t *testing.T) {
	t.Parallel()
	own := channels.Credentials{"apiKey": rtcKey, "apiSecret": rtcHush}
	w := newRoomWorld(t, func(p *given.Providers) { p.RoomsAccount = own })
	var has map[string]any
	w.ask(t, "GET", "/api/v1/rtc/capabilities", nil).must(t, 200).into(t, &has)
	require.Equal(t, []any{true, false}, []any{has["enabled"], has["configured"]})
	good := fields{"projectId": mainAlias, "sessionId": "s-1"}
	half := w.ask(t, "POST", rtcToken, good).refused(t, 503, fault.Unavailable)
	require.Contains(t, half.Text, "voice credentials are missing")

	own["url"] = channels.Secret("ws" + strings.TrimPrefix(w.URL, "http")) // of both nodes, which hold the same
	w.deploy(t, "production")
	got := w.enters(t, "s-1")
	w.tells(t, w.b, "participant_joined", got.RoomName, guest).must(t, 200)
	w.interactionOf(t, got.RoomName, is("status", "inProgress"))
	w.tells(t, w.a, "room_finished", got.RoomName).must(t, 200)
	w.interactionOf(t, got.RoomName, is("status", "completed"))
}

func TestRoomsThatAreOff(t *testing.T) {
	t.Parallel()
	w := newRoomWorld(t, func(p *given.Providers) { p.RoomsOff = true })
	w.account(t)
	var has map[string]any
	w.ask(t, "GET", "/api/v1/rtc/capabilities", nil).must(t, 200).into(t, &has)
	require.Equal(t, []any{false, false}, []any{has["enabled"], has["configured"]})
	off := w.ask(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": "s-1"}).refused(t, 503, fault.Unavailable)
	require.Contains(t, off.Text, "rooms are not configured")
}

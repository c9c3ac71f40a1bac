//go:build !apache

package node_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/rtc/rtctest"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

const (
	rtcConnect = "/api/v1/rtc/connect"
	voiceToken = "/api/v1/voice/token"
)

// pageWorld is a tenant whose people call from pages, with two nodes that take such calls.
type pageWorld struct{ sdkWorld }

func newPageWorld(t *testing.T, more ...func(*testing.T) func(*node.Config)) pageWorld {
	c := newCluster(t)
	by := func(cfg *node.Config) {
		cfg.RTCListen = "127.0.0.1:0"
		for _, m := range more {
			m(t)(cfg)
		}
	}
	c.a, c.b = c.start(t, by), c.start(t, by)
	w := &agentsWorld{cluster: c, tenant: c.tenant(t, "")}
	w.apply(t, "Agent", "a-meter", "meter", fields{"projectId": mainApp, "dslContent": readingAgent})
	w.apply(t, "Agent", "a-closer", "closer", fields{"projectId": mainApp, "dslContent": closingAgent})
	w.apply(t, "Agent", "a-desk", "desk", fields{"projectId": mainApp, "dslContent": keyAgent})
	w.auth = w.token(t)
	out := pageWorld{sdkWorld{talkWorld: talkWorld{w}}}
	out.key, out.keyID = out.keyOfKind(t, mainScope, access.PublicKey, shop)
	out.deploy(t, "production", fields{"entryAgentName": "desk"})
	return out
}

// grant asks for a token with which a page calls.
func (w pageWorld) grant(t *testing.T, more ...fields) (out roomToken) {
	t.Helper()
	body := fields{"projectId": mainAlias, "sessionId": "s-4711"}
	for _, m := range more {
		body = body.and(m)
	}
	w.ask(t, "POST", rtcToken, body).must(t, 200).into(t, &out)
	require.True(t, out.Success)
	return out
}

// brings brings an offer to a node.
func brings(t *testing.T, on *server, token, offer string, headers ...string) *answer {
	t.Helper()
	return on.do(t, "POST", rtcConnect, offer, append([]string{"Content-Type", "application/sdp", "Authorization", "Bearer " + token},
		headers...)...)
}

func newPage(t *testing.T) *rtctest.Page {
	t.Helper()
	p, err := rtctest.New()
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// calls has a page call a node, and gives where it hangs up.
func (w pageWorld) calls(t *testing.T, on *server, token string) (*rtctest.Page, string) {
	t.Helper()
	p := newPage(t)
	got := brings(t, on, token, p.Offer).must(t, 201)
	require.Equal(t, "application/sdp", got.Header.Get("Content-Type"))
	at := got.Header.Get("Location")
	require.True(t, strings.HasPrefix(at, rtcConnect+"/"), at)
	require.NoError(t, p.Accept(t.Context(), got.Text))
	go p.Murmur(t.Context())
	return p, at
}

// interactionByID is the row of a call, once it is as the test wants it.
func (w talkWorld) interactionByID(t *testing.T, call string, ready func(map[string]any) bool) map[string]any {
	t.Helper()
	return w.interactionWhere(t, "conversationId", call, ready)
}

func closedBy(t *testing.T, p *rtctest.Page) {
	t.Helper()
	select {
	case <-p.Closed():
	case <-time.After(patience):
		require.Fail(t, "the page was not told that the call is over")
	}
}

func TestAPageCalls(t *testing.T) {
	w := newPageWorld(t)
	var has map[string]any
	w.ask(t, "GET", "/api/v1/rtc/capabilities", nil).must(t, 200).into(t, &has)
	require.Equal(t, map[string]any{"success": true, "enabled": true, "configured": true, "own": true}, has)
	w.ask(t, "GET", "/api/v1/voice/capabilities", nil).must(t, 200).into(t, &has)
	require.Equal(t, []any{false, true}, []any{has["telephony"], has["pages"]})

	got := w.grant(t)
	require.Equal(t, []any{"s_s-4711", "t_" + w.id + "__p_" + mainApp + "__s_s-4711"}, []any{got.Identity, got.RoomName})
	require.Contains(t, []string{w.a.URL() + rtcConnect, w.b.URL() + rtcConnect}, got.URL)
	p, at := w.calls(t, w.b, got.Token)
	call := strings.TrimPrefix(at, rtcConnect+"/")
	require.Equal(t, []string{"assistant: Good day."}, w.told(t, got.SessionID, 1))
	row := w.interactionByID(t, call, is("status", "inProgress"))
	require.Equal(t, []any{"voice", "Inbound", "s_s-4711", got.RoomName, "desk", "webrtc", got.SessionID}, []any{row["channel"],
		row["direction"], row["userId"], row["centerId"], row["agentName"], row["provider"], row["sessionId"]})
	require.Eventually(t, func() bool { return len(p.Heard()) > 50 }, patience, 20*time.Millisecond, "it hears us all the time")
	w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": got.SessionID, "message": "Hi"}).refused(t, 409, fault.Conflict)
	require.NoError(t, p.Close())
	require.Equal(t, "Caller-disconnected", w.interactionByID(t, call, is("status", "completed"))["reasonCode"])
	require.Contains(t, w.sounded(t, call), "played")
	var ended struct{ Session map[string]any }
	require.Eventually(t, func() bool {
		w.ask(t, "GET", "/api/projects/"+mainApp+"/sessions/"+got.SessionID, nil).must(t, 200).into(t, &ended)
		return ended.Session["status"] == "ended"
	}, patience, 20*time.Millisecond)
	require.Equal(t, "voice", ended.Session["channel"])

	// By the operation, at another node than the one that has the call.
	got = w.grant(t, fields{"agentName": "desk"})
	p, at = w.calls(t, w.a, got.Token)
	row = w.interactionByID(t, strings.TrimPrefix(at, rtcConnect+"/"), is("status", "inProgress"))
	require.Equal(t, "desk", row["agentName"])
	hangUp := func(on *server) *answer { return on.do(t, "DELETE", at, nil, "Authorization", "Bearer "+got.Token) }
	hangUp(w.a).must(t, 204)
	closedBy(t, p)
	hangUp(w.b).must(t, 204)
	row = w.interactionByID(t, strings.TrimPrefix(at, rtcConnect+"/"), is("status", "completed"))
	require.Equal(t, "Caller-disconnected", row["reasonCode"])
	got = w.grant(t)
	p, at = w.calls(t, w.a, got.Token)
	hangUp(w.b).must(t, 204)
	require.Equal(t, "completed", w.interactionByID(t, strings.TrimPrefix(at, rtcConnect+"/"), is("status", "completed"))["status"])
	closedBy(t, p)
}

// Given a page with keys, when a number is pressed there, then the agent is told it, as by telephone.
func TestWhoCallsFromAPagePressesKeys(t *testing.T) {
	w := newPageWorld(t)
	got := w.grant(t)
	p := newPage(t)
	answered := brings(t, w.a, got.Token, p.Offer).must(t, 201)
	require.NoError(t, p.Accept(t.Context(), answered.Text))
	for _, key := range []byte{1, 7, 11} {
		require.NoError(t, p.Press(t.Context(), key))
	}
	go p.Murmur(t.Context())
	require.Eventually(t, func() bool {
		return slices.Contains(w.told(t, got.SessionID, 1), "user: 17")
	}, patience, 20*time.Millisecond, "the keys are not heard")
}

// The token of a session's own widget calls too, by either operation, from the widget's page.
func TestAWidgetCalls(t *testing.T) {
	w := newPageWorld(t)
	w.widget(t, fields{"config": fields{"mode": "unified"}})
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	sdk := []string{"X-SDK-Token", begun.Token, "Origin", shop}
	var got struct{ Token, Identity, SessionID, URL string }
	asked := w.b.do(t, "POST", voiceToken, fields{"sessionId": begun.SessionID}, sdk...).must(t, 200)
	require.Equal(t, shop, asked.Header.Get("Access-Control-Allow-Origin"))
	asked.into(t, &got)
	require.Equal(t, []any{"s_" + begun.SessionID, begun.SessionID, w.b.URL() + rtcConnect}, []any{got.Identity, got.SessionID, got.URL})
	p := newPage(t)
	answered := brings(t, w.a, got.Token, p.Offer, "Origin", shop).must(t, 201)
	require.NoError(t, p.Accept(t.Context(), answered.Text)) // a call that nobody connects ends by itself
	go p.Murmur(t.Context())
	require.Equal(t, shop, answered.Header.Get("Access-Control-Allow-Origin"))
	require.Contains(t, answered.Header.Get("Access-Control-Expose-Headers"), "Location")
	row := w.interactionByID(t, strings.TrimPrefix(answered.Header.Get("Location"), rtcConnect+"/"), is("status", "inProgress"))
	require.Equal(t, "s_"+begun.SessionID, row["userId"])
	require.NotEqual(t, begun.SessionID, row["sessionId"], "the chat goes on without it")
	w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": begun.SessionID, "message": "Hi"}, sdk...).must(t, 200)
	var own roomToken
	w.b.do(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": begun.SessionID}, sdk...).must(t, 200).into(t, &own)
	require.NotEqual(t, begun.SessionID, own.SessionID)
}

func TestWhatAPageIsRefusedFor(t *testing.T) {
	w := newPageWorld(t)
	offer := newPage(t).Offer
	token := w.grant(t).Token
	for name, header := range map[string]string{"none": "", "nonsense": "x", "torn": token[:len(token)-2], "of a user": w.token(t),
		"another's": "a" + token} {
		got := brings(t, w.a, header, offer)
		got.refused(t, 401, fault.Unauthorized)
		require.NotContains(t, got.Text, "x509", name)
		w.a.do(t, "DELETE", rtcConnect+"/none", nil, "Authorization", "Bearer "+header).refused(t, 401, fault.Unauthorized)
	}
	w.a.do(t, "POST", rtcConnect, offer, "Content-Type", "application/json", "Authorization", "Bearer "+token).
		refused(t, 400, fault.Validation, "Content-Type")
	for _, wrong := range []string{"", "v=0", "{}", offer[:len(offer)/2], strings.ReplaceAll(offer, "SAVPF 111 0 8", "SAVPF 111 8"),
		strings.Repeat("\x00", 60<<10), strings.Repeat("v=0\r\n", 12_000)} {
		brings(t, w.a, token, wrong).refused(t, 400, fault.Validation, "body")
	}
	brings(t, w.a, token, strings.Repeat("a", 1<<20)).refused(t, 413, fault.TooLarge)
	w.a.do(t, "DELETE", rtcConnect+"/none", nil, "Authorization", "Bearer "+token).refused(t, 404, fault.NotFound)

	// None of that has used the token, which makes one call, at whichever node, whatever is repeated.
	_, at := w.calls(t, w.b, token)
	for _, on := range w.both() {
		brings(t, on, token, offer).refused(t, 401, fault.Unauthorized)
	}
	other := w.grant(t)
	w.a.do(t, "DELETE", at, nil, "Authorization", "Bearer "+other.Token).refused(t, 404, fault.NotFound)
	w.a.do(t, "PATCH", at, "a=candidate", "Content-Type", "application/trickle-ice-sdpfrag", "Authorization", "Bearer "+token).
		must(t, http.StatusMethodNotAllowed)
	w.interactionByID(t, strings.TrimPrefix(at, rtcConnect+"/"), is("status", "inProgress"))
	w.b.do(t, "DELETE", at, nil, "Authorization", "Bearer "+token).must(t, 204)
	brings(t, w.a, token, offer).refused(t, 401, fault.Unauthorized)

	// An agent that nobody has gets no token, one that is not deployed answers nobody, and a stranger's token is for the stranger's own calls.
	deployment := w.deploy(t, "dev")["id"]
	w.apply(t, "Agent", "a-alone", "alone", fields{"projectId": mainApp, "dslContent": closingAgent})
	for _, more := range []fields{{"agentName": "nobody"}, {"agentName": "nobody", "deploymentId": deployment},
		{"agentName": "alone", "deploymentId": deployment}} {
		w.ask(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": "s-1"}.and(more)).refused(t, 400, fault.Validation, "agentName")
	}
	nobody := w.grant(t, fields{"agentName": "alone"})
	brings(t, w.a, nobody.Token, offer).refused(t, 503, fault.Unavailable)
	brings(t, w.b, nobody.Token, offer).refused(t, 503, fault.Unavailable)
	stranger := w.cluster.tenant(t, "")
	var theirs roomToken
	w.b.do(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": "s-1"}, "auth", stranger.token(t)).must(t, 200).into(t, &theirs)
	brings(t, w.b, theirs.Token, offer).refused(t, 503, fault.Unavailable) // who has deployed nothing
	w.a.do(t, "DELETE", at, nil, "Authorization", "Bearer "+theirs.Token).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": "s-1", "deploymentId": "d-none"}).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", voiceToken, fields{"sessionId": "none"}).refused(t, 404, fault.NotFound)

	// With an account at LiveKit its tokens are given, as ever.
	w.connect(t, fields{"channelType": "livekit", "externalIdentifier": mainApp, "credentials": fields{"url": "wss://rooms.example.com",
		"apiKey": rtcKey, "apiSecret": rtcHush}})
	var has map[string]any
	w.ask(t, "GET", "/api/v1/rtc/capabilities", nil).must(t, 200).into(t, &has)
	require.Equal(t, map[string]any{"success": true, "enabled": true, "configured": true, "own": false}, has)
}

// A node without a port takes no calls of pages, whoever gave the token.
func TestANodeWithoutAPortForPages(t *testing.T) {
	w := newPageWorld(t)
	brings(t, w.cluster.start(t), w.grant(t).Token, newPage(t).Offer).refused(t, 503, fault.Unavailable)
}

// Where the operator wants no rooms a call of a page stands for none; from a session of its own it calls all the same.
func TestPagesWithoutRooms(t *testing.T) {
	w := newPageWorld(t, func(*testing.T) func(*node.Config) {
		return func(c *node.Config) { c.Providers.RoomsOff = true }
	})
	var has map[string]any
	w.ask(t, "GET", "/api/v1/rtc/capabilities", nil).must(t, 200).into(t, &has)
	require.Equal(t, map[string]any{"success": true, "enabled": false, "configured": false, "own": false}, has)
	w.ask(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": "s-1"}).refused(t, 503, fault.Unavailable)
	w.ask(t, "POST", "/api/v1/voice/token", fields{"sessionId": w.say(t, "", "Hello").SessionID}).must(t, 200)
}

// Given a project that was removed, then its number and the tokens of its pages take no calls, which nobody of the account could see.
func TestARemovedProjectTakesNoCalls(t *testing.T) {
	t.Parallel()
	w := newPageWorld(t)
	number := newTwilioNumber(t, w.talkWorld)
	token := w.grant(t).Token
	require.Contains(t, number.asks(t, w.a, voiceConnect, newCall(), "ringing").must(t, 200).Text, "<Connect>")

	w.posted(t, fields{"prune": true}, ofKind("Tenant", w.id, fields{"orgId": w.id + "-org"}),
		ofKind("Client", testClient, fields{"origin": "admin", "alg": "HS256", "secret": tokenSecret, "scopes": access.ClientScopes(),
			"permissions": access.Permissions()})).must(t, 200)
	require.Contains(t, number.asks(t, w.a, voiceConnect, newCall(), "ringing").must(t, 200).Text, "<Reject>")
	number.asks(t, w.a, voiceStatus, newCall(), "in-progress").refused(t, 404, fault.NotFound)
	brings(t, w.a, token, newPage(t).Offer).refused(t, 401, fault.Unauthorized)
	require.NotContains(t, w.ask(t, "GET", "/api/v1/voice/capabilities", nil).must(t, 200).Text, `"telephony":true`)
}

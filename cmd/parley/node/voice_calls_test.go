//go:build !apache

package node_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

const (
	voiceConnect = "/api/v1/voice/connect"
	voiceStatus  = "/api/v1/voice/status"

	keyAgent = `DSL: 1
AGENT: desk
GATHER: {pin: {TYPE: pattern, PATTERN: "^[0-9]{4}$"}}
ON_START: {SAY: "Good day."}
FLOW:
  START: ask
  STEPS:
    ask: {SAY: "Press your PIN.", GATHER: [pin], NEXT: bye}
    bye: {SAY: "Thank you for {{ gather.pin }}.", END: true}
`
)

// twilioNumber is a number at Twilio that an agent answers.
type twilioNumber struct {
	talkWorld
	connectionID    string
	deployment      string // path of what answers
	number, account string
}

func newTwilioNumber(t *testing.T, w talkWorld, more ...fields) twilioNumber {
	w.apply(t, "Agent", "a-desk", "desk", fields{"projectId": mainApp, "dslContent": keyAgent})
	deployed := w.deploy(t, "production", fields{"entryAgentName": "desk"})
	p := twilioNumber{talkWorld: w, deployment: path(deployed),
		number: "+1555" + digits(), account: "AC" + strings.ReplaceAll(uuid.NewString(), "-", "")}
	body := fields{"channelType": "twilio_voice", "externalIdentifier": p.number, "credentials": fields{"accountSid": p.account,
		"authToken": "hush-token", "apiKeySid": "SK1", "apiKeySecret": "hush-key", "twimlAppSid": "AP1"}}
	for _, m := range more {
		body = body.and(m)
	}
	p.connectionID = w.connect(t, body)["id"].(string)
	return p
}

// twilioSigned is the signature of a request, as Twilio documents it.
func twilioSigned(address string, form url.Values, secret string) string {
	signed := address
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range form {
			if !yield(name) {
				return
			}
		}
	}) {
		signed += name + form.Get(name)
	}
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write([]byte(signed))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// asks has Twilio ask a node about a call.
func (p twilioNumber) asks(t *testing.T, on *server, path, call, status string, more ...string) *answer {
	t.Helper()
	form := url.Values{"CallSid": {call}, "AccountSid": {p.account}, "From": {"+15558675310"}, "To": {p.number}, "CallStatus": {status},
		"Direction": {"inbound"}, "ApiVersion": {"2010-04-01"}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return on.do(t, "POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature",
		twilioSigned(on.URL()+path, form, "hush-token"))
}

// streamed is where the answer of voice-connect has the sound of a call sent.
func streamed(t *testing.T, a *answer) (address, token string) {
	t.Helper()
	var said struct {
		Stream struct {
			URL       string `xml:"url,attr"`
			Parameter struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			}
		} `xml:"Connect>Stream"`
	}
	require.NoError(t, xml.Unmarshal([]byte(a.must(t, 200).Text), &said), a.Text)
	require.Equal(t, "text/xml; charset=utf-8", a.Header.Get("Content-Type"))
	require.Equal(t, "token", said.Stream.Parameter.Name)
	return said.Stream.URL, said.Stream.Parameter.Value
}

func newCall() string { return "CA" + strings.ReplaceAll(uuid.NewString(), "-", "") }

// stream is the sound of a call on its way to a node.
type stream struct {
	*websocket.Conn
	twilioNumber
	call string
}

// opens opens the stream of a call at a node, by the path of its address.
func (p twilioNumber) opens(t *testing.T, on *server, address, call string) stream {
	t.Helper()
	conn, _, err := p.tries(t, on, address, "hush-token")
	require.NoError(t, err)
	return stream{conn, p, call}
}

func (p twilioNumber) tries(t *testing.T, on *server, address, secret string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	at, err := url.Parse(address)
	require.NoError(t, err)
	address = strings.Replace(on.URL(), "http", "ws", 1) + at.Path
	conn, res, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPHeader: http.Header{
		"X-Twilio-Signature": {twilioSigned(address, nil, secret)}}})
	if err == nil {
		t.Cleanup(func() { _ = conn.CloseNow() })
	}
	return conn, res, err
}

func (s stream) says(t *testing.T, event string, more fields) {
	t.Helper()
	data, err := json.Marshal(fields{"event": event, "streamSid": "MZ1", "sequenceNumber": "1"}.and(more))
	require.NoError(t, err)
	require.NoError(t, s.Write(t.Context(), websocket.MessageText, data))
}

func (s stream) starts(t *testing.T, token string) {
	t.Helper()
	s.says(t, "connected", fields{"protocol": "Call", "version": "1.0.0"})
	s.says(t, "start", fields{"start": fields{"accountSid": s.account, "callSid": s.call, "streamSid": "MZ1", "tracks": []string{"inbound"},
		"mediaFormat": fields{"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1}, "customParameters": fields{"token": token}}})
}

func (s stream) presses(t *testing.T, keys string) {
	t.Helper()
	for _, key := range keys {
		s.says(t, "dtmf", fields{"dtmf": fields{"track": "inbound_track", "digit": string(key)}})
	}
}

// closed reads until the node has closed the stream.
func (s stream) closed(t *testing.T) websocket.StatusCode {
	t.Helper()
	for {
		if _, _, err := s.Read(t.Context()); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// interactionOf is the row of a call of a provider, once it is as the test wants it.
func (w talkWorld) interactionOf(t *testing.T, call string, ready func(map[string]any) bool) (row map[string]any) {
	t.Helper()
	return w.interactionWhere(t, "providerCallId", call, ready)
}

func (w talkWorld) interactionWhere(t *testing.T, member, value string, ready func(map[string]any) bool) (row map[string]any) {
	t.Helper()
	require.Eventually(t, func() bool {
		var page interactionsPage
		w.ask(t, "GET", "/api/v1/projects/"+mainApp+"/interactions?limit=200", nil).must(t, 200).into(t, &page)
		for _, i := range page.Interactions {
			if i[member] == value {
				row = i
			}
		}
		return row != nil && ready(row)
	}, patience, 20*time.Millisecond, "%v", row)
	return row
}

func is(member string, value any) func(map[string]any) bool {
	return func(row map[string]any) bool { return row[member] == value }
}

// told is what was said in a session, once there are so many lines.
func (w talkWorld) told(t *testing.T, session string, want int) (lines []string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var page struct {
			Messages []struct{ Role, Content string }
		}
		got := w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil)
		if lines = nil; got.Status == 404 { // which a reactor is about to open
			return false
		}
		got.must(t, 200).into(t, &page)
		for _, m := range page.Messages {
			lines = append(lines, m.Role+": "+m.Content)
		}
		return len(lines) >= want
	}, patience, 20*time.Millisecond)
	return lines
}

func TestATelephoneCallComesInAndTalksByItsKeys(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	p, call := newTwilioNumber(t, w), newCall()
	address, token := streamed(t, p.asks(t, w.a, voiceConnect, call, "ringing"))
	require.True(t, strings.HasPrefix(address, strings.Replace(w.a.URL(), "http", "ws", 1)+"/api/v1/voice/stream/"), address)
	again, _ := streamed(t, p.asks(t, w.a, voiceConnect, call, "ringing"))
	require.Equal(t, address, again, "one call for each CallSid")

	row := w.interactionOf(t, call, is("status", "inProgress"))
	require.Equal(t, []any{"voice", "Inbound", "+15558675310", p.number, "desk", "twilio", "ringing"}, []any{row["channel"],
		row["direction"], row["userId"], row["centerId"], row["agentName"], row["provider"], row["providerStatus"]})
	session := row["sessionId"].(string)

	s := p.opens(t, w.b, address, call)
	s.starts(t, token)
	for range 3 {
		s.says(t, "media", fields{"media": fields{"track": "inbound", "chunk": "2", "timestamp": "5", "payload": "/////w=="}})
	}
	require.Equal(t, []string{"assistant: Good day."}, w.told(t, session, 1))
	s.says(t, "mark", fields{"mark": fields{"name": "m"}})
	require.NoError(t, s.Write(t.Context(), websocket.MessageText, []byte("nonsense")))
	s.presses(t, "1#")
	w.told(t, session, 3)
	s.presses(t, "1234#")
	require.Equal(t, websocket.StatusNormalClosure, s.closed(t), "the agent has ended the conversation")
	require.Equal(t, []string{"assistant: Good day.", "user: 1", "assistant: Press your PIN.", "user: 1234", "assistant: Thank you for 1234."},
		w.told(t, session, 5))
	row = w.interactionOf(t, call, is("status", "completed"))
	require.Equal(t, "Bot-disconnected", row["reasonCode"])
	p.asks(t, w.b, voiceStatus, call, "completed", "SequenceNumber", "3", "CallDuration", "7").must(t, 204)
	require.Equal(t, "Bot-disconnected", w.interactionOf(t, call, is("providerStatus", "completed"))["reasonCode"])
	w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": session, "message": "Hi"}).refused(t, 409, fault.Conflict)

	other := newCall()
	address, token = streamed(t, p.asks(t, w.a, voiceConnect, other, "ringing"))
	s = p.opens(t, w.a, address, other)
	s.starts(t, token)
	session = w.interactionOf(t, other, is("status", "inProgress"))["sessionId"].(string)
	w.told(t, session, 1)
	s.says(t, "stop", fields{"stop": fields{"accountSid": p.account, "callSid": other}})
	require.Equal(t, "Caller-disconnected", w.interactionOf(t, other, is("status", "completed"))["reasonCode"])
	var ended struct{ Session map[string]any }
	require.Eventually(t, func() bool {
		w.ask(t, "GET", "/api/projects/"+mainApp+"/sessions/"+session, nil).must(t, 200).into(t, &ended)
		return ended.Session["status"] == "ended"
	}, patience, 20*time.Millisecond)
	require.Equal(t, "voice", ended.Session["channel"])

	require.Eventually(t, func() bool {
		var hourly struct{ Data []map[string]any }
		w.ask(t, "GET", "/api/projects/"+mainApp+"/voice-analytics/hourly", nil).must(t, 200).into(t, &hourly)
		calls := 0.0
		for _, h := range hourly.Data {
			calls += h["session_count"].(float64)
		}
		return calls == 2
	}, patience, 20*time.Millisecond, "voice analytics count them")
}

// The token of a stream opens its call once, for a while, and to nobody else.
func TestTheStreamOfACallIsOpenedOnce(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	p, call := newTwilioNumber(t, w), newCall()
	address, token := streamed(t, p.asks(t, w.a, voiceConnect, call, "ringing"))
	first := p.opens(t, w.a, address, call)
	first.starts(t, token)
	w.told(t, w.interactionOf(t, call, is("status", "inProgress"))["sessionId"].(string), 1)
	refused := func(on *server, address, call, token string) {
		t.Helper()
		s := p.opens(t, on, address, call)
		s.starts(t, token)
		require.Equal(t, websocket.StatusPolicyViolation, s.closed(t))
	}
	refused(w.b, address, call, token)

	other := newCall()
	elsewhere, good := streamed(t, p.asks(t, w.a, voiceConnect, other, "ringing"))
	refused(w.a, elsewhere, other, token)
	refused(w.a, elsewhere, other, "")
	refused(w.a, elsewhere, other, "1."+strings.Split(good, ".")[1])
	refused(w.a, elsewhere, call, good)
	s := p.opens(t, w.a, elsewhere, other)
	require.NoError(t, s.Write(t.Context(), websocket.MessageText, []byte("{")))
	require.Equal(t, websocket.StatusPolicyViolation, s.closed(t), "what is no message of a stream")

	for name, c := range map[string]struct {
		address, secret string
		status          int
	}{"another secret": {address, "another", 401}, "no such call": {w.a.URL() + "/api/v1/voice/stream/" + uuid.NewString(), "hush-token", 404},
		"no id": {w.a.URL() + "/api/v1/voice/stream/%20", "hush-token", 404}} {
		_, res, err := p.tries(t, w.a, c.address, c.secret)
		require.Error(t, err, name)
		require.Equal(t, c.status, res.StatusCode, name)
	}
	w.a.do(t, "GET", "/api/v1/voice/stream/"+uuid.NewString(), nil).must(t, 400)
	s = p.opens(t, w.a, elsewhere, other)
	s.starts(t, good)
	w.told(t, w.interactionOf(t, other, is("status", "inProgress"))["sessionId"].(string), 1)
}

// Statuses may come in any order, twice, and before the call.
func TestWhatTwilioTellsOfCallsInAnyOrder(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	p := newTwilioNumber(t, w)
	tells := func(call, status, sequence string, more ...string) {
		t.Helper()
		for _, on := range w.both() {
			p.asks(t, on, voiceStatus, call, status, append([]string{"SequenceNumber", sequence}, more...)...).must(t, 204)
		}
	}
	shown := func(call string) []any {
		row := w.interactionOf(t, call, func(map[string]any) bool { return true })
		return []any{row["status"], row["providerStatus"], row["reason"]}
	}
	early := newCall()
	tells(early, "initiated", "0")
	require.Equal(t, []any{"dialing", "initiated", nil}, shown(early))
	tells(early, "ringing", "1")
	require.Equal(t, []any{"ringing", "ringing", nil}, shown(early))
	_, _ = streamed(t, p.asks(t, w.a, voiceConnect, early, "ringing"))
	tells(early, "in-progress", "2")
	require.Equal(t, []any{"inProgress", "in-progress", nil}, shown(early))
	tells(early, "initiated", "0")
	require.Equal(t, []any{"inProgress", "in-progress", nil}, shown(early), "an old word changes nothing")
	tells(early, "completed", "3", "CallDuration", "12")
	require.Equal(t, []any{"completed", "completed", "200 OK"}, shown(early))

	for raw, reason := range map[string]string{"busy": "486 Busy Here", "no-answer": "480 Temporarily Unavailable",
		"canceled": "487 Request Terminated", "failed": "503 Service Unavailable"} {
		call := newCall()
		tells(call, raw, "2")
		tells(call, "ringing", "1")
		require.Equal(t, []any{"failed", raw, reason}, shown(call), raw)
		require.Contains(t, p.asks(t, w.a, voiceConnect, call, "ringing").must(t, 200).Text, "<Reject>")
	}
	alone := newCall()
	tells(alone, "completed", "3", "CallDuration", "4")
	require.Equal(t, []any{"completed", "completed", "200 OK"}, shown(alone), "a call of which only its end is told")
	require.Contains(t, p.asks(t, w.a, voiceConnect, alone, "ringing").must(t, 200).Text, "<Hangup>")
	p.asks(t, w.a, voiceStatus, newCall(), "pondering").must(t, 204)
	out := newCall()
	p.asks(t, w.a, voiceStatus, out, "ringing", "Direction", "outbound-api", "From", p.number, "To", "+15558675311").must(t, 204)
	row := w.interactionOf(t, out, is("status", "ringing"))
	require.Equal(t, []any{"Outbound", "+15558675311", p.number}, []any{row["direction"], row["userId"], row["centerId"]})
}

func TestWhoAsksForTwilioIsJudged(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	p, call := newTwilioNumber(t, w), newCall()
	form := url.Values{"CallSid": {call}, "AccountSid": {p.account}, "From": {"+15558675310"}, "To": {p.number}, "CallStatus": {"ringing"},
		"Direction": {"inbound"}}
	typed := []string{"Content-Type", "application/x-www-form-urlencoded"}
	for _, path := range []string{voiceConnect, voiceStatus} {
		good := twilioSigned(w.a.URL()+path, form, "hush-token")
		w.a.do(t, "POST", path, form.Encode(), typed...).refused(t, 401, fault.Unauthorized)
		for _, signature := range []string{"", "x", "AAAA", twilioSigned(w.a.URL()+path, form, "another"),
			twilioSigned(w.b.URL()+path, form, "hush-token"), twilioSigned(w.a.URL()+path, nil, "hush-token")} {
			w.a.do(t, "POST", path, form.Encode(), append(typed, "X-Twilio-Signature", signature)...).refused(t, 401, fault.Unauthorized)
		}
		w.a.do(t, "POST", path, form.Encode()+"&More=1", append(typed, "X-Twilio-Signature", good)...).refused(t, 401, fault.Unauthorized)
		w.a.do(t, "POST", path, strings.Repeat("a", 1<<20)+"b", append(typed, "X-Twilio-Signature", good)...).refused(t, 413, fault.TooLarge)
	}
	nobody := p
	for _, nobody.number = range []string{"+1555" + digits(), "+1555\x00", "\xff"} { // a stranger may write what is no text
		require.Contains(t, nobody.asks(t, w.a, voiceConnect, call, "ringing").must(t, 200).Text, "<Reject>")
		nobody.asks(t, w.a, voiceStatus, call, "ringing").refused(t, 404, fault.NotFound)
	}
	for _, path := range []string{voiceConnect, voiceStatus} { // signed, and not readable or of another account
		require.Less(t, p.asks(t, w.a, path, "", "ringing").Status, 300)
		require.Less(t, p.asks(t, w.a, path, call, "").Status, 300)
		require.Less(t, p.asks(t, w.a, path, call, "ringing", "AccountSid", "AC0").Status, 300)
	}
	w.ask(t, "PATCH", connectionsPath+"/"+p.connectionID, fields{"isActive": false}).must(t, 200)
	require.Contains(t, p.asks(t, w.a, voiceConnect, newCall(), "ringing").must(t, 200).Text, "<Reject>", "one that takes nothing")
	p.asks(t, w.a, voiceStatus, call, "ringing").must(t, 204)
	var page interactionsPage
	w.ask(t, "GET", "/api/v1/projects/"+mainApp+"/interactions", nil).must(t, 200).into(t, &page)
	require.Empty(t, page.Interactions)
}

// A call that nobody can answer is rejected, and stands in the list.
func TestACallThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	p, call := newTwilioNumber(t, w), newCall()
	w.ask(t, "POST", p.deployment+"/retire", nil).must(t, 200)
	require.Contains(t, p.asks(t, w.a, voiceConnect, call, "ringing").must(t, 200).Text, "<Reject>")
	row := w.interactionOf(t, call, is("status", "failed"))
	require.Equal(t, "480 Nobody can answer", row["reason"])
	require.Equal(t, 200, p.asks(t, w.b, voiceConnect, call, "ringing").Status, "nor the second time")
}

func TestABrowserCalls(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	const path = "/api/v1/voice/token"
	var has map[string]any
	w.ask(t, "GET", "/api/v1/voice/capabilities", nil).must(t, 200).into(t, &has)
	require.Equal(t, map[string]any{"success": true, "telephony": false, "stt": false, "tts": false, "fullVoice": false, "pages": false}, has)
	session := w.begin(t, "meter")
	w.ask(t, "POST", path, fields{"sessionId": session}).refused(t, 503, fault.Unavailable)
	p := newTwilioNumber(t, w.talkWorld)
	w.ask(t, "GET", "/api/v1/voice/capabilities?projectId="+mainAlias, nil).must(t, 200).into(t, &has)
	require.Equal(t, []any{true, false}, []any{has["telephony"], has["fullVoice"]})
	w.ask(t, "GET", "/api/v1/voice/capabilities?projectId=none", nil).refused(t, 404, fault.NotFound)

	var got struct {
		Success                    bool
		Token, Identity, SessionID string
	}
	w.ask(t, "POST", path, fields{"sessionId": session, "projectId": mainAlias}).must(t, 200).into(t, &got)
	require.Equal(t, []any{true, "s_" + session, session}, []any{got.Success, got.Identity, got.SessionID})
	parsed, err := jwt.Parse(got.Token, func(*jwt.Token) (any, error) { return []byte("hush-key"), nil })
	require.NoError(t, err)
	claims := parsed.Claims.(jwt.MapClaims)
	require.Equal(t, []any{"twilio-fpa;v=1", "SK1", p.account}, []any{parsed.Header["cty"], claims["iss"], claims["sub"]})
	require.Equal(t, map[string]any{"identity": got.Identity, "voice": map[string]any{"incoming": map[string]any{"allow": true},
		"outgoing": map[string]any{"application_sid": "AP1"}}}, claims["grants"])

	w.ask(t, "POST", path, fields{}).refused(t, 400, fault.Validation, "sessionId")
	w.ask(t, "POST", path, fields{"sessionId": strings.Repeat("s", 129)}).refused(t, 400, fault.Validation, "sessionId")
	w.ask(t, "POST", path, fields{"sessionId": uuid.NewString()}).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", path, fields{"sessionId": session, "projectId": "none"}).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", path, fields{"sessionId": session, "projectId": otherApp}).refused(t, 404, fault.NotFound)
	stranger := w.cluster.tenant(t, "")
	w.b.do(t, "POST", path, fields{"sessionId": session}, "auth", stranger.token(t)).refused(t, 404, fault.NotFound)
	w.b.do(t, "POST", path, fields{"sessionId": session}, "X-API-Key", w.talkWorld.tenant.key(t, otherScope)).refused(t, 404, fault.NotFound)

	w.widget(t, fields{"channelType": "voice", "config": fields{"mode": "voice"}})
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	w.b.do(t, "POST", path, fields{"sessionId": begun.SessionID}, "X-SDK-Token", begun.Token, "Origin", shop).must(t, 200)
	w.b.do(t, "POST", path, fields{"sessionId": session}, "X-SDK-Token", begun.Token, "Origin", shop).refused(t, 404, fault.NotFound)
	w.widget(t, fields{"config": fields{"mode": "chat"}})
	begun = w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	w.b.do(t, "POST", path, fields{"sessionId": begun.SessionID}, "X-SDK-Token", begun.Token, "Origin", shop).refused(t, 403, fault.Forbidden)

	call := newCall()
	_, _ = streamed(t, p.asks(t, w.a, voiceConnect, call, "ringing", "From", "client:"+got.Identity, "To", ""))
	row := w.interactionOf(t, call, is("status", "inProgress"))
	require.Equal(t, []any{got.Identity, p.number}, []any{row["userId"], row["centerId"]})
	require.NotEqual(t, session, row["sessionId"], "the call has a session of its own")
	require.Contains(t, p.asks(t, w.a, voiceConnect, newCall(), "ringing", "From", "client:s_"+uuid.NewString(), "To", "").must(t, 200).Text,
		"<Reject>")
	w.ask(t, "DELETE", "/api/projects/"+mainApp+"/sessions/"+session, nil).must(t, 200)
	w.ask(t, "POST", path, fields{"sessionId": session}).refused(t, 409, fault.Conflict)
}

//go:build !apache

package node_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

const webChat = "/api/v1/channels/web_chat/ws"

// chatFrame is what is said on the socket.
type chatFrame struct {
	Type, EventID, SessionID, Status     string
	ID, MessageID, Role, Text, AgentName string
	CallID, Delta, Reason, Code, Field   string
	Resumed, Active                      bool
	Action                               *struct{ Type string }
	Actions, RichContent                 []map[string]any
	AttachmentIDs                        []string
	Timestamp, Message                   string
	RetryAfterMs                         int
}

// chatSocket is a widget that stays connected.
type chatSocket struct {
	*websocket.Conn
	last string // eventId
}

// tryChat opens a socket; headers alternate names and values.
func tryChat(on *server, query string, headers ...string) (*chatSocket, *http.Response, error) {
	h := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		h.Add(headers[i], headers[i+1])
	}
	conn, res, err := websocket.Dial(context.Background(), on.URL()+webChat+query, &websocket.DialOptions{HTTPHeader: h})
	if err != nil {
		return nil, res, err
	}
	conn.SetReadLimit(1 << 20)
	return &chatSocket{Conn: conn}, res, nil
}

// chatOn opens a socket as a page of the shop does, and takes what it says first.
func chatOn(t *testing.T, on *server, token, query string) (*chatSocket, chatFrame) {
	t.Helper()
	conn, res, err := websocket.Dial(t.Context(), on.URL()+webChat+query, &websocket.DialOptions{
		HTTPHeader: http.Header{"Origin": {shop}}, Subprotocols: []string{"sdk.v1", "token." + token}})
	require.NoError(t, err)
	require.Equal(t, "sdk.v1", res.Header.Get("Sec-WebSocket-Protocol"), "never the token")
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	s := &chatSocket{Conn: conn}
	return s, s.next(t)
}

func (s *chatSocket) next(t *testing.T) (f chatFrame) {
	t.Helper()
	_, data, err := s.Read(t.Context())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &f), string(data))
	if f.EventID != "" {
		s.last = f.EventID
	}
	return f
}

// until reads to the first frame of a type; what it passes over comes too.
func (s *chatSocket) until(t *testing.T, kind string) (all []chatFrame) {
	t.Helper()
	for {
		f := s.next(t)
		if all = append(all, f); f.Type == kind {
			return all
		}
		require.NotEqual(t, "error", f.Type, "%+v", f)
	}
}

// turn reads all of a turn, and that what it answers is on the log, which may come last.
func (s *chatSocket) turn(t *testing.T) []chatFrame {
	t.Helper()
	all := s.until(t, "turn_ended")
	if len(framesOf("ack", all)) == 0 {
		all = append(all, s.until(t, "ack")...)
	}
	return all
}

func (s *chatSocket) says(t *testing.T, f fields) {
	t.Helper()
	data, err := json.Marshal(f)
	require.NoError(t, err)
	require.NoError(t, s.Write(t.Context(), websocket.MessageText, data))
}

// lines are the messages among frames, as "role: text".
func saidOn(all []chatFrame) (out []string) {
	for _, f := range all {
		if f.Type == "message" {
			out = append(out, f.Role+": "+f.Text)
		}
	}
	return out
}

func framesOf(kind string, all []chatFrame) (out []chatFrame) {
	for _, f := range all {
		if f.Type == kind {
			out = append(out, f)
		}
	}
	return out
}

// closed reads until the socket is, and gives the code.
func (s *chatSocket) closed(t *testing.T) websocket.StatusCode {
	t.Helper()
	for {
		if _, _, err := s.Read(t.Context()); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// Given a widget, then what its user says is a turn of its session, by text and by what was shown;
// what was said is said once, on whichever door it comes again; and the end of the session ends the socket.
func TestAWidgetTalksOnASocket(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	w.widget(t, nil)
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	s, ready := chatOn(t, w.b, begun.Token, "?lastEventId=0")
	require.Equal(t, []any{"ready", begun.SessionID, "active", "0", false}, []any{ready.Type, ready.SessionID, ready.Status, ready.EventID,
		ready.Resumed})
	other, _ := chatOn(t, w.a, begun.Token, "")

	s.says(t, fields{"type": "message", "id": "m-1", "text": "Hi", "metadata": fields{"page": "/"}, "unknown": 1})
	all := s.turn(t)
	require.Equal(t, []string{"user: Hi", "assistant: Good day.", "assistant: Which meter?"}, saidOn(all))
	shown := framesOf("message", all)[2]
	require.Equal(t, "select", shown.RichContent[0]["kind"])
	require.Equal(t, map[string]any{"id": "kind", "label": "Gas", "value": "gas"}, shown.Actions[1])
	require.Equal(t, "continue", framesOf("turn_ended", all)[0].Action.Type)
	require.Equal(t, saidOn(all), saidOn(other.until(t, "turn_ended")), "both pages of the user are told the same")

	s.says(t, fields{"type": "action", "id": "m-2", "actionId": "kind", "value": "gas"})
	next := s.turn(t)
	acks := append(framesOf("ack", all), framesOf("ack", next)...)
	require.Len(t, acks, 2)
	require.Equal(t, []string{"m-1", framesOf("message", all)[0].ID}, []string{acks[0].ID, acks[0].MessageID})
	require.Subset(t, saidOn(next), []string{`user: kind "gas"`, "assistant: Your PIN?"}, "what was chosen without a word")
	stands := w.ask(t, "GET", "/api/v1/sessions/"+begun.SessionID+"/transcripts", nil).must(t, 200)
	require.Contains(t, stands.Text, `"content":"kind \"gas\""`)

	// Twice on a socket, on another node, and by HTTP: it is the same message.
	s.says(t, fields{"type": "message", "id": "m-1", "text": "Hi", "metadata": fields{"page": "/"}})
	require.Equal(t, acks[0], s.until(t, "ack")[0])
	other.until(t, "turn_ended")
	other.says(t, fields{"type": "message", "text": "Hi", "id": "m-1", "metadata": fields{"page": "/"}})
	require.Equal(t, acks[0], other.until(t, "ack")[0])
	mine := []string{"X-SDK-Token", begun.Token, "Origin", shop}
	again := w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": begun.SessionID, "message": "Hi", "metadata": fields{"page": "/"}},
		append(mine, "Idempotency-Key", "m-1")...).must(t, 200)
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	s.says(t, fields{"type": "message", "id": "m-1", "text": "Something else"})
	require.Equal(t, []string{"error", "m-1", "CONFLICT"}, s.next(t).what())

	var transcript struct{ Messages []map[string]any }
	w.b.do(t, "GET", "/api/v1/sessions/"+begun.SessionID+"/transcripts", nil, mine...).must(t, 200).into(t, &transcript)
	require.Len(t, transcript.Messages, 5)

	w.ask(t, "DELETE", sessionsPath+"/"+begun.SessionID, nil).must(t, 200)
	end := s.until(t, "ended")
	require.Empty(t, framesOf("typing", end), "nobody was at it any more, as the turn's end has told")
	over := framesOf("ended", end)[0]
	require.Equal(t, []string{s.last, "ended"}, []string{over.EventID, over.Reason})
	require.Equal(t, websocket.StatusNormalClosure, s.closed(t))
	for _, query := range []string{"?lastEventId=" + s.last, ""} {
		late, ready := chatOn(t, w.a, begun.Token, query)
		require.Equal(t, []string{"ended", s.last}, []string{ready.Status, ready.EventID})
		all := late.until(t, "ended")
		require.Empty(t, framesOf("message", all))
		require.Equal(t, []chatFrame{over}, framesOf("ended", all), "who comes after the end is told it as who was there")
		require.Equal(t, websocket.StatusNormalClosure, late.closed(t))
	}
}

func (f chatFrame) what() []string { return []string{f.Type, f.ID, f.Code} }

func TestWhatASocketDoesNotTake(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	w.widget(t, nil)
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	s, _ := chatOn(t, w.b, begun.Token, "")
	for said, want := range map[string][]string{
		`{`: {"BAD_REQUEST", ""}, `[]`: {"BAD_REQUEST", ""}, `"x"`: {"BAD_REQUEST", ""}, "{\"type\":\"\xff\"}": {"BAD_REQUEST", ""},
		`{}`:                                          {"VALIDATION_ERROR", "type"},
		`{"type":"shout","id":"1"}`:                   {"VALIDATION_ERROR", "type"},
		`{"type":"message","text":"Hi"}`:              {"VALIDATION_ERROR", "id"},
		`{"type":"message","id":"1"}`:                 {"VALIDATION_ERROR", "text"},
		`{"type":"action","id":"1"}`:                  {"VALIDATION_ERROR", "actionId"},
		`{"type":"message","id":"1","text":" \n"}`:    {"VALIDATION_ERROR", "text"},
		`{"type":"message","id":"1","text":1}`:        {"VALIDATION_ERROR", "text"},
		`{"type":"message","id":"1","text":"\u0000"}`: {"VALIDATION_ERROR", "text"},
		`{"type":"message","id":"é","text":"Hi"}`:     {"VALIDATION_ERROR", "id"},
		`{"type":"message","id":"1","text":"` + strings.Repeat("x", 20_001) + `"}`: {"VALIDATION_ERROR", "text"},
		`{"type":"message","id":"1","attachmentIds":["f-none"]}`:                   {"VALIDATION_ERROR", "attachmentIds"},
		`{"type":"message","id":"1","text":"Hi","metadata":{"a b":1}}`:             {"VALIDATION_ERROR", "metadata"},
		`{"type":"message","id":"1","text":"Hi","metadata":[]}`:                    {"VALIDATION_ERROR", "metadata"},
	} {
		require.NoError(t, s.Write(t.Context(), websocket.MessageText, []byte(said)))
		f := s.next(t)
		require.Equal(t, append([]string{"error"}, want...), []string{f.Type, f.Code, f.Field}, said)
		require.Equal(t, strings.Contains(said, `"id":"1"`), f.ID == "1", "whose error it is: %.60s", said)
		require.NotEmpty(t, f.Message)
	}
	s.says(t, fields{"type": "typing"})
	s.says(t, fields{"type": "ping", "id": "p"})
	require.Equal(t, "pong", s.next(t).Type, "it lives on")
	require.NoError(t, s.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"ping"}`)))
	require.Equal(t, websocket.StatusUnsupportedData, s.closed(t))
	big, _ := chatOn(t, w.b, begun.Token, "")
	big.says(t, fields{"type": "message", "id": "1", "text": strings.Repeat("x", 64<<10)})
	require.Equal(t, websocket.StatusMessageTooBig, big.closed(t))
}

// A socket is for the session of its token, and for the pages of its key.
func TestWhoMayOpenASocket(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	w.widget(t, nil)
	w.widget(t, fields{"channelType": "mobile_ios", "name": "App"})
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	ofApp := w.init(t, nil, "X-Public-Key", w.key)
	otherKey, _ := w.keyOfKind(t, otherScope, access.PublicKey, shop)
	protocol := func(token string) []string { return []string{"Sec-WebSocket-Protocol", "sdk.v1, token." + token} }
	for name, c := range map[string]struct {
		headers []string
		query   string
		status  int
	}{
		"no token":                {[]string{"Origin", shop}, "", 401},
		"a wrong token":           {append(protocol("x"), "Origin", shop), "", 401},
		"a token in the query":    {[]string{"Origin", shop}, "?token=" + url.QueryEscape(begun.Token), 401},
		"a public key":            {[]string{"Origin", shop, "X-Public-Key", otherKey}, "", 401},
		"a token of a client":     {[]string{"auth", w.auth}, "", 401},
		"two tokens":              {append(protocol(begun.Token), "Origin", shop, "X-SDK-Token", ofApp.Token), "", 401},
		"a page of elsewhere":     {append(protocol(begun.Token), "Origin", "https://evil.example"), "", 403},
		"a page without a place":  {append(protocol(begun.Token), "Origin", "null"), "", 403},
		"a page below":            {append(protocol(begun.Token), "Origin", "https://a.shop.example"), "", 403},
		"another port":            {append(protocol(begun.Token), "Origin", shop+":8443"), "", 403},
		"another page of the key": {append(protocol(begun.Token), "Origin", "http://localhost:3000"), "", 403},
		"no page":                 {protocol(begun.Token), "", 403},
		"no position":             {append(protocol(begun.Token), "Origin", shop), "?lastEventId=x", 400},
		"a position below":        {append(protocol(begun.Token), "Origin", shop), "?lastEventId=-1", 400},
		"a position beyond":       {append(protocol(begun.Token), "Origin", shop), "?lastEventId=1000", 410},
	} {
		t.Run(name, func(t *testing.T) {
			_, res, err := tryChat(w.b, c.query, c.headers...)
			require.Error(t, err)
			require.Equal(t, c.status, res.StatusCode)
		})
	}
	w.b.do(t, "GET", webChat, nil, "X-SDK-Token", ofApp.Token).refused(t, 400, fault.Validation, "Connection", "Sec-WebSocket-Key",
		"Sec-WebSocket-Version", "Upgrade")

	// An app says its token in a header, and has no page.
	app, _, err := tryChat(w.b, "", "X-SDK-Token", ofApp.Token)
	require.NoError(t, err)
	require.Equal(t, ofApp.SessionID, app.next(t).SessionID)
	require.NoError(t, app.CloseNow())

	// A session has ten sockets on a node, whoever opens them.
	for range 10 {
		chatOn(t, w.b, begun.Token, "")
	}
	_, res, err := tryChat(w.b, "", append(protocol(begun.Token), "Origin", shop)...)
	require.Error(t, err)
	require.Equal(t, 429, res.StatusCode)
	chatOn(t, w.a, begun.Token, "")
}

// Given sockets on both nodes on which nobody says anything, when their channel is deleted, or its public key is revoked or not for
// their page any more, then each is told within a moment, and not when its credential is looked at after half a minute.
func TestSilentSocketsEndWithTheirChannel(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	keys := func(decide func(access.ScopeState) ([]event.Payload, error)) {
		executed(t, w.a, w.id, access.Scopes, access.ScopeStream(w.id, mainScope), decide)
	}
	for how, ends := range map[string]func(channel, key string){
		"the channel is deleted": func(channel, _ string) { w.ask(t, "DELETE", sdkChannelsPath+"/"+channel, nil).must(t, 204) },
		"the key is revoked": func(_, key string) {
			keys(access.RevokeKey{KeyID: key, At: time.Now()}.Decide)
		},
		"the key is for another page": func(_, key string) {
			keys(access.DefineKey{CreateKey: access.CreateKey{KeyID: key, Name: "given " + key, Kind: access.PublicKey,
				Hash: strings.Repeat("0", 64), AllowedOrigins: []string{"https://another.example"}, At: time.Now()}}.Decide)
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			secret, key := w.keyOfKind(t, mainScope, access.PublicKey, shop)
			channel := w.widget(t, fields{"publicApiKeyId": key})["id"].(string)
			begun := w.init(t, nil, "X-Public-Key", secret, "Origin", shop)
			looked, closed := make(chan struct{}, 100), make(chan error, 3)
			for _, url := range []string{w.a.URL() + webChat, w.b.URL() + webChat, w.b.URL() + agUISocket} {
				conn, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {shop}},
					Subprotocols:   []string{"sdk.v1", "token." + begun.Token},
					OnPingReceived: func(context.Context, []byte) bool { looked <- struct{}{}; return true }})
				require.NoError(t, err)
				t.Cleanup(func() { _ = conn.CloseNow() })
				go func() {
					for err = nil; err == nil; {
						_, _, err = conn.Read(t.Context())
					}
					closed <- err
				}()
			}
			for range 3 { // each is looked at once when it begins
				<-looked
			}
			ends(channel, key)
			within := time.After(20 * time.Second) // less than a beat
			for range 3 {
				select {
				case err := <-closed:
					require.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(err))
				case <-within:
					require.Fail(t, "a socket goes on")
				}
			}
		})
	}
}

// Given sockets that are open when their channel is switched off, then the next thing that is said on them is said by
// nobody any more: no turn runs for it, and the socket ends at once, not when its credential is looked at again.
func TestWhatIsSaidOnASocketWhoseCredentialIsGone(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	channel := w.widget(t, nil)["id"].(string)
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	chat, _ := chatOn(t, w.b, begun.Token, "")
	run, _, err := websocket.Dial(t.Context(), w.b.URL()+agUISocket, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {shop}},
		Subprotocols: []string{"sdk.v1", "token." + begun.Token}})
	require.NoError(t, err)
	w.ask(t, "PATCH", sdkChannelsPath+"/"+channel, fields{"isActive": false}).must(t, 200)

	data, err := json.Marshal(runInput(begun.SessionID, "r-1", "Hi"))
	require.NoError(t, err)
	_ = run.Write(t.Context(), websocket.MessageText, data) // it may be told already
	_, told, err := run.Read(t.Context())
	if err == nil {
		require.Contains(t, string(told), `"code":"UNAUTHORIZED"`)
		_, _, err = run.Read(t.Context())
	}
	require.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(err))
	_ = chat.Write(t.Context(), websocket.MessageText, []byte(`{"type":"message","id":"m-1","text":"Hi"}`))
	require.Equal(t, websocket.StatusPolicyViolation, chat.closed(t))
	var transcript struct{ Messages []map[string]any }
	w.ask(t, "GET", "/api/v1/sessions/"+begun.SessionID+"/transcripts", nil).must(t, 200).into(t, &transcript)
	require.Empty(t, transcript.Messages)
}

// Given a socket that is cut in the middle of an answer, then whoever comes again gets what he has
// missed, once: on the same node also what the model has said until then, on another what is said at last.
func TestASocketComesAgainInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	w, model := newSpoken(t)
	x := sdkWorld{talkWorld: w}
	x.key, x.keyID = x.keyOfKind(t, mainScope, access.PublicKey, shop)
	w.deploy(t, "production", fields{"entryAgentName": "teller"})
	x.widget(t, nil)
	begun := x.init(t, nil, "X-Public-Key", x.key, "Origin", shop)
	s, _ := chatOn(t, w.b, begun.Token, "?lastEventId=0")
	s.says(t, fields{"type": "message", "id": "m-1", "text": "Tell"})
	model.words <- "Once "
	all := s.until(t, "delta")
	require.Equal(t, "Once ", all[len(all)-1].Delta)
	require.Equal(t, []bool{true}, []bool{framesOf("typing", all)[0].Active})
	require.NoError(t, s.CloseNow())

	same, ready := chatOn(t, w.b, begun.Token, "?lastEventId="+s.last)
	require.True(t, ready.Resumed)
	require.Equal(t, "Once ", deltaOf(same.until(t, "delta")), "from its beginning")
	elsewhere, _ := chatOn(t, w.a, begun.Token, "?lastEventId="+s.last)
	fromBegin, _ := chatOn(t, w.a, begun.Token, "?lastEventId=0")
	require.Equal(t, []string{"user: Tell"}, saidOn(fromBegin.until(t, "message")))
	require.True(t, elsewhere.until(t, "typing")[0].Active)
	model.words <- "upon a time."
	require.Equal(t, "upon a time.", deltaOf(same.until(t, "delta")))
	model.words <- ""
	for name, who := range map[string]*chatSocket{"the same node": same, "another": elsewhere, "from the beginning": fromBegin} {
		rest := who.until(t, "turn_ended")
		require.Equal(t, []string{"assistant: Once upon a time."}, saidOn(rest), name)
		require.Empty(t, deltaOf(rest), name)
	}

	// An answer that is not said is taken back.
	same.says(t, fields{"type": "message", "id": "m-2", "text": "More"})
	model.words <- "Damn "
	same.until(t, "delta")
	model.words <- "!"
	require.Equal(t, "failed", same.until(t, "reset")[0].Reason)
	same.until(t, "turn_ended")

	// A message waits for the turn before it; an eleventh does not.
	same.says(t, fields{"type": "message", "id": "w-0", "text": "Wait"})
	model.words <- "Well "
	same.until(t, "delta")
	for n := range 12 {
		same.says(t, fields{"type": "message", "id": "w-" + strconv.Itoa(n+1), "text": "Now"})
	}
	f := same.next(t)
	for f.Type != "error" {
		f = same.next(t)
	}
	require.Equal(t, "QUEUE_FULL", f.Code)
	w.ask(t, "DELETE", sessionsPath+"/"+begun.SessionID, nil).must(t, 200) // what waits for the model does so no longer
}

func deltaOf(all []chatFrame) (out string) {
	for _, f := range framesOf("delta", all) {
		out += f.Delta
	}
	return out
}

// What a person says who has the session comes on the socket, wherever it was said.
func TestPeopleAnswerOnASocket(t *testing.T) {
	t.Parallel()
	p := newPeopleWorld(t)
	w := sdkWorld{talkWorld: p.talkWorld}
	w.key, w.keyID = w.keyOfKind(t, mainScope, access.PublicKey, shop)
	w.deploy(t, "production")
	w.widget(t, nil)
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	s, _ := chatOn(t, w.b, begun.Token, "")
	s.says(t, fields{"type": "message", "id": "1", "text": "Hi"})
	s.until(t, "turn_ended")
	s.says(t, fields{"type": "message", "id": "2", "text": "please"})
	all := s.until(t, "turn_ended")
	require.Equal(t, "escalated", all[len(all)-1].Action.Type)
	taken := p.taken(t, begun.SessionID, "a-maria")
	s.says(t, fields{"type": "message", "id": "3", "text": "Maria?"})
	require.Equal(t, []string{"user: Maria?"}, saidOn(s.until(t, "message")))
	p.hooks.events(t, taken.ConversationID, enters("na", "a-maria")).ok(t)
	p.hooks.hook(t, w.a, taken.ConversationID, says("AGENT", "I am Maria.")).ok(t)
	said := s.until(t, "message")
	require.Equal(t, []string{"agent: I am Maria."}, saidOn(said))
}

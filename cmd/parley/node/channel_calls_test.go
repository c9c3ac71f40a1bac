//go:build !apache

package node_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// Given a gateway of AudioCodes, then a call is a conversation: it begins, words and keys are answered in the
// response, and its end is that of the session.
func TestACallByAudioCodes(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.deploy(t, "production")
	door := "shop-" + uuid.NewString()
	w.connect(t, fields{"channelType": "audiocodes", "externalIdentifier": door, "credentials": fields{"token": "hush-token"}})
	path, call := "/api/v1/channels/audiocodes/webhook/"+door, uuid.NewString()
	asks := func(method, path string, body any) (out map[string]any) {
		t.Helper()
		w.a.do(t, method, path, body, "Authorization", "Bearer hush-token").must(t, 200).into(t, &out)
		return out
	}
	require.Equal(t, map[string]any{"type": "ac-bot-api", "success": true}, asks("GET", path, nil))
	begun := asks("POST", path, fields{"conversation": call, "id": "m", "bot": "shop"})
	at := func(name string) string {
		_, at, ok := strings.Cut(begun[name].(string), "/api/")
		require.True(t, ok, begun)
		return "/api/" + at
	}
	acts := func(all ...fields) (said []any) {
		t.Helper()
		out := asks("POST", at("activitiesURL"), fields{"conversation": call, "activities": all})
		for _, a := range out["activities"].([]any) {
			if text := a.(map[string]any)["text"]; text != nil {
				said = append(said, text)
			} else {
				said = append(said, a.(map[string]any)["name"])
			}
		}
		return said
	}
	start := fields{"id": "a1", "type": "event", "name": "start", "parameters": fields{"caller": "+15550007"}}
	require.Equal(t, []any{"Good day."}, acts(start))
	require.Equal(t, []any{"Good day."}, acts(start), "the same activity again")
	require.Equal(t, []any{"Which meter?\n1. Current\n2. Gas"}, acts(fields{"id": "a0", "type": "message", "text": "Hello"}))
	require.Equal(t, []any{"Your PIN?"}, acts(fields{"id": "a2", "type": "event", "name": "DTMF", "value": "2"}))
	require.Equal(t, map[string]any{}, asks("POST", at("refreshURL"), fields{}))
	last := acts(fields{"id": "a3", "type": "message", "text": "1234"})
	require.Equal(t, "hangup", last[len(last)-1])
	require.Equal(t, map[string]any{}, asks("POST", at("disconnectURL"), fields{"conversation": call, "reasonCode": "bot-disconnected"}))
	require.Equal(t, 401, w.a.do(t, "GET", path, nil, "Authorization", "Bearer another").Status)
	require.Equal(t, 404, w.a.do(t, "GET", path+"x", nil, "Authorization", "Bearer hush-token").Status)
	w.ask(t, "GET", "/api/contacts/lookup?identity=%2B15550007&identityType=phone", nil).must(t, 200)
}

// Given a gateway of AudioCodes that listens on a socket, on another node, then all is said there, also to what
// it asks again on another socket; its requests have nothing to wait for, and have it again when the socket is gone.
func TestACallByAudioCodesWithASocket(t *testing.T) {
	w := newTalkWorld(t)
	w.deploy(t, "production")
	door := "shop-" + uuid.NewString()
	w.connect(t, fields{"channelType": "audiocodes", "externalIdentifier": door, "credentials": fields{"token": "hush-token"}})
	path, call := "/api/v1/channels/audiocodes/webhook/"+door, uuid.NewString()
	own := []string{"Authorization", "Bearer hush-token"}
	begun, all := map[string]string{}, map[string]any{}
	w.a.do(t, "POST", path, fields{"conversation": call, "id": "m"}, own...).must(t, 200).into(t, &all)
	for _, name := range []string{"websocketURL", "activitiesURL", "disconnectURL"} {
		begun[name] = all[name].(string)
	}
	at := func(on *server, url string) string {
		_, path, ok := strings.Cut(url, "/api/")
		require.True(t, ok, url)
		return strings.Replace(on.URL(), "http", "ws", 1) + "/api/" + path
	}
	opens := func(on *server, url, token string) (*websocket.Conn, int) {
		conn, res, err := websocket.Dial(t.Context(), at(on, url), &websocket.DialOptions{HTTPHeader: http.Header{
			"Authorization": {"Bearer " + token}}})
		if err != nil {
			require.NotNil(t, res, err)
			return nil, res.StatusCode
		}
		t.Cleanup(func() { _ = conn.CloseNow() })
		return conn, res.StatusCode
	}
	_, status := opens(w.a, begun["websocketURL"], "another")
	require.Equal(t, 401, status)
	_, status = opens(w.a, strings.Replace(begun["websocketURL"], door, "nobody", 1), "hush-token")
	require.Equal(t, 404, status)
	activities := strings.Replace(at(w.a, begun["activitiesURL"]), strings.Replace(w.a.URL(), "http", "ws", 1), "", 1)
	acts := func(all ...fields) map[string]any {
		t.Helper()
		var out map[string]any
		w.a.do(t, "POST", activities, fields{"conversation": call, "activities": all}, own...).must(t, 200).into(t, &out)
		return out
	}
	hears := func(conn *websocket.Conn) (all []any) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, data, err := conn.Read(ctx)
		require.NoError(t, err)
		var out struct {
			Conversation string
			Activities   []map[string]any
		}
		require.NoError(t, json.Unmarshal(data, &out))
		require.Equal(t, call, out.Conversation)
		for _, a := range out.Activities {
			text, _ := a["text"].(string)
			name, _ := a["name"].(string)
			all = append(all, cmp.Or(text, name))
		}
		return all
	}
	line, _ := opens(w.b, begun["websocketURL"], "hush-token")
	start := fields{"id": "a1", "type": "event", "name": "start", "parameters": fields{"caller": "+15550007"}}
	require.Empty(t, acts(start))
	require.Equal(t, []any{"Good day."}, hears(line))
	require.Empty(t, acts(start), "the same again")
	require.Empty(t, acts(fields{"id": "a2", "type": "message", "text": "Hello"}))
	require.Equal(t, []any{"Which meter?\n1. Current\n2. Gas"}, hears(line))

	again, _ := opens(w.a, begun["websocketURL"], "hush-token")
	closed := func(conn *websocket.Conn, why string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, _, err := conn.Read(ctx)
		require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(err), why)
	}
	closed(line, "the newest one counts")
	require.Empty(t, acts(fields{"id": "a3", "type": "event", "name": "DTMF", "value": "2"}))
	require.Equal(t, []any{"Your PIN?"}, hears(again))
	require.NoError(t, again.Close(websocket.StatusNormalClosure, ""))
	last := acts(fields{"id": "a4", "type": "message", "text": "1234"})["activities"].([]any)
	require.Equal(t, "hangup", last[len(last)-1].(map[string]any)["name"], "nobody is on the line")

	third, _ := opens(w.b, begun["websocketURL"], "hush-token")
	require.Equal(t, []any{"hangup"}, hears(third), "the conversation has ended")
	_, disconnect, _ := strings.Cut(begun["disconnectURL"], "/api/")
	w.a.do(t, "POST", "/api/"+disconnect, fields{"conversation": call}, own...).must(t, 200)
	closed(third, "who hangs up hears nothing more")
}

// Given jambonz on a socket, then each of its messages is acknowledged with verbs, and who hangs up ends the
// session.
func TestACallByJambonz(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.deploy(t, "production")
	door := "shop-" + uuid.NewString()
	w.connect(t, fields{"channelType": "jambonz", "externalIdentifier": door, "credentials": fields{"token": "hush-token"}})
	address := "ws" + strings.TrimPrefix(w.a.URL(), "http") + "/api/v1/channels/jambonz/socket/"
	opens := func(door, token string, protocols ...string) (*websocket.Conn, int) {
		conn, res, err := websocket.Dial(t.Context(), address+door+"?token="+token, &websocket.DialOptions{Subprotocols: protocols})
		if err != nil {
			require.NotNil(t, res, err)
			return nil, res.StatusCode
		}
		return conn, res.StatusCode
	}
	for _, c := range []struct {
		door, token string
		want        int
	}{{door, "another", 401}, {door, "", 401}, {door + "x", "hush-token", 404}} {
		_, status := opens(c.door, c.token, "ws.jambonz.org")
		require.Equal(t, c.want, status)
	}
	conn, _ := opens(door, "hush-token", "ws.jambonz.org")
	defer func() { _ = conn.CloseNow() }()
	require.Equal(t, "ws.jambonz.org", conn.Subprotocol())
	call, n := uuid.NewString(), 0
	says := func(kind string, data fields) map[string]any {
		t.Helper()
		n++
		body, err := json.Marshal(fields{"type": kind, "msgid": fmt.Sprint("m", n), "call_sid": call, "hook": "/said", "data": data})
		require.NoError(t, err)
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, body))
		if kind == "call:status" {
			return nil
		}
		_, got, err := conn.Read(t.Context())
		require.NoError(t, err)
		var ack map[string]any
		require.NoError(t, json.Unmarshal(got, &ack))
		require.Equal(t, []any{"ack", fmt.Sprint("m", n)}, []any{ack["type"], ack["msgid"]})
		for strings.Contains(string(got), "One moment") { // what a slow agent says comes behind it
			_, got, err = conn.Read(t.Context())
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(got, &ack))
			require.Equal(t, "redirect", ack["command"])
		}
		return ack["data"].([]any)[0].(map[string]any)
	}
	first := says("session:new", fields{"call_sid": call, "from": "+15550008", "to": "12345", "direction": "inbound"})
	require.Equal(t, []any{"gather", map[string]any{"text": "Good day."}}, []any{first["verb"], first["say"]})
	require.Nil(t, says("verb:hook", fields{"reason": "timeout"})["say"], "nobody said anything")
	require.Equal(t, map[string]any{"text": "Which meter?\n1. Current\n2. Gas"}, says("verb:hook", fields{"reason": "speechDetected",
		"speech": fields{"alternatives": []fields{{"transcript": "hello"}}}})["say"])
	require.Equal(t, map[string]any{"text": "Your PIN?"}, says("verb:hook", fields{"reason": "dtmfDetected", "digits": "2"})["say"])

	// A socket in the place of one that was lost: the caller is told what that one may not have told.
	conn, _ = opens(door, "hush-token", "ws.jambonz.org")
	defer func() { _ = conn.CloseNow() }()
	again := []byte(`{"type":"session:reconnect","msgid":"r","call_sid":"` + call + `"}`)
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, again))
	_, redirected, err := conn.Read(t.Context())
	require.NoError(t, err)
	require.Contains(t, string(redirected), `"command":"redirect","data":[{"actionHook":"/said"`)
	says("call:status", fields{"call_sid": call, "call_status": "completed"})
	var page struct{ Sessions []map[string]any }
	require.Eventually(t, func() bool {
		w.ask(t, "GET", sessionsPath+"?status=ended", nil).must(t, 200).into(t, &page)
		return len(page.Sessions) == 1
	}, patience, 20*time.Millisecond)
	require.Equal(t, "jambonz", page.Sessions[0]["channel"])

	// Who ends the session of a call hangs up, also while nobody says anything.
	call = uuid.NewString()
	says("session:new", fields{"call_sid": call, "from": "+15550008", "to": "12345", "direction": "inbound"})
	w.ask(t, "GET", sessionsPath+"?status=active", nil).must(t, 200).into(t, &page)
	w.ask(t, "DELETE", sessionsPath+"/"+page.Sessions[0]["id"].(string), nil).must(t, 200)
	_, got, err := conn.Read(t.Context())
	require.NoError(t, err)
	require.Contains(t, string(got), `"verb":"hangup"`)
}

// Given a pipeline on a socket, then what it understood is answered, a message that comes again as it was, on
// another socket and node too; audio is refused by name. Accounts may call their doors the same.
func TestAPipelineOfVoice(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.deploy(t, "production")
	door, other := "shop-"+uuid.NewString(), w.cluster.tenant(t, "")
	w.connect(t, fields{"channelType": "voice_pipeline", "externalIdentifier": door, "credentials": fields{"token": "hush-token"}})
	w.a.do(t, "POST", connectionsPath, fields{"channelType": "voice_pipeline", "externalIdentifier": door,
		"credentials": fields{"token": "another-token"}}, "Authorization", "Bearer "+other.token(t)).must(t, 201)
	opens := func(on *server) *websocket.Conn {
		conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(on.URL(), "http")+"/api/v1/channels/voice_pipeline/socket/"+door,
			&websocket.DialOptions{HTTPHeader: map[string][]string{"Authorization": {"Bearer hush-token"}}, Subprotocols: []string{"pipeline.v1"}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.CloseNow() })
		return conn
	}
	call := uuid.NewString()
	says := func(conn *websocket.Conn, kind websocket.MessageType, body fields) (out map[string]any) {
		t.Helper()
		data, err := json.Marshal(fields{"sessionId": call}.and(body))
		require.NoError(t, err)
		require.NoError(t, conn.Write(t.Context(), kind, data))
		var texts []any
		for out = nil; out == nil || out["state"] == "working"; { // what a slow agent says comes behind it
			_, got, err := conn.Read(t.Context())
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(got, &out))
			some, _ := out["texts"].([]any)
			texts = append(texts, some...)
		}
		if out["texts"] != nil {
			out["texts"] = texts
		}
		return out
	}
	one, two := opens(w.a), opens(w.b)
	require.Equal(t, []any{"Good day."}, says(one, websocket.MessageText, fields{"type": "start", "id": "1"})["texts"])
	which := says(one, websocket.MessageText, fields{"type": "text", "id": "2", "text": "Hello"})
	require.Equal(t, []any{"response", "2", "continue"}, []any{which["type"], which["id"], which["state"]})
	require.Equal(t, which, says(two, websocket.MessageText, fields{"type": "text", "id": "2", "text": "Hello"}))
	require.Equal(t, []any{"Your PIN?"}, says(two, websocket.MessageText, fields{"type": "text", "id": "3", "text": "2"})["texts"])
	require.Equal(t, "audio_not_available", says(one, websocket.MessageBinary, fields{})["code"])
	require.Equal(t, "ended", says(one, websocket.MessageText, fields{"type": "text", "id": "4", "text": "1234"})["state"])

	call = uuid.NewString()
	require.Equal(t, []any{"Good day."}, says(one, websocket.MessageText, fields{"type": "start", "id": "1"})["texts"])
	end := fields{"type": "response", "id": "2", "sessionId": call, "texts": []any(nil), "state": "ended"}
	require.Equal(t, map[string]any(end), says(one, websocket.MessageText, fields{"type": "end", "id": "2"}))
	require.Equal(t, map[string]any(end), says(two, websocket.MessageText, fields{"type": "end", "id": "2"}), "again")
}

//go:build !apache

package node_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

const (
	agUI       = "/api/v1/channels/ag_ui/runs"
	agUISocket = "/api/v1/channels/ag_ui/ws"
)

// runInput is what a run begins with.
func runInput(session, run, text string) fields {
	return fields{"threadId": session, "runId": run, "state": fields{}, "tools": []fields{}, "context": []fields{}, "forwardedProps": fields{},
		"messages": []fields{{"id": "u-" + run, "role": "user", "content": text}}}
}

// runEvents reads the events of a run as Server-Sent Events.
func (w sdkWorld) runEvents(t *testing.T, token string, input fields) (events []map[string]any) {
	t.Helper()
	body, err := json.Marshal(input)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.b.URL()+agUI, strings.NewReader(string(body)))
	require.NoError(t, err)
	for name, value := range map[string]string{"X-SDK-Token": token, "Origin": shop, "Accept": "text/event-stream",
		"Content-Type": "application/json"} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, shop, res.Header.Get("Access-Control-Allow-Origin"))
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
			var e map[string]any
			require.NoError(t, json.Unmarshal([]byte(data), &e))
			events = append(events, e)
		}
	}
	return events
}

func typesOf(events []map[string]any) (out []string) {
	for _, e := range events {
		out = append(out, e["type"].(string))
	}
	return out
}

func textOfRun(events []map[string]any) (out string) {
	for _, e := range events {
		if e["type"] == "TEXT_MESSAGE_CONTENT" {
			out += e["delta"].(string)
		}
	}
	return out
}

// A run is a turn of the session, told in the protocol's order; the same run again says nothing anew.
func TestARunOfAgUI(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	w.widget(t, nil)
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	first := w.runEvents(t, begun.Token, runInput(begun.SessionID, "r-1", "Hi"))
	text := []string{"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"}
	require.Equal(t, append(append(append([]string{"RUN_STARTED"}, text...), "STEP_STARTED"), append(text, "CUSTOM", "STEP_FINISHED",
		"STATE_SNAPSHOT", "RUN_FINISHED")...), typesOf(first))
	require.Equal(t, []any{begun.SessionID, "r-1"}, []any{first[0]["threadId"], first[0]["runId"]})
	require.Equal(t, "Good day.Which meter?", textOfRun(first))
	last := first[len(first)-1]
	require.Equal(t, "continue", last["result"].(map[string]any)["action"].(map[string]any)["type"])
	require.Equal(t, first, w.runEvents(t, begun.Token, runInput(begun.SessionID, "r-1", "Hi")))

	chosen := runInput(begun.SessionID, "r-2", "")
	chosen["messages"], chosen["forwardedProps"] = []fields{}, fields{"action": fields{"id": "kind", "value": "gas"}}
	require.Contains(t, textOfRun(w.runEvents(t, begun.Token, chosen)), "PIN")

	// On a socket runs come one after the other.
	conn, res, err := websocket.Dial(t.Context(), w.a.URL()+agUISocket, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {shop}},
		Subprotocols: []string{"sdk.v1", "token." + begun.Token}})
	require.NoError(t, err)
	require.Equal(t, "sdk.v1", res.Header.Get("Sec-WebSocket-Protocol"))
	for _, input := range []fields{runInput(begun.SessionID, "r-1", "Hi"), runInput("other", "r-3", "Hi"), {"type": "cancel"}} {
		data, _ := json.Marshal(input)
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, data))
	}
	var told []map[string]any
	for len(told) == 0 || told[len(told)-1]["type"] != "RUN_ERROR" {
		_, data, err := conn.Read(t.Context())
		require.NoError(t, err)
		var e map[string]any
		require.NoError(t, json.Unmarshal(data, &e))
		told = append(told, e)
	}
	require.Equal(t, first, told[:len(told)-1], "what the other way tells")
	require.Equal(t, "NOT_FOUND", told[len(told)-1]["code"])
	// What begins no run is told so in its place, and the socket stays.
	for wrong, why := range map[string]string{`{"type":"shout"}`: "type must be run or cancel", `{`: "not valid JSON",
		`{"runId":7}`: "runId must be a string"} {
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(wrong)))
		_, data, err := conn.Read(t.Context())
		require.NoError(t, err)
		require.Contains(t, string(data), `"RUN_ERROR"`)
		require.Contains(t, string(data), why)
	}
	again, _ := json.Marshal(runInput(begun.SessionID, "r-1", "Other"))
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, again))
	_, data, err := conn.Read(t.Context())
	require.NoError(t, err)
	require.Contains(t, string(data), "this runId was used with another request")

	mine := []string{"X-SDK-Token", begun.Token, "Origin", shop}
	w.b.do(t, "POST", agUI, runInput("other", "r-4", "Hi"), mine...).refused(t, 404, fault.NotFound)
	w.b.do(t, "POST", agUI, fields{"threadId": begun.SessionID}, mine...).refused(t, 400, fault.Validation, "runId")
	w.b.do(t, "POST", agUI, runInput(begun.SessionID, "r-\u00e4", "Hi"), mine...).refused(t, 400, fault.Validation, "runId")
	w.b.do(t, "POST", agUI, runInput(begun.SessionID, "r-6", " \n"), mine...).refused(t, 400, fault.Validation, "message")
	w.b.do(t, "POST", agUI, runInput(begun.SessionID, "r-1", "Other"), mine...).refused(t, 409, fault.Conflict)
	w.b.do(t, "POST", agUI, runInput(begun.SessionID, "r-5", "Hi"), "X-SDK-Token", begun.Token, "Origin", "null").refused(t, 403,
		fault.Forbidden)
	w.b.do(t, "POST", agUI, runInput(begun.SessionID, "r-5", "Hi"), "auth", w.auth).refused(t, 401, fault.Unauthorized)
}

// Given a model that speaks, then a run tells what it says while it does; a cancel ends it, and a run
// whose model breaks off says anew which messages there are.
func TestARunTellsWhatAModelSays(t *testing.T) {
	t.Parallel()
	spoken, model := newSpoken(t)
	w := sdkWorld{talkWorld: spoken}
	w.key, w.keyID = w.keyOfKind(t, mainScope, access.PublicKey, shop)
	w.deploy(t, "production", fields{"entryAgentName": "teller"})
	w.widget(t, nil)
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	conn, _, err := websocket.Dial(t.Context(), w.b.URL()+agUISocket, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {shop}},
		Subprotocols: []string{"sdk.v1", "token." + begun.Token}})
	require.NoError(t, err)
	say := func(f fields) {
		data, _ := json.Marshal(f)
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, data))
	}
	until := func(kind string) (told []map[string]any) {
		for len(told) == 0 || told[len(told)-1]["type"] != kind {
			_, data, err := conn.Read(t.Context())
			require.NoError(t, err)
			var e map[string]any
			require.NoError(t, json.Unmarshal(data, &e))
			told = append(told, e)
		}
		return told
	}
	say(runInput(begun.SessionID, "r-1", "Tell"))
	model.words <- "Once "
	require.Equal(t, []string{"RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"}, typesOf(until("TEXT_MESSAGE_CONTENT")))
	model.words <- "upon"
	until("TEXT_MESSAGE_CONTENT")
	model.words <- ""
	require.Equal(t, []string{"TEXT_MESSAGE_END", "CUSTOM", "STATE_SNAPSHOT", "RUN_FINISHED"}, typesOf(until("RUN_FINISHED")))

	say(runInput(begun.SessionID, "r-2", "More"))
	model.words <- "Damn "
	until("TEXT_MESSAGE_CONTENT")
	model.words <- "!"
	broken := until("RUN_FINISHED")
	require.Equal(t, []string{"TEXT_MESSAGE_END", "MESSAGES_SNAPSHOT"}, typesOf(broken)[:2])

	say(runInput(begun.SessionID, "r-3", "Again"))
	model.words <- "Well "
	until("TEXT_MESSAGE_CONTENT")
	say(fields{"type": "cancel"})
	ended := until("RUN_FINISHED")
	require.Equal(t, "cancelled", ended[len(ended)-1]["result"].(map[string]any)["action"].(map[string]any)["type"])
}

package platforms_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/examples/platforms"
)

type answer struct {
	status int
	header http.Header
	body   map[string]any
}

type world struct {
	t *testing.T
	*platforms.Recorder
	url string
}

func newWorld(t *testing.T) world {
	x := &platforms.Recorder{Now: func() time.Time { return time.Unix(1_700_000_000, 0) }}
	s := httptest.NewServer(x)
	t.Cleanup(s.Close)
	return world{t, x, s.URL}
}

func (w world) do(method, path, body string, headers ...string) (answer, error) {
	w.t.Helper()
	r, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
	require.NoError(w.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	require.NoError(w.t, err)
	out := answer{status: res.StatusCode, header: res.Header}
	_ = json.Unmarshal(data, &out.body) // one that is down says nothing of use
	return out, nil
}

func (w world) must(method, path, body string, headers ...string) answer {
	w.t.Helper()
	out, err := w.do(method, path, body, headers...)
	require.NoError(w.t, err)
	return out
}

const (
	postMessage = "/slack/api/chat.postMessage"
	bot         = "/telegram/bot77:hush"
	account     = "/twilio_sms/2010-04-01/Accounts/AC00000000000000000000000000000001"
)

func (w world) slack(body string) answer {
	w.t.Helper()
	return w.must("POST", postMessage, body, "Authorization", "Bearer xoxb-hush")
}

func button(token string) string {
	return `"reply_markup":{"inline_keyboard":[[{"text":"Yes","callback_data":"` + token + `"}]]}`
}

func (w world) twilio(body string) answer {
	w.t.Helper()
	return w.must("POST", account+"/Messages.json", body, "Authorization", "Basic QUM6aHVzaA==", "Content-Type",
		"application/x-www-form-urlencoded")
}

// Given messages to three providers, then each answers as it does, and what it took can be read, the
// newest first, and shows no credential.
func TestMessagesAreTakenAndShown(t *testing.T) {
	w := newWorld(t)
	a := w.slack(`{"channel":"D1","text":"fish &amp; chips","thread_ts":"1.2","blocks":[{"type":"section","text":{"text":"x"}},` +
		`{"type":"actions","elements":[{"value":"1.0","text":{"text":"Yes"}}]}]}`)
	require.Equal(t, []any{true, "1700000000.000001", "D1"}, []any{a.body["ok"], a.body["ts"], a.body["channel"]})
	a = w.must("POST", bot+"/sendMessage", `{"chat_id":9,"text":"Hi",`+button("1.0")+`}`)
	require.Equal(t, 2., a.body["result"].(map[string]any)["message_id"])
	a = w.twilio("To=%2B15551&From=%2B15552&Body=Hello")
	require.Equal(t, []any{201, "SM00000000000000000000000000000003"}, []any{a.status, a.body["sid"]})

	all := w.must("GET", "/messages", "")
	require.Equal(t, 3., all.body["total"])
	shown := all.body["messages"].([]any)
	require.Equal(t, map[string]any{"number": 3., "channelType": "twilio_sms", "id": "SM00000000000000000000000000000003", "to": "+15551",
		"text": "Hello", "by": "Messages", "at": "2023-11-14T22:13:20Z",
		"request": map[string]any{"To": "+15551", "From": "+15552", "Body": "Hello"}}, shown[0])
	choices := []any{map[string]any{"label": "Yes", "token": "1.0"}}
	require.Equal(t, []any{"9", choices}, []any{shown[1].(map[string]any)["to"], shown[1].(map[string]any)["choices"]})
	require.Equal(t, []any{"D1:1.2", "fish & chips", choices}, []any{shown[2].(map[string]any)["to"], shown[2].(map[string]any)["text"],
		shown[2].(map[string]any)["choices"]})
	text, err := json.Marshal(all.body)
	require.NoError(t, err)
	require.NotContains(t, string(text), "hush")

	require.Equal(t, 1., w.must("GET", "/messages?to=%2B15551&channelType=twilio_sms", "").body["total"])
	require.Equal(t, 0., w.must("GET", "/messages?to=nobody", "").body["total"])
	require.Len(t, w.must("GET", "/messages?limit=2", "").body["messages"], 2)
	require.Equal(t, 204, w.must("DELETE", "/messages", "").status)
	require.Equal(t, []any{}, w.must("GET", "/messages", "").body["messages"])
}

// A provider refuses what it would refuse.
func TestWhatAProviderWouldNotTake(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", 40_001)
	for body, word := range map[string]string{`{"channel":"D1"}`: "no_text", `{"text":"x"}`: "channel_not_found", "{": "invalid_json",
		`{"channel":"D1","text":"` + long + `"}`:                                                      "msg_too_long",
		`{"channel":"D1","text":"x","blocks":[{"text":{"text":"` + long[:3_001] + `"}}]}`:             "invalid_blocks",
		`{"channel":"D1","text":"x","blocks":[{"elements":[{"text":{"text":"` + long[:76] + `"}}]}]}`: "invalid_blocks"} {
		require.Equal(t, map[string]any{"ok": false, "error": word}, w.slack(body).body, word)
	}
	require.Equal(t, "not_authed", w.must("POST", postMessage, `{"channel":"D1","text":"x"}`).body["error"])
	require.Equal(t, "unknown_method", w.must("POST", "/slack/api/chat.sing", "", "Authorization", "Bearer x").body["error"])
	for body, words := range map[string]string{`{"chat_id":1,"text":"x",` + button(long[:65]) + `}`: "BUTTON_DATA_INVALID",
		`{"text":"x"}`: "chat not found", `{"chat_id":1,"text":" "}`: "text is empty",
		`{"chat_id":1,"text":"` + long[:4_097] + `"}`: "too long"} {
		got := w.must("POST", bot+"/sendMessage", body)
		require.Equal(t, 400, got.status)
		require.Contains(t, got.body["description"], words)
	}
	require.Equal(t, 404, w.must("POST", "/telegram/botless/sendMessage", "{}").status)
	require.Equal(t, 404, w.must("POST", bot+"/sing", "{}").status)
	for body, code := range map[string]float64{"Body=x&From=y": 21604, "To=x&Body=x": 21603, "To=x&From=y": 21602,
		"To=x&From=y&Body=" + long[:1_601]: 21617} {
		require.Equal(t, code, w.twilio(body).body["code"], code)
	}
	require.Equal(t, 401, w.must("POST", account+"/Messages.json", "To=x").status)
	require.Equal(t, 404, w.must("POST", "/twilio_sms/2010-04-01/Accounts/x/Messages.json", "To=x").status)
	require.Empty(t, w.Sent("", ""))
	none := w.must("POST", "/smoke/signals", "")
	require.Equal(t, 404, none.status)
	require.Contains(t, none.body["error"], `no provider of "smoke" is played here: there are `)
}

// What says whether a credential works, and what only shows something, is answered and is no message.
func TestWhatIsNoMessage(t *testing.T) {
	w := newWorld(t)
	ask := func() []bool {
		return []bool{w.must("POST", "/slack/api/auth.test", "", "Authorization", "Bearer x").body["ok"] == true,
			w.must("GET", bot+"/getMe", "").status == 200,
			w.must("GET", account+".json", "", "Authorization", "Basic QUM6aHVzaA==").status == 200}
	}
	require.Equal(t, []bool{true, true, true}, ask())
	require.Equal(t, true, w.must("POST", bot+"/sendChatAction", `{"chat_id":9,"action":"typing"}`).body["ok"])
	w.Fault(platforms.Fault{Does: platforms.Down})
	require.Equal(t, []bool{true, true, true}, ask(), "which is of messages only")
	w.Fault(platforms.Fault{Does: platforms.Revoked, Times: 1})
	require.Equal(t, []bool{false, false, false}, ask())
	require.Empty(t, w.Sent("", ""))
}

// Given a provider in trouble, then it answers so for as many messages as it was told to.
func TestTroubles(t *testing.T) {
	w := newWorld(t)
	fault := func(body string) {
		t.Helper()
		require.Equal(t, 201, w.must("POST", "/faults", body).status)
	}
	hi := `{"channel":"D1","text":"x"}`
	fault(`{"channelType":"slack","to":"D1","does":"busy","times":2,"pauseSeconds":3}`)
	require.Equal(t, 200, w.slack(`{"channel":"D2","text":"x"}`).status, "another person")
	require.Equal(t, 201, w.twilio("To=D1&From=y&Body=x").status, "another provider")
	for range 2 {
		got := w.slack(hi)
		require.Equal(t, []any{429, "3"}, []any{got.status, got.header.Get("Retry-After")})
	}
	require.Equal(t, true, w.slack(hi).body["ok"])
	fault(`{"does":"busy"}`)
	require.Empty(t, w.slack(hi).header.Get("Retry-After"))
	require.Equal(t, 429, w.must("POST", bot+"/sendMessage", `{"chat_id":9,"text":"Hi"}`).status)
	require.Equal(t, 20429., w.twilio("To=x&From=y&Body=x").body["code"])
	require.Equal(t, 204, w.must("DELETE", "/faults", "").status)
	for does, want := range map[platforms.Trouble][]any{
		platforms.Down:    {500, nil, 500, 500., 500, 20500.},
		platforms.Refuses: {200, "channel_not_found", 403, 403., 400, 21211.},
		platforms.Revoked: {200, "invalid_auth", 401, 401., 401, 20003.},
		platforms.Inside:  {200, "internal_error", 200, 500., 201, nil},
	} {
		w.Mend()
		w.Fault(platforms.Fault{Does: does})
		a, b, c := w.slack(hi), w.must("POST", bot+"/sendMessage", `{"chat_id":9,"text":"Hi"}`), w.twilio("To=x&From=y&Body=x")
		require.Equal(t, want, []any{a.status, a.body["error"], b.status, b.body["error_code"], c.status, c.body["code"]}, does)
	}
	w.Forget()
	w.Fault(platforms.Fault{Does: platforms.Cuts, Times: 1})
	w.Fault(platforms.Fault{Does: platforms.HangsUp, Times: 1})
	for range 2 {
		_, err := w.do("POST", postMessage, hi, "Authorization", "Bearer x")
		require.Error(t, err)
	}
	require.Len(t, w.Sent("slack", "D1"), 1, "one was taken")
	for _, body := range []string{"", `{"does":"sleep"}`, `{"does":"busy","channelType":"smoke"}`, `{"does":"busy","times":-1}`,
		`{"does":"busy","until":1}`} {
		require.Equal(t, 400, w.must("POST", "/faults", body).status, body)
	}
	require.Equal(t, 400, w.must("GET", "/messages?limit=0", "").status)
	require.Equal(t, 404, w.must("PUT", "/messages", "").status)
	require.Equal(t, 404, w.must("GET", "/messages/1", "").status)
}

// A message of Slack's is written anew, found by what it is marked with, and deleted; one that is not there is
// not.
func TestAMessageIsWrittenAnew(t *testing.T) {
	w := newWorld(t)
	ask := func(method, path, body string) map[string]any {
		return w.must(method, "/slack/api/"+path, body, "Authorization", "Bearer x", "Content-Type", "application/json").body
	}
	first := ask("POST", "chat.postMessage", `{"channel":"D1","thread_ts":"1.2","text":"Once","metadata":{"event_payload":{"id":"d-1"}}}`)
	found := ask("GET", "conversations.replies?channel=D1&ts=1.2", "")["messages"].([]any)
	require.Len(t, found, 1)
	require.Equal(t, map[string]any{"event_type": "parley_draft", "event_payload": map[string]any{"id": "d-1"}},
		found[0].(map[string]any)["metadata"])
	require.Empty(t, ask("GET", "conversations.history?channel=D2", "")["messages"])
	ask("POST", "chat.postMessage", `{"channel":"D2","text":"Hi"}`)
	found = ask("GET", "conversations.history?channel=D2", "")["messages"].([]any)
	require.Len(t, found, 1)
	require.NotContains(t, found[0], "metadata", "it is no draft")
	ask("POST", "chat.delete", `{"channel":"D2","ts":"`+found[0].(map[string]any)["ts"].(string)+`"}`)
	require.Equal(t, "not_authed", w.must("GET", "/slack/api/conversations.history?channel=D2", "").body["error"])
	again := ask("POST", "chat.update", `{"channel":"D1","ts":"`+first["ts"].(string)+`","text":"Once upon a time"}`)
	require.Equal(t, first["ts"], again["ts"])
	all := w.Sent("slack", "D1:1.2")
	require.Len(t, all, 1)
	require.Equal(t, []any{"Once upon a time", 1}, []any{all[0].Text, all[0].Edits})
	require.Equal(t, "message_not_found", ask("POST", "chat.update", `{"channel":"D1","ts":"9.9","text":"x"}`)["error"])
	require.Equal(t, "message_not_found", ask("POST", "chat.update", `{"channel":"D1","text":"x"}`)["error"])
	require.Equal(t, true, ask("POST", "chat.delete", `{"channel":"D1","ts":"`+first["ts"].(string)+`"}`)["ok"])
	require.Empty(t, w.Sent("", ""))
}

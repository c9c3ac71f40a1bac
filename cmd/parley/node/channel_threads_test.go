package node_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	given "github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/fault"
)

// platforms are the providers of channels: they take messages, and remember them.
type platforms struct {
	*httptest.Server
	mu     sync.Mutex
	took   []map[string]any // members of each message, with the path as "path"
	answer func(path string, message map[string]any) (status int, body string)
}

func newPlatforms(t *testing.T) *platforms {
	p := &platforms{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		message := map[string]any{}
		if json.Unmarshal(data, &message) != nil {
			form, _ := url.ParseQuery(string(data))
			for name := range form {
				message[name] = form.Get(name)
			}
		}
		message["path"], message["key"] = r.URL.Path, r.Header.Get("X-Line-Retry-Key")
		p.mu.Lock()
		defer p.mu.Unlock()
		n := len(p.took) + 1
		if p.answer != nil {
			if status, body := p.answer(r.URL.Path, message); status != 0 {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
				return
			}
		}
		p.took = append(p.took, message)
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/"):
			_, _ = fmt.Fprintf(w, `{"ok":true,"channel":"C","ts":"1700000000.%06d"}`, n)
		case strings.HasPrefix(r.URL.Path, "/v25.0/"):
			_, _ = fmt.Fprintf(w, `{"message_id":"m_%d","messages":[{"id":"wamid.%d"}]}`, n, n)
		case strings.HasPrefix(r.URL.Path, "/v2/"):
			_, _ = fmt.Fprintf(w, `{"sentMessages":[{"id":"46%d"}]}`, n)
		case strings.HasPrefix(r.URL.Path, "/bot"):
			_, _ = fmt.Fprintf(w, `{"ok":true,"result":{"message_id":%d}}`, n)
		default:
			w.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprintf(w, `{"sid":"SM%032d","status":"queued","num_segments":"1","error_code":null}`, n)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// answers are what was sent to where, in its order, once there are so many.
func (p *platforms) answers(t *testing.T, member, to string, want int) (all []map[string]any) {
	t.Helper()
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		all = nil
		for _, m := range p.took {
			if fmt.Sprint(m[member]) == to && !strings.HasSuffix(m["path"].(string), "answerCallbackQuery") {
				all = append(all, m)
			}
		}
		return len(all) >= want
	}, patience, 20*time.Millisecond)
	require.Len(t, all, want)
	return all
}

func (p *platforms) says(answer func(path string, message map[string]any) (int, string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// threadWorld is a tenant whose agents are reached by channels, on two nodes.
type threadWorld struct {
	talkWorld
	*platforms
}

func newThreadWorld(t *testing.T, more ...func(*node.Config)) threadWorld {
	c, p := newCluster(t), newPlatforms(t)
	by := func(c *node.Config) {
		for _, m := range more {
			m(c)
		}
		c.Providers = given.Providers{Channels: map[string]string{"slack": p.URL, "telegram": p.URL, "twilio_sms": p.URL,
			"whatsapp": p.URL, "messenger": p.URL, "instagram": p.URL, "line": p.URL}}
	}
	c.a, c.b = c.start(t, by), c.start(t, by)
	return c.threads(t, p)
}

// threads is another tenant whose agents are reached by channels.
func (c *cluster) threads(t *testing.T, p *platforms) threadWorld {
	t.Helper()
	w := &agentsWorld{cluster: c, tenant: c.tenant(t, "")}
	w.apply(t, "Agent", "a-meter", "meter", fields{"projectId": mainApp, "dslContent": readingAgent})
	w.apply(t, "Agent", "a-closer", "closer", fields{"projectId": mainApp, "dslContent": closingAgent})
	w.auth = w.token(t)
	out := threadWorld{talkWorld{w}, p}
	out.deploy(t, "production")
	return out
}

// slack is a connection of Slack, and who writes there.
type slackApp struct {
	w    threadWorld
	id   string
	app  string
	team string
}

func (w threadWorld) slack(t *testing.T, more ...fields) slackApp {
	app := external()
	made := w.connect(t, connection(app, more...))
	_, team, _ := strings.Cut(app, ":")
	return slackApp{w, made["id"].(string), app, team}
}

func (s slackApp) path() string { return "/api/v1/channels/slack/webhook/" + s.app }

// event is a message to the bot.
func (s slackApp) event(channel, ts, text string) string {
	body, _ := json.Marshal(fields{"type": "event_callback", "team_id": s.team, "api_app_id": "A1", "event_id": "Ev" + ts, "event": fields{
		"type": "message", "channel_type": "im", "channel": channel, "user": "U1", "text": text, "ts": ts}})
	return string(body)
}

func slackHeaders(secret, body string) []string {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + at + ":" + body))
	return []string{"X-Slack-Request-Timestamp", at, "X-Slack-Signature", "v0=" + hex.EncodeToString(mac.Sum(nil))}
}

func (s slackApp) post(t *testing.T, on *server, body string) *answer {
	t.Helper()
	return on.do(t, "POST", s.path(), body, slackHeaders("hush-signing", body)...)
}

func lines(all []map[string]any, member string) (out []string) {
	for _, m := range all {
		out = append(out, m[member].(string))
	}
	return out
}

func (w talkWorld) deliveries(t *testing.T, connection, query string) (all []map[string]any) {
	t.Helper()
	var page struct {
		Success    bool
		Deliveries []map[string]any
		Pagination map[string]int
	}
	w.ask(t, "GET", connectionsPath+"/"+connection+"/deliveries"+query, nil).must(t, 200).into(t, &page)
	require.True(t, page.Success)
	return page.Deliveries
}

// sent are the deliveries of a connection, the newest first, once so many are out.
func (w talkWorld) sent(t *testing.T, connection string, want int) (all []map[string]any) {
	t.Helper()
	require.Eventually(t, func() bool {
		all = w.deliveries(t, connection, "?status=sent")
		return len(all) == want
	}, patience, 20*time.Millisecond)
	return all
}

// Given a workspace that is connected, when somebody writes to the bot, then an agent answers, each
// message once, in their order, by a menu where there is a choice.
func TestAnAgentAnswersInAWorkspaceChat(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	s := w.slack(t)
	challenge := `{"type":"url_verification","token":"t","challenge":"are you there"}`
	got := s.post(t, w.a, challenge).must(t, 200)
	require.Equal(t, []string{"are you there", "text/plain"}, []string{got.Text, got.Header.Get("Content-Type")})

	hi := s.event("D1", "1700000000.000100", "Hi")
	for range 3 {
		s.post(t, w.a, hi).must(t, 200)
	}
	s.post(t, w.b, hi).must(t, 200)
	first := w.answers(t, "channel", "D1", 2)
	require.Equal(t, []string{"Good day.", "Which meter?"}, lines(first, "text"))
	menu := first[1]["blocks"].([]any)[1].(map[string]any)["elements"].([]any)[0].(map[string]any)
	require.Equal(t, "static_select", menu["type"])
	options := menu["options"].([]any)
	require.Len(t, options, 2)
	press, _ := json.Marshal(fields{"type": "block_actions", "api_app_id": "A1", "team": fields{"id": s.team}, "user": fields{"id": "U1"},
		"channel": fields{"id": "D1"}, "actions": []fields{{"type": "static_select", "action_id": menu["action_id"],
			"action_ts": "1700000001.5", "selected_option": options[1]}}})
	s.post(t, w.a, "payload="+url.QueryEscape(string(press))).must(t, 200)
	require.Equal(t, "Your PIN?", w.answers(t, "channel", "D1", 3)[2]["text"])
	s.post(t, w.a, s.event("D1", "1700000002.000100", "1234")).must(t, 200)
	require.Equal(t, "Thank you for the gas, U1.", w.answers(t, "channel", "D1", 4)[3]["text"])
	s.post(t, w.b, s.event("D1", "1700000003.000100", "Hello again")).must(t, 200)
	require.Equal(t, []string{"Good day.", "Which meter?"}, lines(w.answers(t, "channel", "D1", 6)[4:], "text"),
		"a session that has ended is followed by a new one")

	all := w.sent(t, s.id, 6)
	require.ElementsMatch(t, []string{"id", "sessionId", "messageId", "status", "state", "parts", "partsSent", "attempts", "code", "reason",
		"providerMessageId", "queuedAt", "sendBy", "endedAt"}, keysOf(all[0]))
	require.NotEqual(t, all[0]["sessionId"], all[5]["sessionId"])
	var shown struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+all[5]["sessionId"].(string), nil).must(t, 200).into(t, &shown)
	require.Equal(t, []any{"slack", "ended"}, []any{shown.Session["channel"], shown.Session["status"]})
	var contact struct{ Data map[string]any }
	w.ask(t, "GET", "/api/contacts/lookup?identity=slack%3AU1&identityType=external", nil).must(t, 200).into(t, &contact)
	require.Equal(t, "slack", contact.Data["channel"])
	var figures struct {
		Data struct{ Buckets []map[string]any }
	}
	require.Eventually(t, func() bool {
		w.ask(t, "GET", "/api/projects/"+mainApp+"/analytics/metrics?category=channel&groupBy=event_type,channel&metrics=count", nil).
			must(t, 200).into(t, &figures)
		return slices.ContainsFunc(figures.Data.Buckets, func(b map[string]any) bool {
			return maps.Equal(b, map[string]any{"event_type": "reply_sent", "channel": "slack", "count": 6.})
		})
	}, patience, 50*time.Millisecond)
}

// Given requests that are not of the provider, or not for us, then nothing is taken.
func TestWhatIsNotOfAProviderIsRefused(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	s, off := w.slack(t), w.slack(t, fields{"isActive": false})
	hi := s.event("D1", "1700000000.000100", "Hi")
	for name, headers := range map[string][]string{"no signature": nil, "of another secret": slackHeaders("another", hi),
		"of another body": slackHeaders("hush-signing", hi+" "), "an old one": {"X-Slack-Request-Timestamp", "1531420618", "X-Slack-Signature",
			"v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"}} {
		require.Equal(t, 401, w.a.do(t, "POST", s.path(), hi, headers...).Status, name)
		require.Equal(t, 401, w.a.do(t, "POST", off.path(), hi, headers...).Status, name)
		require.Equal(t, 404, w.a.do(t, "POST", s.path()+"x", hi, headers...).Status, name)
		require.Equal(t, 401, w.a.do(t, "POST", "/api/v1/channels/slack/webhook", hi, headers...).Status, name)
	}
	require.Equal(t, 404, w.a.do(t, "POST", "/api/v1/channels/smoke/webhook/"+s.id, hi).Status)
	w.a.do(t, "POST", s.path(), strings.Repeat("x", 1<<20+1)).refused(t, 413, fault.TooLarge)
	off.post(t, w.a, off.event("D1", "1700000000.000100", "Hi")).must(t, 200)
	s.post(t, w.a, s.event("D1", "1", "")).must(t, 200)
	s.post(t, w.a, off.event("D1", "1700000000.000100", "Hi")).must(t, 200) // signed by one, for another
	s.post(t, w.a, `{"type":"event_callback","api_app_id":"A1","team_id":"`+s.team+`","event":{"type":"message","bot_id":"B1","channel":"D1",`+
		`"user":"U1","text":"echo","ts":"1.1"}}`).must(t, 200)
	s.post(t, w.a, "not what Slack sends").must(t, 200)

	shared := s.event("D2", "1700000009.000100", "Hi") // on the path that all share, the body names the connection
	w.a.do(t, "POST", "/api/v1/channels/slack/webhook", shared, slackHeaders("hush-signing", shared)...).must(t, 200)
	w.answers(t, "channel", "D2", 2)
	require.Empty(t, w.deliveries(t, off.id, ""))
	w.sent(t, s.id, 2)
	w.ask(t, "DELETE", connectionsPath+"/"+s.id, nil).must(t, 204)
	require.Equal(t, 404, s.post(t, w.a, hi).Status)
}

// Given many connections, when Meta asks whether we are there and names none of them, then so many judge
// it as one stranger may occupy, and no more.
func TestWhoIsNotKnownOccupiesSoManyConnections(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	number := func(n int) (path, word string) {
		id, word := fmt.Sprintf("%s%03d", digits(), n), fmt.Sprint("word-", n)
		w.connect(t, fields{"channelType": "whatsapp", "externalIdentifier": id,
			"credentials": fields{"appSecret": "hush", "verifyToken": word, "accessToken": "hush"}})
		return "/api/v1/channels/whatsapp/webhook/" + id, word
	}
	asked := func(path, word string) int {
		return w.a.do(t, "GET", path+"?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token="+word, nil).Status
	}
	const shared = "/api/v1/channels/whatsapp/webhook"
	path, word := number(0)
	require.Equal(t, []int{200, 200}, []int{asked(path, word), asked(shared, word)})
	for n := range 100 {
		number(n + 1)
	}
	require.Equal(t, []int{200, 403}, []int{asked(path, word), asked(shared, word)})
	require.Equal(t, 200, asked(shared, "word-100"))
}

// Given a bot, then it is reached by the word that only its platform knows; what its provider does
// not take now goes out later, and what it refuses waits for somebody who has it tried again.
func TestWhatAProviderDoesNotTake(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	bot := "77" + digits()
	c := w.connect(t, fields{"channelType": "telegram", "externalIdentifier": bot, "credentials": fields{"botToken": bot + ":hush-token",
		"secretToken": "hush-word"}})
	id, n := c["id"].(string), 0
	says := func(text string) {
		n++
		w.a.do(t, "POST", "/api/v1/channels/telegram/webhook/"+bot, fields{"update_id": n, "message": fields{"message_id": n, "date": 1700000000,
			"chat": fields{"id": 9, "type": "private"}, "from": fields{"id": 9, "first_name": "Ann"}, "text": text}},
			"X-Telegram-Bot-Api-Secret-Token", "hush-word").must(t, 200)
	}
	require.Equal(t, 401, w.a.do(t, "POST", "/api/v1/channels/telegram/webhook/"+bot, "{}").Status)
	times := 0
	w.says(func(string, map[string]any) (int, string) {
		if times++; times <= 2 {
			return 429, `{"ok":false,"error_code":429,"parameters":{"retry_after":1}}`
		}
		return 0, ""
	})
	says("Hi")
	require.Equal(t, []string{"Good day.", "Which meter?"}, lines(w.answers(t, "chat_id", "9", 2), "text"), "in their order")
	w.ask(t, "GET", "/api/contacts/lookup?identity=telegram%3A9&identityType=external", nil).must(t, 200)

	w.says(func(string, map[string]any) (int, string) {
		return 400, `{"ok":false,"error_code":400,"description":"no"}`
	})
	says("gas")
	var failed []map[string]any
	require.Eventually(t, func() bool {
		failed = w.deliveries(t, id, "?status=failed")
		return len(failed) == 1
	}, patience, 20*time.Millisecond)
	require.Equal(t, []any{"HTTP_400", "Telegram refused the message"}, []any{failed[0]["code"], failed[0]["reason"]})
	w.says(nil)
	retry := connectionsPath + "/" + id + "/deliveries/" + failed[0]["id"].(string) + "/retry"
	var out struct{ Delivery map[string]any }
	w.ask(t, "POST", retry, nil).must(t, 200).into(t, &out)
	require.Equal(t, failed[0]["id"], out.Delivery["id"])
	require.Equal(t, "Your PIN?", w.answers(t, "chat_id", "9", 3)[2]["text"])
	w.ask(t, "POST", retry, nil).refused(t, 409, fault.Conflict)
	for _, none := range []string{"none", "x.1", strings.Split(failed[0]["id"].(string), ".")[0] + ".99", "." + "1"} {
		w.ask(t, "POST", connectionsPath+"/"+id+"/deliveries/"+none+"/retry", nil).refused(t, 404, fault.NotFound)
	}
}

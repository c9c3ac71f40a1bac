//go:build !apache

package node_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// where are the messages that are so, in their order, once there are so many.
func (p *platforms) where(t *testing.T, want int, is func(m map[string]any) bool) (all []map[string]any) {
	t.Helper()
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		all = nil
		for _, m := range p.took {
			if is(m) {
				all = append(all, m)
			}
		}
		return len(all) >= want
	}, patience, 20*time.Millisecond)
	require.Len(t, all, want)
	return all
}

// at is what stands in a message, by the names and numbers that lead there.
func at(v any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			of, _ := v.(map[string]any)
			v = of[s]
		case int:
			of, _ := v.([]any)
			if s >= len(of) {
				return nil
			}
			v = of[s]
		}
	}
	return v
}

func signedByMeta(secret, body string) []string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return []string{"X-Hub-Signature-256", "sha256=" + hex.EncodeToString(mac.Sum(nil))}
}

func signedByLINE(secret, body string) []string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return []string{"X-Line-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil))}
}

// metaNumber is a number in WhatsApp that is connected, and the secret of its app.
type metaNumber struct {
	w              threadWorld
	id, number, by string
}

func (w threadWorld) phone(t *testing.T, secret string, more ...fields) metaNumber {
	t.Helper()
	number := "77" + digits()
	body := fields{"channelType": "whatsapp", "externalIdentifier": number,
		"credentials": fields{"appSecret": secret, "verifyToken": "hush-word", "accessToken": "hush-" + number}}
	for _, m := range more {
		body = body.and(m)
	}
	made := w.connect(t, body)
	return metaNumber{w, made["id"].(string), number, secret}
}

// change is what happened to the number.
func (p metaNumber) change(members fields) fields {
	value := fields{"messaging_product": "whatsapp", "metadata": fields{"phone_number_id": p.number, "display_phone_number": "15550001111"},
		"contacts": []fields{{"wa_id": "16505551234", "user_id": "US.1349", "profile": fields{"name": "Ann"}}}}
	return fields{"id": "WABA", "changes": []fields{{"field": "messages", "value": value.and(members)}}}
}

func (p metaNumber) says(id, text string) fields {
	return p.change(fields{"messages": []fields{{"from": "16505551234", "from_user_id": "US.1349", "id": id, "timestamp": "1749416383",
		"type": "text", "text": fields{"body": text}}}})
}

func whatsAppBody(t *testing.T, entries ...fields) string {
	t.Helper()
	body, err := json.Marshal(fields{"object": "whatsapp_business_account", "entry": entries})
	require.NoError(t, err)
	return string(body)
}

func (p metaNumber) post(t *testing.T, on *server, entries ...fields) *answer {
	t.Helper()
	body := whatsAppBody(t, entries...)
	return on.do(t, "POST", "/api/v1/channels/whatsapp/webhook/"+p.number, body, signedByMeta(p.by, body)...)
}

// answers are those that went out by the number.
func (p metaNumber) answers(t *testing.T, want int) []map[string]any {
	t.Helper()
	return p.w.where(t, want, func(m map[string]any) bool {
		return m["path"] == "/v25.0/"+p.number+"/messages" && m["status"] == nil
	})
}

// Given a number in WhatsApp, then Meta is answered by the connection's word, each message once, by
// buttons where there is a choice, and what WhatsApp says of an answer later is shown.
func TestAnAgentAnswersInWhatsApp(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	p := w.phone(t, "hush-app")
	for _, path := range []string{"/api/v1/channels/whatsapp/webhook", "/api/v1/channels/whatsapp/webhook/" + p.number} {
		ask := func(word string) *answer {
			return w.a.do(t, "GET", path+"?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token="+url.QueryEscape(word), nil)
		}
		got := ask("hush-word").must(t, 200)
		require.Equal(t, []string{"1158201444", "text/plain"}, []string{got.Text, got.Header.Get("Content-Type")})
		require.Equal(t, http.StatusForbidden, ask("another").Status)
		require.Equal(t, http.StatusForbidden, ask("").Status)
	}
	hi := whatsAppBody(t, p.says("wamid.1", "Hi"))
	for name, headers := range map[string][]string{"none": nil, "another's": signedByMeta("another", hi), "empty": signedByMeta("", hi)} {
		require.Equal(t, 401, w.a.do(t, "POST", "/api/v1/channels/whatsapp/webhook/"+p.number, hi, headers...).Status, name)
		require.Equal(t, 401, w.a.do(t, "POST", "/api/v1/channels/whatsapp/webhook", hi, headers...).Status, name)
	}
	for _, on := range []*server{w.a, w.b, w.a} {
		p.post(t, on, p.says("wamid.1", "Hi")).must(t, 200)
	}
	p.post(t, w.a, p.change(fields{"messages": []fields{{"from": "15550001111", "id": "wamid.e", "type": "text",
		"text": fields{"body": "an echo"}}}})).must(t, 200)
	all := p.answers(t, 2)
	require.Equal(t, []any{"Good day.", "US.1349", "text"}, []any{at(all[0], "text", "body"), all[0]["recipient"], all[0]["type"]})
	gas := at(all[1], "interactive", "action", "buttons", 1, "reply")
	require.Equal(t, []any{"Which meter?", "button", "Gas"}, []any{at(all[1], "interactive", "body", "text"),
		at(all[1], "interactive", "type"), at(gas, "title")})

	p.post(t, w.b, p.change(fields{"messages": []fields{{"from": "16505551234", "from_user_id": "US.1349", "id": "wamid.2",
		"type": "interactive", "interactive": fields{"type": "button_reply", "button_reply": fields{"title": "Gas",
			"id": at(gas, "id")}}}}})).must(t, 200)
	require.Equal(t, "Your PIN?", at(p.answers(t, 3)[2], "text", "body"))
	p.post(t, w.a, p.says("wamid.3", "1234")).must(t, 200)
	require.Equal(t, "Thank you for the gas, 16505551234.", at(p.answers(t, 4)[3], "text", "body"))
	var contact struct{ Data map[string]any }
	w.ask(t, "GET", "/api/contacts/lookup?identity=%2B16505551234&identityType=phone", nil).must(t, 200).into(t, &contact)
	require.Equal(t, []any{"whatsapp", "Ann"}, []any{contact.Data["channel"], contact.Data["displayName"]})

	id := w.sent(t, p.id, 4)[0]["providerMessageId"]
	p.post(t, w.a, p.change(fields{"statuses": []fields{{"id": id, "status": "read"}, {"id": "wamid.nobodys", "status": "read"}}})).
		must(t, 200)
	require.Equal(t, "read", w.deliveries(t, p.id, "")[0]["state"])
}

// Given messages for two tenants in one body of Meta, then each is taken if the secret of its own
// connection has signed it.
func TestTwoTenantsInOneBodyOfMeta(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	other := w.threads(t, w.platforms)
	mine, theirs, apart := w.phone(t, "hush-app"), other.phone(t, "hush-app"), other.phone(t, "hush-another")
	body := whatsAppBody(t, mine.says("wamid.1", "Hi"), theirs.says("wamid.2", "Hi"), apart.says("wamid.3", "Hi"))
	const path = "/api/v1/channels/whatsapp/webhook"
	w.a.do(t, "POST", path, body, signedByMeta("hush-app", body)...).must(t, 200)
	mine.answers(t, 2)
	theirs.answers(t, 2)
	require.Empty(t, other.deliveries(t, apart.id, ""))
	w.b.do(t, "POST", path, body, signedByMeta("hush-another", body)...).must(t, 200)
	apart.answers(t, 2)
	require.Len(t, w.sent(t, mine.id, 2), 2)
	require.Len(t, other.sent(t, theirs.id, 2), 2)
	page := strings.Replace(body, "whatsapp_business_account", "page", 1)
	w.a.do(t, "POST", path, page, signedByMeta("hush-app", page)...).must(t, 200)
	require.Len(t, mine.answers(t, 2), 2, "an envelope of another kind says nothing")
}

// Given the window of 24 hours, when it has closed, then a reply has failed and is not asked for again;
// when WhatsApp has too much to do, it goes out later.
func TestWhatMetaDoesNotTake(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	p := w.phone(t, "hush-app")
	times := 0
	w.says(func(_ string, m map[string]any) (int, string) {
		if m["status"] != nil {
			return 0, ""
		}
		switch times++; times {
		case 1:
			return 400, `{"error":{"code":130429,"message":"(#130429) Rate limit hit"}}`
		case 2:
			return 400, `{"error":{"code":131047,"message":"Message failed to send because more than 24 hours have passed"}}`
		}
		return 0, ""
	})
	p.post(t, w.a, p.says("wamid.1", "Hi")).must(t, 200)
	require.Equal(t, "Which meter?", at(p.answers(t, 1)[0], "interactive", "body", "text"), "what failed lets the next one go")
	failed := w.deliveries(t, p.id, "?status=failed")
	require.Len(t, failed, 1)
	require.Equal(t, []any{"131047", "the person last wrote more than 24 hours ago", 2.}, []any{failed[0]["code"], failed[0]["reason"],
		failed[0]["attempts"]})
}

// Given a page and a professional account, then both are answered, in Instagram by buttons where there
// is a choice of a select, in Messenger by numbers.
func TestAnAgentAnswersPagesAndProfessionalAccounts(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	for kind, c := range map[string]struct{ object, token string }{"messenger": {"page", "pageAccessToken"},
		"instagram": {"instagram", "accessToken"}} {
		account := "88" + digits()
		made := w.connect(t, fields{"channelType": kind, "externalIdentifier": account,
			"credentials": fields{"appSecret": "hush-app", "verifyToken": "hush-word", c.token: "hush-token"}})
		person := "PSID" + account
		post := func(event fields) {
			body, err := json.Marshal(fields{"object": c.object, "entry": []fields{{"id": account, "time": 1, "messaging": []fields{
				event.and(fields{"sender": fields{"id": person}, "recipient": fields{"id": account}, "timestamp": 1700000000123})}}}})
			require.NoError(t, err)
			for _, path := range []string{"/api/v1/channels/" + kind + "/webhook/" + account, "/api/v1/channels/" + kind + "/webhook"} {
				require.Equal(t, 401, w.a.do(t, "POST", path, string(body), signedByMeta("another", string(body))...).Status)
				w.a.do(t, "POST", path, string(body), signedByMeta("hush-app", string(body))...).must(t, 200)
			}
		}
		ours := func(m map[string]any) bool { return at(m, "recipient", "id") == person && m["message"] != nil }
		post(fields{"message": fields{"mid": "m_echo", "text": "x", "is_echo": true}})
		post(fields{"message": fields{"mid": "m_1", "text": "Hi"}})
		all := w.where(t, 2, ours)
		require.Equal(t, []any{"Good day.", "/v25.0/" + account + "/messages"}, []any{at(all[0], "message", "text"), all[0]["path"]}, kind)
		if kind == "messenger" {
			require.Equal(t, "Which meter?\n1. Current\n2. Gas", at(all[1], "message", "text"))
			post(fields{"message": fields{"mid": "m_2", "text": "2"}})
		} else {
			button := at(all[1], "message", "attachment", "payload", "buttons", 1)
			require.Equal(t, []any{"Which meter?", "Gas"}, []any{at(all[1], "message", "attachment", "payload", "text"), at(button, "title")})
			post(fields{"postback": fields{"mid": "m_2", "title": "Gas", "payload": at(button, "payload")}})
		}
		require.Equal(t, "Your PIN?", at(w.where(t, 3, ours)[2], "message", "text"), kind)
		w.sent(t, made["id"].(string), 3)
	}
}

// Given an official account of LINE, then the first answer goes by the token of the message, others are
// pushed with a key, which is the same when one is asked for again.
func TestAnAgentAnswersInLINE(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	account := "U" + digits()
	made := w.connect(t, fields{"channelType": "line", "externalIdentifier": account,
		"credentials": fields{"channelSecret": "hush-secret", "channelAccessToken": "hush-token"}})
	post := func(on *server, secret, id string, event fields) *answer {
		body, err := json.Marshal(fields{"destination": account, "events": []fields{event.and(fields{"mode": "active", "webhookEventId": id,
			"timestamp": 1462629479859, "replyToken": "tok-" + id, "source": fields{"type": "user", "userId": "U4af"}})}})
		require.NoError(t, err)
		return on.do(t, "POST", "/api/v1/channels/line/webhook", string(body), signedByLINE(secret, string(body))...)
	}
	says := func(text string) fields {
		return fields{"type": "message", "message": fields{"id": "1", "type": "text", "text": text}}
	}
	used, keys := map[any]bool{}, []any{}
	w.platforms.says(func(path string, m map[string]any) (int, string) {
		switch {
		case strings.HasSuffix(path, "/reply") && used[m["replyToken"]]:
			return 400, `{"message":"Invalid reply token"}`
		case strings.HasSuffix(path, "/reply"):
			used[m["replyToken"]] = true
		case strings.HasSuffix(path, "/push"):
			if keys = append(keys, m["key"]); len(keys) == 1 {
				return 500, `{"message":"Internal server error"}`
			}
		}
		return 0, ""
	})
	require.Equal(t, 401, post(w.a, "another", "01A", says("Hi")).Status)
	require.Equal(t, 200, post(w.a, "hush-secret", "01A", fields{"type": "follow"}).Status)
	for _, on := range []*server{w.a, w.b, w.a} {
		post(on, "hush-secret", "01B", says("Hi")).must(t, 200)
	}
	all := w.where(t, 2, func(m map[string]any) bool { return m["messages"] != nil })
	require.Equal(t, []any{"/v2/bot/message/reply", "tok-01B", "Good day."}, []any{all[0]["path"], all[0]["replyToken"],
		at(all[0], "messages", 0, "text")})
	require.Equal(t, []any{"/v2/bot/message/push", "U4af", "Which meter?"}, []any{all[1]["path"], all[1]["to"],
		at(all[1], "messages", 0, "template", "text")})
	require.Len(t, keys, 2)
	require.Equal(t, keys[0], keys[1])
	require.NotEmpty(t, keys[0])
	post(w.a, "hush-secret", "01C", fields{"type": "postback",
		"postback": fields{"data": at(all[1], "messages", 0, "template", "actions", 1, "data")}}).must(t, 200)
	all = w.where(t, 3, func(m map[string]any) bool { return m["messages"] != nil })
	require.Equal(t, []any{"tok-01C", "Your PIN?"}, []any{all[2]["replyToken"], at(all[2], "messages", 0, "text")})
	w.sent(t, made["id"].(string), 3)

	// What somebody takes back is shown no more.
	session := w.deliveries(t, made["id"].(string), "")[0]["sessionId"].(string)
	post(w.b, "hush-secret", "01D", fields{"type": "unsend", "unsend": fields{"messageId": "1"}}).must(t, 200)
	var told struct{ Messages []map[string]any }
	until(t, "what was taken back", func() bool {
		w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, 200).into(t, &told)
		return told.Messages[0]["takenBack"] == true
	})
	require.Equal(t, []any{"user", "", "Good day."}, []any{told.Messages[0]["role"], told.Messages[0]["content"], told.Messages[1]["content"]})
}

// Given an agent who asks elsewhere before it answers, then who waits sees that somebody is about to.
func TestWhoWaitsSeesThatSomebodyIsAboutToAnswer(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	found := make(chan struct{})
	tool := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		select {
		case <-found:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(out, `{}`)
	}))
	t.Cleanup(tool.Close)
	w.apply(t, "Agent", "a-finder", "finder", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: finder
TOOLS: {find: {KIND: http, URL: "` + tool.URL + `/find", TIMEOUT: 60s}}
FLOW: {START: find, STEPS: {find: {CALL: find, NEXT: done}, done: {SAY: "Found.", END: true}}}
`})
	w.deploy(t, "staging", fields{"entryAgentName": "finder"})
	number, page, official := "77"+digits(), "88"+digits(), "U"+digits()
	meta := fields{"appSecret": "hush-app", "verifyToken": "hush-word"}
	for kind, c := range map[string]fields{
		"whatsapp":  {"externalIdentifier": number, "credentials": meta.and(fields{"accessToken": "hush"})},
		"messenger": {"externalIdentifier": page, "credentials": meta.and(fields{"pageAccessToken": "hush"})},
		"line":      {"externalIdentifier": official, "credentials": fields{"channelSecret": "hush-line", "channelAccessToken": "hush"}},
	} {
		w.connect(t, c.and(fields{"channelType": kind, "environment": "staging"}))
	}
	post := func(kind string, body any, headers func(secret, body string) []string, secret string) {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		w.a.do(t, "POST", "/api/v1/channels/"+kind+"/webhook", string(data), headers(secret, string(data))...).must(t, 200)
	}
	post("whatsapp", fields{"object": "whatsapp_business_account", "entry": []fields{metaNumber{number: number}.says("wamid.1", "Hi")}},
		signedByMeta, "hush-app")
	post("messenger", fields{"object": "page", "entry": []fields{{"id": page, "messaging": []fields{{"sender": fields{"id": "PSID"},
		"recipient": fields{"id": page}, "message": fields{"mid": "m_1", "text": "Hi"}}}}}}, signedByMeta, "hush-app")
	post("line", fields{"destination": official, "events": []fields{{"type": "message", "webhookEventId": "01", "replyToken": "tok",
		"source": fields{"userId": "U4af"}, "message": fields{"id": "1", "type": "text", "text": "Hi"}}}}, signedByLINE, "hush-line")
	w.where(t, 1, func(m map[string]any) bool { return m["status"] == "read" && m["message_id"] == "wamid.1" })
	w.where(t, 1, func(m map[string]any) bool {
		return m["sender_action"] == "typing_on" && at(m, "recipient", "id") == "PSID"
	})
	w.where(t, 1, func(m map[string]any) bool { return m["chatId"] == "U4af" })
	close(found)
	w.where(t, 3, func(m map[string]any) bool {
		return at(m, "text", "body") == "Found." || at(m, "message", "text") == "Found." || at(m, "messages", 0, "text") == "Found."
	})
}

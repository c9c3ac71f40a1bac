package telegram_test

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/telegram"
	"github.com/parley-platform/parley/domain/channels"
)

var (
	now        = time.Unix(1_700_000_000, 0)
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "telegram", External: "77001", Credentials: channels.Credentials{
		telegram.BotToken: "77001:hush-hush", telegram.SecretToken: "a-word-of-these-tests"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "telegram", External: "77002", Credentials: channels.Credentials{
		telegram.BotToken: "77002:another", telegram.SecretToken: "another-word"}}
	hello = channels.Outbound{Reference: "r-1", Attempt: 1, To: "-1002003004:7", Text: "Fish & <chips>? 😀",
		Choices: []channels.Choice{{Token: "1.0", Label: "Yes"}, {Token: "1.1", Label: "No"}}}
)

const sent = `{"chat_id":-1002003004,"message_thread_id":7,"reply_markup":{"inline_keyboard":[[{"callback_data":"1.0","text":"Yes"}],` +
	`[{"callback_data":"1.1","text":"No"}]]},"text":"Fish \u0026 \u003cchips\u003e? 😀"}`

func problem(r *http.Request, body []byte) string {
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/bot77001:hush-hush/sendMessage":
		return r.Method + " " + r.URL.Path
	case r.Header.Get("Content-Type") != "application/json":
		return "the content type"
	case string(body) != sent:
		return string(body)
	}
	return ""
}

func fails(status int, body string, as channels.Status, code, reason string) channelstest.Case {
	return channelstest.Case{Reply: channelstest.Reply{Status: status, Body: body},
		Want: channels.Outcome{Status: as, Code: code, Reason: reason}}
}

func TestTelegram(t *testing.T) {
	denied := fails(401, `{"ok":false,"error_code":401,"description":"Unauthorized"}`, channels.NotTaken, "HTTP_401",
		"Telegram does not accept the credentials").Denies()
	limited := fails(429, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}`,
		channels.NotTaken, "HTTP_429", "too many requests to Telegram")
	limited.Want.RetryAfter = 5 * time.Second
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return telegram.New(base) },
		Connection: connection, Outbound: hello,
		Drafts: drafts,
		Provider: &channelstest.Provider{Problem: problem,
			Taken: channelstest.Case{Reply: channelstest.Reply{Status: 200, Body: `{"ok":true,"result":{"message_id":365,"date":1700000000}}`},
				Want: channels.Outcome{Status: channels.Taken, ProviderMessageID: "365"}},
			Final: fails(400, `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`, channels.Refused, "HTTP_400",
				"Telegram refused the message"),
			Limited: channelstest.Reply{Status: 429, Body: `{"ok":false,"error_code":429}`}, Denied: denied,
			Others: map[string]channelstest.Case{
				"the person blocked the bot": fails(403, `{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}`,
					channels.Refused, "HTTP_403", "the person takes nothing from the bot").Stops(),
				"a group without the bot": fails(403, `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the group chat"}`,
					channels.Refused, "HTTP_403", "the person takes nothing from the bot"),
				"a pause in the body": limited,
				"a fault of its":      fails(500, `{"ok":false,"error_code":500}`, channels.Unknown, "", "Telegram does not say what it did"),
			},
		},
		Files: &channelstest.Files{Fixed: "the address is Telegram's own, and a path that Telegram names", Problem: fileProblem,
			File: func(string) channels.File { return channels.File{ID: "AgAD-1", ContentType: "image/png"} },
			Before: func(r *http.Request, _ string) (channelstest.Reply, bool) {
				return channelstest.Reply{Status: 200, Body: `{"ok":true,"result":{"file_id":"AgAD-1","file_path":"photos/file_0.jpg"}}`},
					strings.HasSuffix(r.URL.Path, "/getFile")
			}},
		Inbound: inbound,
	})
}

func post(body string) channels.Request {
	return channels.Request{Method: "POST", URL: "https://parley.example.com/api/v1/channels/telegram/webhook/cn-1", At: now,
		Header: map[string][]string{}, Body: []byte(body)}
}

func sign(c channels.Connection, r channels.Request) channels.Request {
	r.Header = maps.Clone(r.Header)
	if word := c.Credentials.Reveal(telegram.SecretToken); word != "" {
		r.Header["X-Telegram-Bot-Api-Secret-Token"] = []string{word}
	}
	return r
}

func said(members string) channels.Request {
	return post(`{"update_id":10,"message":{"message_id":5,"date":1700000000,` + members + `}}`)
}

const (
	alone = `"chat":{"id":9,"type":"private"},"from":{"id":9,"is_bot":false,"first_name":"Ann","last_name":"Lee",` +
		`"language_code":"de"},"text":"hi"`
	topic = `"chat":{"id":-100,"type":"supergroup","is_forum":true},"message_thread_id":7,"is_topic_message":true,` +
		`"from":{"id":9,"is_bot":false,"first_name":"Ann"},"text":"/start x","entities":[{"type":"bot_command","offset":0,"length":6}]`
)

// inGroup is what somebody says in a group, with a piece of it marked.
func inGroup(text, marked string) channels.Request {
	return said(`"chat":{"id":-1,"type":"group"},"from":{"id":9},"text":"` + text + `","entities":[` + marked + `]`)
}

func heard(text string) channels.Entry {
	return channels.Entry{ExternalID: "10", Thread: "-1", From: "9", ReplyTo: "-1", Text: text, At: now.UTC()}
}

func one(e channels.Entry) channels.Received { return channels.Received{Entries: []channels.Entry{e}} }

func withFile(f channels.File) channels.Received {
	return one(channels.Entry{ExternalID: "10", Thread: "9", From: "9", ReplyTo: "9", At: now.UTC(), Files: []channels.File{f}})
}

var inbound = &channelstest.Inbound{Sign: sign, Another: another, Unsigned: "Telegram shows a word that it was given, and signs nothing",
	Says: map[string]channelstest.Said{
		"what is said to the bot": {Request: said(alone), Want: one(channels.Entry{ExternalID: "10", Thread: "9", From: "9", Name: "Ann Lee",
			ReplyTo: "9", Text: "hi", At: now.UTC(), Language: "de"})},
		"a command in a topic": {Request: said(topic), Want: one(channels.Entry{ExternalID: "10", Thread: "-100:7", From: "9", Name: "Ann",
			ReplyTo: "-100:7", Text: "/start x", At: now.UTC()})},
		"an answer to the bot": {Request: said(`"chat":{"id":-1,"type":"group"},"from":{"id":9},"text":"yes","reply_to_message":{"from":` +
			`{"id":77001,"is_bot":true}}`), Want: one(channels.Entry{ExternalID: "10", Thread: "-1", From: "9", ReplyTo: "-1", Text: "yes",
			At: now.UTC()})},
		"words of a picture": {Request: said(`"chat":{"id":9,"type":"private"},"from":{"id":9},"caption":"look","photo":[]`),
			Want: one(channels.Entry{ExternalID: "10", Thread: "9", From: "9", ReplyTo: "9", Text: "look", At: now.UTC()})},
		"a picture, the largest of its sizes": {Request: said(`"chat":{"id":9,"type":"private"},"from":{"id":9},"photo":[` +
			`{"file_id":"s","width":90,"file_size":1000},{"file_id":"l","width":1280,"file_size":90000},{"file_id":"m","width":320}]`),
			Want: withFile(channels.File{ID: "l", Name: "photo.jpg", ContentType: "image/jpeg", Size: 90000})},
		"a document": {Request: said(`"chat":{"id":9,"type":"private"},"from":{"id":9},"document":{"file_id":"d","file_name":"a.pdf",` +
			`"mime_type":"application/pdf","file_size":12}`),
			Want: withFile(channels.File{ID: "d", Name: "a.pdf", ContentType: "application/pdf", Size: 12})},
		"what somebody speaks": {Request: said(`"chat":{"id":9,"type":"private"},"from":{"id":9},"voice":{"file_id":"v",` +
			`"mime_type":"audio/ogg"}`),
			Want: withFile(channels.File{ID: "v", ContentType: "audio/ogg"})},
		"a film, which is a document too": {Request: said(`"chat":{"id":9,"type":"private"},"from":{"id":9},"animation":{"file_id":"a"},` +
			`"document":{"file_id":"d"}`), Want: withFile(channels.File{ID: "a"})},
		"a picture whose words mention the bot": {Request: said(`"chat":{"id":-1,"type":"group"},"from":{"id":9},"caption":"@shop_bot look",` +
			`"caption_entities":[{"type":"mention","offset":0,"length":9}],"photo":[{"file_id":"s","width":90}]`),
			Want: one(channels.Entry{ExternalID: "10", Thread: "-1", From: "9", ReplyTo: "-1", Text: "@shop_bot look", At: now.UTC(),
				Files: []channels.File{{ID: "s", Name: "photo.jpg", ContentType: "image/jpeg"}}})},
		"a location": {Request: said(`"chat":{"id":9,"type":"private"},"from":{"id":9},"location":{"latitude":52.5,"longitude":13.4}`),
			Want: one(channels.Entry{ExternalID: "10", Thread: "9", From: "9", ReplyTo: "9", Text: "52.5, 13.4", At: now.UTC()})},
		"a venue": {Request: said(`"chat":{"id":9,"type":"private"},"from":{"id":9},"location":{"latitude":52.5,"longitude":13.4},` +
			`"venue":{"location":{"latitude":52.5,"longitude":13.4},"title":"Shop","address":"Main St 1"}`),
			Want: one(channels.Entry{ExternalID: "10", Thread: "9", From: "9", ReplyTo: "9", Text: "52.5, 13.4\nShop\nMain St 1",
				At: now.UTC()})},
		"a button": {Request: post(`{"update_id":11,"callback_query":{"id":"4382","from":{"id":9,"first_name":"Ann"},"data":"1.0",` +
			`"message":{"message_id":5,"date":1700000000,"chat":{"id":9,"type":"private"}}}}`),
			Want: one(channels.Entry{ExternalID: "press:11:4382", Thread: "9", From: "9", Name: "Ann", ReplyTo: "9", Choice: "1.0"})},
		"a button with its words": {Request: post(`{"update_id":11,"callback_query":{"id":"4382","from":{"id":9},"data":"1.1",` +
			`"message":{"message_id":5,"chat":{"id":9,"type":"private"},"reply_markup":{"inline_keyboard":[` +
			`[{"text":"Gas","callback_data":"1.0"}],[{"text":"Power","callback_data":"1.1"}]]}}}}`),
			Want: one(channels.Entry{ExternalID: "press:11:4382", Thread: "9", From: "9", ReplyTo: "9", Choice: "1.1", Text: "Power"})},
	},
	Ignored: map[string]channels.Request{
		"echo":                     said(`"chat":{"id":9,"type":"private"},"from":{"id":77001,"is_bot":true},"text":"hi"`),
		"what others say":          said(`"chat":{"id":-1,"type":"group"},"from":{"id":9},"text":"hi"`),
		"a mention of a person":    inGroup("Ann look", `{"type":"text_mention","offset":0,"length":3,"user":{"id":8}}`),
		"a changed message":        post(`{"update_id":12,"edited_message":{"message_id":5}}`),
		"a post of a channel":      post(`{"update_id":12,"channel_post":{"message_id":5,"text":"hi"}}`),
		"by way of another bot":    said(alone + `,"via_bot":{"id":1}`),
		"a picture among others":   said(`"chat":{"id":-1,"type":"group"},"from":{"id":9},"photo":[{"file_id":"s","width":90}]`),
		"somebody who joins":       said(`"chat":{"id":9,"type":"private"},"from":{"id":9},"new_chat_members":[{"id":1}]`),
		"an update without its id": post(`{"message":{"text":"hi"}}`),
	},
	Extend: func(r channels.Request) channels.Request {
		r.Body = append([]byte(`{"new":{"a":[1]},`), bytes.Clone(r.Body[1:])...)
		return r
	},
}

// Given a bot, then Telegram shows that somebody is about to answer, and who pressed a button does
// not wait.
func TestWhatElseTelegramIsTold(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.URL.Path+" "+string(body))
	}))
	defer s.Close()
	bot, err := telegram.New(s.URL)
	require.NoError(t, err)
	bot.Typing(t.Context(), connection, "9")
	bot.Typing(t.Context(), connection, "nobody")
	bot.Pressed(t.Context(), connection, "press:11:4382")
	bot.Pressed(t.Context(), connection, "10")
	require.Equal(t, []string{`/bot77001:hush-hush/sendChatAction {"action":"typing","chat_id":9}`,
		`/bot77001:hush-hush/answerCallbackQuery {"callback_query_id":"4382"}`}, asked)
}

// Given a connection that says how the bot is called, then in a group it hears what names it or nobody, and
// without that each mention and command may be for it.
func TestWhomAGroupMeans(t *testing.T) {
	bot, err := telegram.New("")
	require.NoError(t, err)
	called := connection
	called.Credentials = maps.Clone(connection.Credentials)
	called.Credentials[telegram.BotUsername] = "@shop_bot"
	for _, c := range []struct {
		text, marked   string
		called, always bool   // is it heard by a bot whose name is known, and by any
		without        string // what is heard where the name is known; empty: all of it
	}{
		{"/help now", `{"type":"bot_command","offset":0,"length":5}`, true, true, ""},
		{"😀 /help@Shop_Bot", `{"type":"bot_command","offset":3,"length":14}`, true, true, "😀 /help"},
		{"😀 /read@shop_bot @shop_bot 7", `{"type":"bot_command","offset":3,"length":14},{"type":"mention","offset":18,"length":9}`, true, true,
			"😀 /read  7"},
		{"@shop_bot", `{"type":"mention","offset":0,"length":9}`, true, true, ""},
		{"/help@other_bot", `{"type":"bot_command","offset":0,"length":15}`, false, true, ""},
		{"@shop_bot look", `{"type":"mention","offset":0,"length":9}`, true, true, "look"},
		{"@alice look", `{"type":"mention","offset":0,"length":6}`, false, true, ""},
		{"@alice and @shop_bot", `{"type":"mention","offset":0,"length":6},{"type":"mention","offset":11,"length":9}`, true, true, "@alice and"},
		{"Shop look", `{"type":"text_mention","offset":0,"length":4,"user":{"id":77001}}`, true, true, ""},
		{"Ann look", `{"type":"text_mention","offset":0,"length":3,"user":{"id":8}}`, false, false, ""},
		{"look", `{"type":"mention","offset":3,"length":9}`, false, true, ""},
		{"look", `{"type":"mention","offset":-1,"length":9223372036854775807}`, false, true, ""},
		{"look", `{"type":"bold","offset":0,"length":4}`, false, false, ""},
	} {
		want := map[bool]channels.Received{true: one(heard(cmp.Or(c.without, c.text))), false: {}}
		got, err := bot.Parse(called, inGroup(c.text, c.marked))
		require.NoError(t, err)
		require.Equal(t, want[c.called], got, c.text)
		want[true] = one(heard(c.text))
		got, err = bot.Parse(connection, inGroup(c.text, c.marked))
		require.NoError(t, err)
		require.Equal(t, want[c.always], got, c.text)
	}
}

func BenchmarkTelegram(b *testing.B) {
	channelstest.Bench(b, channelstest.Suite{New: func(base string) (channelstest.Adapter, error) { return telegram.New(base) },
		Connection: connection, Inbound: inbound})
}

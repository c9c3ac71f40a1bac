package slack_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/slack"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

var (
	now        = time.Unix(1_700_000_000, 0)
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "slack", External: "A1:T1", Credentials: channels.Credentials{
		slack.SigningSecret: "a signing secret of these tests", slack.BotToken: "xoxb-hush"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "slack", External: "A1:T2", Credentials: channels.Credentials{
		slack.SigningSecret: "another secret", slack.BotToken: "xoxb-another"}}
	hello = channels.Outbound{Reference: "r-1", Attempt: 1, To: "C024BE91L:1699999999.000200", Text: "Fish & <chips>?",
		Choices: []channels.Choice{{Token: "1.0", Label: "Yes"}}, Fields: []channels.Field{
			{Label: "Size", Options: []channels.Choice{{Token: "1.1", Label: "S"}, {Token: "1.2", Label: "L"}}}, {Token: "1.3", Label: "Age?"}}}
)

const sent = `{"blocks":[{"text":{"text":"Fish \u0026 \u003cchips\u003e?","type":"plain_text"},"type":"section"},` +
	`{"elements":[{"action_id":"choice-1.0","text":{"text":"Yes","type":"plain_text"},"type":"button","value":"1.0"}],"type":"actions"},` +
	`{"elements":[{"action_id":"choice-1.1","options":[{"text":{"text":"S","type":"plain_text"},"value":"1.1"},` +
	`{"text":{"text":"L","type":"plain_text"},"value":"1.2"}],"placeholder":{"text":"Size","type":"plain_text"},"type":"static_select"}],` +
	`"type":"actions"},{"dispatch_action":true,"element":{"action_id":"choice-1.3","type":"plain_text_input"},` +
	`"label":{"text":"Age?","type":"plain_text"},"type":"input"}],` +
	`"channel":"C024BE91L","text":"Fish \u0026amp; \u0026lt;chips\u0026gt;?","thread_ts":"1699999999.000200"}`

func problem(r *http.Request, body []byte) string {
	switch {
	case r.Header.Get("Authorization") != "Bearer xoxb-hush":
		return "the credentials"
	case r.Method != http.MethodPost || r.URL.Path != "/api/chat.postMessage":
		return r.Method + " " + r.URL.Path
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return "the content type"
	case string(body) != sent:
		return string(body)
	}
	return ""
}

func says(body string) channelstest.Reply { return channelstest.Reply{Status: 200, Body: body} }

func fails(word string, status channels.Status, reason string) channelstest.Case {
	return channelstest.Case{Reply: says(`{"ok":false,"error":"` + word + `"}`),
		Want: channels.Outcome{Status: status, Code: word, Reason: reason}}
}

func denied(word string) channelstest.Case {
	return fails(word, channels.NotTaken, "Slack does not accept the credentials").Denies()
}

func doubt(reply channelstest.Reply, reason string) channelstest.Case {
	return channelstest.Case{Reply: reply, Want: channels.Outcome{Reason: reason}}
}

func TestSlack(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return slack.New(base) },
		Connection: connection, Outbound: hello,
		Drafts: &channelstest.Drafts{To: "C024BE91L:1699999999.000200", Problem: draftProblem,
			Taken: says(`{"ok":true,"channel":"C024BE91L","ts":"1503435956.000247"}`), ID: "1503435956.000247",
			Edited: says(`{"ok":true,"channel":"C024BE91L","ts":"1503435956.000247","text":"x"}`),
			Gone:   says(`{"ok":false,"error":"message_not_found"}`)},
		Provider: &channelstest.Provider{Problem: problem,
			Taken: channelstest.Case{Reply: says(`{"ok":true,"channel":"C024BE91L","ts":"1503435956.000247","message":{"text":"x"}}`),
				Want: channels.Outcome{Status: channels.Taken, ProviderMessageID: "1503435956.000247"}},
			Final:   fails("channel_not_found", channels.Refused, "Slack refused the message"),
			Limited: channelstest.Reply{Status: 429, Body: `{"ok":false,"error":"ratelimited"}`},
			Denied:  denied("invalid_auth"),
			Others: map[string]channelstest.Case{
				"a token that was revoked": denied("token_revoked"),
				"a limit with status 200":  fails("ratelimited", channels.NotTaken, "too many requests to Slack"),
				"a fault of Slack's":       doubt(says(`{"ok":false,"error":"internal_error"}`), "Slack does not say what it did"),
				"an error without words":   doubt(says(`{"ok":false}`), "Slack does not say what it did"),
				"no error that Slack has":  doubt(says(`{"ok":false,"error":"C024BE91L: Fish"}`), "Slack does not say what it did"),
				"taken, without its stamp": doubt(says(`{"ok":true}`), "Slack does not say what it did"),
				"not available":            doubt(channelstest.Reply{Status: 503, Body: "<html>"}, "Slack's answer cannot be read"),
			},
		},
		Files: &channelstest.Files{Problem: fileProblem, File: func(address string) channels.File {
			return channels.File{URL: address, ID: "F1", Name: "dot.png", ContentType: "image/png"}
		}},
		Inbound: inbound,
	})
}

func post(body string) channels.Request {
	return channels.Request{Method: "POST", URL: "https://parley.example.com/api/v1/channels/slack/webhook", At: now,
		Header: map[string][]string{}, Body: []byte(body)}
}

func sign(c channels.Connection, r channels.Request) channels.Request {
	r.Header = maps.Clone(r.Header)
	at := strconv.FormatInt(r.At.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(c.Credentials.Reveal(slack.SigningSecret)))
	mac.Write([]byte("v0:" + at + ":" + string(r.Body)))
	r.Header["X-Slack-Request-Timestamp"] = []string{at}
	r.Header["X-Slack-Signature"] = []string{"v0=" + hex.EncodeToString(mac.Sum(nil))}
	return r
}

// event is a request about an event of the app, with members of its own or others.
func event(members string) channels.Request {
	return post(`{"type":"event_callback","team_id":"T1","api_app_id":"A1","event_id":"Ev1","event_time":1700000000,` +
		`"authorizations":[{"team_id":"T1","user_id":"UBOT","is_bot":true}],"event":{` + members + `}}`)
}

func press(members string) channels.Request {
	return post("payload=" + url.QueryEscape(`{"type":"block_actions","api_app_id":"A1","team":{"id":"T1"},`+
		`"user":{"id":"U1","username":"ann"},`+members))
}

func one(e channels.Entry) channels.Received { return channels.Received{Entries: []channels.Entry{e}} }

const (
	direct = `"type":"message","channel_type":"im","channel":"D1","user":"U1","text":"fish &amp; chips","ts":"1700000000.000100"`
	inside = `"type":"message","channel_type":"channel","channel":"C1","user":"U1","text":"and now?","ts":"1700000002.000100",` +
		`"thread_ts":"1700000000.000100"`
	mention = `"type":"app_mention","channel":"C1","user":"U1","text":"<@UBOT> hi <@U2>","ts":"1700000000.000100"`
)

var inbound = &channelstest.Inbound{Sign: sign, Another: another, Vectors: vectors,
	Says: map[string]channelstest.Said{
		"what is said to the bot": {Request: event(direct), Want: one(channels.Entry{ExternalID: "D1:1700000000.000100", Thread: "T1:D1:U1",
			From: "U1", ReplyTo: "D1", Text: "fish & chips", At: now.UTC()})},
		"a mention": {Request: event(mention), Want: one(channels.Entry{ExternalID: "C1:1700000000.000100", Thread: "T1:C1:1700000000.000100",
			From: "U1", ReplyTo: "C1:1700000000.000100", Text: "hi @U2", At: now.UTC()})},
		"what follows in its thread": {Request: event(inside), Want: one(channels.Entry{ExternalID: "C1:1700000002.000100",
			Thread: "T1:C1:1700000000.000100", From: "U1", ReplyTo: "C1:1700000000.000100", Text: "and now?", OnlyKnown: true,
			At: now.Add(2 * time.Second).UTC()})},
		"a file": {Request: event(direct + `,"subtype":"file_share","files":[{"id":"F1","mimetype":"image/png",` +
			`"name":"dot.png","size":67,"url_private_download":"https://files.slack.com/F1"},{"id":"F2","file_access":"check_file_info"},{}]`),
			Want: one(channels.Entry{ExternalID: "D1:1700000000.000100",
				Thread: "T1:D1:U1", From: "U1", ReplyTo: "D1", Text: "fish & chips", At: now.UTC(),
				Files: []channels.File{{URL: "https://files.slack.com/F1", ID: "F1", Name: "dot.png", ContentType: "image/png", Size: 67},
					{ID: "F2"}}})},
		"a button": {Request: press(`"channel":{"id":"C1"},"message":{"ts":"1.2","thread_ts":"1700000000.000100"},"actions":[{"type":"button",` +
			`"action_id":"choice-1.0","value":"1.0","text":{"type":"plain_text","text":"Yes"},"action_ts":"1700000001.5"}]}`),
			Want: one(channels.Entry{ExternalID: "1700000001.5:choice-1.0:U1", Thread: "T1:C1:1700000000.000100", From: "U1", Name: "ann",
				ReplyTo: "C1:1700000000.000100", Text: "Yes", Choice: "1.0"})},
		"an option of a select": {Request: press(`"channel":{"id":"D1"},"actions":[{"type":"static_select","action_id":"choice-1.1",` +
			`"selected_option":{"value":"1.2","text":{"type":"plain_text","text":"L"}},"action_ts":"1700000001.5"}]}`),
			Want: one(channels.Entry{ExternalID: "1700000001.5:choice-1.1:U1", Thread: "T1:D1:U1", From: "U1", Name: "ann", ReplyTo: "D1",
				Text: "L", Choice: "1.2"})},
		"what was written into an input": {Request: press(`"channel":{"id":"D1"},"actions":[{"type":"plain_text_input",` +
			`"action_id":"choice-1.3","value":"41","action_ts":"1700000001.5"}]}`),
			Want: one(channels.Entry{ExternalID: "1700000001.5:choice-1.3:U1", Thread: "T1:D1:U1", From: "U1", Name: "ann", ReplyTo: "D1",
				Text: "41", Choice: "1.3"})},
	},
	Ignored: map[string]channels.Request{
		"echo":                      event(direct + `,"bot_id":"B1"`),
		"the bot itself":            event(strings.Replace(direct, "U1", "UBOT", 1)),
		"a changed message":         event(direct + `,"subtype":"message_changed"`),
		"somebody who joins":        event(direct + `,"subtype":"channel_join"`),
		"what is hidden":            event(direct + `,"hidden":true`),
		"what others say":           event(strings.Replace(inside, `,"thread_ts":"1700000000.000100"`, "", 1)),
		"another type":              event(strings.Replace(direct, "message", "reaction_added", 1)),
		"a channel that is renamed": event(`"type":"channel_rename","channel":{"id":"C1","name":"new","created":1360782804}`),
		"somebody new in the team":  event(`"type":"team_join","user":{"id":"U1","name":"ann"}`),
		"a file that is looked at":  event(`"type":"file_shared","file_id":"F1","files":7,"text":{}`),
		"an event without anything": event(""),
		"a limit":                   post(`{"type":"app_rate_limited","team_id":"T1","api_app_id":"A1"}`),
		"a button without a value":  press(`"channel":{"id":"D1"},"actions":[{"action_id":"x","action_ts":"1.5"}]}`),
		"an input that is emptied": press(`"channel":{"id":"D1"},"actions":[{"type":"plain_text_input","action_id":"choice-1.3",` +
			`"value":null,"action_ts":"1.5"}]}`),
	},
	Extend: func(r channels.Request) channels.Request {
		if bytes.HasPrefix(r.Body, []byte("payload=")) {
			r.Body = append(bytes.Clone(r.Body), "&new=1"...)
			return r
		}
		r.Body = append([]byte(`{"new":{"a":[1]},`), r.Body[1:]...)
		return r
	},
}

// Given what Slack writes for addresses, people and channels, then the agent reads what people wrote.
func TestWhatPeopleWroteIsRead(t *testing.T) {
	s, err := slack.New("")
	require.NoError(t, err)
	for text, want := range map[string]string{
		"I am <mailto:ann@shop.example|ann@shop.example>, on <tel:+15550001|+1 555 0001>": "I am ann@shop.example, on +1 555 0001 (+15550001)",
		"<http://shop.example|shop.example> and <https://shop.example/a?b=1&amp;c=2>":     "shop.example and https://shop.example/a?b=1&c=2",
		"<https://shop.example/a|our page>":                                               "our page (https://shop.example/a)",
		"hey <@UBOT>, ask <@U2|bob> in <#C2|help> or <#C3>":                               "hey, ask @bob in #help or #C3",
		"<@UBOT> hello": "hello",
		"<@U2> is late": "@U2 is late",
		"<!here> <!subteam^S1|@night> <!date^1392734382^{date}|Feb 18>": "@here @night Feb 18",
		"1 &lt; 2 &amp;&amp; 3 &gt; 2, &lt;@U2&gt;":                     "1 < 2 && 3 > 2, <@U2>",
	} {
		got, err := s.Parse(connection, event(strings.Replace(direct, "fish &amp; chips", text, 1)))
		require.NoError(t, err)
		require.Len(t, got.Entries, 1)
		require.Equal(t, want, got.Entries[0].Text, text)
	}
	nobodySaysWho := post(strings.Replace(string(event(mention).Body), "UBOT\",\"is_bot\":true", "U7\"", 1))
	got, err := s.Parse(connection, nobodySaysWho)
	require.NoError(t, err)
	require.Equal(t, "hi @U2", got.Entries[0].Text, "whom a text in a channel begins with is the bot")
}

// vectors are those of Slack's documentation and of the tests of slack-go.
var vectors = []channelstest.Vector{
	vector("the documentation", "8f742231b10e8888abcd99yyyzzz85a5", "1531420618", documented,
		"v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503", 0, true),
	vector("the documentation, six minutes later", "8f742231b10e8888abcd99yyyzzz85a5", "1531420618", documented,
		"v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503", 6*time.Minute, false),
	vector("the documentation, six minutes ahead", "8f742231b10e8888abcd99yyyzzz85a5", "1531420618", documented,
		"v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503", -6*time.Minute, false),
	vector("slack-go", "e6b19c573432dcc6b075501d51b51bb8", "1531431954", mentioned,
		"v0=adada4ed31709aef585c2580ca3267678c6a8eaeb7e0c1aca3ee57b656886b2c", 0, true),
	vector("slack-go, another time", "e6b19c573432dcc6b075501d51b51bb8", "1531431955", mentioned,
		"v0=adada4ed31709aef585c2580ca3267678c6a8eaeb7e0c1aca3ee57b656886b2c", 0, false),
}

const documented = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar" +
	"&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2F" +
	"T1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"

const mentioned = `{"token":"aF5ynEYQH0dFN9imlgcADxDB","team_id":"XXXXXXXXX","api_app_id":"YYYYYYYYY","event":{"type":"app_mention",` +
	`"user":"AAAAAAAAA","text":"<@EEEEEEEEE> hello world","client_msg_id":"477cc591-ch73-a14z-4db8-g0cd76321bec","ts":"1531431954.000073",` +
	`"channel":"TTTTTTTTT","event_ts":"1531431954.000073"},"type":"event_callback","event_id":"TvBP7LRED7","event_time":1531431954,` +
	`"authed_users":["EEEEEEEEE"]}`

func vector(source, secret, at, body, signature string, late time.Duration, good bool) channelstest.Vector {
	r := post(body)
	seconds, _ := strconv.ParseInt(at, 10, 64)
	r.At = time.Unix(seconds, 0).Add(late)
	r.Header = map[string][]string{"X-Slack-Request-Timestamp": {at}, "X-Slack-Signature": {signature}}
	return channelstest.Vector{Source: source, Secret: channels.Credentials{slack.SigningSecret: channels.Secret(secret)}, Request: r,
		Good: good}
}

// Given the challenge by which Slack asks whether we are there, then it is what it hears.
func TestAChallengeIsAnswered(t *testing.T) {
	s, err := slack.New("")
	require.NoError(t, err)
	r := sign(connection, post(`{"type":"url_verification","token":"t","challenge":"abc"}`))
	require.Empty(t, s.Routes(r), "it names no connection")
	require.NoError(t, s.Verify(connection, r))
	require.True(t, fault.Is(s.Verify(another, r), fault.Unauthorized))
	got, err := s.Parse(connection, r)
	require.NoError(t, err)
	require.Equal(t, channels.Received{Answer: channels.Answer{ContentType: "text/plain", Body: []byte("abc")}}, got)
	require.Equal(t, []string{"A1:T1"}, s.Routes(event(direct)))
}

func BenchmarkSlack(b *testing.B) {
	channelstest.Bench(b, channelstest.Suite{New: func(base string) (channelstest.Adapter, error) { return slack.New(base) },
		Connection: connection, Inbound: inbound})
}

package zendesk_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/zendesk"
	"github.com/parley-platform/parley/domain/channels"
)

var now = time.Unix(1_700_000_000, 0).UTC()

func account(id, external, kind, word string) channels.Connection {
	return channels.Connection{ID: id, TenantID: id, Kind: "zendesk", External: external, Credentials: channels.Credentials{
		kind: channels.Secret(word), zendesk.KeyID: "app_key", zendesk.KeySecret: channels.Secret(word + "-key"), zendesk.Subdomain: "acme"}}
}

func post(body string) channels.Request {
	return channels.Request{Method: "POST", URL: "https://parley.example.com/api/v1/channels/zendesk/webhook", At: now,
		Header: map[string][]string{}, Body: []byte(body)}
}

func one(e channels.Entry) channels.Received { return channels.Received{Entries: []channels.Entry{e}} }

func extend(r channels.Request) channels.Request {
	r.Body = append([]byte(`{"new":{"a":[1]},`), r.Body[1:]...)
	return r
}

func fails(status int, as channels.Status, code, reason string) channelstest.Case {
	return channelstest.Case{Reply: channelstest.Reply{Status: status, Body: `{"errors":[{"code":"x","title":"hush"}]}`},
		Want: channels.Outcome{Status: as, Code: code, Reason: reason}}
}

// files are at addresses to read them by.
var files = &channelstest.Files{File: func(address string) channels.File { return channels.File{URL: address} },
	Problem: func(r *http.Request) string { return r.Header.Get("Authorization") }}

// provider is Zendesk, which is asked by a path and a body, and answers so.
func provider(method, path, user, sent, took, id string) *channelstest.Provider {
	return &channelstest.Provider{
		Problem: func(r *http.Request, body []byte) string {
			given, password, _ := r.BasicAuth()
			switch {
			case given != user || password != "hush-key":
				return "the credentials"
			case r.Method != method || r.URL.Path != path:
				return r.Method + " " + r.URL.Path
			case r.Header.Get("Content-Type") != "application/json":
				return "the content type"
			case string(body) != sent:
				return string(body)
			}
			return ""
		},
		Taken: channelstest.Case{Reply: channelstest.Reply{Status: 201, Body: took},
			Want: channels.Outcome{Status: channels.Taken, ProviderMessageID: id}},
		Final:   fails(404, channels.Refused, "HTTP_404", "there is no such conversation"),
		Limited: channelstest.Reply{Status: 429, Body: `{"errors":[]}`},
		Denied:  fails(401, channels.NotTaken, "HTTP_401", "Zendesk does not accept the credentials").Denies(),
		Others: map[string]channelstest.Case{
			"the key may not":      fails(403, channels.NotTaken, "HTTP_403", "Zendesk does not accept the credentials").Denies(),
			"somebody else writes": fails(409, channels.NotTaken, "HTTP_409", "Zendesk asks for another attempt"),
			"so many messages":     fails(423, channels.Refused, "HTTP_423", "the conversation is full"),
			"the ticket is closed": fails(422, channels.Refused, "HTTP_422", "Zendesk refused the message"),
			"taken, without an id": {Reply: channelstest.Reply{Status: 201, Body: `{}`},
				Want: channels.Outcome{Reason: "Zendesk does not say what it did"}},
		},
	}
}

// A conversation of the messaging, which shows a secret.
func TestConversations(t *testing.T) {
	event := func(members string) channels.Request {
		return post(`{"app":{"id":"A1"},"webhook":{"id":"W1","version":"v2"},"events":[{"id":"E1","createdAt":"2023-11-14T22:13:20.000Z",` +
			members + `}]}`)
	}
	message := func(author, content string) channels.Request {
		return event(`"type":"conversation:message","payload":{"conversation":{"id":"C1","type":"personal"},"message":{"id":"M1",` +
			`"received":"2023-11-14T22:13:20Z","author":{` + author + `},"content":{` + content + `},"source":{"type":"web"}}}`)
	}
	const ann = `"type":"user","userId":"U1","displayName":"Ann","user":{"id":"U1","externalId":"x"}`
	entry := channels.Entry{ExternalID: "E1", Thread: "C1", From: "U1", Name: "Ann", ReplyTo: "conversation A1 C1", Text: "hello", At: now}
	pressed, filed, second, located := entry, entry, entry, entry
	located.Text = "52.5, 13.4\nShop\nMain St 1"
	pressed.Choice, pressed.Text = "1.0", "Yes"
	filed.Text, filed.Files = "", []channels.File{{URL: "https://media.example.com/1", Name: "a cat", ContentType: "image/png", Size: 7}}
	second.ExternalID, second.Text = "E2", "and now?"
	two := post(strings.TrimSuffix(string(message(ann, `"type":"text","text":"hello"`).Body), "]}") +
		`,{"id":"E2","type":"conversation:message","payload":{"conversation":{"id":"C1"},"message":{"received":"2023-11-14T22:13:20Z",` +
		`"author":{` + ann + `},"content":{"type":"text","text":"and now?"}}}},{"id":"E2","type":"conversation:read","payload":{}},` +
		`{"id":"","payload":7}]}`)
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return zendesk.New(base) },
		Connection: account("cn-1", "A1", zendesk.WebhookSecret, "hush"), Public: []string{zendesk.KeyID, zendesk.Subdomain},
		Outbound: channels.Outbound{Reference: "r-1", Attempt: 1, To: "conversation A1 C1", Text: "Fish & <chips>?",
			Choices: []channels.Choice{{Token: "1.0", Label: "Yes"}}},
		Provider: provider("POST", "/sc/v2/apps/A1/conversations/C1/messages", "app_key", `{"author":{"type":"business"},"content":{"actions":[`+
			`{"metadata":{"label":"Yes"},"payload":"1.0","text":"Yes","type":"postback"}],"text":"Fish \u0026 \u003cchips\u003e?","type":"text"}}`,
			`{"messages":[{"id":"5f4"}]}`, "5f4"),
		Files: files,
		Inbound: &channelstest.Inbound{Another: account("cn-2", "A2", zendesk.WebhookSecret, "another"), Extend: extend,
			Unsigned: "the messaging of Zendesk shows a secret, and signs nothing",
			Sign: func(c channels.Connection, r channels.Request) channels.Request {
				r.Header = maps.Clone(r.Header)
				r.Header["X-Api-Key"] = []string{c.Credentials.Reveal(zendesk.WebhookSecret)}
				return r
			},
			Says: map[string]channelstest.Said{
				"a text":   {Request: message(ann, `"type":"text","text":"hello"`), Want: one(entry)},
				"a button": {Request: message(ann, `"type":"text","text":"Yes","payload":"1.0"`), Want: one(pressed)},
				"a button of another": {Request: message(ann, `"type":"text","text":"hello","payload":"{\"menu\":1}"`),
					Want: one(entry)},
				"a postback with its words": {Request: event(`"type":"conversation:postback","payload":{"conversation":{"id":"C1"},` +
					`"user":{"id":"U1"},"postback":{"payload":"1.0","metadata":{"label":"Yes"}}}`), Want: one(channels.Entry{ExternalID: "E1",
					Thread: "C1", From: "U1", ReplyTo: "conversation A1 C1", Choice: "1.0", Text: "Yes",
					At: now})},
				"a postback": {Request: event(`"type":"conversation:postback","payload":{"conversation":{"id":"C1"},"user":{"id":"U1"},` +
					`"postback":{"payload":"1.0"}}`), Want: one(channels.Entry{ExternalID: "E1", Thread: "C1", From: "U1",
					ReplyTo: "conversation A1 C1", Choice: "1.0", At: now})},
				"a picture": {Request: message(ann, `"type":"image","mediaUrl":"https://media.example.com/1","mediaType":"image/png",`+
					`"altText":"a cat","mediaSize":7`), Want: one(filed)},
				"a location": {Request: message(ann, `"type":"location","coordinates":{"lat":52.5,"long":13.4},`+
					`"location":{"name":"Shop","address":"Main St 1"}`), Want: one(located)},
				"several": {Request: two, Want: channels.Received{Entries: []channels.Entry{entry, second}}},
			},
			Ignored: map[string]channels.Request{
				"echo":               message(`"type":"business","displayName":"Bot"`, `"type":"text","text":"hello"`),
				"who reads":          event(`"type":"conversation:read","payload":{"conversation":{"id":"C1"},"user":{"id":"U1"}}`),
				"who types":          event(`"type":"conversation:typing","payload":{"conversation":{"id":"C1"}}`),
				"a place of nowhere": message(ann, `"type":"location"`),
				"another form":       message(ann, `"type":"formResponse","fields":[]`),
				"no conversation":    event(`"type":"conversation:message","payload":{"message":{"author":{` + ann + `}}}`),
				"another payload":    event(`"type":"conversation:message","payload":[]`),
				"no event":           post(`{"app":{"id":"A1"},"events":[]}`),
				"what is of others":  post(strings.Replace(string(message(ann, `"type":"text","text":"x"`).Body), `"A1"`, `"A9"`, 1)),
			},
		},
	})
}

func signed(c channels.Connection, r channels.Request) channels.Request {
	at := r.At.UTC().Format(time.RFC3339)
	mac := hmac.New(sha256.New, []byte(c.Credentials.Reveal(zendesk.SigningSecret)))
	mac.Write([]byte(at + string(r.Body)))
	r.Header = maps.Clone(r.Header)
	r.Header["X-Zendesk-Webhook-Signature-Timestamp"] = []string{at}
	r.Header["X-Zendesk-Webhook-Signature"] = []string{base64.StdEncoding.EncodeToString(mac.Sum(nil))}
	return r
}

// published is the secret of webhooks that are tried out.
const published = "dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ=="

func vector(source, at, body, signature string, late time.Duration, good bool) channelstest.Vector {
	r := post(body)
	when, _ := time.Parse(time.RFC3339, at)
	r.At = when.Add(late)
	r.Header = map[string][]string{"X-Zendesk-Webhook-Signature-Timestamp": {at}, "X-Zendesk-Webhook-Signature": {signature}}
	return channelstest.Vector{Source: source, Secret: channels.Credentials{zendesk.SigningSecret: published}, Request: r, Good: good}
}

// The comments of tickets, which are signed.
func TestTickets(t *testing.T) {
	notice := func(kind, comment string) channels.Request {
		return post(`{"type":"zen:event-type:ticket.` + kind + `","account_id":1,"id":"e-1","subject":"zen:ticket:123",` +
			`"time":"2023-11-14T22:13:20Z","zendesk_event_version":"2022-06-20","detail":{"id":"123"},"event":{"comment":{` + comment + `}}}`)
	}
	of := func(webhook string, r channels.Request) channels.Request {
		r.Header["X-Zendesk-Webhook-Id"] = []string{webhook}
		return r
	}
	const (
		ann     = `"author":{"id":"77","name":"Ann","is_staff":false}`
		said    = `"id":"c1","body":" hello ","is_public":true,` + ann
		good    = "ABdi9qU3BXDhMILdjIUVKQgcbnRE00rR3xZYHhPd8h4="
		newYear = "2026-01-01T00:00:00Z"
	)
	entry := channels.Entry{ExternalID: "e-1", Thread: "ticket 123", From: "77", Name: "Ann", ReplyTo: "ticket 123", Text: "hello", At: now}
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return zendesk.New(base) },
		Connection: account("cn-1", "W1", zendesk.SigningSecret, "hush"), Public: []string{zendesk.KeyID, zendesk.Subdomain},
		Outbound: channels.Outbound{Reference: "r-1", Attempt: 1, To: "ticket 123", Text: "Fish & <chips>?"},
		Provider: provider("PUT", "/api/v2/tickets/123.json", "app_key/token", `{"ticket":{"comment":{"body":"Fish \u0026 \u003cchips\u003e?",`+
			`"public":true}}}`, `{"ticket":{"id":123},"audit":{"id":2127301143,"events":[]}}`, "2127301143"),
		Files: files,
		Inbound: &channelstest.Inbound{Another: account("cn-2", "W2", zendesk.SigningSecret, "another"), Extend: extend, Sign: signed,
			Vectors: []channelstest.Vector{
				vector("the scheme", newYear, `{"hello":"world"}`, good, 0, true),
				vector("four minutes later", newYear, `{"hello":"world"}`, good, 4*time.Minute, true),
				vector("six minutes later", newYear, `{"hello":"world"}`, good, 6*time.Minute, false),
				vector("six minutes ahead", newYear, `{"hello":"world"}`, good, -6*time.Minute, false),
				vector("another body", newYear, `{"hello": "world"}`, good, 0, false),
				vector("another time", "2026-01-01T00:00:01Z", `{"hello":"world"}`, good, 0, false),
				vector("no time", "1767225600", `{"hello":"world"}`, good, 0, false),
			},
			Says: map[string]channelstest.Said{
				"a comment": {Request: of("W1", notice("comment_added", said)), Want: one(entry)},
				"a comment of a trigger": {Request: of("W1", post(`{"type":"zen:event-type:ticket.comment_added","id":"123-9",`+
					`"subject":"zen:ticket:123","event":{"comment":{"body":"hello","is_public":true,"author":{"id":77,"name":"Ann"}}}}`)),
					Want: one(channels.Entry{
						ExternalID: "123-9", Thread: "ticket 123", From: "77", Name: "Ann", ReplyTo: "ticket 123", Text: "hello"})},
			},
			Ignored: map[string]channels.Request{
				"echo":               of("W1", notice("comment_added", strings.Replace(said, "false", "true", 1))),
				"a note of staff":    of("W1", notice("comment_added", strings.Replace(said, `"is_public":true`, `"is_public":false`, 1))),
				"nobody knows who":   of("W1", notice("comment_added", `"body":"x","is_public":true`)),
				"for whom is it":     of("W1", notice("comment_added", `"body":"x",`+ann)),
				"nothing":            of("W1", notice("comment_added", `"body":" ","is_public":true,`+ann)),
				"another event":      of("W1", notice("status_changed", said)),
				"of another webhook": of("W9", notice("comment_added", said)),
				"no ticket": of("W1", post(strings.Replace(string(notice("comment_added", said).Body), "zen:ticket:123", "zen:user:1",
					1))),
			},
		},
	})
}

// Given a comment that names no webhook, then it is for the connection whose secret has signed it, which nothing but its own address
// finds.
func TestACommentOfNoWebhook(t *testing.T) {
	z, err := zendesk.New("")
	require.NoError(t, err)
	r := post(`{"type":"zen:event-type:ticket.comment_added","id":"e-1","subject":"zen:ticket:123","event":{"comment":{"body":"hello",` +
		`"is_public":true,"author":{"id":"77"}}}}`)
	c := account("cn-1", "W1", zendesk.SigningSecret, "hush")
	got, err := z.Parse(c, signed(c, r))
	require.NoError(t, err)
	require.Equal(t, one(channels.Entry{ExternalID: "e-1", Thread: "ticket 123", From: "77", ReplyTo: "ticket 123", Text: "hello"}), got)
	require.Empty(t, z.Routes(r))
}

// Given a batch of which one event is not what Zendesk sends, then the others count: Zendesk does not send them again.
func TestOneEventTakesNoOtherAlong(t *testing.T) {
	z, err := zendesk.New("")
	require.NoError(t, err)
	c := account("cn-1", "A1", zendesk.WebhookSecret, "hush")
	for _, broken := range []string{`5`, `"E0"`, `{"id":"E0","createdAt":7}`, `{"id":"E0","type":{}}`} {
		got, err := z.Parse(c, post(`{"app":{"id":"A1"},"events":[`+broken+`,{"id":"E1","type":"conversation:message",`+
			`"payload":{"conversation":{"id":"C1"},"message":{"author":{"type":"user","userId":"U1"},"content":{"type":"text","text":"hello"}}}}]}`))
		require.Error(t, err, broken)
		said := channels.Entry{ExternalID: "E1", Thread: "C1", From: "U1", ReplyTo: "conversation A1 C1", Text: "hello"}
		require.Equal(t, one(said), got, broken)
	}
}

// Given a menu, then all that can be chosen is a reply; where a comment is the answer, nothing is a
// button.
func TestWhatCanBeChosen(t *testing.T) {
	var got string
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.URL.Path + " " + string(body)
		_, _ = io.WriteString(w, `{"messages":[{"id":7}]}`)
	}))
	defer p.Close()
	z, err := zendesk.New(p.URL)
	require.NoError(t, err)
	c := account("cn-1", "A1", zendesk.WebhookSecret, "hush")
	size := []channels.Choice{{Token: "1.1", Label: "S"}}
	out := z.Send(t.Context(), c, channels.Outbound{To: "conversation A1 C1", Text: "Which?",
		Choices: []channels.Choice{{Token: "1.0", Label: "Go"}}, Fields: []channels.Field{{Label: "Size", Options: size}}})
	require.Equal(t, channels.Outcome{Status: channels.Taken, ProviderMessageID: "7"}, out)
	require.Contains(t, got, `"actions":[{"payload":"1.0","text":"Go","type":"reply"},{"payload":"1.1","text":"S","type":"reply"}]`)
	z.Typing(t.Context(), c, "conversation A1 C1")
	require.Equal(t, `/sc/v2/apps/A1/conversations/C1/activity {"author":{"type":"business"},"type":"typing:start"}`, got)

	require.Equal(t, []int{10, 0}, []int{z.LimitsTo("conversation A1 C1").Choices, z.LimitsTo("ticket 7").Choices})
	for _, to := range []string{"", "conversation A1", "conversation  C1", "A1"} {
		require.Equal(t, "ADDRESS", z.Send(t.Context(), c, channels.Outbound{To: to, Text: "x"}).Code, to)
	}
	_, err = zendesk.New("acme")
	require.Error(t, err)
	for _, host := range []string{"acme.evil.example/", "-a", "", "A", "127.0.0.1"} {
		c.Credentials[zendesk.Subdomain] = channels.Secret(host)
		require.Error(t, z.Check(c), host)
	}
}

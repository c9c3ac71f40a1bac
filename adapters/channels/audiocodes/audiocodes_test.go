package audiocodes_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/audiocodes"
	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/domain/channels"
)

var (
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "audiocodes", External: "shop",
		Credentials: channels.Credentials{audiocodes.Token: "a-token-of-these-tests"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "audiocodes", External: "another",
		Credentials: channels.Credentials{audiocodes.Token: "another-token"}}
)

const address = "https://parley.example.com/api/v1/channels/audiocodes/webhook/shop"

func asks(what, body string) channels.Request {
	out := channels.Request{Method: http.MethodPost, URL: address, Header: map[string][]string{"Content-Type": {"application/json"}},
		Body: []byte(body)}
	if what != "" {
		out.URL += "?asks=" + what + "&conversation=c-1"
	}
	return out
}

func activities(all string) channels.Request {
	return asks("activities", `{"conversation":"c-1","activities":[`+all+`]}`)
}

func sign(c channels.Connection, r channels.Request) channels.Request {
	r.Header = maps.Clone(r.Header)
	r.Header["Authorization"] = []string{"Bearer " + c.Credentials.Reveal(audiocodes.Token)}
	return r
}

func entry(id string, change func(*channels.Entry)) channels.Entry {
	e := channels.Entry{ExternalID: id, Thread: "c-1", From: "c-1", ReplyTo: "c-1"}
	change(&e)
	return e
}

func TestAudioCodes(t *testing.T) {
	const start = `{"id":"a1","type":"event","name":"start","parameters":{"locale":"en-US","caller":"+15550001","callee":"12345"}}`
	const hello = `{"id":"a2","timestamp":"2026-11-25T12:00:00Z","language":"en-US","type":"message","text":"hello",` +
		`"parameters":{"confidence":0.8}}`
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return audiocodes.New(base) },
		Connection: connection, Outbound: channels.Outbound{Reference: "m-1/0/0", To: "of-another", Text: "Good day to you, Ann."},
		Inbound: &channelstest.Inbound{Sign: sign, Unsigned: "a token is shown, and nothing is signed", Another: another,
			Says: map[string]channelstest.Said{
				"a call begins, and somebody says something": {Request: activities(start + "," + hello), Want: channels.Received{
					Entries: []channels.Entry{entry("a1", func(e *channels.Entry) {
						e.From, e.Says, e.Language = "+15550001", channels.Begins, "en-US"
					}), entry("a2", func(e *channels.Entry) { e.Text, e.Language = "hello", "en-US" })}}},
				"a key": {Request: activities(`{"id":"a3","type":"event","name":"DTMF","value":"3"}`), Want: channels.Received{
					Entries: []channels.Entry{entry("a3", func(e *channels.Entry) { e.Text = "3" })}}},
				"silence": {Request: activities(`{"id":"a4","type":"event","name":"noUserInput"}`), Want: channels.Received{
					Entries: []channels.Entry{entry("a4", func(e *channels.Entry) { e.Says = channels.Waits })}}},
				"the call is over": {Request: asks("disconnect", `{"conversation":"c-1","reason":"Client Side","reasonCode":"client-disconnected"}`),
					Want: channels.Received{Entries: []channels.Entry{entry("c-1:disconnect", func(e *channels.Entry) {
						e.Says = channels.Leaves
					})}}},
			},
			Ignored: map[string]channels.Request{"echo": activities(`{"id":"a5","type":"event","name":"playFinished"}`),
				"a sign of life": asks("keepalive", "{}"), "a conversation begins": asks("", `{"conversation":"c-1","id":"m","bot":"b"}`)},
			Extend: func(r channels.Request) channels.Request {
				r.Body = []byte(strings.Replace(string(r.Body), "{", `{"new":{"a":[1]},`, 1))
				return r
			}},
	})
}

// Given activities of which one is not as we know it, then the others count: the gateway does not say them again.
func TestOneActivityTakesNoOtherAlong(t *testing.T) {
	a, err := audiocodes.New("")
	require.NoError(t, err)
	const hello = `,{"id":"a2","type":"message","text":"hello"}`
	said := entry("a2", func(e *channels.Entry) { e.Text = "hello" })
	for name, c := range map[string]struct {
		beside string
		want   []channels.Entry
		read   bool
	}{
		"an event whose value is an object": {`{"id":"a1","type":"event","name":"metadata","value":{"x":1}}`, []channels.Entry{said}, true},
		"a key as a number": {`{"id":"a1","type":"event","name":"DTMF","value":3}`,
			[]channels.Entry{entry("a1", func(e *channels.Entry) { e.Text = "3" }), said}, true},
		"no key at all":  {`{"id":"a1","type":"event","name":"DTMF","value":null}`, []channels.Entry{said}, true},
		"a list of keys": {`{"id":"a1","type":"event","name":"DTMF","value":[3]}`, []channels.Entry{said}, true},
		"what is none":   {`{"id":1}`, []channels.Entry{said}, false},
		"no object":      {`"a1"`, []channels.Entry{said}, false},
	} {
		got, err := a.Parse(connection, activities(c.beside+hello))
		require.Equal(t, c.read, err == nil, name)
		require.Equal(t, c.want, got.Entries, name)
	}
}

// A dialogue as the gateway has it: is there a bot, a conversation, its activities, and the answers.
func TestADialogue(t *testing.T) {
	a, err := audiocodes.New("")
	require.NoError(t, err)
	said := func(r channels.Request) string {
		got, err := a.Parse(connection, r)
		require.NoError(t, err)
		return string(got.Answer.Body)
	}
	require.JSONEq(t, `{"type":"ac-bot-api","success":true}`, said(channels.Request{Method: http.MethodGet, URL: address}))
	require.JSONEq(t, `{"activitiesURL":"`+address+`?asks=activities&conversation=c-1",`+
		`"refreshURL":"`+address+`?asks=keepalive&conversation=c-1",`+
		`"disconnectURL":"`+address+`?asks=disconnect&conversation=c-1","expiresSeconds":120,`+
		`"websocketURL":"wss://parley.example.com/api/v1/channels/audiocodes/socket/shop?conversation=c-1"}`,
		said(asks("", `{"conversation":"c-1","id":"m"}`)))
	other := asks("", `{"conversation":"c-1"}`)
	other.URL = "http://localhost:8080/api/v1/channels/sip/webhook/shop"
	require.Contains(t, said(other), `"ws://localhost:8080/api/v1/channels/audiocodes/socket/shop?`, "by another word for the kind")
	other.URL = "https://parley.example.com/api/v1/channels/audiocodes/webhook"
	require.NotContains(t, said(other), "websocketURL", "which names no connection")
	require.JSONEq(t, `{}`, said(asks("keepalive", `{}`)))
	for name, c := range map[string]struct {
		reply channels.Reply
		want  string
	}{
		"it goes on": {channels.Reply{State: channels.GoesOn, Said: []channels.Outbound{{Reference: "m", Text: "Hi"}}},
			`{"type":"message","id":"m","text":"Hi"}`},
		"it takes longer": {channels.Reply{State: channels.Working}, `{"type":"message","text":"One moment, please."}`},
		"it takes longer, in German": {channels.Reply{State: channels.Working, Language: "de-DE"},
			`{"type":"message","text":"Einen Moment, bitte."}`},
		"the end": {channels.Reply{State: channels.Ended}, `{"type":"event","name":"hangup"}`},
		"nobody":  {channels.Reply{State: channels.Unanswered}, `{"type":"event","name":"hangup"}`},
	} {
		got := a.Answer(connection, activities(""), c.reply)
		require.JSONEq(t, `{"conversation":"c-1","activities":[`+c.want+`]}`, string(got.Body), name)
		require.JSONEq(t, `{"conversation":"c-1","activities":[`+c.want+`]}`, string(a.Tell(connection, activities(""), c.reply).Body), name)
	}
	require.Equal(t, "c-1", a.Conversation(activities("")))
	require.JSONEq(t, `{}`, string(a.Answer(connection, activities(""), channels.Reply{State: channels.Elsewhere}).Body))
	require.JSONEq(t, `{}`, string(a.Answer(connection, asks("disconnect", "{}"), channels.Reply{State: channels.Ended}).Body))
}

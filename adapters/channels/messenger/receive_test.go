package messenger_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/graph/graphtest"
	"github.com/parley-platform/parley/adapters/channels/messenger"
	"github.com/parley-platform/parley/domain/channels"
)

var at = time.UnixMilli(1_700_000_000_123).UTC()

// box is an account of a kind, about which Meta writes.
type box struct{ kind, object, account string }

func (b box) post(entries ...string) channels.Request {
	return graphtest.Post(b.kind, `{"object":"`+b.object+`","entry":[`+strings.Join(entries, ",")+`]}`)
}

// entry is what happened to an account, in a list of the entry.
func entry(account, list string, events ...string) string {
	return `{"id":"` + account + `","time":1700000000200,"` + list + `":[` + strings.Join(events, ",") + `]}`
}

func event(from, to, moment, members string) string {
	return `{"sender":{"id":"` + from + `"},"recipient":{"id":"` + to + `"},"timestamp":` + moment + `,` + members + `}`
}

// says is one thing that a person does.
func (b box) says(members string) channels.Request {
	return b.post(entry(b.account, "messaging", event("PSID", b.account, "1700000000123", members)))
}

func (b box) of(change func(e *channels.Entry)) channels.Received {
	e := channels.Entry{ExternalID: "m_1", Thread: b.account + ":PSID", From: "PSID", At: at, MessageID: "m_1"}
	change(&e)
	return channels.Received{Entries: []channels.Entry{e}}
}

func chosen(id, token, label string) func(e *channels.Entry) {
	return func(e *channels.Entry) {
		if e.ExternalID, e.Choice, e.Text = id, token, label; id != e.MessageID { // a press is no message
			e.MessageID = ""
		}
	}
}

func inbound(kind, object, account, other string) *channelstest.Inbound {
	b := box{kind, object, account}
	const file = `"message":{"mid":"m_1","attachments":[{"type":"image","payload":{"url":"https://cdn.example.com/1"}},` +
		`{"type":"file","payload":{"url":"https://cdn.example.com/2"}},{"type":"template","payload":{"url":"https://cdn.example.com/3"}},` +
		`{"type":"audio","payload":{}}]}`
	echo := func(more string) channels.Request {
		return b.post(entry(account, "messaging", event(account, "PSID", "1700000000123", `"message":{"mid":"m_1","text":"x"`+more+`}`)))
	}
	return &channelstest.Inbound{Sign: graphtest.Sign, Another: connected("cn-2", kind, other, "another"), Vectors: graphtest.Vectors(kind),
		Extend: graphtest.Extend,
		Says: map[string]channelstest.Said{
			"a text": {Request: b.says(`"message":{"mid":"m_1","text":"h\u00e9llo","reply_to":{"mid":"m_0"}}`),
				Want: b.of(func(e *channels.Entry) { e.Text = "héllo" })},
			"a moment in words": {Request: b.post(entry(account, "messaging", event("PSID", account, `"1700000000123"`,
				`"message":{"mid":"m_1","text":"hi"}`))), Want: b.of(func(e *channels.Entry) { e.Text = "hi" })},
			"a quick reply": {Request: b.says(`"message":{"mid":"m_1","text":"Gas","quick_reply":{"payload":"1.1"}}`),
				Want: b.of(chosen("m_1", "1.1", "Gas"))},
			"a button": {Request: b.says(`"postback":{"mid":"m_2","title":"Yes","payload":"1.0"}`), Want: b.of(chosen("m_2", "1.0", "Yes"))},
			"a button without an id": {Request: b.says(`"postback":{"title":"Yes","payload":"1.0"}`),
				Want: b.of(chosen(pressed, "1.0", "Yes"))},
			"a button of the page's menu": {Request: b.says(`"postback":{"mid":"m_2","title":"Get started","payload":"GET_STARTED"}`),
				Want: b.of(chosen("m_2", "", "Get started"))},
			"files": {Request: b.says(file), Want: b.of(func(e *channels.Entry) {
				e.Files = []channels.File{{URL: "https://cdn.example.com/1", ContentType: "image/*"},
					{URL: "https://cdn.example.com/2", ContentType: "application/octet-stream"}}
			})},
			"a place": {Request: b.says(`"message":{"mid":"m_1","attachments":[{"type":"location","payload":` +
				`{"coordinates":{"lat":52.5,"long":13.25}}}]}`), Want: b.of(func(e *channels.Entry) { e.Text = "52.5, 13.25" })},
			"what is taken back": {Request: b.says(`"message":{"mid":"m_1","text":"x","is_deleted":true}`), Want: b.of(func(e *channels.Entry) {
				e.ExternalID, e.MessageID, e.Says, e.TakesBack = "taken-back:m_1", "", channels.TakesBack, "m_1"
			})},
			"several, in any order": {Request: b.post(
				entry("000", "messaging", event("PSID", "000", "1", `"message":{"mid":"m_9","text":"for another"}`)),
				entry(account, "messaging", event("PSID", account, "1700000000124", `"message":{"mid":"m_3","text":"second"}`)),
				entry(account, "messaging", event("PSID", account, "1700000000123", `"message":{"mid":"m_1","text":"first"}`))),
				Want: channels.Received{Entries: append(b.of(func(e *channels.Entry) { e.Text = "first" }).Entries,
					b.of(func(e *channels.Entry) {
						e.ExternalID, e.MessageID, e.Text, e.At = "m_3", "m_3", "second", at.Add(time.Millisecond)
					}).Entries...)}},
		},
		Ignored: map[string]channels.Request{
			"echo":                  echo(`,"is_echo":true,"app_id":1`),
			"the account itself":    echo(""),
			"an echo without shame": b.says(`"message":{"mid":"m_1","text":"x","is_echo":true}`),
			"what it cannot show":   b.says(`"message":{"mid":"m_1","text":"x","is_unsupported":true}`),
			"what another app has":  b.post(entry(account, "standby", event("PSID", account, "1", `"message":{"mid":"m_1","text":"x"}`))),
			"to somebody else":      b.post(entry(account, "messaging", event("PSID", "000", "1", `"message":{"mid":"m_1","text":"x"}`))),
			"it came":               b.says(`"delivery":{"mids":["m_1"],"watermark":1}`),
			"it was read":           b.says(`"read":{"watermark":1}`),
			"a reaction":            b.says(`"reaction":{"mid":"m_1","action":"react","emoji":"x"}`),
			"a changed message":     b.says(`"message_edit":{"mid":"m_1","text":"x","num_edit":1}`),
			"an opt-in":             b.says(`"optin":{"ref":"x"}`),
			"a linked account":      b.says(`"account_linking":{"status":"linked"}`),
			"the conversation back": b.says(`"pass_thread_control":{"new_owner_app_id":"1"}`),
			"a message without id":  b.says(`"message":{"text":"x"}`),
			"a like":                b.says(`"message":{"mid":"m_1","attachments":[{"type":"fallback","payload":{"title":"x"}}]}`),
			"by nobody":             b.post(entry(account, "messaging", `{"recipient":{"id":"`+account+`"},"message":{"mid":"m_1","text":"x"}}`)),
			"a comment":             b.post(`{"id":"` + account + `","changes":[{"field":"comments","value":{"text":"x"}}]}`),
			"nothing":               b.post(),
		},
	}
}

// pressed is the id of a press that Meta gave none, from which no person can be told.
const pressed = "press:6d15a9d021d0dee9090ae39cbb18ee91"

// Given an event that nobody can read, then what stands beside it is read. Given the envelope of
// another kind, then it says nothing.
func TestOnePartThatCannotBeReadTakesNoOtherAlong(t *testing.T) {
	b := box{"messenger", "page", "77"}
	hi := event("PSID", "77", "1700000000123", `"message":{"mid":"m_1","text":"hi"}`)
	m, err := messenger.New("")
	require.NoError(t, err)
	c := connected("cn-1", "messenger", "77", "EAAhush")
	got, err := m.Parse(c, b.post("77", entry("77", "messaging", `"x"`, `{"message":[]}`, hi)))
	require.EqualError(t, err, "reading a request of Meta: a part of it is not what Meta sends")
	require.Equal(t, b.of(func(e *channels.Entry) { e.Text = "hi" }), got)
	ig, err := messenger.NewInstagram("")
	require.NoError(t, err)
	got, err = ig.Parse(c, b.post(entry("77", "messaging", hi)))
	require.EqualError(t, err, "reading a request of Meta: the envelope is not of instagram")
	require.Empty(t, got)
	require.Empty(t, ig.Routes(b.post(entry("77", "messaging", hi))))
}

package vxml_test

import (
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/vxml"
	"github.com/parley-platform/parley/domain/channels"
)

var (
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "vxml", External: "shop",
		Credentials: channels.Credentials{vxml.Token: "a-token-of-these-tests"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "vxml", External: "another",
		Credentials: channels.Credentials{vxml.Token: "another-token"}}
)

const address = "https://parley.example.com/api/v1/channels/vxml/webhook/shop"

func post(pairs ...string) channels.Request {
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return channels.Request{Method: http.MethodPost, URL: address, Header: map[string][]string{
		"Content-Type": {"application/x-www-form-urlencoded"}}, Body: []byte(form.Encode())}
}

func sign(c channels.Connection, r channels.Request) channels.Request {
	r.Header = maps.Clone(r.Header)
	r.Header["Authorization"] = []string{"Bearer " + c.Credentials.Reveal(vxml.Token)}
	return r
}

func one(e channels.Entry) channels.Received {
	e.Thread, e.ReplyTo = "call-1", "call-1"
	if e.From == "" {
		e.From = "call-1"
	}
	return channels.Received{Entries: []channels.Entry{e}}
}

func TestVoiceXML(t *testing.T) {
	get := post()
	get.Method, get.Body = http.MethodGet, nil
	get.URL += "?sessionId=call-1&turn=2&utterance=gas&language=de-AT"
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return vxml.New(base) },
		Connection: connection, Outbound: channels.Outbound{Reference: "m-1/0/0", To: "of-another-call", Text: "Good day to you, Ann."},
		Inbound: &channelstest.Inbound{Sign: sign, Unsigned: "a token is shown, and nothing is signed", Another: another,
			Says: map[string]channelstest.Said{
				"a call begins": {Request: post("sessionId", "call-1", "turn", "0", "from", "tel:+15550001"), Want: one(channels.Entry{
					ExternalID: "call-1:0", From: "+15550001", Says: channels.Begins})},
				"words": {Request: post("sessionId", "call-1", "turn", "1", "utterance", "my meter", "confidence", "0.8", "inputmode", "voice"),
					Want: one(channels.Entry{ExternalID: "call-1:1", Text: "my meter"})},
				"in the query": {Request: get, Want: one(channels.Entry{ExternalID: "call-1:2", Text: "gas", Language: "de-AT"})},
				"a key": {Request: post("sessionId", "call-1", "turn", "3", "utterance", "2.1"),
					Want: one(channels.Entry{ExternalID: "call-1:3", Choice: "2.1"})},
				"silence": {Request: post("sessionId", "call-1", "turn", "4", "event", "noinput"), Want: one(channels.Entry{
					ExternalID: "call-1:4", Says: channels.Waits})},
				"somebody waits": {Request: post("sessionId", "call-1", "turn", "5", "event", "wait"), Want: one(channels.Entry{
					ExternalID: "call-1:5", Says: channels.Waits})},
				"the caller hangs up": {Request: post("sessionId", "call-1", "turn", "6", "event", "hangup"), Want: one(channels.Entry{
					ExternalID: "call-1:hangup", Says: channels.Leaves})},
			},
			Ignored: map[string]channels.Request{"echo": post("turn", "1", "utterance", "of no call")},
			Extend: func(r channels.Request) channels.Request {
				if r.Method == http.MethodPost {
					r.Body = append(r.Body, "&somethingNew=1"...)
				}
				return r
			}},
	})
}

// parsed wants a document to be one, and gives it without what stands between lines.
func parsed(t *testing.T, a channels.Answer) string {
	t.Helper()
	require.Equal(t, "application/voicexml+xml; charset=utf-8", a.ContentType)
	d := xml.NewDecoder(strings.NewReader(string(a.Body)))
	for {
		if _, err := d.Token(); err != nil {
			require.EqualError(t, err, "EOF", string(a.Body))
			return string(a.Body)
		}
	}
}

func answer(t *testing.T, r channels.Request, reply channels.Reply) string {
	t.Helper()
	v, err := vxml.New("")
	require.NoError(t, err)
	return parsed(t, v.Answer(connection, r, reply))
}

// Given what an agent leaves, then the document says it, and leads to the next turn, or to the end.
func TestDocuments(t *testing.T) {
	r := post("sessionId", "call-1", "turn", "3", "from", "+1555'); evil('", "utterance", "x")
	menu := channels.Outbound{Text: "Which <meter> & why?",
		Choices: []channels.Choice{{Token: "1.0", Label: "Gas & <oil>"}, {Token: "1.1", Label: "B"}}}
	asks := answer(t, r, channels.Reply{State: channels.GoesOn, Said: []channels.Outbound{{Text: "Hello."}, menu}})
	for _, has := range []string{`<prompt bargein="true">Hello.</prompt>`, `Which &lt;meter&gt; &amp; why?`,
		`<option dtmf="1" value="1.0">Gas &amp; &lt;oil&gt;</option>`, `<option dtmf="2" value="1.1">B</option>`, `<var name="turn" expr="'4'"/>`,
		`<var name="sessionId" expr="'call-1'"/>`, `<var name="from" expr="'+1555); evil('"/>`, `<submit next="` + address + `" method="post" `,
		`<catch event="connection.disconnect"><assign name="event" expr="'hangup'"/>`} {
		require.Contains(t, asks, has)
	}
	require.NotContains(t, asks, "builtin:dtmf/digits", "keys choose")
	require.Contains(t, asks, "1: Gas &amp; &lt;oil&gt;.")
	v, err := vxml.New("")
	require.NoError(t, err)
	require.True(t, v.Limits().Keys, "who says the number that was read out has chosen")
	open := answer(t, r, channels.Reply{State: channels.GoesOn, Said: []channels.Outbound{{Text: "Your PIN?"}}})
	require.Contains(t, open, "builtin:dtmf/digits")
	waits := answer(t, r, channels.Reply{State: channels.Working})
	require.Contains(t, waits, "One moment, please.")
	require.Contains(t, waits, `<assign name="event" expr="'wait'"/><submit`)
	require.NotContains(t, waits, "<field")
	require.NotContains(t, answer(t, r, channels.Reply{State: channels.Working, Said: menu2}), "One moment")
	require.Contains(t, answer(t, r, channels.Reply{State: channels.Ended, Said: menu2}), "Goodbye.</prompt><disconnect/>")
	require.Contains(t, answer(t, r, channels.Reply{State: channels.Unanswered, Code: "GONE"}), "nobody can answer")
}

// Given nothing new to say, then the last question is there again with its keys: said at once to who was
// silent, and else when the interpreter asks again.
func TestTheLastQuestionIsAskedAgain(t *testing.T) {
	menu := []channels.Outbound{{Text: "Which <meter>?", Choices: []channels.Choice{{Token: "1.0", Label: "Gas"}}}}
	for event, prompt := range map[string]string{"noinput": `<prompt bargein="true">`, "nomatch": `<prompt bargein="true">`,
		"wait": `<prompt count="2" bargein="true">`} {
		r := post("sessionId", "call-1", "turn", "3", "event", event)
		got := answer(t, r, channels.Reply{State: channels.GoesOn, Before: menu})
		require.Contains(t, got, prompt+"Which &lt;meter&gt;?\n1: Gas.</prompt>", event)
		require.Contains(t, got, `<option dtmf="1" value="1.0">Gas</option>`, event)
		got = answer(t, r, channels.Reply{State: channels.GoesOn, Said: []channels.Outbound{{Text: "New."}}, Before: menu})
		require.Contains(t, got, `<prompt bargein="true">New.</prompt>`, event)
		require.NotContains(t, got, "Gas", event)
	}
}

var menu2 = []channels.Outbound{{Text: "Goodbye."}}

// Given a request that names no call, then it gets the document that does; a token of the query goes on.
func TestTheFirstDocument(t *testing.T) {
	v, err := vxml.New("")
	require.NoError(t, err)
	r := channels.Request{Method: http.MethodGet, URL: address + "?token=a-token-of-these-tests&language=de"}
	require.NoError(t, v.Verify(connection, r))
	got, err := v.Parse(connection, r)
	require.NoError(t, err)
	require.Empty(t, got.Entries)
	document := parsed(t, got.Answer)
	require.Contains(t, document, `<submit next="`+address+`?token=a-token-of-these-tests" `+
		`method="post" namelist="sessionId turn from to language"/>`)
	require.Contains(t, document, `xml:lang="de"`)
	r.URL = address + "?token=another"
	require.Error(t, v.Verify(connection, r))
	r.Header = map[string][]string{"Authorization": {"Basic dXNlcjphLXRva2VuLW9mLXRoZXNlLXRlc3Rz"}}
	require.NoError(t, v.Verify(connection, r))
}

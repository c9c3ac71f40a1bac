package jambonz_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/jambonz"
	"github.com/parley-platform/parley/domain/channels"
)

const address = "https://parley.example.com/api/v1/channels/jambonz/webhook/shop"

var (
	now        = time.Unix(1_700_000_000, 0)
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "jambonz", External: "shop", Credentials: channels.Credentials{
		jambonz.Token: "a-token-of-these-tests", jambonz.WebhookSecret: "jambonz-secret"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "jambonz", External: "another", Credentials: channels.Credentials{
		jambonz.Token: "another-token", jambonz.WebhookSecret: "another-secret"}}
)

func post(body string) channels.Request {
	return channels.Request{Method: http.MethodPost, URL: address, Header: map[string][]string{"Content-Type": {"application/json"}},
		Body: []byte(body), At: now}
}

func frame(body string) channels.Request {
	r := post(body)
	r.Method, r.Frame = http.MethodGet, true
	return r
}

func sign(c channels.Connection, r channels.Request) channels.Request {
	r.Header = maps.Clone(r.Header)
	if r.Frame {
		r.Header["Authorization"] = []string{"Bearer " + c.Credentials.Reveal(jambonz.Token)}
		return r
	}
	mac := hmac.New(sha256.New, []byte(c.Credentials.Reveal(jambonz.WebhookSecret)))
	mac.Write([]byte("1700000000." + string(r.Body)))
	r.Header["Jambonz-Signature"] = []string{"t=1700000000,v1=" + hex.EncodeToString(mac.Sum(nil))}
	return r
}

func one(e channels.Entry) channels.Received {
	e.Thread, e.ReplyTo = "c1", "c1"
	if e.From == "" {
		e.From = "c1"
	}
	return channels.Received{Entries: []channels.Entry{e}}
}

// The dialogue of a call on a socket.
var said = map[string]channelstest.Said{
	"a call begins": {Request: frame(`{"type":"session:new","msgid":"m1","call_sid":"c1","data":{"call_sid":"c1","direction":"inbound",` +
		`"from":"+15550001","to":"12345","call_status":"trying"}}`), Want: one(channels.Entry{ExternalID: "m1", From: "+15550001",
		Says: channels.Begins})},
	"a call that comes here in its midst": {Request: frame(`{"type":"session:redirect","msgid":"m7","call_sid":"c1","data":{"call_sid":"c1",` +
		`"from":"+15550001","call_status":"in-progress"}}`), Want: one(channels.Entry{ExternalID: "m7", From: "+15550001",
		Says: channels.Begins})},
	"a socket in the place of one that was lost": {Request: frame(`{"type":"session:reconnect","msgid":"m8","call_sid":"c1","data":` +
		`{"call_sid":"c1","from":"+15550001","call_status":"in-progress"}}`), Want: one(channels.Entry{ExternalID: "m8", From: "+15550001",
		Says: channels.Begins})},
	"words": {Request: frame(`{"type":"verb:hook","msgid":"m2","call_sid":"c1","hook":"/said","data":{"reason":"speechDetected","speech":` +
		`{"language_code":"en-US","is_final":true,"alternatives":[{"transcript":"hello","confidence":0.9}]}}}`),
		Want: one(channels.Entry{ExternalID: "m2", Text: "hello", Language: "en-US"})},
	"keys": {Request: frame(`{"type":"verb:hook","msgid":"m3","call_sid":"c1","hook":"/said","data":{"reason":"dtmfDetected","digits":"12"}}`),
		Want: one(channels.Entry{ExternalID: "m3", Text: "12"})},
	"silence": {Request: frame(`{"type":"verb:hook","msgid":"m4","call_sid":"c1","hook":"/said","data":{"reason":"timeout"}}`),
		Want: one(channels.Entry{ExternalID: "m4", Says: channels.Waits})},
	"the call is over": {Request: frame(`{"type":"call:status","call_sid":"c1","data":{"call_sid":"c1","call_status":"completed"}}`),
		Want: one(channels.Entry{ExternalID: "c1:over", Says: channels.Leaves})},
}

func extend(r channels.Request) channels.Request {
	r.Body = []byte(strings.Replace(string(r.Body), "{", `{"new":{"a":[1]},`, 1))
	return r
}

func TestJambonz(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return jambonz.New(base) },
		Connection: connection, Outbound: channels.Outbound{Reference: "m-1/0/0", To: "of-another", Text: "Good day to you, Ann."},
		Inbound: &channelstest.Inbound{Sign: sign, Unsigned: "what opens a socket shows a token", Another: another, Says: said, Extend: extend,
			Ignored: map[string]channels.Request{"echo": frame(`{"type":"verb:status","msgid":"m5","call_sid":"c1","data":{}}`),
				"on its way": frame(`{"type":"call:status","call_sid":"c1","data":{"call_sid":"c1","call_status":"in-progress"}}`)},
			Vectors: []channelstest.Vector{
				vector("t=1700000000,v1=a1e2ce8ac4c9998c16af1872c7c847c9ae1f525ecb997937bfb66ca0b1d59b06", true),
				vector("t=1700000000,v1=00,v1=a1e2ce8ac4c9998c16af1872c7c847c9ae1f525ecb997937bfb66ca0b1d59b06", true),
				vector("t=1700000001,v1=a1e2ce8ac4c9998c16af1872c7c847c9ae1f525ecb997937bfb66ca0b1d59b06", false),
				vector("t=1699990000,v1=a1e2ce8ac4c9998c16af1872c7c847c9ae1f525ecb997937bfb66ca0b1d59b06", false),
				vector("v1=a1e2ce8ac4c9998c16af1872c7c847c9ae1f525ecb997937bfb66ca0b1d59b06", false), vector("t=1700000000,v1=", false),
				vector("", false)}},
	})
}

func vector(signature string, good bool) channelstest.Vector {
	r := post(`{"call_sid":"c1"}`)
	r.Header["Jambonz-Signature"] = []string{signature}
	return channelstest.Vector{Source: "computed: " + signature, Good: good, Request: r,
		Secret: channels.Credentials{jambonz.Token: "t", jambonz.WebhookSecret: "jambonz-secret"}}
}

// Given requests in place of a socket, then they are signed over their bytes, and say the same.
func TestRequests(t *testing.T) {
	j, err := jambonz.New("")
	require.NoError(t, err)
	for body, want := range map[string]channels.Entry{`{"call_sid":"c1","from":"+15550001","call_status":"trying"}`: {From: "+15550001",
		Says: channels.Begins}, `{"call_sid":"c1","reason":"dtmfDetected","digits":"2"}`: {Text: "2"},
		`{"call_sid":"c1","call_status":"completed"}`: {Says: channels.Leaves}} {
		r := sign(connection, post(body))
		require.NoError(t, j.Verify(connection, r))
		require.Error(t, j.Verify(another, r))
		changed := r
		changed.Body = append([]byte(" "), r.Body...)
		require.Error(t, j.Verify(connection, changed))
		got, err := j.Parse(connection, r)
		require.NoError(t, err)
		require.Len(t, got.Entries, 1)
		want.ExternalID = got.Entries[0].ExternalID
		require.Equal(t, one(want), got)
		require.JSONEq(t, `[{"verb":"gather","input":["speech","digits"],"actionHook":"`+address+`","timeout":10,"say":{"text":"Hi"}}]`,
			string(j.Answer(connection, r, channels.Reply{Said: []channels.Outbound{{Text: "Hi"}}}).Body))
	}
}

// Given what an agent leaves, then these are the verbs.
func TestVerbs(t *testing.T) {
	j, err := jambonz.New("")
	require.NoError(t, err)
	const gather = `"verb":"gather","input":["speech","digits"],"actionHook":"/said","timeout":10`
	hi := []channels.Outbound{{Text: "one"}, {Text: "two"}}
	for name, c := range map[string]struct {
		reply channels.Reply
		want  string
	}{
		"it goes on":      {channels.Reply{State: channels.GoesOn, Said: hi}, `{` + gather + `,"say":{"text":"one\ntwo"}}`},
		"nothing":         {channels.Reply{State: channels.GoesOn}, `{` + gather + `}`},
		"it takes longer": {channels.Reply{State: channels.Working}, `{` + gather + `,"say":{"text":"One moment, please."}}`},
		"the end":         {channels.Reply{State: channels.Ended, Said: hi}, `{"verb":"say","text":"one\ntwo"},{"verb":"hangup"}`},
		"nobody": {channels.Reply{State: channels.Unanswered}, `{"verb":"say","text":"Sorry, nobody can answer at the moment. Goodbye."},` +
			`{"verb":"hangup"}`},
	} {
		got := j.Answer(connection, said["words"].Request, c.reply)
		require.JSONEq(t, `{"type":"ack","msgid":"m2","data":[`+c.want+`]}`, string(got.Body), name)
		again := j.Answer(connection, said["a socket in the place of one that was lost"].Request, c.reply)
		require.JSONEq(t, `{"type":"command","command":"redirect","queueCommand":false,"data":[`+c.want+`]}`, string(again.Body), name)
		later := j.Later(connection, said["words"].Request, c.reply)
		if name == "nothing" { // the caller is listened to already
			require.Nil(t, later.Body)
			continue
		}
		require.JSONEq(t, `{"type":"command","command":"redirect","queueCommand":false,"data":[`+c.want+`]}`, string(later.Body), name)
	}
}

// Given requests that nobody signs, then the same key, pressed again, is another message, and the same request at the
// same moment none.
func TestTheSameKeyAgain(t *testing.T) {
	j, err := jambonz.New("")
	require.NoError(t, err)
	id := func(at time.Time) string {
		r := post(`{"call_sid":"c1","reason":"dtmfDetected","digits":"1"}`)
		r.At = at
		got, err := j.Parse(connection, r)
		require.NoError(t, err)
		require.Len(t, got.Entries, 1)
		return got.Entries[0].ExternalID
	}
	require.Equal(t, id(now), id(now.Add(time.Second)))
	require.NotEqual(t, id(now), id(now.Add(5*time.Second)))
}

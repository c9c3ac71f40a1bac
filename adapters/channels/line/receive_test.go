package line_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/line"
	"github.com/parley-platform/parley/domain/channels"
)

var now = time.UnixMilli(1_462_629_479_859).UTC()

func bytesOf(body string) channels.Request {
	return channels.Request{Method: "POST", URL: "https://parley.example.com/api/v1/channels/line/webhook", At: now,
		Header: map[string][]string{}, Body: []byte(body)}
}

func post(events ...string) channels.Request {
	return bytesOf(`{"destination":"Ubot","events":[` + strings.Join(events, ",") + `]}`)
}

func sign(c channels.Connection, r channels.Request) channels.Request {
	mac := hmac.New(sha256.New, []byte(c.Credentials.Reveal(line.ChannelSecret)))
	mac.Write(r.Body)
	r.Header = maps.Clone(r.Header)
	r.Header["X-Line-Signature"] = []string{base64.StdEncoding.EncodeToString(mac.Sum(nil))}
	return r
}

const (
	ann   = `"source":{"type":"user","userId":"U1"}`
	group = `"source":{"type":"group","groupId":"C1","userId":"U1"}`
)

// event is one that is new; members beside those that all have.
func event(kind, members string) string {
	return `{"type":"` + kind + `","mode":"active","timestamp":1462629479859,"webhookEventId":"01H",` +
		`"deliveryContext":{"isRedelivery":false},"replyToken":"tok",` + members + `}`
}

func of(change func(e *channels.Entry)) channels.Received {
	e := channels.Entry{ExternalID: "01H", Thread: "Ubot:U1", From: "U1", ReplyTo: "U1 tok", At: now}
	change(&e)
	return channels.Received{Entries: []channels.Entry{e}}
}

func text(words string) func(e *channels.Entry) { return func(e *channels.Entry) { e.Text = words } }

func file(f channels.File) func(e *channels.Entry) {
	return func(e *channels.Entry) { e.Files, e.MessageID = []channels.File{f}, f.ID }
}

// message is of a text that has an id of its own, by which it can be taken back.
func message(id, words string) func(e *channels.Entry) {
	return func(e *channels.Entry) { e.Text, e.MessageID = words, id }
}

func hi(source string) string {
	return source + `,"message":{"id":"3257","type":"text","text":"hi","quoteToken":"q"}`
}

var inbound = &channelstest.Inbound{Sign: sign, Another: another, Vectors: vectors,
	Says: map[string]channelstest.Said{
		"a text": {Request: post(event("message", hi(ann))), Want: of(message("3257", "hi"))},
		"again":  {Request: post(strings.Replace(event("message", hi(ann)), "false", "true", 1)), Want: of(message("3257", "hi"))},
		"in a group": {Request: post(event("message", hi(group))), Want: of(func(e *channels.Entry) {
			e.Text, e.Thread, e.ReplyTo, e.MessageID = "hi", "Ubot:C1", "C1 tok", "3257"
		})},
		"in a room, by nobody who is named": {Request: post(event("message", hi(`"source":{"type":"room","roomId":"R1"}`))),
			Want: of(func(e *channels.Entry) {
				e.Text, e.Thread, e.ReplyTo, e.From, e.MessageID = "hi", "Ubot:R1", "R1 tok", "R1", "3257"
			})},
		"a button": {Request: post(event("postback", ann+`,"postback":{"data":"1.0"}`)), Want: of(func(e *channels.Entry) { e.Choice = "1.0" })},
		"a button of a menu": {Request: post(event("postback", ann+`,"postback":{"data":"action=buy","params":{"date":"2026-11-25"}}`)),
			Want: of(text("action=buy"))},
		"a picture": {Request: post(event("message", ann+`,"message":{"id":"3258","type":"image","contentProvider":{"type":"line"}}`)),
			Want: of(file(channels.File{ID: "3258", ContentType: "image/*"}))},
		"a picture elsewhere": {Request: post(event("message", ann+`,"message":{"id":"3258","type":"image","contentProvider":{"type":"external",`+
			`"originalContentUrl":"https://example.com/1.jpg"}}`)),
			Want: of(file(channels.File{ID: "3258", ContentType: "image/*", URL: "https://example.com/1.jpg"}))},
		"a file": {Request: post(event("message", ann+`,"message":{"id":"3259","type":"file","fileName":"bill.pdf","fileSize":2138}`)),
			Want: of(file(channels.File{ID: "3259", Name: "bill.pdf", ContentType: "application/octet-stream", Size: 2138}))},
		"a place": {Request: post(event("message", ann+`,"message":{"id":"3260","type":"location","title":"Shop","address":"1 High Street",`+
			`"latitude":52.5,"longitude":13.25}`)), Want: of(message("3260", "52.5, 13.25\nShop\n1 High Street"))},
		"without a token to answer by": {Request: post(strings.Replace(event("message", hi(ann)), `"replyToken":"tok",`, "", 1)),
			Want: of(func(e *channels.Entry) { e.Text, e.ReplyTo, e.MessageID = "hi", "U1", "3257" })},
		"what is taken back": {Request: post(strings.Replace(event("unsend", ann+`,"unsend":{"messageId":"3257"}`), `"replyToken":"tok",`, "",
			1)), Want: of(func(e *channels.Entry) { e.Says, e.TakesBack, e.ReplyTo = channels.TakesBack, "3257", "U1" })},
		"several": {Request: post(event("message", hi(ann)), event("follow", ann), strings.Replace(event("message", hi(ann)), "01H", "01I", 1)),
			Want: channels.Received{Entries: append(of(message("3257", "hi")).Entries, of(func(e *channels.Entry) {
				e.ExternalID, e.Text, e.MessageID = "01I", "hi", "3257"
			}).Entries...)}},
	},
	Ignored: ignored(),
	Extend: func(r channels.Request) channels.Request {
		r.Body = append([]byte(`{"new":{"a":[1]},`), bytes.Clone(r.Body[1:])...)
		r.Body = bytes.Replace(r.Body, []byte(`"events":[`), []byte(`"events":[{"type":"hologram","new":1},`), 1)
		return r
	},
}

// ignored are the things that happen to an account without anybody saying something.
func ignored() map[string]channels.Request {
	out := map[string]channels.Request{
		// LINE sends no echo of what the account says; what another of its apps has is the nearest.
		"echo":                post(strings.Replace(event("message", hi(ann)), `"active"`, `"standby"`, 1)),
		"a sticker":           post(event("message", ann+`,"message":{"id":"1","type":"sticker","packageId":"1","stickerId":"2"}`)),
		"a type of tomorrow":  post(event("message", ann+`,"message":{"id":"1","type":"hologram"}`)),
		"by nobody":           post(event("message", `"message":{"id":"1","type":"text","text":"hi"}`)),
		"a place without one": post(event("message", ann+`,"message":{"id":"1","type":"location","title":"Shop"}`)),
		"nothing":             post(),
	}
	for _, kind := range []string{"follow", "unfollow", "join", "leave", "memberJoined", "memberLeft", "unsend", "videoPlayComplete", "beacon",
		"accountLink", "module", "activated", "deactivated", "botSuspended", "botResumed", "membership", "hologram"} {
		out[kind] = post(event(kind, ann))
	}
	return out
}

// vectors are those of the tests of line-bot-sdk-python and line-bot-sdk-nodejs.
var vectors = []channelstest.Vector{
	vector("python", "channel_secret", "bodybodybodybody", "/gg9a+LvFevTH1sd7XCQycD7tsWclCsInj7MhBHxN7k=", true),
	vector("nodejs", "test_secret", `{"hello":"world"}`, "t7Hn4ZDHqs6e+wdvI5TyQIvzie0DmMUmuXEBqyyE/tM=", true),
	vector("nodejs, wrong", "test_secret", `{"hello":"world"}`, "t7Hn4ZDHqs6e+wdvi5TyQIvzie0DmMUmuXEBqyyE/tM=", false),
}

func vector(source, secret, body, signature string, good bool) channelstest.Vector {
	r := bytesOf(body)
	r.Header["X-Line-Signature"] = []string{signature}
	return channelstest.Vector{Source: source, Request: r, Good: good,
		Secret: channels.Credentials{line.ChannelSecret: channels.Secret(secret)}}
}

// Given an event that nobody can read, then what stands beside it is read.
func TestOneEventThatCannotBeReadTakesNoOtherAlong(t *testing.T) {
	l, err := line.New("")
	require.NoError(t, err)
	got, err := l.Parse(connection, post(`7`, `{"type":7}`, event("message", hi(ann))))
	require.EqualError(t, err, "reading a request of LINE: an event is not what LINE sends")
	require.Equal(t, of(message("3257", "hi")), got)
	_, err = l.Parse(connection, bytesOf("[]"))
	require.EqualError(t, err, "reading a request of LINE: the body is not what LINE sends")
}

package sms_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/sms"
	"github.com/parley-platform/parley/domain/channels"
)

const webhook = "https://parley.example.com/api/v1/channels/sms/webhook/c-1?v=2"

// sign signs as Twilio documents it: URL, and the form's members by their names.
func sign(c channels.Connection, r channels.Request) channels.Request {
	signed := r.URL
	form, _ := url.ParseQuery(string(r.Body))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		signed += name + form.Get(name)
	}
	mac := hmac.New(sha1.New, []byte(c.Credentials.Reveal(sms.AuthToken)))
	mac.Write([]byte(signed))
	r.Header = maps.Clone(r.Header)
	r.Header["X-Twilio-Signature"] = []string{base64.StdEncoding.EncodeToString(mac.Sum(nil))}
	return r
}

// post is a request with a form of these members.
func post(members ...string) channels.Request {
	form := url.Values{"AccountSid": {account}, "ApiVersion": {"2010-04-01"}}
	for i := 0; i < len(members); i += 2 {
		form.Set(members[i], members[i+1])
	}
	return channels.Request{Method: "POST", URL: webhook, Body: []byte(form.Encode()),
		Header: map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}}}
}

// text is a text that comes in.
func text(more ...string) channels.Request {
	return post(append([]string{"MessageSid", "SM1", "SmsStatus", "received", "From", "+15558675310", "To", connection.External,
		"Body", "Ümlaut & plus +", "NumMedia", "0", "NumSegments", "1"}, more...)...)
}

// status is what became of a text that went out.
func status(word string, more ...string) channels.Request {
	return post(append([]string{"MessageSid", "SM2", "MessageStatus", word, "From", connection.External, "To", "+15558675310"}, more...)...)
}

func entry(files ...channels.File) channels.Received {
	return said(
		channels.Received{Entries: []channels.Entry{{ExternalID: "SM1", Thread: connection.External + ":+15558675310", From: "+15558675310",
			Text: "Ümlaut & plus +", Files: files}}},
	)
}

func opted(text string, as channels.Opt) channels.Received {
	out := entry()
	out.Entries[0].Text, out.Entries[0].Opt = text, as
	return out
}

func report(word string, state channels.State, code string) channels.Received {
	return said(channels.Received{Reports: []channels.Report{{ExternalID: "SM2:" + word, ProviderMessageID: "SM2", State: state, Code: code}}})
}

func said(r channels.Received) channels.Received {
	r.Answer = channels.Answer{ContentType: "text/xml", Body: []byte("<Response/>")}
	return r
}

var inbound = &channelstest.Inbound{Sign: sign, Another: another, Vectors: vectors,
	Says: map[string]channelstest.Said{
		"a text": {Request: text(), Want: entry()},
		"a text with files": {Request: text("NumMedia", "2", "MediaUrl0", "https://api.twilio.com/m/0", "MediaContentType0", "image/png",
			"MediaUrl1", "https://api.twilio.com/m/1", "MediaContentType1", "audio/ogg"),
			Want: entry(channels.File{URL: "https://api.twilio.com/m/0", ContentType: "image/png"},
				channels.File{URL: "https://api.twilio.com/m/1", ContentType: "audio/ogg"})},
		"STOP, answered by Twilio":  {Request: text("OptOutType", "STOP", "Body", "Arrêt"), Want: opted("", channels.OptOut)},
		"START, answered by Twilio": {Request: text("OptOutType", "START", "Body", "START"), Want: opted("", channels.OptIn)},
		"STOP":                      {Request: text("Body", " Stop. "), Want: opted(" Stop. ", channels.OptOut)},
		"one of the words for it":   {Request: text("Body", "unsubscribe"), Want: opted("unsubscribe", channels.OptOut)},
		"a word of a sentence":      {Request: text("Body", "stop it"), Want: opted("stop it", "")},
		"YES":                       {Request: text("Body", "yes"), Want: opted("yes", channels.OptIn)},
		"HELP that nobody answered": {Request: text("Body", "HELP"), Want: opted("HELP", "")},
		"more files than are there": {Request: text("NumMedia", "999999999"), Want: entry()},
		"a text that is sent":       {Request: status("sent"), Want: report("sent", channels.Underway, "")},
		"a text that arrived":       {Request: status("delivered"), Want: report("delivered", channels.Delivered, "")},
		"a text that was read":      {Request: status("read"), Want: report("read", channels.Read, "")},
		"a text that did not arrive": {Request: status("undelivered", "ErrorCode", "30003"),
			Want: report("undelivered", channels.Undelivered, "30003")},
		"a code that is none": {Request: status("failed", "ErrorCode", "no handset"), Want: report("failed", channels.Undelivered, "")},
	},
	Ignored: map[string]channels.Request{
		"echo":                       text("From", connection.External),
		"HELP, answered by Twilio":   text("OptOutType", "HELP", "Body", "HELP"),
		"a status of tomorrow":       status("teleported"),
		"a text to another number":   text("To", another.External),
		"a status of another number": status("sent", "From", another.External),
		"a text of nobody":           text("From", ""),
	},
	Extend: func(r channels.Request) channels.Request {
		r.Body = append(slices.Clone(r.Body), "&ChannelMetadata=%7B%7D"...)
		return r
	},
}

const (
	page = "https://mycompany.com/myapp.php?foo=1&bar=2"
	sum  = "0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620" // of the JSON
)

// params are those of Twilio's example, in the form in which a request has them.
const params = "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212"

// vectors are those of Twilio's documentation and of its own Go client.
var vectors = []channelstest.Vector{
	vector("the documentation", page, params, "RSOYDt4T1cUTdK1PDd93/VVr8B8=", true),
	vector(
		"the documentation, with the port",
		"https://mycompany.com:443/myapp.php?foo=1&bar=2",
		params,
		"RSOYDt4T1cUTdK1PDd93/VVr8B8=",
		true,
	),
	vector(
		"the documentation, with another port",
		"https://mycompany.com:8443/myapp.php?foo=1&bar=2",
		params,
		"RSOYDt4T1cUTdK1PDd93/VVr8B8=",
		false,
	),
	vector("twilio-go, more members", page, params+"&Reason=Participant&ReasonConferenceEnded=test",
		"vOEb5UThFn24KEfnOFLQY2AE5FY=", true),
	vector("twilio-go, http", "http://mycompany.com/myapp.php?foo=1&bar=2", params+"&Reason=Participant&ReasonConferenceEnded=test",
		"n2xBNyzSW7rfYStDtOFiFMv7qNo=", true),
	vector("twilio-go, members in a wrong order", page,
		params+"&Reason=Participant&ReasonConferenceEnded=test", "95+Bu0JVPi0r/SsESZCVf0dWAjw=", false),
	vector("twilio-go, JSON", page+"&bodySHA256="+sum,
		`{"property": "value", "boolean": true}`, "a9nBmqA0ju/hNViExpshrM61xv4=", true),
	vector("twilio-go, JSON that was altered", page+"&bodySHA256="+sum,
		`{"property": "value", "boolean": false}`, "a9nBmqA0ju/hNViExpshrM61xv4=", false),
	vector("twilio-go, JSON alone", "https://mycompany.com/myapp.php?bodySHA256="+sum,
		`{"property": "value", "boolean": true}`, "y77kIzt2vzLz71DgmJGsen2scGs=", true),
}

func vector(source, address, body, signature string, good bool) channelstest.Vector {
	return channelstest.Vector{Source: source, Secret: channels.Credentials{sms.AuthToken: "12345"}, Good: good,
		Request: channels.Request{
			Method: "POST",
			URL:    address,
			Body:   []byte(body),
			Header: map[string][]string{"X-Twilio-Signature": {signature}},
		}}
}

// A member that comes several times is signed with each of its values once.
func TestTwilioSignsRepeatedMembers(t *testing.T) {
	twilio, err := sms.NewTwilio("")
	require.NoError(t, err)
	r := text()
	mac := hmac.New(sha1.New, []byte(token))
	mac.Write([]byte(webhook + "AaAbBc"))
	r.Body, r.Header["X-Twilio-Signature"] = []byte("A=b&B=c&A=a&A=b"), []string{base64.StdEncoding.EncodeToString(mac.Sum(nil))}
	require.NoError(t, twilio.Verify(connection, r))
	require.Equal(t, []string{connection.External, "+15558675310"}, twilio.Routes(text()))
}

// Given a connection that sends by another number, or by a service, then what became of its texts is its own;
// what people write to that number is not.
func TestWhatBecameOfTextsByAnotherSender(t *testing.T) {
	twilio, err := sms.NewTwilio("")
	require.NoError(t, err)
	const other, service = "+15550177", "MGaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	sends := func(by string) channels.Connection {
		c := connection
		c.Credentials = maps.Clone(c.Credentials)
		c.Credentials[sms.From] = channels.Secret(by)
		return c
	}
	delivered := report("delivered", channels.Delivered, "")
	for _, of := range []struct {
		by   channels.Connection
		told channels.Request
		want channels.Received
	}{
		{sends(other), status("delivered", "From", other), delivered},
		{sends(service), status("delivered", "From", "+15550178", "MessagingServiceSid", service), delivered},
		{sends(other), status("delivered"), delivered},
		{sends(other), status("delivered", "From", "+15550178"), said(channels.Received{})},
		{sends(other), text("To", other), said(channels.Received{})},
		{sends(service), text("To", "+15550178", "MessagingServiceSid", service), said(channels.Received{})},
	} {
		got, err := twilio.Parse(of.by, of.told)
		require.NoError(t, err)
		require.Equal(t, of.want, got)
	}
}

func BenchmarkTwilio(b *testing.B) {
	channelstest.Bench(b, channelstest.Suite{New: func(base string) (channelstest.Adapter, error) { return sms.NewTwilio(base) },
		Connection: connection, Inbound: inbound})
}

package twiliovoice_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	twiliovoice "github.com/parley-platform/parley/adapters/channels/twilio_voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
)

const (
	account = "AC0123456789abcdef0123456789abcdef"
	number  = "+15557122661"
	person  = "+15558675310"
)

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

var (
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "twilio_voice", External: number, Credentials: channels.Credentials{
		twiliovoice.AccountSID: account, twiliovoice.AuthToken: "an auth token of these tests", twiliovoice.APIKey: "SK01",
		twiliovoice.APISecret: "a key's secret", twiliovoice.Application: "AP01"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "twilio_voice", External: "+15557122662",
		Credentials: channels.Credentials{twiliovoice.AccountSID: "AC" + channels.Secret(strings.Repeat("f", 32)),
			twiliovoice.AuthToken: "another token"}}
)

func TestTwilioVoice(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return twiliovoice.New(base) },
		Connection: connection,
		Public:     []string{twiliovoice.AccountSID, twiliovoice.APIKey, twiliovoice.Application},
		Outbound:   channels.Outbound{Reference: "018f0000-0000-7000-8000-000000000001", Attempt: 1, To: person, Text: "Good day to you"},
		Inbound: &channelstest.Inbound{Sign: sign, Another: another,
			Vectors: []channelstest.Vector{stream("jzsVQ1KYEDZz8eXxw0jS+KT76XA=", true), stream("5HGZUQq+jRrzqTb9yHw7W3fdlgY=", true),
				stream("AHGZUQq+jRrzqTb9yHw7W3fdlgY=", false)},
			Says: map[string]channelstest.Said{
				"a call comes in": {Request: post("ringing"), Want: says(calls.ToldRinging, "ringing")},
				"it is over": {Request: post("completed", "SequenceNumber", "3", "CallDuration", "12", "Timestamp", "Wed, 25 Nov 2026 12:00:00 +0000"),
					Want: says(calls.ToldCompleted, "completed", func(c *channels.Call) {
						c.ExternalID, c.Sequence, c.Duration, c.At = "CA1:3:completed", ptr(3), ptr(12*time.Second), noon
					})},
				"nobody answers": {Request: post("no-answer", "SipResponseCode", "480"),
					Want: says(calls.ToldFailed, "no-answer", func(c *channels.Call) { c.SIPCode = 480 })},
				"we called": {Request: post("initiated", "Direction", "outbound-api", "From", number, "To", person),
					Want: says(calls.ToldInitiated, "initiated", func(c *channels.Call) { c.Direction = calls.Outbound })},
				"a browser calls": {Request: post("ringing", "From", "client:s_1", "To", "", "ToZip", "1"),
					Want: says(calls.ToldRinging, "ringing", func(c *channels.Call) { c.Person = "client:s_1" })},
				"a word of tomorrow": {Request: post("pondering"), Want: says("", "pondering")},
				"nonsense for numbers": {Request: post("completed", "CallDuration", "-1", "SequenceNumber", "x", "SipResponseCode", "9999"),
					Want: says(calls.ToldCompleted, "completed", func(c *channels.Call) { c.ExternalID = "CA1:x:completed" })},
			},
			Ignored: map[string]channels.Request{
				"echo":           post("ringing", "To", "+15557120000"),
				"of nobody":      post("ringing", "To", ""),
				"of sub-account": post("ringing", "AccountSid", "AC"+strings.Repeat("0", 32)),
			},
			Extend: func(r channels.Request) channels.Request {
				r.Body = append(slices.Clone(r.Body), "&StirVerstat=TN-Validation-Passed-A"...)
				return r
			},
		}})
}

func ptr[T any](v T) *T { return &v }

// says is what is told of a call that comes in.
func says(status calls.Told, raw string, change ...func(*channels.Call)) channels.Received {
	c := channels.Call{ExternalID: "CA1::" + raw, ProviderID: "CA1", Person: person, OurNumber: number, Direction: calls.Inbound,
		Status: status, Raw: raw}
	for _, f := range change {
		f(&c)
	}
	return channels.Received{Calls: []channels.Call{c}}
}

// post is a request about a call, with what else its form has.
func post(status string, more ...string) channels.Request {
	form := url.Values{"AccountSid": {account}, "ApiVersion": {"2010-04-01"}, "CallSid": {"CA1"}, "CallStatus": {status}, "From": {person},
		"To": {number}, "Direction": {"inbound"}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return channels.Request{Method: "POST", URL: "https://parley.example.com/api/v1/voice/connect", Body: []byte(form.Encode()), At: noon,
		Header: map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}}}
}

// sign signs as Twilio documents it: URL, and the form's members by their names.
func sign(c channels.Connection, r channels.Request) channels.Request {
	signed := r.URL
	form, _ := url.ParseQuery(string(r.Body))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		signed += name + form.Get(name)
	}
	mac := hmac.New(sha1.New, []byte(c.Credentials.Reveal(twiliovoice.AuthToken)))
	mac.Write([]byte(signed))
	r.Header = maps.Clone(r.Header)
	r.Header["X-Twilio-Signature"] = []string{base64.StdEncoding.EncodeToString(mac.Sum(nil))}
	return r
}

// stream is the opening of a stream: Twilio signs its address, with or without a slash.
func stream(signature string, good bool) channelstest.Vector {
	return channelstest.Vector{Source: "computed, " + signature, Secret: channels.Credentials{twiliovoice.AuthToken: "12345"}, Good: good,
		Request: channels.Request{Method: "GET", URL: "wss://example.com/voice/stream",
			Header: map[string][]string{"X-Twilio-Signature": {signature}}}}
}

// What no log and no table could hold is nothing that Twilio says.
func TestNonsenseIsNoCall(t *testing.T) {
	v, err := twiliovoice.New("")
	require.NoError(t, err)
	for _, wrong := range [][]string{{"CallSid", ""}, {"CallSid", "CA/1"}, {"CallSid", strings.Repeat("C", 65)}, {"From", "a\x00b"},
		{"From", "\xff"}, {"To", strings.Repeat("1", 257)}, {"CallStatus", strings.Repeat("x", 33)}} {
		got, err := v.Parse(connection, post("ringing", wrong...))
		require.ErrorContains(t, err, "reading a request of Twilio", wrong[0])
		require.Empty(t, got)
	}
}

func TestATokenForABrowser(t *testing.T) {
	v, err := twiliovoice.New("")
	require.NoError(t, err)
	token, err := v.Token(connection, "s_1", "1764072000-ab", noon)
	require.NoError(t, err)
	parsed, err := jwt.NewParser(jwt.WithoutClaimsValidation()).Parse(token, func(*jwt.Token) (any, error) {
		return []byte("a key's secret"), nil
	})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"alg": "HS256", "typ": "JWT", "cty": "twilio-fpa;v=1"}, parsed.Header)
	at := float64(noon.Unix())
	require.Equal(t, jwt.MapClaims{"jti": "SK01-1764072000-ab", "iss": "SK01", "sub": account, "iat": at, "nbf": at - 60, "exp": at + 3600,
		"grants": map[string]any{"identity": "s_1", "voice": map[string]any{"incoming": map[string]any{"allow": true},
			"outgoing": map[string]any{"application_sid": "AP01"}}}}, parsed.Claims)
	for _, name := range []string{twiliovoice.APIKey, twiliovoice.APISecret, twiliovoice.Application} {
		c := connection
		c.Credentials = maps.Clone(c.Credentials)
		delete(c.Credentials, name)
		_, err := v.Token(c, "s_1", "1", noon)
		require.ErrorContains(t, err, "are needed for tokens", name)
	}
}

func TestWhatTwilioIsAnswered(t *testing.T) {
	const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	got := twiliovoice.Streamed("wss://h/voice/stream/1", twiliovoice.Parameter{Name: "token", Value: `<"&`})
	require.Equal(t, head+`<Response><Connect><Stream url="wss://h/voice/stream/1">`+
		`<Parameter name="token" value="&lt;&#34;&amp;"></Parameter></Stream></Connect></Response>`, string(got.Body))
	require.Equal(t, "text/xml; charset=utf-8", got.ContentType)
	require.Equal(t, head+"<Response><Reject></Reject></Response>", string(twiliovoice.Rejected().Body))
	require.Equal(t, head+"<Response><Hangup></Hangup></Response>", string(twiliovoice.HungUp().Body))
}

// Given messages of a stream, as Twilio documents them, then this is read in them.
func TestMessagesOfAStream(t *testing.T) {
	for name, c := range map[string]struct {
		message string
		want    twiliovoice.Frame
		wrong   string
	}{
		"connected": {message: `{"event":"connected","protocol":"Call","version":"1.0.0"}`, want: twiliovoice.Frame{Event: "connected"}},
		"start": {message: `{"event":"start","sequenceNumber":"1","streamSid":"MZ1","start":{"accountSid":"AC1","callSid":"CA1","streamSid":"MZ1",
			"tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"token":"t"}}}`,
			want: twiliovoice.Frame{Event: "start", StreamID: "MZ1", CallID: "CA1", Account: "AC1", Custom: map[string]string{"token": "t"}}},
		"media": {message: `{"event":"media","sequenceNumber":"4","streamSid":"MZ1","media":{"track":"inbound","chunk":"2","timestamp":"5",
			"payload":"no+RhoaJjpw="}}`, want: twiliovoice.Frame{Event: "media", StreamID: "MZ1",
			Sound: []byte{0x9e, 0x8f, 0x91, 0x86, 0x86, 0x89, 0x8e, 0x9c}}},
		"our own sound": {message: `{"event":"media","streamSid":"MZ1","media":{"track":"outbound","payload":"no+R"}}`,
			want: twiliovoice.Frame{Event: "media", StreamID: "MZ1"}},
		"dtmf": {message: `{"event":"dtmf","streamSid":"MZ1","sequenceNumber":"5","dtmf":{"track":"inbound_track","digit":"1"}}`,
			want: twiliovoice.Frame{Event: "dtmf", StreamID: "MZ1", Digit: "1"}},
		"mark": {message: `{"event":"mark","sequenceNumber":"4","streamSid":"MZ1","mark":{"name":"m"}}`,
			want: twiliovoice.Frame{Event: "mark", StreamID: "MZ1", Mark: "m"}},
		"stop": {message: `{"event":"stop","sequenceNumber":"5","streamSid":"MZ1","stop":{"accountSid":"AC1","callSid":"CA1"}}`,
			want: twiliovoice.Frame{Event: "stop", StreamID: "MZ1", CallID: "CA1", Account: "AC1"}},
		"of tomorrow":     {message: `{"event":"speech","streamSid":"MZ1"}`, want: twiliovoice.Frame{Event: "speech", StreamID: "MZ1"}},
		"no JSON":         {message: `{`, wrong: "no JSON"},
		"no event":        {message: `{}`, wrong: "no event"},
		"a list":          {message: `[]`, wrong: "no JSON"},
		"a media of none": {message: `{"event":"media","media":{"payload":"no+Rh"}}`, wrong: "no base64"},
		"another sound": {message: `{"event":"start","start":{"callSid":"CA1","streamSid":"MZ1","mediaFormat":{"encoding":"audio/x-l16",
			"sampleRate":16000,"channels":1}}}`, wrong: "not mu-law"},
		"a start of none":  {message: `{"event":"start"}`, wrong: "lacks streamSid"},
		"a digit of two":   {message: `{"event":"dtmf","dtmf":{"digit":"12"}}`, wrong: "digit"},
		"a digit of words": {message: `{"event":"dtmf","dtmf":{"digit":"x"}}`, wrong: "digit"},
	} {
		got, err := twiliovoice.ReadFrame([]byte(c.message))
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestWhatIsSaidOnAStream(t *testing.T) {
	for want, message := range map[string]any{
		`{"event":"media","media":{"payload":"/wA="},"streamSid":"MZ1"}`: twiliovoice.Plays("MZ1", []byte{0xff, 0}),
		`{"event":"mark","mark":{"name":"1"},"streamSid":"MZ1"}`:         twiliovoice.Marks("MZ1", "1"),
		`{"event":"clear","streamSid":"MZ1"}`:                            twiliovoice.Clears("MZ1"),
	} {
		got, err := json.Marshal(message)
		require.NoError(t, err)
		require.JSONEq(t, want, string(got))
	}
}

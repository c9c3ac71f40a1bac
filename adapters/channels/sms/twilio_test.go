package sms_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/sms"
	"github.com/parley-platform/parley/domain/channels"
)

const (
	account = "AC0123456789abcdef0123456789abcdef"
	token   = "an auth token of these tests"
)

// created is the body of Twilio's published example of a created message.
const created = `{"account_sid":"AC0123456789abcdef0123456789abcdef","api_version":"2010-04-01",
"body":"Hi there","date_created":"Thu, 24 Aug 2023 05:01:45 +0000",
"date_sent":null,
"date_updated":"Thu, 24 Aug 2023 05:01:45 +0000","direction":"outbound-api","error_code":null,
"error_message":null,"from":"+15557122661","num_media":"0","num_segments":"1",
"price":null,
"price_unit":null,"messaging_service_sid":"MGaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
"sid":"SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","status":"queued",
"subresource_uris":{"media":"/2010-04-01/Media.json"},
"to":"+15558675310",
"uri":"/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef/Messages/SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.json"}`

// refusal is an error as Twilio writes it; its message quotes the recipient.
func refusal(status, code int) string {
	return fmt.Sprintf(
		`{"code":%d,"message":"The 'To' number +15558675310 is wrong.","more_info":"https://www.twilio.com/docs/errors/%d","status":%d}`,
		code,
		code,
		status,
	)
}

// problem is what Twilio finds wrong with a request for hello by connection.
func problem(r *http.Request, body []byte) string {
	form, err := url.ParseQuery(string(body))
	user, password, _ := r.BasicAuth()
	switch {
	case user != account || password != token:
		return "the credentials"
	case r.Method != http.MethodPost || r.URL.Path != "/2010-04-01/Accounts/"+account+"/Messages.json":
		return r.Method + " " + r.URL.Path
	case err != nil || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded":
		return "the form"
	case !maps.EqualFunc(form, url.Values{"To": {hello.To}, "From": {hello.From}, "Body": {hello.Text}}, slices.Equal):
		return "the members " + form.Encode()
	}
	return ""
}

var (
	connection = channels.Connection{ID: "c-1", TenantID: "acme", Kind: "sms", External: "+15557122661",
		Credentials: channels.Credentials{sms.AccountSID: account, sms.AuthToken: token}}
	another = channels.Connection{ID: "c-2", TenantID: "other", Kind: "sms", External: "+15557122662",
		Credentials: channels.Credentials{sms.AccountSID: "AC" + channels.Secret(strings.Repeat("f", 32)), sms.AuthToken: "another token"}}
	hello = channels.Outbound{Reference: "018f0000-0000-7000-8000-000000000001", Attempt: 1, From: "+15557122661", To: "+15558675310",
		Text: "Hi there & 50 % off = ü €"}
)

func TestTwilio(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return sms.NewTwilio(base) },
		Connection: connection, Public: []string{sms.AccountSID}, Outbound: hello,
		Provider: &channelstest.Provider{Problem: problem,
			Taken: channelstest.Case{Reply: reply(201, created),
				Want: channels.Outcome{Status: channels.Taken, ProviderMessageID: "SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", Segments: 1}},
			Final:   refused(400, 21610, "the recipient has opted out").Stops(),
			Limited: reply(429, refusal(429, 20429)),
			Denied:  notTaken(401, 20003, "Twilio does not accept the credentials").Denies(),
			Others:  others,
		},
		Files: &channelstest.Files{Problem: func(r *http.Request) string {
			if user, password, _ := r.BasicAuth(); r.Method != http.MethodGet || user != account || password != token {
				return "the credentials"
			}
			return ""
		}, File: func(address string) channels.File { return channels.File{URL: address, ContentType: "image/png"} }},
		Inbound: inbound,
	})
}

func reply(status int, body string) channelstest.Reply {
	return channelstest.Reply{Status: status, Body: body}
}

func refused(status, code int, reason string) channelstest.Case {
	return channelstest.Case{Reply: reply(status, refusal(status, code)),
		Want: channels.Outcome{Status: channels.Refused, Code: strconv.Itoa(code), Reason: reason}}
}

func notTaken(status, code int, reason string) channelstest.Case {
	c := refused(status, code, reason)
	c.Want.Status = channels.NotTaken
	return c
}

func doubt(status int, body, reason string) channelstest.Case {
	return channelstest.Case{Reply: reply(status, body), Want: channels.Outcome{Reason: reason}}
}

// proxied is an answer that is not Twilio's own.
func proxied(code int, status channels.Status, reason string) channelstest.Case {
	return channelstest.Case{
		Reply: reply(code, "<html>"),
		Want:  channels.Outcome{Status: status, Code: "HTTP_" + strconv.Itoa(code), Reason: reason},
	}
}

var others = map[string]channelstest.Case{
	"invalid number":  refused(400, 21211, "the recipient's number is not valid"),
	"landline":        refused(400, 21614, "the number takes no text messages"),
	"sender's queue":  notTaken(400, 21611, "too many messages of the sender's number are queued"),
	"unknown code":    refused(400, 29999, "Twilio refused the message with error 29999"),
	"no account":      refused(404, 20404, "Twilio does not know the account"),
	"not available":   notTaken(503, 20503, "Twilio is not available"),
	"a proxy's 503":   doubt(503, "<html>", "Twilio answered with status 503"),
	"internal error":  doubt(500, refusal(500, 20500), "Twilio answered with status 500"),
	"request timeout": doubt(408, "", "Twilio says that the request came too slowly"),
	"a proxy's 429":   proxied(429, channels.NotTaken, "too many requests to Twilio"),
	"a proxy's 403":   proxied(403, channels.NotTaken, "Twilio does not accept the credentials").Denies(),
	"a proxy's 413":   proxied(413, channels.Refused, "Twilio refused the message with status 413"),
	"a redirect":      proxied(307, channels.Refused, "Twilio refused the message with status 307"),
	"not Twilio":      doubt(200, "<html>Sign in</html>", "Twilio's answer cannot be read"),
	"failed at once": {Reply: reply(201, `{"sid":"SM1","status":"failed","num_segments":"1","error_code":21610}`),
		Want: channels.Outcome{Status: channels.Refused, Code: "21610", Reason: "the recipient has opted out", OptedOut: true}},
	"not yet counted": {Reply: reply(201, `{"sid":"SM1","status":"accepted","num_segments":"0","error_code":null}`),
		Want: channels.Outcome{Status: channels.Taken, ProviderMessageID: "SM1"}},
}

// asked is the request by which a text goes to Twilio.
func asked(t *testing.T, c channels.Connection, m channels.Outbound) (r *http.Request, form url.Values) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, got *http.Request) {
		assert.NoError(t, got.ParseForm())
		r, form = got, got.PostForm
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, created)
	}))
	defer s.Close()
	twilio, err := sms.NewTwilio(s.URL)
	require.NoError(t, err)
	require.Equal(t, channels.Taken, twilio.Send(t.Context(), c, m).Status)
	return r, form
}

func TestTwilioSendsThroughAMessagingService(t *testing.T) {
	m := hello
	m.From = "MGaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	_, form := asked(t, connection, m)
	require.Equal(t, url.Values{"To": {m.To}, "MessagingServiceSid": {m.From}, "Body": {m.Text}}, form)
}

// What becomes of a text is told where the connection is called, and an address that Twilio cannot call keeps no text back.
func TestTwilioTellsWhatBecomesOfAText(t *testing.T) {
	m := hello
	m.ReportTo = "https://parley.example/api/v1/channels/twilio_sms/webhook/%2B15550100"
	_, form := asked(t, connection, m)
	require.Equal(t, m.ReportTo, form.Get("StatusCallback"))

	var told []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, got *http.Request) {
		assert.NoError(t, got.ParseForm())
		told = append(told, got.PostForm.Get("StatusCallback"))
		if got.PostForm.Has("StatusCallback") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"code":21609,"message":"The StatusCallback URL is not a valid URL","status":400}`)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, created)
	}))
	defer s.Close()
	twilio, err := sms.NewTwilio(s.URL)
	require.NoError(t, err)
	require.Equal(t, channels.Taken, twilio.Send(t.Context(), connection, m).Status)
	require.Equal(t, []string{m.ReportTo, ""}, told)
}

// A model's curly quotes do not make a text three times as dear.
func TestATextIsSentInTheAlphabetOfGSMWhereItCanBe(t *testing.T) {
	m := hello
	m.Text = strings.Repeat("It\u2019s open. ", 10)
	_, form := asked(t, connection, m)
	require.Equal(t, strings.Repeat("It's open. ", 10), form.Get("Body"))
}

func TestTwilioWithAnAPIKey(t *testing.T) {
	keyed := connection
	keyed.Credentials = channels.Credentials{sms.AccountSID: account, sms.APIKey: "SK1", sms.APISecret: "key secret"}
	r, _ := asked(t, keyed, hello)
	user, password, _ := r.BasicAuth()
	require.Equal(t, []string{"SK1", "key secret"}, []string{user, password})
}

func TestTwilioSettings(t *testing.T) {
	for name, c := range map[string]struct {
		base  string
		given channels.Credentials
		says  string
	}{
		"nothing":        {"", nil, "account SID"},
		"a wrong SID":    {"", channels.Credentials{sms.AccountSID: "AC/../../x", sms.AuthToken: token}, "account SID"},
		"no token":       {"", channels.Credentials{sms.AccountSID: account}, "auth token"},
		"half a key":     {"", channels.Credentials{sms.AccountSID: account, sms.AuthToken: token, sms.APIKey: "SK1"}, "API key"},
		"no URL":         {"api.twilio.com", connection.Credentials, "base URL"},
		"a URL's secret": {"https://u:p@h", connection.Credentials, "base URL"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := sms.NewTwilio(c.base)
			if err == nil {
				err = out.Check(channels.Connection{Credentials: c.given})
			}
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), token, "never a secret")
		})
	}
}

package sms_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/sms"
	"github.com/parley-platform/parley/domain/channels"
)

const (
	account = "AC0123456789abcdef0123456789abcdef"
	token   = "an auth token of these tests"
)

// created is the body of Twilio's published example of a created message.
const created = `{"account_sid":"AC0123456789abcdef0123456789abcdef","api_version":"2010-04-01","body":"Hi there","date_created":"Thu, 24 Aug 2023 05:01:45 +0000","date_sent":null,
"date_updated":"Thu, 24 Aug 2023 05:01:45 +0000","direction":"outbound-api","error_code":null,"error_message":null,"from":"+15557122661","num_media":"0","num_segments":"1","price":null,
"price_unit":null,"messaging_service_sid":"MGaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","sid":"SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","status":"queued","subresource_uris":{"media":"/2010-04-01/Media.json"},
"to":"+15558675310","uri":"/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef/Messages/SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.json"}`

// refusal is an error as Twilio writes it; its message quotes the recipient.
func refusal(status, code int) string {
	return fmt.Sprintf(
		`{"code":%d,"message":"The 'To' number +15558675310 is wrong.","more_info":"https://www.twilio.com/docs/errors/%d","status":%d}`,
		code,
		code,
		status,
	)
}

// peer is Twilio as far as the sending of messages goes: it checks credentials and
// form as Twilio does, and then answers with what the test wants.
type peer struct {
	*httptest.Server
	asked  atomic.Int32
	form   url.Values
	answer func(w http.ResponseWriter)
}

func newPeer(t *testing.T, user, password string, answer func(http.ResponseWriter)) *peer {
	p := &peer{answer: answer}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		if u, pw, ok := r.BasicAuth(); !ok || u != user || pw != password {
			reply(w, 401, refusal(401, 20003))
			return
		}
		if r.Method != http.MethodPost || r.URL.Path != "/2010-04-01/Accounts/"+account+"/Messages.json" {
			reply(w, 404, refusal(404, 20404))
			return
		}
		if r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" || r.ParseForm() != nil || r.PostForm.Get("To") == "" ||
			r.PostForm.Get("Body") == "" {
			reply(w, 400, refusal(400, 21604))
			return
		}
		p.form = r.PostForm
		p.answer(w)
	}))
	t.Cleanup(p.Close)
	return p
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func answers(status int, body string, headers ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		reply(w, status, body)
	}
}

var connection = channels.Connection{ID: "c-1", TenantID: "acme", Kind: "sms", External: "+15557122661",
	Credentials: channels.Credentials{sms.AccountSID: account, sms.AuthToken: token}}

func twilio(t *testing.T, base string) *sms.Twilio {
	t.Helper()
	out, err := sms.NewTwilio(base)
	require.NoError(t, err)
	require.NoError(t, out.Check(connection))
	return out
}

var hello = channels.Outbound{Reference: "m-1", Attempt: 1, From: "+15557122661", To: "+15558675310", Text: "Hi there & 50 % off = ü €"}

func TestTwilioTakesAMessage(t *testing.T) {
	p := newPeer(t, account, token, answers(201, created))
	require.Equal(
		t,
		channels.Outcome{Status: channels.Taken, ProviderMessageID: "SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", Segments: 1},
		twilio(t, p.URL+"/").Send(t.Context(), connection, hello),
	)
	require.Equal(t, url.Values{"To": {hello.To}, "From": {hello.From}, "Body": {hello.Text}}, p.form)
}

func TestTwilioSendsThroughAMessagingService(t *testing.T) {
	p := newPeer(t, account, token, answers(201, created))
	m := hello
	m.From = "MGaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	require.Equal(t, channels.Taken, twilio(t, p.URL).Send(t.Context(), connection, m).Status)
	require.Equal(t, url.Values{"To": {m.To}, "MessagingServiceSid": {m.From}, "Body": {m.Text}}, p.form)
}

func TestTwilioWithAnAPIKey(t *testing.T) {
	p := newPeer(t, "SK1", "key secret", answers(201, created))
	keyed := connection
	keyed.Credentials = channels.Credentials{sms.AccountSID: account, sms.APIKey: "SK1", sms.APISecret: "key secret"}
	require.Equal(t, channels.Taken, twilio(t, p.URL).Send(t.Context(), keyed, hello).Status)
}

func TestTwilioWithAWrongToken(t *testing.T) {
	p := newPeer(t, account, "another token", answers(201, created))
	require.Equal(
		t,
		channels.Outcome{Status: channels.NotTaken, Code: "20003", Reason: "Twilio does not accept the credentials"},
		twilio(t, p.URL).Send(t.Context(), connection, hello),
	)
}

func TestWhatTwiliosAnswersMean(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		want   channels.Outcome
	}{
		"invalid number": {answers(400, refusal(400, 21211)),
			channels.Outcome{Status: channels.Refused, Code: "21211", Reason: "the recipient's number is not valid"}},
		"opted out": {answers(400, refusal(400, 21610)),
			channels.Outcome{Status: channels.Refused, Code: "21610", Reason: "the recipient has opted out"}},
		"landline": {answers(400, refusal(400, 21614)),
			channels.Outcome{Status: channels.Refused, Code: "21614", Reason: "the number takes no text messages"}},
		"sender's queue": {answers(400, refusal(400, 21611)),
			channels.Outcome{Status: channels.NotTaken, Code: "21611", Reason: "too many messages of the sender's number are queued"}},
		"unknown code": {answers(400, refusal(400, 29999)),
			channels.Outcome{Status: channels.Refused, Code: "29999", Reason: "Twilio refused the message with error 29999"}},
		"no account": {answers(404, refusal(404, 20404)),
			channels.Outcome{Status: channels.Refused, Code: "20404", Reason: "Twilio does not know the account"}},
		"too many": {answers(429, refusal(429, 20429), "Retry-After", "7"),
			channels.Outcome{Status: channels.NotTaken, Code: "20429", Reason: "too many requests to Twilio", RetryAfter: 7 * time.Second}},
		"too many, far off": {answers(429, "", "Retry-After", "999999999999"),
			channels.Outcome{Status: channels.NotTaken, Code: "HTTP_429", Reason: "too many requests to Twilio", RetryAfter: 24 * time.Hour}},
		"not available": {answers(503, refusal(503, 20503)),
			channels.Outcome{Status: channels.NotTaken, Code: "20503", Reason: "Twilio is not available"}},
		"a proxy's 503":   {answers(503, "<html>"), channels.Outcome{Reason: "Twilio answered with status 503"}},
		"internal error":  {answers(500, refusal(500, 20500)), channels.Outcome{Reason: "Twilio answered with status 500"}},
		"gateway timeout": {answers(504, ""), channels.Outcome{Reason: "Twilio answered with status 504"}},
		"request timeout": {answers(408, ""), channels.Outcome{Reason: "Twilio says that the request came too slowly"}},
		"a proxy's 403": {answers(403, "<html>"),
			channels.Outcome{Status: channels.NotTaken, Code: "HTTP_403", Reason: "Twilio does not accept the credentials"}},
		"a proxy's 413": {answers(413, "<html>"),
			channels.Outcome{Status: channels.Refused, Code: "HTTP_413", Reason: "Twilio refused the message with status 413"}},
		"redirect": {answers(307, "", "Location", "/elsewhere"),
			channels.Outcome{Status: channels.Refused, Code: "HTTP_307", Reason: "Twilio refused the message with status 307"}},
		"half an answer": {answers(201, created[:200]), channels.Outcome{Reason: "Twilio's answer cannot be read"}},
		"not Twilio":     {answers(200, "<html>Sign in</html>"), channels.Outcome{Reason: "Twilio's answer cannot be read"}},
		"null":           {answers(201, "null"), channels.Outcome{Reason: "Twilio's answer cannot be read"}},
		"failed at once": {answers(201, `{"sid":"SM1","status":"failed","num_segments":"1","error_code":21610}`),
			channels.Outcome{Status: channels.Refused, Code: "21610", Reason: "the recipient has opted out"}},
		"not yet counted": {answers(201, `{"sid":"SM1","status":"accepted","num_segments":"0","error_code":null}`),
			channels.Outcome{Status: channels.Taken, ProviderMessageID: "SM1"}},
		"cut connection":  {cutOff, channels.Outcome{Reason: "Twilio did not answer"}},
		"cut in the body": {cutInBody, channels.Outcome{Reason: "Twilio's answer cannot be read"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t, account, token, c.answer)
			report := twilio(t, p.URL).Send(t.Context(), connection, hello)
			require.Equal(t, c.want, report)
			require.EqualValues(t, 1, p.asked.Load(), "asked once")
			require.NotContains(t, report.Reason, "555", "no number")
		})
	}
}

// cutOff takes the request and hangs up.
func cutOff(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// cutInBody promises more than it sends.
func cutInBody(w http.ResponseWriter) {
	w.Header().Set("Content-Length", fmt.Sprint(len(created)))
	w.WriteHeader(201)
	_, _ = io.WriteString(w, created[:100])
}

func TestTwilioDoesNotAnswerInTime(t *testing.T) {
	held := make(chan struct{})
	p := newPeer(t, account, token, func(http.ResponseWriter) { <-held })
	defer close(held)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.Equal(t, channels.Outcome{Reason: "Twilio did not answer"}, twilio(t, p.URL).Send(ctx, connection, hello))
}

func TestTwilioCannotBeReached(t *testing.T) {
	want := channels.Outcome{Status: channels.NotTaken, Code: "UNREACHABLE", Reason: "Twilio cannot be reached"}
	t.Run("refused", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, l.Close())
		require.Equal(t, want, twilio(t, "http://"+l.Addr().String()).Send(t.Context(), connection, hello))
	})
	t.Run("no such name", func(t *testing.T) {
		require.Equal(t, want, twilio(t, "http://no.such.host.invalid").Send(t.Context(), connection, hello))
	})
	t.Run("no trust", func(t *testing.T) {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake that fails
		s.StartTLS()
		defer s.Close()
		require.Equal(t, want, twilio(t, s.URL).Send(t.Context(), connection, hello))
	})
	t.Run("given up before it began", func(t *testing.T) {
		p := newPeer(t, account, token, answers(201, created))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.Equal(t, want, twilio(t, p.URL).Send(ctx, connection, hello))
		require.Zero(t, p.asked.Load())
	})
}

func TestTwilioCannotTellAfterwards(t *testing.T) {
	report, err := twilio(t, "http://127.0.0.1:1").Lookup(t.Context(), connection, channels.Doubt{Outbound: hello})
	require.NoError(t, err)
	require.Equal(t, channels.Outcome{}, report)
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

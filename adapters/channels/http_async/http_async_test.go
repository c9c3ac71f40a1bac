package httpasync_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	httpasync "github.com/parley-platform/parley/adapters/channels/http_async"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/channels"
)

var (
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "http_async", External: "shop",
		Credentials: channels.Credentials{httpasync.CallbackSecret: "It's a Secret to Everybody"}}
	hello = channels.Outbound{Reference: "m-1/0/0", Attempt: 1, Answers: 3,
		To:   channels.CallbackTo("https://receiver.example.com/told", "t-1"),
		Text: "Fish & <chips>? 😀", Choices: []channels.Choice{{Token: "1.0", Label: "Yes"}}}
)

func TestAnswersOfTheChannel(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{New: func(base string) (channelstest.Adapter, error) { return httpasync.New(base) },
		Connection: connection, Outbound: hello})
}

// receiver answers with a status, and keeps what it was sent.
func receiver(t *testing.T, status int) (*httptest.Server, *http.Request, *[]byte) {
	got, body := &http.Request{}, &[]byte{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*got = *r
		*body, _ = io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s, got, body
}

func local(t *testing.T) *httpasync.Adapter {
	a, err := httpasync.New("")
	require.NoError(t, err)
	return a.Guarded(webhook.Guard{AllowLoopback: true})
}

// Given an address, when something is said, then it is posted there once, signed over its bytes.
func TestAnAnswerIsPosted(t *testing.T) {
	s, r, body := receiver(t, 204)
	m := hello
	m.To = channels.CallbackTo(s.URL+"/told?x=1", "t-1")
	require.Equal(t, channels.Outcome{Status: channels.Taken}, local(t).Send(t.Context(), connection, m))
	require.Equal(t, []string{"POST", "/told?x=1", "application/json"}, []string{r.Method, r.URL.String(), r.Header.Get("Content-Type")})
	var got httpasync.Posted
	require.NoError(t, json.Unmarshal(*body, &got))
	require.Equal(t, httpasync.Posted{MessageID: "t-1.3", ReplyID: "m-1/0/0", Text: hello.Text,
		Choices: []httpasync.Choice{{ID: "1.0", Label: "Yes"}}}, got)
	require.Equal(t, httpasync.Signature("It's a Secret to Everybody", *body), r.Header.Get(httpasync.SignatureHeader))
}

func TestASignatureIsThatOfCallbacks(t *testing.T) { // published: GitHub's documentation of webhooks
	require.Equal(t, "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
		httpasync.Signature("It's a Secret to Everybody", []byte("Hello, World!")))
}

func TestWhatAReceiverAnswers(t *testing.T) {
	for status, want := range map[int]channels.Status{200: channels.Taken, 202: channels.Taken, 302: channels.Refused, 400: channels.Refused,
		401: channels.Refused,
		410: channels.Refused, 408: channels.NotTaken, 429: channels.NotTaken, 500: channels.NotTaken, 503: channels.NotTaken} {
		s, _, _ := receiver(t, status)
		m := hello
		m.To = channels.CallbackTo(s.URL, "t-1")
		got := local(t).Send(t.Context(), connection, m)
		require.Equal(t, want, got.Status, status)
		if want == channels.NotTaken {
			require.EqualValues(t, 7e9, got.RetryAfter, status)
		}
	}
}

func TestWhereNothingIsPosted(t *testing.T) {
	bare := connection
	bare.Credentials = nil
	strict, err := httpasync.New("")
	require.NoError(t, err)
	to := func(url string) channels.Outbound {
		m := hello
		m.To = channels.CallbackTo(url, "t-1")
		return m
	}
	require.Equal(t, channels.Outcome{Status: channels.Taken}, strict.Send(t.Context(), bare, to("")), "who asks has it")
	require.Equal(t, "CREDENTIALS", strict.Send(t.Context(), bare, to("https://receiver.example.com")).Code)
	for _, inward := range []string{"http://127.0.0.1:1/", "http://localhost/", "https://user:hush@example.com", "ftp://x",
		"http://10.0.0.1"} {
		got := strict.Send(t.Context(), connection, to(inward))
		require.Equal(t, []any{channels.Refused, "ADDRESS"}, []any{got.Status, got.Code}, inward)
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	require.Equal(t, channels.NotTaken, local(t).Send(t.Context(), connection, to(gone.URL)).Status)
}

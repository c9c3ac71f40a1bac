package openai_test

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/domain/fault"
)

// What OpenAI's reference of its API shows.
const (
	completion = `{"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion","created":1741569952,
"model":"gpt-4o-mini-2024-07-18","choices":[{"index":0,"logprobs":null,"finish_reason":"stop",
"message":{"role":"assistant","content":"Hello!","refusal":null,"annotations":[]}}],
"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29},"service_tier":"default"}`
	transcription = `{"text":"Imagine the wildest idea.","logprobs":[],"usage":{"type":"tokens","input_tokens":14,
"input_token_details":{"text_tokens":0,"audio_tokens":14},"output_tokens":45,"total_tokens":59}}`
	wrongKey = `{"error":{"message":"Incorrect API key provided: sk-te*st.",
"type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`
)

// got is one request as the peer read it.
type got struct {
	method, path string
	header       http.Header
	body         string
}

// peer plays OpenAI, and keeps what it was asked.
func peer(t *testing.T, answer http.HandlerFunc) (baseURL string, all func() []got) {
	t.Helper()
	var mu sync.Mutex
	var kept []got
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || int64(len(body)) != r.ContentLength {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		mu.Lock()
		kept = append(kept, got{r.Method, r.URL.RequestURI(), r.Header, string(body)})
		mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", func() []got {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(kept)
	}
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func client(t *testing.T, c openai.Config) *openai.Client {
	t.Helper()
	if c.APIKey == "" {
		c.APIKey = "sk-test"
	}
	made, err := openai.NewClient(c)
	require.NoError(t, err)
	return made
}

var hello = openai.ChatRequest{Model: "gpt-4o-mini", MaxCompletionTokens: 500,
	Messages: []openai.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Hello"}}}

func TestAChatOnTheWire(t *testing.T) {
	for _, slash := range []string{"", "/"} {
		base, all := peer(t, says(200, completion))
		answer, err := client(t, openai.Config{BaseURL: base + slash}).Complete(t.Context(), hello)
		require.NoError(t, err)
		require.Equal(t, "gpt-4o-mini-2024-07-18", answer.Model)
		require.Equal(t, "Hello!", answer.Choices[0].Message.Content)
		require.Equal(t, []int64{19, 10}, []int64{answer.Usage.PromptTokens, answer.Usage.CompletionTokens})

		request := all()[0]
		require.Equal(t, []string{"POST", "/v1/chat/completions"}, []string{request.method, request.path})
		require.JSONEq(t, `{"model":"gpt-4o-mini","max_completion_tokens":500,
			"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hello"}]}`, request.body)
		require.Equal(t, []string{"Bearer sk-test", "application/json", "application/json"},
			[]string{request.header.Get("Authorization"), request.header.Get("Content-Type"), request.header.Get("Accept")})
		require.NotContains(t, request.header, http.CanonicalHeaderKey("OpenAI-Organization"), "the key's own is charged")
		require.NotContains(t, request.header, http.CanonicalHeaderKey("OpenAI-Project"))
	}
}

func TestARecordingOnTheWire(t *testing.T) {
	base, all := peer(t, says(200, transcription))
	c := client(t, openai.Config{BaseURL: base, Organization: "org-1", Project: "proj_1"})
	answer, err := c.Transcribe(t.Context(), openai.TranscriptionRequest{Model: "whisper-1", Language: "en", FileName: `a"b.mp3`,
		ContentType: "audio/mpeg", Audio: []byte("\x00sound\r\n--")})
	require.NoError(t, err)
	require.Equal(t, "Imagine the wildest idea.", *answer.Text)
	require.Equal(t, []int64{14, 45}, []int64{answer.Usage.InputTokens, answer.Usage.OutputTokens})

	request := all()[0]
	require.Equal(t, []string{"POST", "/v1/audio/transcriptions"}, []string{request.method, request.path})
	require.Equal(t, []string{"org-1", "proj_1"}, []string{request.header.Get("OpenAI-Organization"), request.header.Get("OpenAI-Project")})
	kind, params, err := mime.ParseMediaType(request.header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/form-data", kind)
	form, err := multipart.NewReader(strings.NewReader(request.body), params["boundary"]).ReadForm(1 << 20)
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"model": {"whisper-1"}, "language": {"en"}, "response_format": {"json"}}, form.Value)
	file := form.File["file"][0]
	require.Equal(t, []string{`a"b.mp3`, "audio/mpeg"}, []string{file.Filename, file.Header.Get("Content-Type")})
	opened, err := file.Open()
	require.NoError(t, err)
	sound, err := io.ReadAll(opened)
	require.NoError(t, err)
	require.Equal(t, "\x00sound\r\n--", string(sound))

	_, err = c.Transcribe(t.Context(),
		openai.TranscriptionRequest{Model: "whisper-1", FileName: "a.wav", ContentType: "audio/wav", Audio: []byte("x")})
	require.NoError(t, err)
	require.NotContains(t, all()[1].body, `name="language"`, "the model finds out")
}

func TestWhatOpenAIRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   openai.Error
		text   string
	}{
		"wrong key": {401, wrongKey, openai.Error{Code: "invalid_api_key", Type: "invalid_request_error",
			Message: "Incorrect API key provided: sk-te*st."},
			"OpenAI answered with status 401, code invalid_api_key, type invalid_request_error"},
		"no code": {400, `{"error":{"message":"Ann said no","type":"invalid_request_error","param":"messages[1].content","code":null}}`,
			openai.Error{Type: "invalid_request_error", Param: "messages[1].content", Message: "Ann said no"},
			"OpenAI answered with status 400, type invalid_request_error, param messages[1].content"},
		"a number as code": {404, `{"error":{"message":"none","type":"NotFoundError","param":null,"code":404}}`,
			openai.Error{Type: "NotFoundError", Message: "none", Code: "404"},
			"OpenAI answered with status 404, code 404, type NotFoundError"},
		"a key where a code is": {400, `{"error":{"code":"sk-test","type":"what sk-test said","param":"sk-test"}}`,
			openai.Error{Code: "sk-test", Type: "what sk-test said", Param: "sk-test"}, "OpenAI answered with status 400"},
		"another shape":   {503, `{"error":"overloaded"}`, openai.Error{}, "OpenAI answered with status 503"},
		"a proxy's page":  {502, `<html>sk-test</html>`, openai.Error{}, "OpenAI answered with status 502"},
		"nothing":         {500, ``, openai.Error{}, "OpenAI answered with status 500"},
		"too much":        {500, strings.Repeat("x", 5<<20), openai.Error{}, "OpenAI answered with status 500"},
		"not a rejection": {302, ``, openai.Error{}, "OpenAI answered with status 302"},
	} {
		t.Run(name, func(t *testing.T) {
			base, all := peer(t, says(c.status, c.body))
			_, err := client(t, openai.Config{BaseURL: base}).Complete(t.Context(), hello)
			var answer *openai.Error
			require.ErrorAs(t, err, &answer)
			c.want.Status = c.status
			require.Equal(t, c.want, *answer)
			require.Equal(t, c.text, err.Error(), "neither keys nor what was said")
			require.Equal(t, c.want.Code, openai.Code(err))
			require.Len(t, all(), 1, "asked once")
		})
	}
}

func TestTheRequestThatOpenAICanFind(t *testing.T) {
	for id, shown := range map[string]bool{
		"req_0123456789abcdef0123456789abcdef": true,
		"0b81a5b4-76f0-4b3e-8a37-4a0cb2a4e0a1": true,
		"sk-test":                              false,
		"":                                     false,
	} {
		base, _ := peer(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("x-request-id", id)
			says(500, "")(w, r)
		})
		_, err := client(t, openai.Config{BaseURL: base}).Complete(t.Context(), hello)
		require.Equal(t, shown, strings.HasSuffix(err.Error(), ", request "+id), "%v", err)
	}
}

func TestWhenToTryAgain(t *testing.T) {
	for name, c := range map[string]struct {
		name, value string
		want        time.Duration
	}{
		"not said":      {"Retry-After", "", time.Second},
		"seconds":       {"Retry-After", "7", 7 * time.Second},
		"parts of one":  {"Retry-After", "1.5", 1500 * time.Millisecond},
		"milliseconds":  {"Retry-After-Ms", "2500", 2500 * time.Millisecond},
		"a day":         {"Retry-After", "86400", 10 * time.Minute},
		"more than all": {"Retry-After", "1e300", 10 * time.Minute},
		"the past":      {"Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT", time.Second},
		"the future":    {"Retry-After", "Fri, 31 Dec 2199 23:59:59 GMT", 10 * time.Minute},
		"below zero":    {"Retry-After", "-5", time.Second},
		"no number":     {"Retry-After", "NaN", time.Second},
		"words":         {"Retry-After", "soon", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			base, _ := peer(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set(c.name, c.value)
				says(429, "")(w, r)
			})
			_, err := client(t, openai.Config{BaseURL: base}).Complete(t.Context(), hello)
			var refused *fault.Error
			require.ErrorAs(t, openai.Fault(err), &refused)
			require.Equal(t, fault.RateLimit, refused.Code)
			require.Equal(t, c.want, refused.Retry)
		})
	}
}

// An answer that nobody can read says nothing about the account: it is worth another try.
func TestAnswersThatCannotBeRead(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"half of it":   says(200, completion[:100]),
		"a page":       says(200, "<html>Ann</html>"),
		"another type": says(200, `{"choices":"Ann"}`),
		"too much":     says(200, `{"model":"`+strings.Repeat("x", 4<<20)+`"}`),
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, completion[:50])
		},
		"hung up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			base, all := peer(t, answer)
			_, err := client(t, openai.Config{BaseURL: base}).Complete(t.Context(), hello)
			require.Error(t, err)
			require.NotContains(t, err.Error(), "Ann")
			require.Empty(t, openai.Code(err))
			require.True(t, fault.Is(openai.Fault(err), fault.Unavailable))
			require.Len(t, all(), 1, "asked once: OpenAI may have done it")
		})
	}
}

// What was said goes to the address that the operator named and to no other, nor does the key.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other, asked := peer(t, says(200, completion))
	base, _ := peer(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other+"/chat/completions", http.StatusPermanentRedirect)
	})
	_, err := client(t, openai.Config{BaseURL: base}).Complete(t.Context(), hello)
	require.ErrorContains(t, openai.Fault(err), "another address")
	require.Empty(t, asked())
}

func TestOpenAIIsAway(t *testing.T) {
	base, _ := peer(t, says(200, completion))
	away := httptest.NewServer(nil)
	away.Close()
	_, err := client(t, openai.Config{BaseURL: away.URL + "/v1?key=secret"}).Complete(t.Context(), hello)
	require.True(t, fault.Is(openai.Fault(err), fault.Unavailable))
	require.NotContains(t, err.Error(), "secret", "an address may hold one")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = client(t, openai.Config{BaseURL: base}).Complete(ctx, hello)
	require.ErrorIs(t, err, context.Canceled)
}

func TestSettings(t *testing.T) {
	for says, c := range map[string]openai.Config{
		"an API key is needed":         {},
		"the API key holds":            {APIKey: "sk-secret\n"},
		"the organization holds":       {APIKey: "sk-secret", Organization: "org\r\nX: y"},
		"the project holds":            {APIKey: "sk-secret", Project: "prüf"},
		"the base URL must be":         {APIKey: "sk-secret", BaseURL: "api.openai.com"},
		"http or https URL":            {APIKey: "sk-secret", BaseURL: "ftp://api.openai.com/v1"},
		"http or https URL without a ": {APIKey: "sk-secret", BaseURL: "https://ann:secret@host/v1"},
	} {
		_, err := openai.NewClient(c)
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := openai.NewClient(openai.Config{APIKey: "sk-test"})
	require.NoError(t, err, "OpenAI's own address")
	require.True(t, strings.HasPrefix(openai.DefaultURL, "https://"))
	_, err = url.Parse(openai.DefaultURL)
	require.NoError(t, err)
	require.Empty(t, openai.Code(errors.New("another")))
}

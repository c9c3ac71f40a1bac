package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
)

// tools are those of a developer: the servers of these tests are on loopback.
func tools(t *testing.T, o webhook.Options) *webhook.Tools {
	o.Guard.AllowLoopback = true
	made := webhook.NewTools(o)
	t.Cleanup(made.Close)
	return made
}

// reading is a call that reads, and has a second for it.
func reading(url string) webhook.ToolCall {
	return webhook.ToolCall{Request: dsl.Sent{Method: "GET", URL: url}, Timeout: time.Second, Backoff: time.Millisecond}
}

// writing is a call that changes something.
func writing(url string) webhook.ToolCall {
	c := reading(url)
	c.Request.Method, c.Request.Body, c.Request.Headers = "POST", []byte(`{"a":1}`), map[string]string{"Content-Type": "application/json"}
	c.Write, c.Key = true, "call-1"
	return c
}

// saying answers 200 with a body of a type; without one the server's own guess is switched off.
func saying(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		_, _ = io.WriteString(w, body)
	}
}

func TestWhatAnAnswerOfAToolMeans(t *testing.T) {
	const asJSON = "application/json"
	deep := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	quoted := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	for name, c := range map[string]struct {
		kind, body string
		result     string
		code       string
	}{
		"JSON":                      {asJSON, "{ \"b\": 1.50,\n\"a\": [ true, null ] }", `{"b":1.50,"a":[true,null]}`, ""},
		"of a charset":              {"application/json; charset=utf-8", `"ä<"`, `"ä<"`, ""},
		"of another kind of JSON":   {"application/problem+json", `{}`, `{}`, ""},
		"of no type":                {"", `[1]`, `[1]`, ""},
		"with a mark of order":      {asJSON, "\xef\xbb\xbf{}", `{}`, ""},
		"a pair of surrogates":      {asJSON, `"\ud83d\ude00\\u0000"`, `"\ud83d\ude00\\u0000"`, ""},
		"nothing":                   {asJSON, "", "null", ""},
		"white space":               {asJSON, " \n", "null", ""},
		"a text":                    {"text/plain", `a "b" <c>` + "\n", `"a \"b\" <c>\n"`, ""},
		"a text that is JSON":       {"text/plain; charset=utf-8", `{"a":1}`, `"{\"a\":1}"`, ""},
		"a table":                   {"text/csv", "a,b", `"a,b"`, ""},
		"as large as may be":        {asJSON, quoted(256<<10 - 2), quoted(256<<10 - 2), ""},
		"64 levels":                 {asJSON, deep(64), deep(64), ""},
		"the same name, elsewhere":  {asJSON, `{"a":{"a":1},"b":[{"a":"a"},{"a":"a"}]}`, `{"a":{"a":1},"b":[{"a":"a"},{"a":"a"}]}`, ""},
		"much space":                {asJSON, "[" + strings.Repeat(" ", 500<<10) + "]", "[]", ""},
		"a page":                    {"text/html", "<html>", "", webhook.ToolNotJSON},
		"a page that is JSON":       {"text/html; charset=utf-8", "{}", "", webhook.ToolNotJSON},
		"a page that says JSON":     {asJSON, "<html>", "", webhook.ToolNotJSON},
		"a text of no type":         {"", "hello", "", webhook.ToolNotJSON},
		"a picture":                 {"image/png", "{}", "", webhook.ToolNotJSON},
		"XML":                       {"application/xml", "<a/>", "", webhook.ToolNotJSON},
		"no type that there is":     {"JSON/;;", "{}", "", webhook.ToolNotJSON},
		"half of it":                {asJSON, `{"a":`, "", webhook.ToolNotJSON},
		"two of it":                 {asJSON, `{} {}`, "", webhook.ToolNotJSON},
		"a name twice":              {asJSON, `[{"a":1,"b":{},"a":2}]`, "", webhook.ToolNotJSON},
		"a name twice, spelt apart": {asJSON, `{"a":1,"\u0061":2}`, "", webhook.ToolNotJSON},
		"no UTF-8":                  {asJSON, "\"\xff\"", "", webhook.ToolNotJSON},
		"a text in no UTF-8":        {"text/plain", "\xe4", "", webhook.ToolNotJSON},
		"65 levels":                 {asJSON, deep(65), "", webhook.ToolNotJSON},
		"levels without end":        {asJSON, deep(100_000), "", webhook.ToolNotJSON},
		"a number beyond all":       {asJSON, "1e999", "", webhook.ToolNotJSON},
		"the character 0":           {asJSON, `{"\u0000":1}`, "", webhook.ToolNotJSON},
		"the character 0 in a text": {"text/plain", "a\x00", "", webhook.ToolNotJSON},
		"half a pair":               {asJSON, `"\ud83d"`, "", webhook.ToolNotJSON},
		"half a pair and a letter":  {asJSON, `"\ud83d\u0041"`, "", webhook.ToolNotJSON},
		"the other half":            {asJSON, `"\uDE00"`, "", webhook.ToolNotJSON},
		"a byte too large":          {asJSON, quoted(256<<10 - 1), "", webhook.ToolTooLarge},
		"a text that is too large":  {"text/plain", strings.Repeat(`"`, 200<<10), "", webhook.ToolTooLarge},
		"5 MB":                      {asJSON, quoted(5 << 20), "", webhook.ToolTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := receiver(t, saying(c.kind, c.body))
			got := tools(t, webhook.Options{}).Call(t.Context(), reading(s.URL))
			require.Equal(t, c.code, got.Code)
			require.Equal(t, c.result, string(got.Result))
			require.Equal(t, 200, got.Status)
			require.Equal(t, 1, got.Tries)
			require.Equal(t, c.code == "", got.Outcome == sessions.CallOK)
			require.Equal(t, c.code != "", got.Outcome == sessions.CallFailed)
			require.Equal(t, c.code == "", json.Valid(got.Result))
		})
	}
}

// Nobody is told how much an endless answer has; it is not read to its end.
func TestAnAnswerWithoutEndIsNotRead(t *testing.T) {
	written := make(chan int, 1)
	s, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		n, piece := 0, []byte(strings.Repeat(" ", 64<<10))
		for n < 64<<20 {
			m, err := w.Write(piece)
			if n += m; err != nil {
				break
			}
		}
		written <- n
	})
	c := reading(s.URL)
	c.Timeout = 10 * time.Second
	require.Equal(t, webhook.ToolTooLarge, tools(t, webhook.Options{}).Call(t.Context(), c).Code)
	require.Less(t, <-written, 32<<20)
}

func TestStatusesOfATool(t *testing.T) {
	inward, reached := receiver(t, answering(200))
	for _, c := range []struct {
		status int
		method string
		code   string
		tries  int
	}{
		{200, "HEAD", "", 1}, {204, "GET", "", 1}, {201, "GET", "", 1}, {205, "GET", "", 1},
		{301, "GET", webhook.ToolRedirect, 1}, {302, "HEAD", webhook.ToolRedirect, 1}, {303, "GET", webhook.ToolRedirect, 1},
		{304, "GET", webhook.ToolRedirect, 1}, {307, "GET", webhook.ToolRedirect, 1}, {308, "GET", webhook.ToolRedirect, 1},
		{400, "GET", "HTTP_400", 1}, {401, "GET", "HTTP_401", 1}, {404, "HEAD", "HTTP_404", 1}, {410, "GET", "HTTP_410", 1},
		{408, "GET", "HTTP_408", 3}, {429, "GET", "HTTP_429", 3}, {502, "HEAD", "HTTP_502", 3}, {503, "GET", "HTTP_503", 3},
		{504, "GET", "HTTP_504", 3}, {500, "GET", "HTTP_500", 1}, {501, "GET", "HTTP_501", 1},
	} {
		s, got := receiver(t, answering(c.status, "Location", inward.URL))
		call := reading(s.URL)
		call.Request.Method, call.Retry = c.method, 2
		r := tools(t, webhook.Options{}).Call(t.Context(), call)
		require.Equal(t, c.code, r.Code, c.status)
		require.Equal(t, c.status, r.Status)
		require.Equal(t, c.tries, r.Tries, c.status)
		require.EqualValues(t, c.tries, got.Load(), c.status)
		if c.code == "" {
			require.Equal(t, "null", string(r.Result))
		}
	}
	require.Zero(t, reached.Load(), "a redirect is not followed")
}

// What a request holds arrives as it was built.
func TestTheRequestOfATool(t *testing.T) {
	got := make(chan *http.Request, 1)
	body := make(chan string, 1)
	s, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		got <- r
		body <- string(data)
		w.WriteHeader(http.StatusNoContent)
	})
	all := tools(t, webhook.Options{})
	c := writing(s.URL + "/a%2Fb/c?d=e%26f")
	c.Request.Headers["Authorization"] = "Bearer " + strings.Repeat("t", 16_384)
	require.Equal(t, sessions.CallOK, all.Call(t.Context(), c).Outcome)
	r := <-got
	require.Equal(t, "/a%2Fb/c?d=e%26f", r.RequestURI)
	require.Equal(t, `{"a":1}`, <-body)
	require.Equal(t, c.Request.Headers["Authorization"], r.Header.Get("Authorization"))
	require.Equal(t, "call-1", r.Header.Get("Idempotency-Key"))
	require.Equal(t, "Parley-Tool/1", r.Header.Get("User-Agent"))
	require.Equal(t, "application/json", r.Header.Get("Accept"))
	require.Empty(t, r.Header.Get("Accept-Encoding"))

	c.Request.Headers = map[string]string{"Idempotency-Key": "mine", "User-Agent": "us", "Accept": "text/csv"}
	require.Equal(t, sessions.CallOK, all.Call(t.Context(), c).Outcome)
	r, _ = <-got, <-body
	require.Equal(t, []string{"mine"}, r.Header["Idempotency-Key"])
	require.Equal(t, "us", r.Header.Get("User-Agent"))
	require.Equal(t, "text/csv", r.Header.Get("Accept"))

	read := reading(s.URL)
	read.Key = "call-2"
	require.Equal(t, sessions.CallOK, all.Call(t.Context(), read).Outcome)
	r, _ = <-got, <-body
	require.Empty(t, r.Header.Get("Idempotency-Key"), "of what only reads")
}

func TestWhatIsNoRequestIsNotSent(t *testing.T) {
	s, got := receiver(t, answering(200))
	for name, edit := range map[string]func(*dsl.Sent){
		"a header more": func(r *dsl.Sent) { r.Headers = map[string]string{"X-A": "b\r\nX-C: d"} },
		"a name":        func(r *dsl.Sent) { r.Headers = map[string]string{"X A": "b"} },
		"a method":      func(r *dsl.Sent) { r.Method = "GET /" },
		"a URL":         func(r *dsl.Sent) { r.URL = "http://a b/" },
	} {
		c := reading(s.URL)
		edit(&c.Request)
		require.Equal(t, dsl.CodeRequest, tools(t, webhook.Options{}).Call(t.Context(), c).Code, name)
	}
	require.Zero(t, got.Load())
}

func TestAToolReachesNoAddressOfOurs(t *testing.T) {
	for _, address := range []string{"http://10.0.0.1/", "http://169.254.169.254/latest", "http://[::1]:9/", "http://localhost/",
		"http://0x7f.1/", "ftp://a.example/", "http://u:p@a.example/", "http:///x", "http://a.example:0/"} {
		r := webhook.NewTools(webhook.Options{}).Call(t.Context(), reading(address))
		require.Equal(t, webhook.ToolRefused, r.Code, address)
		require.Equal(t, sessions.CallFailed, r.Outcome)
	}
	c := writing("http://receiver.example:1/hook")
	c.Idempotent, c.Retry = true, 3
	r := webhook.NewTools(webhook.Options{Resolver: resolver(t, "10.0.0.1").resolver}).Call(t.Context(), c)
	require.Equal(t, webhook.ToolRefused, r.Code, "only its address says so")
	require.Equal(t, 1, r.Tries)
}

// nowhere is an address at which nothing listens.
func nowhere(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return "http://" + l.Addr().String() + "/"
}

// What may have been done is never done again, unless that does not matter.
func TestWhatIsRepeatedAndWhatIsInDoubt(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the client goes
		<-r.Context().Done()
	}
	slow := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"a":`)
		w.(http.Flusher).Flush()
		hang(w, r)
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"a":`)
	}
	hangUp := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for name, c := range map[string]struct {
		handler                   http.HandlerFunc // nil: nobody is there
		read, idempotent, written string           // the code of each kind of call
		again                     bool             // calls that may be repeated are
	}{
		"nobody there":              {nil, "UNREACHABLE", "UNREACHABLE", "UNREACHABLE", true},
		"hung up on":                {hangUp, "NO_ANSWER", "NO_ANSWER", "UNKNOWN_OUTCOME", true},
		"cut in the middle":         {cut, "NO_ANSWER", "NO_ANSWER", "UNKNOWN_OUTCOME", true},
		"no answer":                 {hang, "TIMEOUT", "TIMEOUT", "UNKNOWN_OUTCOME", false},
		"half an answer":            {slow, "TIMEOUT", "TIMEOUT", "UNKNOWN_OUTCOME", false},
		"an answer that says later": {answering(503), "HTTP_503", "HTTP_503", "HTTP_503", true},
		"no JSON":                   {saying("text/html", "x"), "NOT_JSON", "NOT_JSON", "NOT_JSON", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := nowhere(t)
			requests := func() int { return 0 }
			if c.handler != nil {
				s, got := receiver(t, c.handler)
				url, requests = s.URL, func() int { return int(got.Swap(0)) }
			}
			all := tools(t, webhook.Options{})
			for kind, want := range map[string]string{"read": c.read, "idempotent": c.idempotent, "written": c.written} {
				call := writing(url)
				call.Idempotent = kind == "idempotent"
				if kind == "read" {
					call = reading(url)
				}
				call.Timeout, call.Retry = 400*time.Millisecond, 2
				tries := 1
				if c.again && kind != "written" {
					tries = 3
				}
				got := all.Call(t.Context(), call)
				require.Equal(t, want, got.Code, kind)
				unknown := want == sessions.CodeUnknown || kind == "written" && (want == webhook.ToolNotJSON || want == webhook.ToolTooLarge)
				require.Equal(t, unknown, got.Outcome == sessions.CallUnknown, "%s: who says that he has done it may have done so", kind)
				require.Equal(t, tries, got.Tries, kind)
				require.Nil(t, got.Result)
				require.Less(t, got.Duration, 2*time.Second)
				if c.handler != nil {
					require.Equal(t, tries, requests(), kind)
				}
			}
		})
	}
}

// net/http repeats a request that has an Idempotency-Key by itself if a connection that was
// used before ends without an answer: a write in doubt would be made twice.
func TestAWriteIsNotRepeatedBehindOurBack(t *testing.T) {
	var writes atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			if writes.Add(1)%2 == 0 {
				panic(http.ErrAbortHandler)
			}
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close()
	all := tools(t, webhook.Options{})
	require.Equal(t, sessions.CallOK, all.Call(t.Context(), reading(s.URL)).Outcome)
	require.Equal(t, sessions.CallOK, all.Call(t.Context(), writing(s.URL)).Outcome)
	require.Equal(t, sessions.CallUnknown, all.Call(t.Context(), writing(s.URL)).Outcome)
	require.EqualValues(t, 2, writes.Load())
}

func TestARepeatHasTheSameKeyAndSucceeds(t *testing.T) {
	keys := []string{}
	s, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if keys = append(keys, r.Header.Get("Idempotency-Key")+" "+string(body)); len(keys) < 3 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		saying("application/json", `{"n":3}`)(w, r)
	})
	c := writing(s.URL)
	c.Idempotent, c.Retry = true, 5
	got := tools(t, webhook.Options{}).Call(t.Context(), c)
	require.Equal(t, sessions.CallOK, got.Outcome)
	require.Equal(t, `{"n":3}`, string(got.Result))
	require.Equal(t, 3, got.Tries)
	require.Positive(t, got.Duration)
	require.Equal(t, []string{`call-1 {"a":1}`, `call-1 {"a":1}`, `call-1 {"a":1}`}, keys)
}

// How long the other side asks for is waited, if the tool's time allows; else the call ends
// at once.
func TestRetryAfterOfATool(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		header      string
		tries       int
		least, most time.Duration
	}{
		"a second":             {"1", 2, time.Second, 2 * time.Second},
		"at a date":            {now.Add(time.Second).Format(http.TimeFormat), 2, time.Second, 2 * time.Second},
		"later than allowed":   {"3", 1, 0, time.Second},
		"a date far from here": {now.Add(time.Hour).Format(http.TimeFormat), 1, 0, time.Second},
		"nonsense":             {"soon", 2, 0, time.Second},
		"a date that is past":  {now.Add(-time.Hour).Format(http.TimeFormat), 2, 0, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := receiver(t, answering(429, "Retry-After", c.header))
			call := reading(s.URL)
			call.Timeout, call.Retry = 2500*time.Millisecond, 1
			got := tools(t, webhook.Options{Now: func() time.Time { return now }}).Call(t.Context(), call)
			require.Equal(t, "HTTP_429", got.Code)
			require.Equal(t, c.tries, got.Tries)
			require.GreaterOrEqual(t, got.Duration, c.least)
			require.Less(t, got.Duration, c.most)
		})
	}
}

func TestACallThatItsCallerGivesUp(t *testing.T) {
	begun := make(chan struct{}, 4)
	s, _ := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	for _, c := range []struct {
		call    webhook.ToolCall
		outcome sessions.CallOutcome
		code    string
	}{{reading(s.URL), sessions.CallFailed, webhook.ToolCancelled}, {writing(s.URL), sessions.CallUnknown, sessions.CodeUnknown}} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		c.call.Retry, c.call.Timeout = 3, 10*time.Second
		got := tools(t, webhook.Options{}).Call(ctx, c.call)
		require.Equal(t, c.code, got.Code)
		require.Equal(t, c.outcome, got.Outcome)
		require.Equal(t, 1, got.Tries)
	}
}

// What is logged of a result holds nothing of a request.
func TestAResultHoldsNoSecretOfTheRequest(t *testing.T) {
	for _, url := range []string{nowhere(t) + "?key=s3cret", "http://10.0.0.1/?key=s3cret", "http://s3cret%zz/"} {
		c := reading(url)
		c.Request.Headers = map[string]string{"Authorization": "s3cret"}
		require.NotContains(t, fmt.Sprintf("%+v", tools(t, webhook.Options{}).Call(t.Context(), c)), "s3cret")
	}
}

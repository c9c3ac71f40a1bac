package channelstest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

// always holds of adapters that ask nobody, too.
var always = []check{
	{"a text that is too long is refused, and nobody is asked", tooLong},
	{"what was given up before it began was not taken", givenUp},
	{"an attempt in doubt is asked about without a panic, and nothing is made up", lookedUp},
}

// asking holds of adapters that ask a provider over HTTP.
var asking = []check{
	{"the provider takes a message, asked once and as it wants to be asked", taken},
	{"the longest text goes through", longest},
	{"an account that is not complete is named, and nobody is asked", incomplete},
	{"a repeat is known by its key", keyed},
	{"a final answer is final", func(t T, s Suite) { s.answers(t, "final", s.Provider.Final) }},
	{"wrong credentials are told", func(t T, s Suite) { s.answers(t, "denied", s.Provider.Denied) }},
	{"the other answers that are known", func(t T, s Suite) {
		for name, c := range s.Provider.Others {
			s.answers(t, name, c)
		}
	}},
	{"too many requests wait as long as Retry-After says", limited},
	{"a provider that is not there has taken nothing", away},
	{"what no provider says leaves the outcome in doubt", doubtful},
	{"a provider that is slow leaves the outcome in doubt", slow},
	{"a redirect is not followed", redirected},
	{"an answer without an end is not read to its end", endless},
}

// provider is a server that counts what it is asked.
type provider struct {
	*httptest.Server
	asked atomic.Int32
}

// serve starts one that reads each request and then answers.
func serve(answer func(w http.ResponseWriter, r *http.Request, body []byte)) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		answer(w, r, body)
	}))
	return p
}

// writes answers with a fixture.
func (r Reply) writes(w http.ResponseWriter, _ *http.Request, _ []byte) {
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(r.Status)
	_, _ = io.WriteString(w, r.Body)
}

// send sends by an adapter that asks at base, and refuses an outcome or a log line that
// shows what must not be shown.
func (s Suite) send(t T, ctx context.Context, base string, m channels.Outbound) channels.Outcome {
	adapter, err := s.New(base)
	require.NoError(t, err)
	var outcome channels.Outcome
	lines := logged(func() { outcome = adapter.Send(ctx, s.Connection, m) })
	s.silent(t, lines, outcome, adapter, s.Connection)
	switch outcome.Status {
	case channels.Taken:
		assert.Empty(t, outcome.Code+outcome.Reason, "what was taken has not failed")
		assert.NotEmpty(t, outcome.ProviderMessageID, "an answer without the provider's id is no answer of this provider")
	case channels.Refused, channels.NotTaken:
		assert.NotEmpty(t, outcome.Code, "a failure has a code: the provider's, or a word")
		assert.NotEmpty(t, outcome.Reason)
	default:
		assert.NotEmpty(t, outcome.Reason, "why is it in doubt?")
	}
	assert.True(t, !outcome.Denied || outcome.Status == channels.NotTaken, "other credentials mend it: it is worth another attempt")
	assert.True(t, !outcome.OptedOut || outcome.Status == channels.Refused, "who wants no messages is not asked again")
	assert.LessOrEqual(t, len(outcome.Code), 64, "the code stands in an event")
	assert.LessOrEqual(t, len(outcome.Reason), 200, "the reason stands in an event")
	return outcome
}

// logged is what is logged meanwhile.
func logged(f func()) string {
	var lines bytes.Buffer
	before, writer, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug})))
	log.SetOutput(&lines)
	defer func() {
		slog.SetDefault(before)
		log.SetOutput(writer)
		log.SetFlags(flags)
	}()
	f()
	return lines.String()
}

// silent refuses things that show a secret, whom a message is for, or what it says.
func (s Suite) silent(t T, things ...any) {
	for _, thing := range things {
		shown := fmt.Sprintf("%v\n%+v\n%#v", thing, thing, thing)
		for _, secret := range s.secrets() {
			assert.False(t, strings.Contains(shown, secret), "a secret is shown by %T", thing)
		}
		for _, personal := range []string{s.Outbound.To, s.Outbound.Text} {
			assert.False(t, strings.Contains(shown, personal), "%T shows whom a message is for, or what it says", thing)
		}
	}
}

// answers sends to a provider that answers so.
func (s Suite) answers(t T, name string, c Case) {
	p := serve(c.Reply.writes)
	defer p.Close()
	assert.Equal(t, c.Want, s.send(t, t.Context(), p.URL, s.Outbound), "%s: %d %s", name, c.Reply.Status, c.Reply.Body)
	assert.EqualValues(t, 1, p.asked.Load(), "%s: who repeats is not the adapter", name)
}

func taken(t T, s Suite) {
	var problem string
	p := serve(func(w http.ResponseWriter, r *http.Request, body []byte) {
		problem = s.Provider.Problem(r, body)
		s.Provider.Taken.Reply.writes(w, r, body)
	})
	defer p.Close()
	for _, base := range []string{p.URL, p.URL + "/"} {
		p.asked.Store(0)
		assert.Equal(t, s.Provider.Taken.Want, s.send(t, t.Context(), base, s.Outbound))
		assert.Empty(t, problem, "what the provider finds wrong")
		assert.EqualValues(t, 1, p.asked.Load())
	}
}

// text is one of so many units.
func text(n int) string { return strings.Repeat("a", n) }

func tooLong(t T, s Suite) {
	p := serve(func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(http.StatusInternalServerError) })
	defer p.Close()
	adapter, err := s.New(p.URL)
	require.NoError(t, err)
	require.Positive(t, adapter.Limits().Text, "Limits must say what the provider takes")
	m := s.Outbound
	m.Text = text(adapter.Limits().Text + 1)
	assert.Equal(t, channels.Refused, s.send(t, t.Context(), p.URL, m).Status)
	assert.Zero(t, p.asked.Load())
}

func incomplete(t T, s Suite) {
	p := serve(s.Provider.Taken.Reply.writes)
	defer p.Close()
	adapter, err := s.New(p.URL)
	require.NoError(t, err)
	checker, ok := adapter.(interface {
		Check(channels.Connection) error
	})
	require.True(t, ok, "%T has no Check, which says what a connection lacks", adapter)
	assert.NoError(t, checker.Check(s.Connection))
	for name := range s.Connection.Credentials {
		c := s.Connection
		c.Credentials = maps.Clone(c.Credentials)
		delete(c.Credentials, name)
		if err := checker.Check(c); assert.Error(t, err, "without %s", name) {
			s.silent(t, err)
		}
		assert.True(t, adapter.Send(t.Context(), c, s.Outbound).Denied, "without %s", name)
	}
	assert.Zero(t, p.asked.Load())
}

func longest(t T, s Suite) {
	p := serve(s.Provider.Taken.Reply.writes)
	defer p.Close()
	adapter, err := s.New(p.URL)
	require.NoError(t, err)
	m := s.Outbound
	m.Text = text(adapter.Limits().Text)
	assert.Equal(t, channels.Taken, s.send(t, t.Context(), p.URL, m).Status)
	for _, sign := range []string{"😀", "ש"} { // as the provider counts them
		all := strings.Repeat(sign, adapter.Limits().Text+1)
		m.Text = adapter.Limits().Split(all)[0]
		assert.Equal(t, channels.Taken, s.send(t, t.Context(), p.URL, m).Status, "%d of %s", len([]rune(m.Text)), sign)
		m.Text = all
		assert.Equal(t, channels.Refused, s.send(t, t.Context(), p.URL, m).Status, "one past it, of %s", sign)
	}
}

func givenUp(t T, s Suite) {
	p := serve(func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(http.StatusInternalServerError) })
	defer p.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, channels.NotTaken, s.send(t, ctx, p.URL, s.Outbound).Status)
	assert.Zero(t, p.asked.Load())
}

func lookedUp(t T, s Suite) {
	p := serve(func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(http.StatusInternalServerError) })
	defer p.Close()
	adapter, err := s.New(p.URL)
	require.NoError(t, err)
	q := channels.Doubt{Outbound: s.Outbound, Node: "node-gone", StartedAt: time.Unix(1_700_000_000, 0)}
	outcome, err := adapter.Lookup(t.Context(), s.Connection, q)
	assert.Equal(t, channels.Unknown, outcome.Status, "nobody told the adapter what became of it")
	s.silent(t, outcome, err)
}

func keyed(t T, s Suite) {
	var keys []string
	p := serve(func(w http.ResponseWriter, r *http.Request, body []byte) {
		if s.Provider.Key != nil {
			keys = append(keys, s.Provider.Key(r, body))
		}
		s.Provider.Taken.Reply.writes(w, r, body)
	})
	defer p.Close()
	again, another := s.Outbound, s.Outbound
	again.Attempt++
	another.Reference = "018f0000-0000-7000-8000-0000000000ff"
	for _, m := range []channels.Outbound{s.Outbound, again, another} {
		s.send(t, t.Context(), p.URL, m)
	}
	if s.Provider.Key == nil {
		return // the at-most-once rule of who sends stands in for it
	}
	require.Len(t, keys, 3)
	assert.NotEmpty(t, keys[0])
	assert.Equal(t, keys[0], keys[1], "the same message again")
	assert.NotEqual(t, keys[0], keys[2], "another message")
}

func limited(t T, s Suite) {
	for value, want := range map[string][2]time.Duration{"7": {7 * time.Second, 7 * time.Second}, "": {0, 0}, "-5": {0, 0}, "soon": {0, 0},
		"999999999999": {time.Minute, 24 * time.Hour}, "99999999999999999999": {0, 24 * time.Hour},
		time.Now().Add(time.Hour).UTC().Format(http.TimeFormat): {time.Minute, time.Hour}, "Mon, 02 Jan 2006 15:04:05 GMT": {0, 0}} {
		reply := s.Provider.Limited
		reply.Header = map[string]string{"Retry-After": value}
		p := serve(reply.writes)
		o := s.send(t, t.Context(), p.URL, s.Outbound)
		p.Close()
		assert.Equal(t, channels.NotTaken, o.Status, "Retry-After: %s", value)
		assert.GreaterOrEqual(t, o.RetryAfter, want[0], "Retry-After: %s", value)
		assert.LessOrEqual(t, o.RetryAfter, want[1], "Retry-After: %s", value)
	}
}

func away(t T, s Suite) {
	p := serve(func(http.ResponseWriter, *http.Request, []byte) {})
	gone := p.URL
	p.Close()
	for _, base := range []string{gone, "http://no.such.host.invalid"} {
		assert.Equal(t, channels.NotTaken, s.send(t, t.Context(), base, s.Outbound).Status, base)
	}
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake that fails
	untrusted.StartTLS()
	defer untrusted.Close()
	assert.Equal(t, channels.NotTaken, s.send(t, t.Context(), untrusted.URL, s.Outbound).Status, "a certificate that nobody trusts")
}

// doubtful are answers after which the message may have been taken. With a key a repeat
// does no harm, so the adapter may say that it was not.
func doubtful(t T, s Suite) {
	took := s.Provider.Taken.Reply
	half := func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(took.Body)))
		w.WriteHeader(took.Status)
		_, _ = io.WriteString(w, took.Body[:len(took.Body)/2])
	}
	hangUp := func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = conn.Close()
		}
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, []byte){
		"hangs up": hangUp, "half an answer": half,
		"half a body":       Reply{Status: took.Status, Body: took.Body[:len(took.Body)/2]}.writes,
		"a sign-in page":    Reply{Status: http.StatusOK, Body: "<html>Sign in</html>"}.writes,
		"nothing":           Reply{Status: http.StatusOK}.writes,
		"null":              Reply{Status: took.Status, Body: "null"}.writes,
		"another JSON":      Reply{Status: took.Status, Body: `[{"id":"x"}]`}.writes,
		"an internal error": Reply{Status: http.StatusInternalServerError, Body: "<html>"}.writes,
		"a gateway's 502":   Reply{Status: http.StatusBadGateway, Body: "<html>"}.writes,
		"a gateway's 504":   Reply{Status: http.StatusGatewayTimeout}.writes,
		"a timeout of its":  Reply{Status: http.StatusRequestTimeout}.writes,
	} {
		p := serve(answer)
		status := s.send(t, t.Context(), p.URL, s.Outbound).Status
		p.Close()
		if s.Provider.Key == nil || status != channels.NotTaken {
			assert.Equal(t, channels.Unknown, status, name)
		}
		assert.EqualValues(t, 1, p.asked.Load(), "%s: who repeats is not the adapter", name)
	}
}

// patience is how long an adapter is waited for that does not give up.
const patience = 5 * time.Second

func slow(t T, s Suite) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := serve(func(_ http.ResponseWriter, r *http.Request, _ []byte) {
		cancel() // who waits gives up, after the provider has read it all
		select {
		case <-r.Context().Done():
		case <-time.After(patience):
		}
	})
	defer p.Close()
	status := s.send(t, ctx, p.URL, s.Outbound).Status
	if s.Provider.Key == nil || status != channels.NotTaken {
		assert.Equal(t, channels.Unknown, status)
	}
}

func redirected(t T, s Suite) {
	elsewhere := serve(s.Provider.Taken.Reply.writes)
	defer elsewhere.Close()
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		p := serve(Reply{Status: status, Header: map[string]string{"Location": elsewhere.URL + "/"}}.writes)
		assert.NotEqual(t, channels.Taken, s.send(t, t.Context(), p.URL, s.Outbound).Status)
		p.Close()
	}
	assert.Zero(t, elsewhere.asked.Load(), "the credentials went elsewhere")
}

func endless(t T, s Suite) {
	const far = 256 << 20
	written := 0
	p := serve(func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.WriteHeader(s.Provider.Taken.Reply.Status)
		for piece := bytes.Repeat([]byte("a"), 64<<10); written < far; written += len(piece) {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	})
	status := s.send(t, t.Context(), p.URL, s.Outbound).Status
	p.Close()
	assert.NotEqual(t, channels.Taken, status)
	assert.Less(t, written, far, "the adapter reads all that it is given")
}

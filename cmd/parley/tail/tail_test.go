package tail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

func TestWhatIsAskedFor(t *testing.T) {
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.FixedZone("", 3600))
	for name, row := range map[string]struct {
		c    Command
		want url.Values
	}{
		"everything, from now on": {Command{}, url.Values{}},
		"a category":              {Command{Category: "calls"}, url.Values{"category": {"calls"}}},
		"a type":                  {Command{Type: "parley.calls.answered"}, url.Values{"type": {"parley.calls.answered"}}},
		"a stream":                {Command{Stream: "trunk-main"}, url.Values{"stream": {"trunk-main"}}},
		"a call":                  {Command{Call: "018f"}, url.Values{"stream": {"call-018f"}}},
		"a request":               {Command{Correlation: "tr-1"}, url.Values{"correlation": {"tr-1"}}},
		"since ten minutes":       {Command{Since: "10m"}, url.Values{"since": {"2026-11-23T08:50:00Z"}}},
		"since a moment":          {Command{Since: "2026-11-23T09:30:00.5+01:00"}, url.Values{"since": {"2026-11-23T08:30:00.5Z"}}},
		"so many":                 {Command{Limit: 3}, url.Values{}},
	} {
		got, err := row.c.query(now)
		require.NoError(t, err, name)
		require.Equal(t, row.want, got, name)
	}
	for says, c := range map[string]Command{`--since: "soon"`: {Since: "soon"}, "--limit: -1": {Limit: -1},
		"--call and --stream": {Call: "1", Stream: "call-1"}} {
		_, err := c.query(now)
		require.ErrorContains(t, err, says)
		require.Equal(t, exit.Change, exit.Of(err))
	}
}

// node streams these texts, one to each connection, and remembers how it was asked.
func node(t *testing.T, texts ...string) (Command, *[]*http.Request) {
	t.Helper()
	var asked []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked = append(asked, r); len(asked) > len(texts) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"error":{"code":"FORBIDDEN","message":"no more"}}`)
			return
		}
		_, _ = io.WriteString(w, texts[len(asked)-1])
	}))
	t.Cleanup(server.Close)
	return Command{Flags: api.Flags{Server: api.Server{URL: server.URL}, Token: api.Token{Token: "t"}}}, &asked
}

func event(n int, name string) string {
	return fmt.Sprintf("id: p%d\nevent: x\ndata: {\"type\":\"parley.%s.v1\",\"stream\":\"call-c-%d\",\"time\":\"2026-11-23T10:00:00Z\","+
		"\"data\":{}}\n\n", n, name, n)
}

func TestEachEventIsALine(t *testing.T) {
	for form, wants := range map[string][]string{show.Table: {"calls.ringing", "calls.answered"},
		show.JSON: {`{"type":"parley.calls.ringing.v1",`, `{"type":"parley.calls.answered.v1",`}} {
		c, asked := node(t, event(1, "calls.ringing")+": still here\nid: p9\n\n"+event(2, "calls.answered")+event(3, "calls.completed"))
		c.Limit, c.Category = 2, "calls"
		var out bytes.Buffer
		require.NoError(t, c.run(t.Context(), show.To(&out, show.Flags{Output: form}), io.Discard))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.Len(t, lines, 2, "the limit ends it: %s", out.String())
		for i, want := range wants {
			require.Contains(t, lines[i], want)
			require.Contains(t, lines[i], fmt.Sprintf("call-c-%d", i+1))
		}
		require.Equal(t, "/api/v1/events/stream?category=calls", (*asked)[0].URL.RequestURI())
		require.Equal(t, "t", (*asked)[0].Header.Get("auth"))
	}
}

// Without a limit only who follows, or the node for good, ends it.
func TestACutConnectionIsTakenUpWhereItWasCut(t *testing.T) {
	c, asked := node(t, event(1, "calls.ringing"), event(2, "calls.answered"))
	var out bytes.Buffer
	err := c.run(t.Context(), show.On(&out, 0, false), io.Discard)
	require.ErrorContains(t, err, "no more")
	require.ErrorContains(t, err, "audit:read", "and what to do")
	require.Equal(t, []string{"", "p1", "p2"}, []string{(*asked)[0].Header.Get("Last-Event-ID"), (*asked)[1].Header.Get("Last-Event-ID"),
		(*asked)[2].Header.Get("Last-Event-ID")})
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
}

// broken takes nothing, and ends who is writing to it.
type broken struct{ before func() }

func (b broken) Write([]byte) (int, error) {
	b.before()
	return 0, errors.New("no space left on device")
}

func TestWhatEndsTheFollowing(t *testing.T) {
	c, _ := node(t, event(1, "calls.ringing"))
	err := c.run(t.Context(), show.On(broken{func() {}}, 0, false), io.Discard)
	require.ErrorContains(t, err, "the output failed: no space left on device")

	ctx, stop := context.WithCancel(t.Context())
	c, _ = node(t, event(1, "calls.ringing"))
	require.NoError(t, c.run(ctx, show.On(broken{stop}, 0, false), io.Discard), "Ctrl-C is no failure")

	c, _ = node(t, "id: p1\ndata: {\"type\":7}\n\n")
	err = c.run(t.Context(), show.On(io.Discard, 0, false), io.Discard)
	require.ErrorContains(t, err, "reading an event")
	require.NotContains(t, err.Error(), "output", "it was not the output that failed")

	c, asked := node(t)
	c.Limit = -1
	require.ErrorContains(t, c.run(t.Context(), show.On(io.Discard, 0, false), io.Discard), "--limit")
	c.Limit, c.Token.Token = 0, ""
	require.ErrorContains(t, c.run(t.Context(), show.On(io.Discard, 0, false), io.Discard), "--permissions audit:read")
	require.Empty(t, *asked)
}

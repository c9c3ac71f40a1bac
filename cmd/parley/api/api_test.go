package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/exit"
)

// node answers what it is told to, one answer after the other, and remembers what it was asked.
type node struct {
	*httptest.Server
	asked []*http.Request
	sent  []string
}

// newNode answers "status body".
func newNode(t *testing.T, answers ...string) *node {
	t.Helper()
	n := &node{}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n.asked, n.sent = append(n.asked, r), append(n.sent, string(body))
		status, text, _ := strings.Cut(answers[min(len(n.asked), len(answers))-1], " ")
		w.Header().Set("X-Request-Id", "tr-1")
		w.WriteHeader(map[string]int{"200": 200, "400": 400, "401": 401, "403": 403, "404": 404, "429": 429, "500": 500, "503": 503}[status])
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(n.Close)
	return n
}

var either = Need{Token: true, Key: true}

func (n *node) do(t *testing.T, call Call) (map[string]any, string, error) {
	t.Helper()
	c, err := New(n.URL+"/", "token", "", either)
	require.NoError(t, err)
	var answer map[string]any
	id, err := c.Do(t.Context(), call, &answer)
	return answer, id, err
}

func TestARequestIsMadeWithOneCredential(t *testing.T) {
	for name, row := range map[string]struct {
		token, key   string
		need         Need
		header, text string
	}{
		"a token":                       {"t", "", Need{Token: true}, "Auth", "t"},
		"a token as it was pasted":      {" Bearer t\n", "", Need{Token: true}, "Auth", "t"},
		"of both, the token":            {"t", "k", either, "Auth", "t"},
		"a key where a key does":        {"", "k", either, "X-Api-Key", "k"},
		"a key where only a key does":   {"t", "k", Need{Key: true}, "X-Api-Key", "k"},
		"a token where only that does":  {"t", "k", Need{Token: true}, "Auth", "t"},
		"a key that was set with a tab": {"", "\tk", Need{Key: true}, "X-Api-Key", "k"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t, "200 {}")
			c, err := New(n.URL, row.token, row.key, row.need)
			require.NoError(t, err)
			_, err = c.Do(t.Context(), Get("/x", nil), &map[string]any{})
			require.NoError(t, err)
			got := n.asked[0].Header
			require.Equal(t, row.text, got.Get(row.header))
			require.Len(t, append(append(got.Values("Auth"), got.Values("X-Api-Key")...), got.Values("Authorization")...), 1)
		})
	}
}

func TestWhoCannotAskIsToldWhatToDo(t *testing.T) {
	for name, row := range map[string]struct {
		url, token, key string
		need            Need
		say             []string
	}{
		"no token": {DefaultURL, "", "k", Need{Token: true, Issue: "parley token x"}, []string{"PARLEY_TOKEN", "parley token x",
			"dev.env"}},
		"nothing":              {DefaultURL, "", "", either, []string{"PARLEY_TOKEN", "PARLEY_API_KEY"}},
		"a token for a key":    {DefaultURL, "t", "", Need{Key: true}, []string{"PARLEY_API_KEY", "a token does not do"}},
		"no address":           {"localhost:8080", "t", "", either, []string{"--url", "localhost:8080"}},
		"another protocol":     {"ftp://x", "t", "", either, []string{"--url"}},
		"two pasted in one go": {DefaultURL, "t t2", "", either, []string{"space"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(row.url, row.token, row.key, row.need)
			require.Equal(t, exit.Change, exit.Of(err))
			for _, s := range row.say {
				require.ErrorContains(t, err, s)
			}
		})
	}
}

func TestARefusalSaysWhatIsWrongAndWhatToDoNext(t *testing.T) {
	_, _, err := newNode(t, `400 {"error":{"code":"VALIDATION_ERROR","message":"caller is needed",
		"details":[{"field":"caller","problem":"is needed"},{"field":"target","problem":"must be a URI"},
		{"field":"flow","problem":"is needed"}]}}`).do(t, Post("/x", 1))
	require.EqualError(t, err, "caller is needed (VALIDATION_ERROR)\n  target must be a URI\n  flow is needed\nrequest tr-1")
	require.Equal(t, exit.Change, exit.Of(err))

	for answer, row := range map[string]struct {
		say  string
		code exit.Code
	}{
		`401 {"error":{"code":"UNAUTHORIZED","message":"no"}}`:    {"parley token", exit.Change},
		`403 {"error":{"code":"FORBIDDEN","message":"no"}}`:       {"no (FORBIDDEN)", exit.Change},
		`404 {"error":{"code":"NOT_FOUND","message":"no"}}`:       {"another account", exit.Change},
		`429 {"error":{"code":"LIMIT_REACHED","message":"full"}}`: {"full", exit.Change},
		`500 {"error":{"code":"INTERNAL_ERROR","message":"no"}}`:  {"log of the node", exit.Failed},
		`400 <html>`: {"is it the address of a node?", exit.Failed},
		`200 <html>`: {"is it the address of a node?", exit.Failed},
		`500 {}`:     {"is it the address of a node?", exit.Failed},
	} {
		n := newNode(t, answer)
		_, _, err := n.do(t, Get("/x", nil))
		require.ErrorContains(t, err, row.say, answer)
		require.Equal(t, row.code, exit.Of(err), answer)
		require.Len(t, n.asked, 1, "not worth trying again")
	}
	down := newNode(t, "200 {}")
	down.Close()
	_, _, err = down.do(t, Get("/x?secret", nil))
	require.ErrorContains(t, err, "Is a node running there? Start one with: parley serve --dev")
	require.NotContains(t, err.Error(), "secret")
	require.Equal(t, exit.Failed, exit.Of(err))
}

// A command's own hint goes before the general one.
func TestACommandKnowsBetterWhatHelps(t *testing.T) {
	n := newNode(t, `403 {"error":{"code":"FORBIDDEN","message":"no"}}`)
	c, err := New(n.URL, "t", "", Need{Token: true, Next: map[int]string{403: "the permission fly:high"}})
	require.NoError(t, err)
	_, err = c.Do(t.Context(), Get("/x", nil), &map[string]any{})
	require.ErrorContains(t, err, "no (FORBIDDEN)\nthe permission fly:high\nrequest tr-1")
	var refusal *Refusal
	require.True(t, errors.As(err, &refusal))
	require.Equal(t, "tr-1", refusal.RequestID)
}

// A node that catches up is asked again, for the same change.
func TestWhatPassesIsTriedAgain(t *testing.T) {
	n := newNode(t, `503 {"error":{"code":"CATCHING_UP","message":"m","retryAfterMs":1}}`,
		`429 {"error":{"code":"RATE_LIMIT_EXCEEDED","message":"m","retryAfterMs":1}}`, `200 {"n":1}`)
	answer, id, err := n.do(t, Post("/x", map[string]int{"a": 1}))
	require.NoError(t, err)
	require.Equal(t, "tr-1", id)
	require.Equal(t, map[string]any{"n": 1.0}, answer)
	require.Len(t, n.asked, 3)
	key := n.asked[0].Header.Get("Idempotency-Key")
	require.NotEmpty(t, key)
	for i, r := range n.asked {
		require.Equal(t, key, r.Header.Get("Idempotency-Key"))
		require.Equal(t, `{"a":1}`, n.sent[i])
	}
	n = newNode(t, "200 {}")
	_, _, err = n.do(t, Get("/x", nil))
	require.NoError(t, err)
	require.Empty(t, n.asked[0].Header.Get("Idempotency-Key"), "reading needs none")
}

// A node that ends while it works takes its answers with it. The same change is asked for again, of whoever takes its place; where
// nobody does, it is said that it may have taken effect.
func TestAnAnswerThatIsLost(t *testing.T) {
	t.Parallel()
	var keys []string
	tried := func(lives bool) error {
		keys = nil
		var n *httptest.Server
		n = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if keys = append(keys, r.Header.Get("Idempotency-Key")); len(keys) > 1 {
				_, _ = io.WriteString(w, "{}")
				return
			}
			if !lives {
				_ = n.Listener.Close()
			}
			c, _, err := http.NewResponseController(w).Hijack()
			require.NoError(t, err)
			_ = c.Close()
		}))
		defer n.Close()
		c, err := New(n.URL, "t", "", either)
		require.NoError(t, err)
		_, err = c.Do(t.Context(), Post("/x", 1), &map[string]any{})
		return err
	}
	require.NoError(t, tried(true))
	require.Len(t, keys, 2)
	require.Equal(t, keys[0], keys[1])
	err := tried(false)
	require.ErrorContains(t, err, "may have taken effect")
	require.Equal(t, exit.Failed, exit.Of(err))
}

// Ctrl-C ends a question without a word; of a change it says what that means.
func TestWhoDoesNotWaitIsToldWhatThatMeans(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	c, err := New(newNode(t, "200 {}").URL, "t", "", either)
	require.NoError(t, err)
	_, err = c.Do(ended, Get("/x", nil), &map[string]any{})
	require.Equal(t, exit.Interrupted, err)
	_, err = c.Do(ended, Post("/x", 1), &map[string]any{})
	require.ErrorContains(t, err, "may have taken effect")
	require.Equal(t, exit.Interrupted, exit.Of(err))

	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	c, err = New(silent.URL, "t", "", either)
	require.NoError(t, err)
	call := Get("/x", nil)
	call.Timeout = time.Millisecond
	_, err = c.Do(t.Context(), call, &map[string]any{})
	require.ErrorContains(t, err, "did not answer in time")
	require.Equal(t, exit.Failed, exit.Of(err))
}

func TestAnIDLeadsNowhereElse(t *testing.T) {
	require.Equal(t, "/a/..%2F..%2Fb%3Fc%23/d%20e", Path("/a/%s/%s", "../../b?c#", "d e"))
}

func TestTheAccountOfAToken(t *testing.T) {
	for token, want := range map[string]string{"h.eyJhY2NvdW50SWQiOiJhY21lIn0.s": "acme", "h.eyJhY2NvdW50SWQiOiJhY21lIn0=.s": "acme",
		"h.!.s": "", "x": "", "h.bnVsbA.s": ""} {
		c, err := New(DefaultURL, token, "", either)
		require.NoError(t, err)
		require.Equal(t, want, c.Account(), token)
	}
}

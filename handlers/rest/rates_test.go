package rest_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

func header(a *answer, name string) int {
	n, err := strconv.Atoi(a.Header.Get("X-RateLimit-" + name))
	if err != nil {
		return -1
	}
	return n
}

func TestATenantHasARate(t *testing.T) {
	w := newWorld(t, func(c *rest.Config) {
		c.Rates = map[rest.Class]rest.Rate{rest.Requests: {Limit: 4, Per: 2 * time.Second}}
	})
	get := func() *answer { return w.call(http.MethodGet, "/sessions", "", "x-api-key", fullKey) }
	for left := 3; left >= 0; left-- {
		got := get()
		require.Equal(t, 200, got.Status)
		require.Equal(t, 4, header(got, "Limit"))
		require.Equal(t, left, header(got, "Remaining"))
	}
	got := get()
	require.Equal(t, 429, got.Status)
	require.Equal(t, fault.RateLimit, got.code())
	require.Equal(t, 0, header(got, "Remaining"))
	require.EqualValues(t, w.now.Unix()+2, header(got, "Reset"), "when all of it is there again")
	require.EqualValues(t, 500, *got.Refusal.Error.RetryAfterMs, "when the next request is possible")
	require.Equal(t, "1", got.Header.Get("Retry-After"), "in seconds, rounded up")

	w.now = w.now.Add(500 * time.Millisecond)
	require.Equal(t, 200, get().Status, "after exactly the time that was told")
	require.Equal(t, 429, get().Status)
}

func TestTheDefaultRate(t *testing.T) {
	w := newWorld(t)
	got := w.call(http.MethodGet, "/sessions", "", "x-api-key", fullKey)
	require.Equal(t, 1000, header(got, "Limit"))
	require.Equal(t, 999, header(got, "Remaining"))
}

func TestHeadersAreOnEveryAuthenticatedResponse(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name   string
		answer *answer
		want   bool
	}{
		{"forbidden", w.call("GET", "/sessions", "", "x-api-key", viewKey), true},
		{"not found", w.call("POST", "/calls/p-7", "{}", "auth", w.token()), true},
		{"invalid", w.call("POST", "/calls/p-1", "{}", "auth", w.token()), true},
		{"nobody", w.call("GET", "/sessions", ""), false},
		{"public", w.call("GET", "/greetings/ada", ""), false},
	} {
		for _, name := range []string{"Limit", "Remaining", "Reset"} {
			require.Equal(t, c.want, header(c.answer, name) >= 0, "%s: %s", c.name, name)
		}
	}
}

func TestTenantsDoNotShareARate(t *testing.T) {
	w := newWorld(t, func(c *rest.Config) {
		c.Rates = map[rest.Class]rest.Rate{rest.Requests: {Limit: 1, Per: time.Hour}}
	})
	other := w.keys[string(hash(fullKey))]
	other.TenantID = "other"
	w.keys[string(hash(viewKey))] = other
	require.Equal(t, 200, w.call("GET", "/sessions", "", "x-api-key", fullKey).Status)
	require.Equal(t, 429, w.call("GET", "/sessions", "", "x-api-key", fullKey).Status)
	require.Equal(t, 200, w.call("GET", "/sessions", "", "x-api-key", viewKey).Status)
}

// Each of several nodes takes its share, and less or more when nodes come and go.
func TestNodesShareARate(t *testing.T) {
	nodes := 4
	w := newWorld(t, func(c *rest.Config) {
		c.Rates = map[rest.Class]rest.Rate{rest.Requests: {Limit: 100, Per: time.Second}}
		c.Nodes = func() int { return nodes }
	})
	passed := func() (n int) {
		for w.call("GET", "/sessions", "", "x-api-key", fullKey).Status == 200 {
			n++
		}
		return n
	}
	require.Equal(t, 25, passed())
	got := w.call("GET", "/sessions", "", "x-api-key", fullKey)
	require.Equal(t, 100, header(got, "Limit"), "the tenant's rate is what it was told")
	nodes = 1
	w.now = w.now.Add(time.Second)
	_ = passed() // the bucket grows from the next request on
	w.now = w.now.Add(time.Second)
	require.Equal(t, 100, passed())
	nodes = 0
	w.now = w.now.Add(time.Second)
	require.Equal(t, 100, passed(), "a node that knows of none is one")
}

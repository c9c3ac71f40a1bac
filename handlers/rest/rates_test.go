package rest_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func header(a *resttest.Reply, name string) int {
	n, err := strconv.Atoi(a.Header.Get("X-RateLimit-" + name))
	if err != nil {
		return -1
	}
	return n
}

func TestATenantHasARate(t *testing.T) {
	w := resttest.NewWorld(t, func(c *rest.Config) {
		c.Rates = map[rest.Class]rest.Rate{rest.Requests: {Limit: 4, Per: 2 * time.Second}}
	})
	get := func() *resttest.Reply { return w.Call(http.MethodGet, "/sessions", "", "x-api-key", resttest.FullKey) }
	for left := 3; left >= 0; left-- {
		got := get()
		require.Equal(t, 200, got.Status)
		require.Equal(t, 4, header(got, "Limit"))
		require.Equal(t, left, header(got, "Remaining"))
	}
	got := get()
	require.Equal(t, 429, got.Status)
	require.Equal(t, fault.RateLimit, got.Code())
	require.Equal(t, 0, header(got, "Remaining"))
	require.EqualValues(t, w.Now.Unix()+2, header(got, "Reset"), "when all of it is there again")
	require.EqualValues(t, 500, *got.Refusal.Error.RetryAfterMs, "when the next request is possible")
	require.Contains(t, got.Text, `"retryAfterMs":500},"retryAfterMs":500}`, "in the error and beside it")
	require.Equal(t, "1", got.Header.Get("Retry-After"), "in seconds, rounded up")

	w.Now = w.Now.Add(500 * time.Millisecond)
	require.Equal(t, 200, get().Status, "after exactly the time that was told")
	require.Equal(t, 429, get().Status)
}

// Given a session with too many messages, then the headers are of that rate, of which nothing is left, and not of
// the account's, of which much is.
func TestTheHeadersAreOfTheRateThatRefuses(t *testing.T) {
	w := resttest.NewWorld(t, func(c *rest.Config) {
		c.Rates = map[rest.Class]rest.Rate{rest.Requests: {Limit: 100, Per: time.Second}, rest.Messages: {Limit: 2, Per: time.Minute}}
	})
	rest.Declare(w.Api, rest.Operation{ID: "say-something", Method: http.MethodPost, Path: "/say/{projectId}", Summary: "Say",
		Requirement: access.Needs(access.PermSessionRead), Resolve: rest.ProjectFrom("projectId")},
		func(ctx context.Context, _ *struct {
			ProjectID string `path:"projectId"`
		}) (*struct{}, error) {
			return nil, rest.CountMessage(ctx, "s-1", 0)
		})
	in := func(project string) *resttest.Reply {
		return w.Call(http.MethodPost, "/say/"+project, "", "auth", w.Token())
	}
	say := func() *resttest.Reply { return in("main") }
	require.Equal(t, 99, header(say(), "Remaining"))
	say()
	got := say()
	require.Equal(t, 429, got.Status)
	require.Equal(t, []int{2, 0, int(w.Now.Unix()) + 60}, []int{header(got, "Limit"), header(got, "Remaining"), header(got, "Reset")})
	require.EqualValues(t, 60_000, *got.Refusal.Error.RetryAfterMs)
	w.Now = w.Now.Add(59 * time.Second)
	require.Equal(t, 429, say().Status, "no minute has a third one")
	w.Now = w.Now.Add(time.Second)
	require.Equal(t, []int{204, 204, 429}, []int{say().Status, say().Status, say().Status}, "after exactly the time that was told")
	require.NotEqual(t, 429, in("p-9").Status, "who names it in another project takes nothing of it")
}

func TestTheDefaultRate(t *testing.T) {
	w := resttest.NewWorld(t)
	got := w.Call(http.MethodGet, "/sessions", "", "x-api-key", resttest.FullKey)
	require.Equal(t, 1000, header(got, "Limit"))
	require.Equal(t, 999, header(got, "Remaining"))
}

func TestHeadersAreOnEveryAuthenticatedResponse(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, c := range []struct {
		name   string
		answer *resttest.Reply
		want   bool
	}{
		{"forbidden", w.Call("GET", "/sessions", "", "x-api-key", resttest.ViewKey), true},
		{"not found", w.Call("POST", "/calls/p-7", "{}", "auth", w.Token()), true},
		{"invalid", w.Call("POST", "/calls/p-1", "{}", "auth", w.Token()), true},
		{"no JSON", w.Call("POST", "/calls/p-1", "{", "auth", w.Token()), true},
		{"no query", w.Call("GET", "/sessions?limit=%zz", "", "x-api-key", resttest.FullKey), true},
		{"too large", w.Call("POST", "/calls/p-1", strings.Repeat("{", rest.MaxBody+1), "auth", w.Token()), true},
		{"nobody", w.Call("GET", "/sessions", ""), false},
		{"nobody, no JSON", w.Call("POST", "/calls/p-1", "{", "auth", "nonsense"), false},
		{"public", w.Call("GET", "/greetings/ada", ""), false},
	} {
		for _, name := range []string{"Limit", "Remaining", "Reset"} {
			require.Equal(t, c.want, header(c.answer, name) >= 0, "%s: %s", c.name, name)
		}
	}
}

func TestTenantsDoNotShareARate(t *testing.T) {
	w := resttest.NewWorld(t, func(c *rest.Config) {
		c.Rates = map[rest.Class]rest.Rate{rest.Requests: {Limit: 1, Per: time.Hour}}
	})
	other := w.Keys[string(resttest.Hash(resttest.FullKey))]
	other.TenantID = "other"
	w.Keys[string(resttest.Hash(resttest.ViewKey))] = other
	require.Equal(t, 200, w.Call("GET", "/sessions", "", "x-api-key", resttest.FullKey).Status)
	require.Equal(t, 429, w.Call("GET", "/sessions", "", "x-api-key", resttest.FullKey).Status)
	require.Equal(t, 200, w.Call("GET", "/sessions", "", "x-api-key", resttest.ViewKey).Status)
}

// Each of several nodes takes its share, and less or more when nodes come and go.
func TestNodesShareARate(t *testing.T) {
	nodes := 4
	w := resttest.NewWorld(t, func(c *rest.Config) {
		c.Rates = map[rest.Class]rest.Rate{rest.Requests: {Limit: 100, Per: time.Second}}
		c.Nodes = func() int { return nodes }
	})
	passed := func() (n int) {
		for w.Call("GET", "/sessions", "", "x-api-key", resttest.FullKey).Status == 200 {
			n++
		}
		return n
	}
	require.Equal(t, 25, passed())
	got := w.Call("GET", "/sessions", "", "x-api-key", resttest.FullKey)
	require.Equal(t, 100, header(got, "Limit"), "the tenant's rate is what it was told")
	nodes = 1
	w.Now = w.Now.Add(time.Second)
	_ = passed() // the bucket grows from the next request on
	w.Now = w.Now.Add(time.Second)
	require.Equal(t, 100, passed())
	nodes = 0
	w.Now = w.Now.Add(time.Second)
	require.Equal(t, 100, passed(), "a node that knows of none is one")
}

package node_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// analyst asks one tenant's analytics on one node.
type analyst struct {
	*server
	*tenant
	auth string
}

func newAnalyst(t testing.TB, on *server, w *tenant) analyst {
	return analyst{on, w, w.token(t)}
}

// figures are what analytics answer: buckets, or the members of data.
type figures struct {
	Success bool      `json:"success"`
	AsOf    time.Time `json:"asOf"`
	Data    struct {
		Buckets []map[string]any `json:"buckets"`
		Events  []map[string]any `json:"events"`
		Total   int              `json:"total"`
		HasMore bool             `json:"hasMore"`
	} `json:"data"`
}

func (a analyst) path(rest string) string { return "/api/projects/" + mainApp + rest }

func (a analyst) get(t testing.TB, path string) *answer {
	t.Helper()
	return a.server.do(t, "GET", a.path(path), nil, "auth", a.auth)
}

func (a analyst) post(t testing.TB, path string, body any) *answer {
	t.Helper()
	return a.server.do(t, "POST", a.path(path), body, "auth", a.auth)
}

func (a analyst) figures(t testing.TB, path string) (f figures) {
	t.Helper()
	a.get(t, path).must(t, 200).into(t, &f)
	require.True(t, f.Success)
	return f
}

// current waits until the analytics hold all that was replied to before.
func (a analyst) current(t testing.TB) {
	t.Helper()
	now := time.Now()
	until(t, "the analytics to be current", func() bool { return a.figures(t, "/analytics/metrics?category=search").AsOf.After(now) })
}

// called is a tenant in which one call was answered and another refused.
func called(t testing.TB, c *cluster) analyst {
	t.Helper()
	w := c.tenant(t, "")
	w.apply(t, "Trunk", "", "main", fields{"provider": "local", "default": true})
	w.apply(t, "Agent", "greeter", "greeter", fields{"projectId": mainApp, "dslContent": "ON_START:\n  SAY: Hello\n"})
	w.apply(t, "ExperienceFlow", "cf-main", "main", fields{"projectId": mainApp, "number": callCaller, "agentName": "greeter",
		"language": "en-US"})
	a := newAnalyst(t, c.a, w)
	for _, callee := range []string{"0001", "0006"} {
		c.a.do(t, "POST", dialOutPath, aCall().and(fields{"target": "tel:+1555000" + callee}), "auth", a.auth).must(t, 200)
	}
	until(t, "the ends of both calls and of the session", func() bool {
		f := a.figures(t, "/analytics/events?eventTypes=call_completed,call_failed,session_ended")
		return f.Data.Total == 3
	})
	a.current(t) // what is of other streams, too
	return a
}

// pool is a connection to the cluster's database, as the command line has it.
func (c *cluster) pool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), c.database)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

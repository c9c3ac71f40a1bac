package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The work may be split over nodes in any way: callers see no difference.
func TestRolesMayBeSplitInAnyWay(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	l := newLedger()
	for _, split := range [][]string{
		{"api", "projector", "reactor"},
		{"api,reactor", "projector"},
		{"api,projector", "reactor"},
		{"projector,reactor", "api"},
		{"api,media", "projector", "reactor", "media"},
		{"api", "api", "projector", "projector", "reactor", "reactor"},
	} {
		name := strings.Join(split, " + ")
		nodes := f.nodes(split...)
		var apis []client
		for i, p := range nodes {
			if strings.Contains(split[i], "api") {
				apis = append(apis, f.client(p))
				continue
			}
			// a node without the API answers for its health, and says that it is not meant
			a, err := f.client(p).dialOut("misdirected")
			require.NoError(t, err)
			require.Equal(t, http.StatusServiceUnavailable, a.status, "%s: %s", name, a)
			require.Contains(t, string(a.body), "role api")
			p.awaitReady()
			for _, path := range []string{"/livez", "/metrics"} {
				require.Equal(t, http.StatusOK, f.client(p).must(t, http.MethodGet, path, nil).status, path)
			}
		}
		x := startPatient(l, name, 4, apis...)
		x.more(nodes[0], 40)
		x.stop(t)
		l.settle(t, apis[0])
		for _, api := range apis {
			l.requireSame(t, api) // each reply was true on every node
		}
		l.awaitEnds(t, apis[0]) // the reactors did their part
		for _, p := range nodes {
			p.terminate()
		}
		for _, p := range nodes {
			require.Zero(t, p.exit(drainTimeout+patience), "%s: %s", name, p.out.tail())
		}
	}
	requireOneEndEach(t, strings.Join(f.brokers, ","), l)
}

// A node that serves the API when nobody projects says what is missing.
func TestAPIWithoutAProjectorSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	api := f.nodes("api,reactor")[0]
	c := f.client(api)
	api.await("/readyz to say what is missing", func() bool {
		a, err := c.do(http.MethodGet, "/readyz", nil)
		return err == nil && a.status == http.StatusServiceUnavailable && strings.Contains(string(a.body), "role projector")
	})
	a, err := c.dialOut("nobody would see it")
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, a.status, "%s", a)
	require.Equal(t, "NOT_EXECUTED", a.code)
	require.Contains(t, string(a.body), "role projector")
	require.Contains(t, string(a.body), "retryAfterMs")
	_, listed, err := c.interactions()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, listed.status, "what was projected is read")

	f.nodes("projector")
	api.awaitReady()
	l := newLedger()
	l.asked("somebody sees it")
	l.settle(t, c)
	l.requireSame(t, c)
}

package node_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a node at work, then every metric that the Grafana dashboard asks for is one
// that it shows.
func TestTheDashboardAsksForMetricsThatExist(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t)
	w.ended(t, w.dialOut(t, aCall()).CallID)
	data, err := os.ReadFile("../../../docs/grafana/parley.json")
	require.NoError(t, err)
	asked := map[string]bool{}
	for _, name := range regexp.MustCompile(`\b(parley|process)_[a-z_]+`).FindAllString(string(data), -1) {
		asked[name] = true
	}
	require.Greater(t, len(asked), 20)
	onlyInTrouble := map[string]bool{"parley_projection_set_aside": true, "parley_reactor_refused": true, "parley_timers": true,
		"parley_skipped_commits_total": true}
	var missing []string
	until(t, "the metrics of the dashboard", func() bool {
		shown := w.do(t, "GET", "/metrics", nil).must(t, 200).Text
		missing = missing[:0]
		for name := range asked {
			if !onlyInTrouble[name] && !regexp.MustCompile(`(?m)^`+name+`[ {]`).MatchString(shown) {
				missing = append(missing, name)
			}
		}
		return len(missing) == 0
	})
	require.Empty(t, missing)
}

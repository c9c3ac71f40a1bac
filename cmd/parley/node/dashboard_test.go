//go:build !apache

package node_test

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Metrics that the nodes of this package do not show: without timers, and with a broker
// that is not their own (interop's TestPrometheusTakesTheMetrics looks at one that is).
var notHere = map[string]bool{"parley_timers": true, "parley_timers_overdue_seconds": true, "parley_disk_free_bytes": true,
	"parley_disk_reserve_bytes": true}

// Given a node at work, then every metric that the Grafana dashboard or an alert asks for
// is one that it shows.
func TestTheDashboardAndTheAlertsAskForMetricsThatExist(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t)
	w.ended(t, w.dialOut(t, aCall()).CallID)
	asked := map[string]bool{}
	for _, expression := range append(ofTheDashboard(t), ofTheAlerts(t)...) {
		for _, name := range metricsOf(expression) {
			asked[name] = true
		}
	}
	require.Greater(t, len(asked), 30)
	var missing []string
	until(t, "the metrics of the dashboard and the alerts", func() bool {
		shown := w.do(t, "GET", "/metrics", nil).must(t, 200).Text
		missing = missing[:0]
		for name := range asked {
			if !notHere[name] && !regexp.MustCompile(`(?m)^`+name+`[ {]`).MatchString(shown) {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			t.Log(missing)
		}
		return len(missing) == 0
	})
}

func ofTheDashboard(t *testing.T) (expressions []string) {
	t.Helper()
	data, err := os.ReadFile("../../../docs/grafana/parley.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	require.NoError(t, json.Unmarshal(data, &dashboard))
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			expressions = append(expressions, target.Expr)
		}
	}
	require.Greater(t, len(expressions), 20)
	return expressions
}

var (
	notMetrics = regexp.MustCompile(`\{[^}]*\}|\[[^\]]*\]|\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	names      = regexp.MustCompile(`\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b(\s*\()?`)
)

// metricsOf are the metrics that an expression of PromQL asks for. Prometheus makes `up`
// itself, and what is called is a function.
func metricsOf(expression string) (out []string) {
	for _, name := range names.FindAllString(notMetrics.ReplaceAllString(expression, " "), -1) {
		if name[len(name)-1] != '(' {
			out = append(out, name)
		}
	}
	return out
}

func TestMetricsAreFoundInExpressions(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"parley_a_total", "http_b_seconds_bucket", "parley_c"}, metricsOf(
		`sum by (not_this) (rate(parley_a_total{job="p",nor_this=~"x"}[5m])) / on (not_me) histogram_quantile(0.9, http_b_seconds_bucket) `+
			`or up{job="parley"} unless max_over_time(parley_c[1h])`))
}

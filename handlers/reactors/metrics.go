package reactors

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Outcomes of an event, as the label of parley_reactor_events_total.
const (
	outcomeHandled    = "handled"
	outcomeFailed     = "failed"     // one failed try
	outcomeSkipped    = "skipped"    // a type that the reactor does not handle
	outcomeSuperseded = "superseded" // on the log, but it lost
	outcomeMalformed  = "malformed"
	outcomePoisoned   = "poisoned"
)

// routerMetrics is a Prometheus collector of all reactors of one router.
type routerMetrics struct {
	now      func() time.Time
	events   *prometheus.CounterVec
	inFlight *prometheus.GaugeVec
	ageDesc  *prometheus.Desc

	mu   sync.Mutex
	last map[string]time.Time
}

func newRouterMetrics(now func() time.Time) *routerMetrics {
	return &routerMetrics{now: now, last: map[string]time.Time{},
		events: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_reactor_events_total",
			Help: "Events by reactor and outcome: handled, failed (one try), skipped (not its type), superseded, malformed, poisoned."},
			[]string{"reactor", "outcome"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "parley_reactor_in_flight",
			Help: "Events that a reactor waits for or works on."}, []string{"reactor"}),
		ageDesc: prometheus.NewDesc("parley_reactor_last_handled_age_seconds",
			"Seconds since the reactor last handled an event; absent before the first.", []string{"reactor"}, nil),
	}
}

func (m *routerMetrics) count(reactor, outcome string) {
	m.events.WithLabelValues(reactor, outcome).Inc()
	if outcome == outcomeHandled {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.last[reactor] = m.now()
	}
}

// Describe implements prometheus.Collector.
func (m *routerMetrics) Describe(out chan<- *prometheus.Desc) {
	m.events.Describe(out)
	m.inFlight.Describe(out)
	out <- m.ageDesc
}

// Collect implements prometheus.Collector.
func (m *routerMetrics) Collect(out chan<- prometheus.Metric) {
	m.events.Collect(out)
	m.inFlight.Collect(out)
	m.mu.Lock()
	defer m.mu.Unlock()
	for reactor, at := range m.last {
		out <- prometheus.MustNewConstMetric(m.ageDesc, prometheus.GaugeValue, m.now().Sub(at).Seconds(), reactor)
	}
}

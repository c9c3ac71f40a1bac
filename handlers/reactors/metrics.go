package reactors

import (
	"context"
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
	took     *prometheus.HistogramVec
	attempts *prometheus.CounterVec
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
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "messaging_process_duration_seconds",
			Help:        "Time in which a reactor handled an event, by its consumer group; error_type is failed for a try that failed.",
			Buckets:     []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
			ConstLabels: prometheus.Labels{"messaging_system": "kafka", "messaging_operation_name": "process"}},
			[]string{"messaging_destination_name", "messaging_consumer_group_name", "error_type"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_attempts_total",
			Help: "Attempts of what happens outside, by reactor and outcome: made, failed, unknown (done at most once, and nobody knows)."},
			[]string{"reactor", "outcome"}),
		ageDesc: prometheus.NewDesc("parley_reactor_last_handled_age_seconds",
			"Seconds since the reactor last handled an event; absent before the first.", []string{"reactor"}, nil),
	}
}

// knows shows the bad outcomes of a reactor before their first case: the first one is
// seen to happen only where a zero stood.
func (m *routerMetrics) knows(r Reactor) {
	m.events.WithLabelValues(r.Name, outcomePoisoned)
	if r.attempts {
		m.attempts.WithLabelValues(r.Name, attemptFailed)
		m.attempts.WithLabelValues(r.Name, attemptUnknown)
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

// processed notes one try.
func (m *routerMetrics) processed(r Reactor, topic string, took time.Duration, errorType string) {
	m.took.WithLabelValues(topic, r.Group(), errorType).Observe(took.Seconds())
}

// Outcomes of an attempt, as the label of parley_attempts_total.
const (
	attemptMade    = "made"
	attemptFailed  = "failed"
	attemptUnknown = "unknown"
)

type attemptsKey struct{}

// countingAttempts gives what a reactor does a place to say how its attempts went.
func (m *routerMetrics) countingAttempts(ctx context.Context, reactor string) context.Context {
	return context.WithValue(ctx, attemptsKey{}, func(outcome string) { m.attempts.WithLabelValues(reactor, outcome).Inc() })
}

func attempted(ctx context.Context, outcome string) {
	if count, ok := ctx.Value(attemptsKey{}).(func(string)); ok {
		count(outcome)
	}
}

// Describe implements prometheus.Collector.
func (m *routerMetrics) Describe(out chan<- *prometheus.Desc) {
	m.events.Describe(out)
	m.inFlight.Describe(out)
	m.took.Describe(out)
	m.attempts.Describe(out)
	out <- m.ageDesc
}

// Collect implements prometheus.Collector.
func (m *routerMetrics) Collect(out chan<- prometheus.Metric) {
	m.events.Collect(out)
	m.inFlight.Collect(out)
	m.took.Collect(out)
	m.attempts.Collect(out)
	m.mu.Lock()
	defer m.mu.Unlock()
	for reactor, at := range m.last {
		out <- prometheus.MustNewConstMetric(m.ageDesc, prometheus.GaugeValue, m.now().Sub(at).Seconds(), reactor)
	}
}

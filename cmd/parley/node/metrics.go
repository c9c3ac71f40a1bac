package node

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// storeMetrics are the figures of the write path.
type storeMetrics struct {
	registry *prometheus.Registry
	commands *prometheus.HistogramVec
	attempts *prometheus.CounterVec
	batches  *prometheus.HistogramVec
	failed   *prometheus.CounterVec
}

func newStoreMetrics(r *prometheus.Registry) *storeMetrics {
	fast := prometheus.ExponentialBuckets(0.0005, 2, 15)
	m := &storeMetrics{
		registry: r,
		commands: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "parley_command_seconds",
			Help: "Time from command to visible reply, by category and outcome.", Buckets: fast}, []string{"category", "outcome"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_command_attempts_total",
			Help: "Attempts of commands; more than commands means contention."}, []string{"category"}),
		batches: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "parley_produce_seconds",
			Help: "Time of one produce batch with its resends.", Buckets: fast}, []string{"topic"}),
		failed: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_produce_failures_total",
			Help: "Batches that were not acknowledged."}, []string{"topic"}),
	}
	r.MustRegister(m.commands, m.attempts, m.batches, m.failed)
	return m
}

func (m *storeMetrics) executed(s eventstore.Stats) {
	outcome := "ok"
	switch {
	case s.Err != nil:
		outcome = string(fault.CodeOf(s.Err))
	case s.Replayed:
		outcome = "replayed"
	case s.Events == 0:
		outcome = "unchanged"
	}
	m.commands.WithLabelValues(s.Category, outcome).Observe(s.Took.Seconds())
	m.attempts.WithLabelValues(s.Category).Add(float64(s.Attempts))
}

func (m *storeMetrics) produced(s eventstore.ProduceStats) {
	m.batches.WithLabelValues(s.Topic).Observe(s.Took.Seconds())
	if s.Err != nil {
		m.failed.WithLabelValues(s.Topic).Inc()
	}
}

func (m *storeMetrics) depth(now func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_append_queue",
		Help: "Commits that wait for the log on this node."}, func() float64 { return float64(now()) }))
}

package node

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/projections"
)

// timerMetrics counts the timers when it is asked. Every node sees the same ones.
type timerMetrics struct {
	timers  *projections.Timers
	count   *prometheus.Desc
	overdue *prometheus.Desc
}

func newTimerMetrics(t *projections.Timers) *timerMetrics {
	return &timerMetrics{timers: t,
		count: prometheus.NewDesc("parley_timers", "Timers of the installation, by name and state; every node with the role reactor shows "+
			"the same.", []string{"timer", "state"}, nil),
		overdue: prometheus.NewDesc("parley_timers_overdue_seconds", "How long the oldest due timer has been due.", []string{"timer"}, nil)}
}

// Describe implements prometheus.Collector.
func (m *timerMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- m.count
	out <- m.overdue
}

// Collect implements prometheus.Collector. Without a database there is nothing to show.
func (m *timerMetrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	queues, err := m.timers.Queues(ctx)
	if err != nil {
		return
	}
	for _, q := range queues {
		out <- prometheus.MustNewConstMetric(m.count, prometheus.GaugeValue, float64(q.Due), q.Name, "due")
		out <- prometheus.MustNewConstMetric(m.count, prometheus.GaugeValue, float64(q.Later), q.Name, "waiting")
		out <- prometheus.MustNewConstMetric(m.overdue, prometheus.GaugeValue, q.Overdue.Seconds(), q.Name)
	}
}

package projections

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/eventstore"
)

func (p place) String() string { return p.topic + "/" + strconv.Itoa(p.partition) }

type metrics struct {
	events  *prometheus.CounterVec
	skipped *prometheus.CounterVec
	took    prometheus.Histogram
	nodes   prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer, p *Projector) *metrics {
	m := &metrics{
		events:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_projected_events_total", Help: "Events written to the read models, by topic."}, []string{"topic"}),
		skipped: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_skipped_commits_total", Help: "Commits passed over by the accept rule, by topic and reason."}, []string{"topic", "reason"}),
		took:    prometheus.NewHistogram(prometheus.HistogramOpts{Name: "parley_projection_seconds", Help: "Time of one projector transaction.", Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14)}),
		nodes:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "parley_projecting_nodes", Help: "Live nodes that project, as this node sees it."}),
	}
	if reg == nil {
		return m
	}
	lag := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_projection_lag_events", Help: "Records of the log that this node knows of and the read models do not hold yet."}, func() float64 { return float64(p.Lag().Events) })
	reg.MustRegister(m.events, m.skipped, m.took, m.nodes, lag)
	return m
}

func (m *metrics) projected(at place, records []*eventstore.Record, skipped []eventstore.Skip, took time.Duration) {
	m.events.WithLabelValues(at.topic).Add(float64(len(records)))
	for _, s := range skipped {
		m.skipped.WithLabelValues(at.topic, string(s.Reason)).Inc()
	}
	m.took.Observe(took.Seconds())
}

package engine

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/sink"
)

type metrics struct {
	events  *prometheus.CounterVec
	skipped *prometheus.CounterVec
	took    prometheus.Histogram
	nodes   prometheus.Gauge

	setAside *prometheus.GaugeVec   // what is missing now, over all nodes
	asides   *prometheus.CounterVec // what this node set aside
}

func newMetrics(reg prometheus.Registerer, p *Projector) *metrics {
	m := &metrics{
		events: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_projected_events_total",
			Help: "Events written to the read models, by topic."}, []string{"topic"}),
		skipped: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_skipped_commits_total",
			Help: "Commits passed over by the accept rule, by topic and reason."}, []string{"topic", "reason"}),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "parley_projection_seconds", Help: "Time of one projector transaction.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14)}),
		nodes: prometheus.NewGauge(prometheus.GaugeOpts{Name: "parley_projecting_nodes", Help: "Live nodes that project, as this node sees it."}),

		setAside: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "parley_projection_set_aside",
			Help: "Commits whose rows a read model does not hold because it could not take them; parley rebuild MODEL takes them again."},
			[]string{"model"}),
		asides: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_projection_failures_total",
			Help: "Commits that this node has set aside for a read model."}, []string{"model"}),
	}
	if reg == nil {
		return m
	}
	for _, c := range p.Categories { // a zero, so that the first one is seen to happen
		for _, alarming := range []eventstore.Reason{eventstore.Torn, eventstore.Malformed, eventstore.Foreign} {
			m.skipped.WithLabelValues(c.Topic(), string(alarming))
		}
	}
	lag := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_projection_lag_events",
		Help: "Records of the log that this node knows of and the read models do not hold yet."},
		func() float64 { return float64(p.Lag().Events) })
	age := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_projection_lag_seconds",
		Help: "How long the oldest record that the read models do not hold yet has been seen on the log."}, func() float64 { return p.Lag().Age })
	given := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_partitions_given_up",
		Help: "Partitions that stand still because this node gave them up and nobody went on with them; /readyz says which and what to do."},
		func() float64 { return float64(p.abandoned()) })
	reg.MustRegister(m.events, m.skipped, m.took, m.nodes, m.setAside, m.asides, lag, age, given)
	return m
}

func (m *metrics) projected(at sink.Place, records []*eventstore.Record, skipped []eventstore.Skip, took time.Duration) {
	m.events.WithLabelValues(at.Topic).Add(float64(len(records)))
	for _, s := range skipped {
		m.skipped.WithLabelValues(at.Topic, string(s.Reason)).Inc()
	}
	m.took.Observe(took.Seconds())
}

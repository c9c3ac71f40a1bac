package node

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// poolMetrics shows the connection pools when they are asked.
type poolMetrics struct {
	pools       map[string]*pgxpool.Pool
	connections *prometheus.Desc
	waits       *prometheus.Desc
}

func newPoolMetrics(pools map[string]*pgxpool.Pool) *poolMetrics {
	return &poolMetrics{pools: pools,
		connections: prometheus.NewDesc("parley_postgres_connections", "Connections to Postgres, by pool and state.", []string{"pool", "state"},
			nil),
		waits: prometheus.NewDesc("parley_postgres_waits_total", "Times that somebody had to wait for a connection of the pool.",
			[]string{"pool"}, nil)}
}

// Describe implements prometheus.Collector.
func (m *poolMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- m.connections
	out <- m.waits
}

// Collect implements prometheus.Collector.
func (m *poolMetrics) Collect(out chan<- prometheus.Metric) {
	for name, pool := range m.pools {
		s := pool.Stat()
		out <- prometheus.MustNewConstMetric(m.connections, prometheus.GaugeValue, float64(s.AcquiredConns()), name, "used")
		out <- prometheus.MustNewConstMetric(m.connections, prometheus.GaugeValue, float64(s.IdleConns()), name, "idle")
		out <- prometheus.MustNewConstMetric(m.waits, prometheus.CounterValue, float64(s.EmptyAcquireCount()), name)
	}
}

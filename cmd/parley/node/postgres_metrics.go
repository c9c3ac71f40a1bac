package node

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// poolMetrics shows the connection pools when they are asked.
type poolMetrics struct {
	pools       map[string]*pgxpool.Pool
	connections *prometheus.Desc
	most        *prometheus.Desc
	waits       *prometheus.Desc
}

const poolName = "db_client_connection_pool_name"

func newPoolMetrics(pools map[string]*pgxpool.Pool) *poolMetrics {
	return &poolMetrics{pools: pools,
		connections: prometheus.NewDesc("db_client_connection_count", "Connections to Postgres, by pool and state.",
			[]string{poolName, "db_client_connection_state"}, nil),
		most: prometheus.NewDesc("db_client_connection_max", "Connections to Postgres that the pool may have.", []string{poolName}, nil),
		waits: prometheus.NewDesc("parley_postgres_waits_total", "Times that somebody had to wait for a connection of the pool.",
			[]string{poolName}, nil)}
}

// Describe implements prometheus.Collector.
func (m *poolMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- m.connections
	out <- m.most
	out <- m.waits
}

// Collect implements prometheus.Collector.
func (m *poolMetrics) Collect(out chan<- prometheus.Metric) {
	for name, pool := range m.pools {
		s := pool.Stat()
		out <- prometheus.MustNewConstMetric(m.connections, prometheus.GaugeValue, float64(s.AcquiredConns()), name, "used")
		out <- prometheus.MustNewConstMetric(m.connections, prometheus.GaugeValue, float64(s.IdleConns()), name, "idle")
		out <- prometheus.MustNewConstMetric(m.most, prometheus.GaugeValue, float64(s.MaxConns()), name)
		out <- prometheus.MustNewConstMetric(m.waits, prometheus.CounterValue, float64(s.EmptyAcquireCount()), name)
	}
}

package node

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/adapters/embedded"
)

// diskMetrics shows the disk of the embedded broker's log when it is asked. Real Kafka
// watches its own.
type diskMetrics struct {
	broker        *embedded.Broker
	free, reserve *prometheus.Desc
}

func newDiskMetrics(b *embedded.Broker) *diskMetrics {
	return &diskMetrics{b,
		prometheus.NewDesc("parley_disk_free_bytes", "What may still be written to the disk of the embedded broker's log.", nil, nil),
		prometheus.NewDesc("parley_disk_reserve_bytes", "What is left free of it: with less nothing is appended.", nil, nil)}
}

// Describe implements prometheus.Collector.
func (m *diskMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- m.free
	out <- m.reserve
}

// Collect implements prometheus.Collector.
func (m *diskMetrics) Collect(out chan<- prometheus.Metric) {
	free, reserve, err := m.broker.Room()
	if err != nil {
		return
	}
	out <- prometheus.MustNewConstMetric(m.free, prometheus.GaugeValue, float64(free))
	out <- prometheus.MustNewConstMetric(m.reserve, prometheus.GaugeValue, float64(reserve))
}

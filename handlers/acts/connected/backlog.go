package connected

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	models "github.com/parley-platform/parley/projections/channels"
)

// Backlog counts the replies that are not with their providers yet when it is asked. Every node sees
// the same ones.
type Backlog struct {
	open    openReader
	kinds   []string
	replies *prometheus.Desc
	age     *prometheus.Desc
}

// openReader knows which replies are on their way.
type openReader interface {
	Open(ctx context.Context) ([]models.OpenDeliveries, error)
}

// NewBacklog shows those of some kinds, also where there are none.
func NewBacklog(open openReader, kinds []string) *Backlog {
	return &Backlog{open: open, kinds: kinds,
		replies: prometheus.NewDesc("parley_channel_replies_open", "Replies that their provider has not taken yet, by kind; every node shows "+
			"the same.", []string{"kind"}, nil),
		age: prometheus.NewDesc("parley_channel_replies_open_seconds", "For how long the oldest of them has been on its way.", []string{"kind"},
			nil)}
}

// Describe implements prometheus.Collector.
func (b *Backlog) Describe(out chan<- *prometheus.Desc) {
	out <- b.replies
	out <- b.age
}

// Collect implements prometheus.Collector. Without a database there is nothing to show.
func (b *Backlog) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	found, err := b.open.Open(ctx)
	if err != nil {
		return
	}
	of := map[string]models.OpenDeliveries{}
	for _, o := range found {
		of[o.Kind] = o
	}
	for _, kind := range b.kinds {
		out <- prometheus.MustNewConstMetric(b.replies, prometheus.GaugeValue, float64(of[kind].Count), kind)
		out <- prometheus.MustNewConstMetric(b.age, prometheus.GaugeValue, of[kind].Seconds, kind)
	}
}

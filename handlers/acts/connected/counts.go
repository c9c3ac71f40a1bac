package connected

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// Counts are this node's figures of what comes and goes by channels, by their kind.
type Counts struct {
	messages, refusals, deliveries *prometheus.CounterVec
	answers                        *prometheus.HistogramVec
}

// The reasons of refusals that are no codes of faults.
const (
	Unreadable = "unreadable" // the provider sent what cannot be read; it was answered
	Inactive   = "inactive"   // the connection takes nothing; the provider was not told
)

// outcomes are what parley_channel_deliveries_total calls what came of an attempt.
var outcomes = map[channels.Status]string{channels.Taken: "taken", channels.Refused: "refused", channels.NotTaken: "retried",
	channels.Unknown: "unknown"}

// NewCounts counts for a registry. The bad outcomes of each kind are shown before their first case.
func NewCounts(r prometheus.Registerer, kinds []string) *Counts {
	c := &Counts{
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_channel_messages_total",
			Help: "Messages of people that are on the log, by kind of channel; one that comes again counts again."}, []string{"kind"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_channel_refusals_total",
			Help: "Requests of providers that were not taken, by kind and why: a code, unreadable, or inactive."}, []string{"kind", "reason"}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_channel_deliveries_total",
			Help: "Times that a provider was asked to take a reply, by kind and outcome: taken, refused, retried, unknown."},
			[]string{"kind", "outcome"}),
		answers: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "parley_channel_answer_seconds",
			Help:    "Time from a person's message until its provider has taken the reply, by kind.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}}, []string{"kind"}),
	}
	for _, kind := range kinds {
		c.messages.WithLabelValues(kind)
		c.answers.WithLabelValues(kind)
		c.refusals.WithLabelValues(kind, string(fault.Unauthorized))
		for _, outcome := range outcomes {
			c.deliveries.WithLabelValues(kind, outcome)
		}
	}
	r.MustRegister(c.messages, c.refusals, c.deliveries, c.answers)
	return c
}

// Received counts a message that is on the log.
func (c *Counts) Received(kind string) {
	if c != nil {
		c.messages.WithLabelValues(kind).Inc()
	}
}

// Refused counts what was not taken, and why.
func (c *Counts) Refused(kind, reason string) {
	if c != nil {
		c.refusals.WithLabelValues(kind, reason).Inc()
	}
}

// Delivered counts an attempt to hand a reply over.
func (c *Counts) Delivered(kind string, status channels.Status) {
	if c != nil {
		c.deliveries.WithLabelValues(kind, outcomes[status]).Inc()
	}
}

// Answered notes how long after a message its answer was with the provider.
func (c *Counts) Answered(kind string, after time.Duration) {
	if c != nil {
		c.answers.WithLabelValues(kind).Observe(after.Seconds())
	}
}

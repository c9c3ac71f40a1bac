package budgets

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/projectsettings"
)

// Counts are the figures of this node.
type Counts struct {
	refusals prometheus.Counter
	parts    *prometheus.CounterVec
}

// NewCounts counts for a registry.
func NewCounts(r prometheus.Registerer) *Counts {
	c := &Counts{
		refusals: prometheus.NewCounter(prometheus.CounterOpts{Name: "parley_budget_refusals_total",
			Help: "Messages, completions and questions of turns that were refused as a project's budget of the month is spent."}),
		parts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_budgets_reached_total",
			Help: "Budgets of projects of which so many percent were found to be spent, each once a month."}, []string{"percent"}),
	}
	for _, part := range []int{projectsettings.Most, projectsettings.All} { // an alert asks for them
		c.parts.WithLabelValues(strconv.Itoa(part))
	}
	r.MustRegister(c.refusals, c.parts)
	return c
}

func (c *Counts) refused() {
	if c != nil {
		c.refusals.Inc()
	}
}

func (c *Counts) reached(percent int) {
	if c != nil {
		c.parts.WithLabelValues(strconv.Itoa(percent)).Inc()
	}
}

package node

import (
	"errors"
	"regexp"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/parley-platform/parley/cmd/parley/version"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// storeMetrics are the figures of the write path.
type storeMetrics struct {
	registry *prometheus.Registry
	commands *prometheus.HistogramVec
	attempts *prometheus.CounterVec
	recorded *prometheus.CounterVec
	sends    *prometheus.HistogramVec
	sent     *prometheus.CounterVec
}

func newStoreMetrics(r *prometheus.Registry) *storeMetrics {
	fast := prometheus.ExponentialBuckets(0.0005, 2, 15)
	kafka := prometheus.Labels{"messaging_system": "kafka", "messaging_operation_name": "send"}
	m := &storeMetrics{
		registry: r,
		commands: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "parley_command_seconds",
			Help: "Time from command to visible reply, by category and outcome.", Buckets: fast}, []string{"category", "outcome"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_command_attempts_total",
			Help: "Attempts of commands; more than commands means contention."}, []string{"category"}),
		recorded: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_recorded_events_total",
			Help: "Events that commands of this node put on the log and saw to count, by type; a replay and an unknown outcome count none."},
			[]string{"type"}),
		sends: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "messaging_client_operation_duration_seconds",
			Help: "Time of one batch to Kafka with its resends, by topic; error_type says why it was not acknowledged.", Buckets: fast,
			ConstLabels: kafka}, []string{"messaging_destination_name", "error_type"}),
		sent: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "messaging_client_sent_messages_total",
			Help: "Records sent to Kafka, by topic; error_type says why they were not acknowledged.", ConstLabels: kafka},
			[]string{"messaging_destination_name", "error_type"}),
	}
	for _, c := range catalog.Categories() { // a zero, so that the first of each is seen to happen
		for _, k := range c.Kinds() {
			m.recorded.WithLabelValues(k.Type())
		}
	}
	r.MustRegister(m.commands, m.attempts, m.recorded, m.sends, m.sent)
	return m
}

func (m *storeMetrics) executed(s eventstore.Stats) {
	outcome := "ok"
	switch {
	case s.Err != nil:
		outcome = string(fault.CodeOf(s.Err))
	case s.Replayed:
		outcome = "replayed"
	case len(s.Events) == 0:
		outcome = "unchanged"
	}
	m.commands.WithLabelValues(s.Category, outcome).Observe(s.Took.Seconds())
	m.attempts.WithLabelValues(s.Category).Add(float64(s.Attempts))
	if outcome == "ok" {
		for _, e := range s.Events {
			m.recorded.WithLabelValues(e.Type).Inc()
		}
	}
}

func (m *storeMetrics) produced(s eventstore.ProduceStats) {
	failure := ""
	switch {
	case s.Err == nil:
	case errors.Is(s.Err, eventstore.ErrRefused):
		failure = "refused"
	case errors.Is(s.Err, eventstore.ErrNotWritten):
		failure = "not_written"
	default:
		failure = "not_acknowledged"
	}
	m.sends.WithLabelValues(s.Topic, failure).Observe(s.Took.Seconds())
	m.sent.WithLabelValues(s.Topic, failure).Add(float64(s.Records))
}

func (m *storeMetrics) depth(now func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_append_queue",
		Help: "Commits that wait for the log on this node."}, func() float64 { return float64(now()) }))
}

// aboutThis says which Parley this is: as OpenTelemetry describes what is observed, and as
// Prometheus' own programs do.
func aboutThis(process *resource.Resource) []prometheus.Collector {
	build, target := version.Current(), prometheus.Labels{}
	for _, a := range process.Attributes() {
		if key := string(a.Key); !strings.HasPrefix(key, "telemetry.") {
			target[notInLabels.ReplaceAllString(key, "_")] = a.Value.String()
		}
	}
	one := func(name, help string, labels prometheus.Labels) prometheus.Collector {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels})
		g.Set(1)
		return g
	}
	return []prometheus.Collector{
		one("target_info", "What is observed here, as traces describe it.", target),
		one("parley_build_info", "The version and commit that run, and the Go they were built with.", prometheus.Labels{
			"version": build.Version, "revision": build.Commit, "goversion": build.Go}),
	}
}

// notInLabels is what the name of a label may not hold: a digit at its beginning too.
var notInLabels = regexp.MustCompile(`^[^a-zA-Z_]|[^a-zA-Z0-9_]`)

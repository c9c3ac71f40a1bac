//go:build !apache

package node

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/tracing"
	"github.com/parley-platform/parley/cmd/parley/version"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// labelled are the labels of the series of a metric, and their values.
func labelled(t *testing.T, r *prometheus.Registry, metric string) (labels []map[string]string, values []float64) {
	t.Helper()
	families, err := r.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() != metric {
			continue
		}
		for _, m := range family.Metric {
			of := map[string]string{}
			for _, l := range m.Label {
				of[l.GetName()] = l.GetValue()
			}
			labels, values = append(labels, of), append(values, m.GetGauge().GetValue()+m.GetCounter().GetValue())
		}
	}
	return labels, values
}

func TestMetricsSayWhichParleyThisIs(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=staging,1st=x")
	r := prometheus.NewRegistry()
	r.MustRegister(aboutThis(tracing.About(t.Context(), version.Number, "node-1", slog.New(slog.DiscardHandler)))...)
	target, _ := labelled(t, r, "target_info")
	require.Equal(t, []map[string]string{{"service_name": "parley", "service_version": version.Number, "service_instance_id": "node-1",
		"deployment_environment_name": "staging", "_st": "x"}}, target)
	build, one := labelled(t, r, "parley_build_info")
	require.Equal(t, version.Number, build[0]["version"])
	require.Equal(t, []float64{1}, one)
}

// What a command put on the log is counted once, and a replay of it not again; what nobody saw to count is not.
func TestRecordedEventsAreCounted(t *testing.T) {
	r := prometheus.NewRegistry()
	m := newStoreMetrics(r)
	_, values := labelled(t, r, "parley_recorded_events_total")
	require.Greater(t, len(values), 100, "each type stands at zero")
	const kind = "parley.calls.requested.v1"
	done := eventstore.Stats{Category: "calls", Events: []eventstore.Recorded{{Record: &eventstore.Record{Type: kind}}}}
	again, refused := done, done
	again.Replayed, refused.Err = true, fault.New(fault.OutcomeUnknown, "who knows")
	for _, s := range []eventstore.Stats{done, again, refused} {
		m.executed(s)
	}
	labels, values := labelled(t, r, "parley_recorded_events_total")
	for i, l := range labels {
		require.Equal(t, l["type"] == kind, values[i] == 1, l)
	}
}

func TestWhatWasNotAcknowledgedSaysWhy(t *testing.T) {
	for want, err := range map[string]error{"": nil, "not_written": fmt.Errorf("full: %w", eventstore.ErrNotWritten),
		"refused": errors.Join(eventstore.ErrNotWritten, eventstore.ErrRefused), "not_acknowledged": errors.New("timeout")} {
		r := prometheus.NewRegistry()
		newStoreMetrics(r).produced(eventstore.ProduceStats{Topic: "parley.calls", Records: 3, Err: err})
		labels, values := labelled(t, r, "messaging_client_sent_messages_total")
		require.Equal(t, []map[string]string{{"messaging_system": "kafka", "messaging_operation_name": "send",
			"messaging_destination_name": "parley.calls", "error_type": want}}, labels)
		require.Equal(t, []float64{3}, values)
	}
}

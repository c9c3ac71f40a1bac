package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/eventstore"
)

// requireOneEndEach reads the calls from the log itself, by the accept rule: each
// acknowledged call was requested once and ended once, and there is no other.
func requireOneEndEach(t *testing.T, brokers string, l *ledger, login ...sasl.Mechanism) {
	t.Helper()
	requested, finished := map[string]int{}, map[string]int{}
	for _, r := range accepted(t, brokers, calls.Calls.Topic(), login...) {
		switch {
		case strings.HasPrefix(r.Type, "parley.calls.requested."):
			var e struct{ CallID string }
			require.NoError(t, json.Unmarshal(r.Data, &e))
			requested[e.CallID]++
		case strings.HasPrefix(r.Type, "parley.calls.completed."), strings.HasPrefix(r.Type, "parley.calls.failed."):
			finished[calls.Calls.StreamID(r.Stream)]++
		}
	}
	once := map[string]int{}
	for _, call := range l.snapshot() {
		once[call] = 1
	}
	require.Equal(t, once, requested, "calls requested, and how often")
	require.Equal(t, once, finished, "calls ended, and how often")
}

// loginOf is the login that a node with its own broker wrote into dev.env.
func loginOf(t *testing.T, env map[string]string) sasl.Mechanism {
	t.Helper()
	require.NotEmpty(t, env["KAFKA_PASSWORD"])
	m, err := embedded.Mechanism(env["KAFKA_SASL"], env["KAFKA_USER"], env["KAFKA_PASSWORD"])
	require.NoError(t, err)
	return m
}

// accepted reads a whole topic.
func accepted(t *testing.T, brokers, topic string, login ...sasl.Mechanism) (records []*eventstore.Record) {
	t.Helper()
	cfg := kafka.Config{Brokers: strings.Split(brokers, ","), ClientID: "parley-test", Replicas: 1}
	if len(login) > 0 {
		cfg.SASL = login[0]
	}
	log := kafka.New(cfg)
	defer log.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, log.Open(ctx, catalog.Categories()))
	ends, err := log.Ends(ctx)
	require.NoError(t, err)
	for _, partition := range slices.Sorted(maps.Keys(ends[topic])) {
		heads, at := eventstore.HeadMap{}, int64(0)
		for at < ends[topic][partition] {
			fetched, err := log.Fetch(ctx, topic, partition, at)
			require.NoError(t, err)
			judged := eventstore.Arbitrate(heads, fetched.Entries)
			require.Greater(t, judged.Next, at, "%s/%d stands still", topic, partition)
			at = judged.Next
			for _, commit := range judged.Accepted {
				for _, entry := range commit {
					records = append(records, entry.Record)
				}
			}
		}
	}
	return records
}

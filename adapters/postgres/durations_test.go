package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
)

// What Postgres is asked is measured by its first word, and by why it was refused.
func TestWhatPostgresIsAskedIsMeasured(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), nil)
	before := asked(t, db.Durations())
	for _, sql := range []string{"SELECT 1", "\n\twith a as (select 1) select * from a", "EXPLAIN SELECT 1", "CREATE TABLE a (b int)"} {
		_, err := db.Queries.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	_, err := db.Queries.Exec(t.Context(), "SELECT * FROM nothing")
	require.Error(t, err)
	batch := new(pgx.Batch)
	batch.Queue("SELECT 1")
	require.NoError(t, db.Queries.SendBatch(t.Context(), batch).Close())
	_, err = db.Projector.CopyFrom(t.Context(), pgx.Identifier{"a"}, []string{"b"}, pgx.CopyFromRows([][]any{{1}}))
	require.NoError(t, err)

	after := asked(t, db.Durations())
	for which, times := range map[[2]string]uint64{{"SELECT", ""}: 1, {"WITH", ""}: 1, {"OTHER", ""}: 1, {"CREATE", ""}: 1,
		{"SELECT", "42P01"}: 1, {"BATCH", ""}: 1, {"COPY", ""}: 1} {
		require.GreaterOrEqual(t, after[which], before[which]+times, which)
	}
}

// asked is how often, by the operation and the type of its error.
func asked(t *testing.T, durations prometheus.Collector) map[[2]string]uint64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(durations)
	families, err := registry.Gather()
	require.NoError(t, err)
	out := map[[2]string]uint64{}
	for _, family := range families {
		require.Equal(t, "db_client_operation_duration_seconds", family.GetName())
		for _, m := range family.Metric {
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			out[[2]string{labels["db_operation_name"], labels["error_type"]}] = m.GetHistogram().GetSampleCount()
		}
	}
	return out
}

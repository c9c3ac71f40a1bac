package engine

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections/sink"
)

// The i-th of n nodes prefers the numbers that it gets in a group of readers: ranges, which are all of a topic together.
func TestANodePrefersARangeOfEachTopic(t *testing.T) {
	var rows []row
	for topic, count := range map[string]int{"calls": 5, "sessions": 6, "keys": 1} {
		for number := range count {
			rows = append(rows, row{at: sink.Place{Topic: topic, Partition: number}})
		}
	}
	rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for _, test := range []struct {
		i, n int
		want string
	}{
		{0, 1, "calls/0 calls/1 calls/2 calls/3 calls/4 keys/0 sessions/0 sessions/1 sessions/2 sessions/3 sessions/4 sessions/5"},
		{0, 2, "calls/0 calls/1 sessions/0 sessions/1 sessions/2 calls/2 calls/3 calls/4 keys/0 sessions/3 sessions/4 sessions/5"},
		{1, 2, "calls/2 calls/3 calls/4 keys/0 sessions/3 sessions/4 sessions/5 calls/0 calls/1 sessions/0 sessions/1 sessions/2"},
	} {
		t.Run(fmt.Sprintf("%d of %d", test.i, test.n), func(t *testing.T) {
			var got string
			for _, r := range preferred(rows, test.i, test.n) {
				got += " " + r.at.String()
			}
			require.Equal(t, " "+test.want, got)
		})
	}
}

// What the database says, once it is reached, is for its operator, who looks at /readyz; that it is not reached anybody may read.
func TestWhyTheDatabaseCannotBePrepared(t *testing.T) {
	_, away := pgconn.Connect(t.Context(), "postgres://somebody@127.0.0.1:1/parley?connect_timeout=1")
	words, more := whyUnprepared(away)
	require.Equal(t, "the database does not answer", words)
	require.NoError(t, more)
	lacks := errors.New("the schema is of another version")
	words, more = whyUnprepared(lacks)
	require.Equal(t, "the database cannot be prepared, see /readyz", words)
	require.Equal(t, lacks, more)
}

// Given a database that is away, when every partition stands still by it, then one line is logged, and one when
// the last of them goes on; what was given up is each its own trouble.
func TestWhatStandsInTheWayOfAllIsLoggedOnce(t *testing.T) {
	var logged bytes.Buffer
	p := NewProjector(Config{Logger: slog.New(slog.NewTextHandler(&logged, nil)), Metrics: prometheus.NewRegistry()})
	told := func() string {
		defer logged.Reset()
		return logged.String()
	}
	_, away := pgconn.Connect(t.Context(), "postgres://127.0.0.1:1/parley")
	require.Error(t, away)
	place := func(i int) sink.Place { return sink.Place{Topic: "calls", Partition: i} }
	for range 3 {
		for i := range 20 {
			p.trouble(place(i), fmt.Errorf("loading calls/%d: %w", i, away))
		}
	}
	require.Equal(t, 1, strings.Count(told(), "projection stands still"))
	require.Len(t, p.Lag().Given, 20)
	for i := range 19 {
		p.mended(place(i))
	}
	require.Empty(t, told(), "one still stands")
	p.trouble(place(3), fmt.Errorf("loading calls/3: %w", away))
	require.Empty(t, told(), "it is the same trouble")
	p.mended(place(3))
	p.mended(place(19))
	p.mended(place(19))
	require.Equal(t, 1, strings.Count(told(), "projection goes on"))
	require.Empty(t, p.Lag().Given)

	p.trouble(place(1), fmt.Errorf("reading calls/1: %w", errors.New("broken pipe")))
	p.trouble(place(2), fmt.Errorf("reading calls/2: %w", errors.New("broken pipe")))
	p.trouble(place(2), fmt.Errorf("loading calls/2: %w", away))
	require.Equal(t, 2, strings.Count(told(), "projection stands still"), "another trouble is told")
	for i := range 2 {
		p.trouble(place(i), fmt.Errorf("calls/%d: %w: its start was cut off", i, sink.ErrGivenUp))
	}
	require.Equal(t, 2, strings.Count(told(), "projection stands still"), "somebody has to see to each")
}

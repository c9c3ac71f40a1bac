package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/connect"
)

// A log that somebody needs is not measured on, and a server that is not there is said
// before anything is measured.
func TestBenchRefusesBeforeItMeasures(t *testing.T) {
	used := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(used, "node-id"), []byte("node-1\n"), 0o600))
	for want, c := range map[string]Command{
		used + " is not empty":  {Data: used},
		"--parley: the server":  {Events: 1, Parley: filepath.Join(used, "parley")},
		"make build":            {Events: 1, Parley: filepath.Join(used, "parley")},
		"--kafka-password-file": {Clients: []int{1}, KafkaFlags: connect.KafkaFlags{KafkaSASL: "PLAIN"}},
	} {
		require.ErrorContains(t, c.Run(), want)
	}
}

func TestFiguresStandBesideTheirCeiling(t *testing.T) {
	raw := figure{Name: "raw produce", Clients: 256, Rate: 200, P50: 1}
	f := figure{Name: "command to visible", Clients: 256, Rate: 80}.of(raw)
	require.InDelta(t, 0.4, f.Ratio, 1e-9)
	require.Equal(t, "raw produce", f.Ceiling)
	require.True(t, *visibleAim(f, raw, false).Met)
	f.Ratio = 0.39
	require.False(t, *visibleAim(f, raw, false).Met)
	require.Nil(t, visibleAim(f, raw, true).Met, "a real broker is asked for another figure, with one client")
	alone := figure{Clients: 1, P50: 5.1}
	require.False(t, *visibleAim(alone, raw, true).Met, "two round trips of 1 ms, and 3 ms")
}

func TestTimesComeWithTheirRate(t *testing.T) {
	figure, err := timed("nothing", time.Millisecond, 2, nothing, nothing)
	require.NoError(t, err)
	require.Positive(t, figure.Rate)
	require.LessOrEqual(t, figure.P50, figure.P95)
	require.LessOrEqual(t, figure.P95, figure.P99)
}

// A server's own ids grow with the time, those that callers choose do not.
func TestTheIdsOfAHistoryAreOfTheirKind(t *testing.T) {
	ordered, random := &loading{ordered: true}, &loading{}
	first, second := ordered.id(), ordered.id()
	require.Less(t, first, second)
	require.Equal(t, uuid.Version(7), uuid.MustParse(first).Version())
	require.Equal(t, uuid.Version(4), uuid.MustParse(random.id()).Version())
}

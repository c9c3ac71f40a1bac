package main

import (
	"bufio"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// TestMain lets the test's own binary be the program, so that it can be killed.
func TestMain(m *testing.M) {
	if os.Getenv("PARLEY_EXAMPLE_CONSUMER") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program is this binary as the example's process.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "PARLEY_EXAMPLE_CONSUMER=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// ended appends so many calls that ended busy, each a commit and the same commit
// once more, and returns when the log has them.
func ended(t *testing.T, log *kafka.Log, count int) {
	t.Helper()
	batches := map[int][]*eventstore.Record{}
	for range count {
		stream := calls.Calls.Stream(uuid.NewString())
		r := &eventstore.Record{ID: uuid.NewString(), Source: "/parley/test", Type: "parley.calls.failed.v1", Stream: stream, Tenant: "acme",
			Time:    time.Now().UTC(),
			Version: 1, Commit: uuid.NewString(), CommitSize: 1,
			Data: []byte(`{"at":"2026-11-21T10:30:00Z","sipCode":486,"reasonCode":"Busy Here","reason":"486 Busy Here","ringDurationMs":0,
				"connectDurationMs":5}`)}
		p := eventstore.PartitionOf(stream, calls.Calls.Partitions)
		batches[p] = append(batches[p], r, r)
	}
	for p, records := range batches {
		_, err := log.Produce(t.Context(), calls.Calls.Topic(), p, records)
		require.NoError(t, err)
	}
}

// Given traffic with resends, when the program is killed at any time, again and
// again, then in the end it has counted each call once.
func TestKilledAgainAndAgainItCountsEachCallOnce(t *testing.T) {
	brokers := embeddedtest.Broker(t)
	log := kafka.New(kafka.Config{Brokers: brokers, ClientID: "test", Log: slog.New(slog.DiscardHandler)})
	defer log.Close()
	require.NoError(t, log.Open(t.Context(), []*event.Category{calls.Calls.Category}))
	args := []string{"-brokers", brokers[0], "-state", t.TempDir()}

	total := 0
	for range 8 {
		ended(t, log, 1500)
		total += 1500
		cmd := program(t, args...)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for range 1 + rand.IntN(1400) { // somewhere in the middle of its work
			require.True(t, lines.Scan())
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}

	out, err := program(t, append(args, "-once")...).Output()
	require.NoError(t, err)
	_, counted, _ := strings.Cut(string(out), "HOUR")
	require.Contains(t, counted, fmt.Sprintf("2026-11-21T10:00:00Z  Busy Here  %d\n", total))

	again, err := program(t, append(args, "-once")...).Output()
	require.NoError(t, err)
	require.Equal(t, "HOUR"+counted, string(again), "nothing is counted when nothing happened")
}

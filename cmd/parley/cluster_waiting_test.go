package main

import (
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
)

// Given a Kafka that is not there yet, when a node is started, then it lives, says what
// it waits for and is not ready; when Kafka comes, it serves. When it is told to stop
// while it waits, it ends at once.
func TestNodeWaitsForKafka(t *testing.T) {
	t.Parallel()
	binary(t) // skips
	address, listen := freeAddress(t), freeAddress(t)
	url := "http://" + listen
	start := func() *process {
		return spawn(t, dataFolder(t), listen, "--kafka-brokers", address, "--database-url", embeddedtest.Database(t), "--drain-delay", "10ms")
	}
	get := func(path string) (status int, body string) {
		res, err := http.Get(url + path)
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, string(text)
	}
	answers := func(status int, path string) (body string) {
		t.Helper()
		require.Eventually(t, func() bool {
			var got int
			got, body = get(path)
			return got == status
		}, patience, 20*time.Millisecond, "%s", path)
		return body
	}

	impatient := start()
	answers(http.StatusServiceUnavailable, "/readyz")
	impatient.terminate()
	require.Zero(t, impatient.exit(patience), impatient.out.tail())

	node := start()
	body := answers(http.StatusServiceUnavailable, "/readyz")
	require.Contains(t, body, "waiting for Kafka")
	require.Contains(t, body, address)
	require.Contains(t, body, "since")
	require.Contains(t, answers(http.StatusOK, "/livez"), "ok")
	require.Contains(t, answers(http.StatusServiceUnavailable, "/api/v1/events"), "CATCHING_UP")
	require.Contains(t, answers(http.StatusOK, "/metrics"), `parley_ready{part="kafka"} 0`, "it is there, and not ready")

	broker, err := embedded.StartBroker(embedded.BrokerConfig{Dir: t.TempDir(), Listen: address, UnsafeNoSync: true, UnsafeOpen: true,
		Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer func() { require.NoError(t, broker.Close()) }()
	answers(http.StatusOK, "/readyz")
	require.Contains(t, answers(http.StatusOK, "/metrics"), `parley_ready{part="kafka"} 1`)
	answers(http.StatusUnauthorized, "/api/v1/events")
	node.terminate()
	require.Zero(t, node.exit(drainTimeout+patience), node.out.tail())
}

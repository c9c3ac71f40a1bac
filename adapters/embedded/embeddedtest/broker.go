package embeddedtest

import (
	"log/slog"
	"testing"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// Option changes what a test gets.
type Option func(*embedded.BrokerConfig)

// Broker starts a broker of its own for the test, with its log in t.TempDir(), and
// returns its addresses. It stops when the test ends. Without options it does not
// fsync and lets everybody in. Under -short it skips the test. Under `make test-kafka` it is Apache
// Kafka, except where the test asks for an embedded broker's own TLS and users.
func Broker(t testing.TB, options ...Option) []string {
	t.Helper()
	childtest.Integration(t)
	cfg := embedded.BrokerConfig{Dir: t.TempDir(), Log: quiet(), UnsafeNoSync: true}
	for _, option := range options {
		option(&cfg)
	}
	if OnApache() && cfg.Access == nil {
		return apache(t)
	}
	cfg.UnsafeOpen = cfg.Access == nil // tests delete and cut, too
	broker, err := embedded.StartBroker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := broker.Close(); err != nil {
			t.Error(err)
		}
	})
	return broker.Addrs()
}

// Parts is a fresh broker and a fresh database.
func Parts(t testing.TB, options ...Option) (brokers []string, databaseURL string) {
	t.Helper()
	return Broker(t, options...), Database(t)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

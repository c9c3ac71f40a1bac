package watermillkafka_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
)

func TestABadConfigurationNamesItsField(t *testing.T) {
	good := watermillkafka.Config{Brokers: []string{"127.0.0.1:1"}, Group: "g"}
	for field, spoil := range map[string]func(*watermillkafka.Config){
		"Brokers":      func(c *watermillkafka.Config) { c.Brokers = nil },
		"Group":        func(c *watermillkafka.Config) { c.Group = "" },
		"InFlight":     func(c *watermillkafka.Config) { c.InFlight = -1 },
		"Window":       func(c *watermillkafka.Config) { c.InFlight, c.Window = 10, 9 },
		"DrainTimeout": func(c *watermillkafka.Config) { c.DrainTimeout = time.Minute },
		"Heartbeat":    func(c *watermillkafka.Config) { c.Heartbeat = time.Minute },
	} {
		c := good
		spoil(&c)
		_, err := watermillkafka.NewSubscriber(c)
		require.ErrorIs(t, err, watermillkafka.ErrConfig, field)
		require.ErrorContains(t, err, field)
	}
	sub, err := watermillkafka.NewSubscriber(good)
	require.NoError(t, err)
	_, err = sub.Subscribe(context.Background(), "")
	require.ErrorContains(t, err, "topic")
	require.NoError(t, sub.Close())
}

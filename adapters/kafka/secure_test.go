package kafka_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"testing"
	"time"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/event"
)

func login(t *testing.T, mechanism, user, password string) sasl.Mechanism {
	t.Helper()
	m, err := embedded.Mechanism(mechanism, user, password)
	require.NoError(t, err)
	return m
}

func connecting(t *testing.T, brokers []string, tlsConfig *tls.Config, m sasl.Mechanism) *kafka.Log {
	t.Helper()
	log := kafka.New(kafka.Config{Brokers: brokers, ClientID: "secure", TLS: tlsConfig, SASL: m, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(log.Close)
	return log
}

func TestEveryMechanismOpensTheLogOverTLS(t *testing.T) {
	authority := embeddedtest.NewAuthority(t)
	brokers := embeddedtest.Broker(t, embeddedtest.Secured(authority.Issue(t, time.Now().Add(time.Hour), "127.0.0.1"), "parley", "s3cret"))
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			log := connecting(t, brokers, authority.Client(), login(t, mechanism, "parley", "s3cret"))
			require.NoError(t, log.Open(t.Context(), []*event.Category{boxes}))
			require.NotEmpty(t, log.LogID())
			conn, err := log.Dialer().DialContext(t.Context(), "tcp", brokers[0]) // as consumer groups connect
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			_, err = conn.ReadPartitions(boxes.Topic())
			require.NoError(t, err)
		})
	}
}

// Who comes with something wrong is told what, at once.
func TestAConnectionThatIsNotLetInSaysWhatToCheck(t *testing.T) {
	authority, stranger := embeddedtest.NewAuthority(t), embeddedtest.NewAuthority(t)
	valid := time.Now().Add(time.Hour)
	secured := embeddedtest.Broker(t, embeddedtest.Secured(authority.Issue(t, valid, "127.0.0.1"), "parley", "s3cret"))
	expired := embeddedtest.Broker(t, embeddedtest.Secured(authority.Issue(t, time.Now().Add(-time.Hour), "127.0.0.1"), "parley", "s3cret"))
	plain := embeddedtest.Broker(t)
	good := login(t, "SCRAM-SHA-512", "parley", "s3cret")
	elsewhere := authority.Client()
	elsewhere.ServerName = "kafka.example.com"

	for name, c := range map[string]struct {
		brokers []string
		tls     *tls.Config
		sasl    sasl.Mechanism
		says    string
	}{
		"wrong password, SCRAM":     {secured, authority.Client(), login(t, "SCRAM-SHA-256", "parley", "guess"), "--kafka-password-file"},
		"wrong password, PLAIN":     {secured, authority.Client(), login(t, "PLAIN", "parley", "guess"), "--kafka-password-file"},
		"unknown user":              {secured, authority.Client(), login(t, "SCRAM-SHA-512", "nobody", "s3cret"), "--kafka-user"},
		"no login":                  {secured, authority.Client(), nil, "--kafka-sasl"},
		"another authority":         {secured, stranger.Client(), good, "--kafka-ca"},
		"another name":              {secured, elsewhere, good, "certificate"},
		"expired":                   {expired, authority.Client(), good, "expired"},
		"plaintext to a TLS port":   {secured, nil, good, "--kafka-tls"},
		"TLS to a plaintext port":   {plain, authority.Client(), nil, "without TLS"},
		"a login nobody asked for":  {plain, nil, login(t, "PLAIN", "parley", "guess"), "--kafka-user"},
		"nobody there, and at once": {[]string{"127.0.0.1:1"}, nil, nil, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second) // seconds, not the half minute of a dialler that goes on trying
			defer cancel()
			err := connecting(t, c.brokers, c.tls, c.sasl).Open(ctx, []*event.Category{boxes})
			require.ErrorContains(t, err, c.says)
			require.NotErrorIs(t, err, context.DeadlineExceeded)
			require.NotContains(t, err.Error(), "s3cret")
		})
	}
}

package embedded_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
)

func TestABrokerOnEveryAddressAsksForTLSAndAPassword(t *testing.T) {
	childtest.Integration(t)
	authority := embeddedtest.NewAuthority(t)
	access := &embedded.Access{Certificate: authority.Issue(t, time.Now().Add(time.Hour), "localhost").Certificate, User: "parley",
		Password: "s3cret", Advertise: "localhost"}
	broker, err := embedded.StartBroker(embedded.BrokerConfig{Dir: t.TempDir(), Listen: "0.0.0.0:0", Access: access,
		Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer func() { require.NoError(t, broker.Close()) }()
	require.Regexp(t, `^localhost:[0-9]+$`, broker.Addrs()[0])

	tlsConfig, mechanism, err := access.Client()
	require.NoError(t, err)
	brokers := func(tr *kafka.Transport) (*kafka.MetadataResponse, error) {
		return (&kafka.Client{Addr: kafka.TCP(broker.Addrs()...), Timeout: 5 * time.Second, Transport: tr}).Metadata(t.Context(),
			&kafka.MetadataRequest{})
	}
	got, err := brokers(&kafka.Transport{TLS: tlsConfig, SASL: mechanism})
	require.NoError(t, err)
	require.Equal(t, "localhost", got.Brokers[0].Host, "clients are told the name in the certificate")
	_, err = brokers(&kafka.Transport{TLS: tlsConfig})
	require.Error(t, err, "without a login")
	_, err = brokers(&kafka.Transport{})
	require.Error(t, err, "without TLS")
}

// Given a folder that was opened to others before, then a new password takes the place
// of the old one, and without one it is a broker of this machine alone again, with the
// login that it made itself.
func TestTheLoginOfABrokerIsThatOfThisStart(t *testing.T) {
	childtest.Integration(t)
	dir, certificate := t.TempDir(), embeddedtest.NewAuthority(t).Issue(t, time.Now().Add(time.Hour), "localhost").Certificate
	var former *embedded.Access
	for _, password := range []string{"", "first", "second", ""} {
		var access *embedded.Access
		transport := &kafka.Transport{}
		if password != "" {
			access = &embedded.Access{Certificate: certificate, User: "parley", Password: password, Advertise: "localhost"}
			var err error
			transport.TLS, transport.SASL, err = access.Client()
			require.NoError(t, err)
		}
		broker, err := embedded.StartBroker(embedded.BrokerConfig{Dir: dir, Listen: map[bool]string{true: "", false: "0.0.0.0:0"}[access == nil],
			Access: access, Log: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		ask := func(tr *kafka.Transport) error {
			_, err := (&kafka.Client{Addr: kafka.TCP(broker.Addrs()...), Timeout: 5 * time.Second, Transport: tr}).Metadata(t.Context(),
				&kafka.MetadataRequest{})
			return err
		}
		if access == nil {
			require.Error(t, ask(&kafka.Transport{}), "without a login")
			transport.TLS, transport.SASL, err = broker.Client()
			require.NoError(t, err)
			require.Nil(t, transport.TLS)
			require.FileExists(t, embedded.ClientFile(dir))
		} else {
			require.Nil(t, broker.Login())
			require.NoFileExists(t, embedded.ClientFile(dir), "it would not let anybody in")
		}
		require.NoError(t, ask(transport), "with %q", password)
		if former != nil && access != nil {
			tlsConfig, mechanism, err := former.Client()
			require.NoError(t, err)
			require.Error(t, ask(&kafka.Transport{TLS: tlsConfig, SASL: mechanism}), "with the password of before")
		}
		former = access
		require.NoError(t, broker.Close())
	}
}

func TestAnOpenBrokerThatNobodyCouldUseIsRefused(t *testing.T) {
	authority := embeddedtest.NewAuthority(t)
	issued := authority.Issue(t, time.Now().Add(time.Hour), "kafka.example.com").Certificate
	for name, c := range map[string]struct {
		listen string
		access embedded.Access
		says   string
	}{
		"no password": {"0.0.0.0:0", embedded.Access{Certificate: issued, User: "u", Advertise: "kafka.example.com"},
			"a user and a password"},
		"no certificate":           {"0.0.0.0:0", embedded.Access{User: "u", Password: "p", Advertise: "kafka.example.com"}, "a certificate"},
		"no name to tell":          {"0.0.0.0:0", embedded.Access{Certificate: issued, User: "u", Password: "p"}, "--kafka-advertise"},
		"no name to tell, nothing": {":0", embedded.Access{Certificate: issued, User: "u", Password: "p"}, "--kafka-advertise"},
		"a name not in it": {"0.0.0.0:0", embedded.Access{Certificate: issued, User: "u", Password: "p",
			Advertise: "elsewhere.example.com"}, "not for the name"},
		"not an address": {"0.0.0.0", embedded.Access{Certificate: issued, User: "u", Password: "p", Advertise: "kafka.example.com"},
			"HOST:PORT"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := embedded.StartBroker(embedded.BrokerConfig{Dir: t.TempDir(), Listen: c.listen, Access: &c.access,
				Log: slog.New(slog.DiscardHandler)})
			require.ErrorContains(t, err, c.says)
		})
	}
}

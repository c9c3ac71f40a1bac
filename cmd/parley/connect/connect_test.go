package connect_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/settings"
)

// file makes a file with the text.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestALoginOfKafka(t *testing.T) {
	ca := embeddedtest.NewAuthority(t)
	config, mechanism, err := connect.KafkaFlags{}.Login()
	require.NoError(t, err)
	require.Nil(t, config)
	require.Nil(t, mechanism)

	full := connect.KafkaFlags{KafkaTLS: true, KafkaCA: ca.File, KafkaSASL: "SCRAM-SHA-512", KafkaUser: "parley", KafkaPasswordFile: file(t,
		"secret\n")}
	config, mechanism, err = full.Login()
	require.NoError(t, err)
	require.NotNil(t, config.RootCAs)
	require.Equal(t, "SCRAM-SHA-512", mechanism.Name())
}

// Every complaint is made at once, and names its flag.
func TestALoginOfKafkaThatCannotBe(t *testing.T) {
	password := file(t, "secret")
	for want, flags := range map[string]connect.KafkaFlags{
		"--kafka-ca needs --kafka-tls":     {KafkaCA: "ca.pem"},
		"--kafka-ca: open none.pem":        {KafkaTLS: true, KafkaCA: "none.pem"},
		"holds no certificate in PEM form": {KafkaTLS: true, KafkaCA: password},
		"--kafka-password-file: is needed": {KafkaSASL: "PLAIN", KafkaUser: "parley"},
		"--kafka-sasl needs --kafka-user":  {KafkaSASL: "PLAIN", KafkaPasswordFile: password},
		"--kafka-sasl: ":                   {KafkaSASL: "GSSAPI", KafkaUser: "parley", KafkaPasswordFile: password},
		`--kafka-sasl: "MD5" is not PLAIN`: {KafkaSASL: "MD5"},
		"--kafka-brokers kafka: HOST:PORT": {KafkaBrokers: []string{"other:9092", "kafka"}},
		"--kafka-brokers 10.0.0.7:99999: ": {KafkaBrokers: []string{"10.0.0.7:99999"}},
		"--kafka-brokers : HOST:PORT":      {KafkaBrokers: []string{"kafka:9092", ""}},
	} {
		_, _, err := flags.Login()
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
	}
	_, _, err := connect.KafkaFlags{KafkaCA: "ca.pem", KafkaSASL: "PLAIN"}.Login()
	require.ErrorContains(t, err, "--kafka-ca needs")
	require.ErrorContains(t, err, "--kafka-password-file")
}

func TestWhoIsLetIntoTheEmbeddedBroker(t *testing.T) {
	pair := embeddedtest.NewAuthority(t).Issue(t, time.Now().Add(time.Hour), "127.0.0.1")
	login := connect.KafkaFlags{KafkaUser: "parley", KafkaPasswordFile: file(t, "secret\n")}
	access, err := connect.BrokerFlags{}.Access(connect.KafkaFlags{})
	require.NoError(t, err)
	require.Nil(t, access, "a login of its own is made")

	whole := connect.BrokerFlags{KafkaCert: pair.CertFile, KafkaKey: pair.KeyFile, KafkaAdvertise: "broker.example"}
	access, err = whole.Access(login)
	require.NoError(t, err)
	require.Equal(t, "parley", access.User)
	require.Equal(t, "secret", access.Password, "without the end of its line")
	require.Equal(t, "broker.example", access.Advertise)

	elsewhere, secured, empty := login, login, login
	elsewhere.KafkaBrokers, secured.KafkaSASL, empty.KafkaPasswordFile = []string{"kafka:9092"}, "PLAIN", file(t, "\n")
	for want, c := range map[string]struct {
		broker connect.BrokerFlags
		login  connect.KafkaFlags
	}{
		"are for the embedded broker: leave out --kafka-brokers": {whole, elsewhere},
		"needs --kafka-cert, --kafka-key":                        {connect.BrokerFlags{KafkaAdvertise: "x"}, login},
		"are for --kafka-brokers":                                {whole, secured},
		"--kafka-cert and --kafka-key: ":                         {connect.BrokerFlags{KafkaCert: "x", KafkaKey: "x"}, login},
		"is empty":                                               {whole, empty},
	} {
		_, err := c.broker.Access(c.login)
		require.ErrorContains(t, err, want)
	}
}

func TestASecretIsItsFileWithoutTheEndOfTheLine(t *testing.T) {
	for text, want := range map[string]string{"a": "a", "a\n": "a", "a\r\n": "a", " a b \n\n": " a b ", "": ""} {
		got, err := connect.SecretFile(file(t, text))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := connect.SecretFile("")
	require.ErrorContains(t, err, "is needed")
	_, err = connect.SecretFile(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A tool starts nothing in a folder that is none of a node's.
func TestAFolderOfNobodyIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	_, _, _, err := (&connect.PartsFlags{Data: dir}).Open(t.Context(), nil)
	require.ErrorContains(t, err, dir+" is not the folder of a node")
	require.ErrorContains(t, err, "--kafka-brokers and --database-url")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Given a node of serve --dev whose Kafka and Postgres are elsewhere, then its dev.env says
// where; but of parts in the folder the folder knows better, and a flag goes before both.
func TestPartsElsewhereAreFoundByTheSettingsOfDev(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, settings.Write(filepath.Join(dir, settings.File), [][2]string{{"KAFKA_BROKERS", "127.0.0.1:1,127.0.0.1:2"},
		{"DATABASE_URL", "postgres://127.0.0.1:1/x"}}))
	brokers, _, _, err := connect.KafkaFlags{}.At(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"127.0.0.1:1", "127.0.0.1:2"}, brokers)
	brokers, _, _, err = connect.KafkaFlags{KafkaBrokers: []string{"k:1"}}.At(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"k:1"}, brokers)
	_, _, _, err = (&connect.PartsFlags{Data: dir}).Open(t.Context(), nil)
	require.ErrorContains(t, err, "127.0.0.1:1", "it goes there, and starts nothing in the folder")

	require.NoError(t, os.Mkdir(filepath.Join(dir, "kafka"), 0o700))
	_, _, _, err = connect.KafkaFlags{}.At(dir)
	require.ErrorContains(t, err, "--kafka-brokers")
	require.ErrorContains(t, err, "--data")
}

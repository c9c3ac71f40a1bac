// Package connect is how commands reach a log and its database: the flags that name them,
// their logins, and the embedded parts of a data folder.
package connect

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/segmentio/kafka-go/sasl"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/cmd/parley/node"
)

// KafkaFlags say how to reach Kafka.
type KafkaFlags struct {
	KafkaBrokers      []string `help:"Kafka brokers, host:port,... Empty: an embedded broker." placeholder:"LIST"`
	KafkaTLS          bool     `name:"kafka-tls" help:"Use TLS to Kafka."`
	KafkaCA           string   `name:"kafka-ca" help:"PEM file with the authority of the brokers' certificates; the machine's when empty." placeholder:"FILE"`
	KafkaSASL         string   `name:"kafka-sasl" help:"SASL mechanism: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512." placeholder:"MECHANISM"`
	KafkaUser         string   `help:"SASL user." placeholder:"NAME"`
	KafkaPasswordFile string   `help:"File that holds the SASL password." placeholder:"FILE"`
}

// Login is how the brokers are connected to; every complaint about the flags at once.
func (k KafkaFlags) Login() (*tls.Config, sasl.Mechanism, error) {
	config, err1 := k.tls()
	mechanism, err2 := k.sasl()
	return config, mechanism, errors.Join(k.checkBrokers(), err1, err2)
}

// checkBrokers refuses what is no address: a node would wait for it as for brokers that are not up yet.
func (k KafkaFlags) checkBrokers() error {
	for _, at := range k.KafkaBrokers {
		if err := node.CheckAddress("kafka-brokers", at); err != nil {
			return err
		}
	}
	return nil
}

func (k KafkaFlags) tls() (*tls.Config, error) {
	if !k.KafkaTLS {
		if k.KafkaCA != "" {
			return nil, errors.New("--kafka-ca needs --kafka-tls")
		}
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if k.KafkaCA == "" {
		return cfg, nil
	}
	pem, err := os.ReadFile(k.KafkaCA)
	if err != nil {
		return nil, fmt.Errorf("--kafka-ca: %w", err)
	}
	cfg.RootCAs = x509.NewCertPool()
	if !cfg.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("--kafka-ca: %s holds no certificate in PEM form", k.KafkaCA)
	}
	return cfg, nil
}

func (k KafkaFlags) sasl() (sasl.Mechanism, error) {
	if k.KafkaSASL == "" {
		if len(k.KafkaBrokers) > 0 && (k.KafkaUser != "" || k.KafkaPasswordFile != "") {
			return nil, errors.New("--kafka-user and --kafka-password-file need --kafka-sasl: without it nobody logs in to --kafka-brokers")
		}
		return nil, nil
	}
	password, err1 := SecretFile(k.KafkaPasswordFile)
	if err1 != nil {
		err1 = fmt.Errorf("--kafka-password-file: %w", err1)
	}
	var err2 error
	if k.KafkaUser == "" {
		err2 = errors.New("--kafka-sasl needs --kafka-user")
	}
	mechanism, err3 := embedded.Mechanism(k.KafkaSASL, k.KafkaUser, password)
	if err3 != nil {
		err3 = fmt.Errorf("--kafka-sasl: %w", err3)
	}
	return mechanism, errors.Join(err3, err1, err2)
}

// BrokerFlags say how the embedded broker listens.
type BrokerFlags struct {
	KafkaListen    string `help:"Address of the embedded broker; a free loopback port when empty, the same one after a restart. Any but loopback needs --kafka-cert, --kafka-key, --kafka-user and --kafka-password-file." placeholder:"ADDR"`
	KafkaAdvertise string `help:"Name or address by which others reach the embedded broker; the host of --kafka-listen when empty." placeholder:"HOST"`
	KafkaCert      string `help:"PEM file with the certificate of the embedded broker." placeholder:"FILE"`
	KafkaKey       string `help:"PEM file with the key of that certificate." placeholder:"FILE"`
	DiskReserve    int64  `help:"MiB that the embedded broker leaves free on its disk: with less it appends nothing." default:"64" placeholder:"MIB"`
}

// Access is who is let into the embedded broker, nil for the login that it generates.
func (b BrokerFlags) Access(k KafkaFlags) (*embedded.Access, error) {
	if b.KafkaListen != "" && len(k.KafkaBrokers) > 0 {
		return nil, errors.New("--kafka-listen is for the embedded broker: leave out --kafka-brokers, or it")
	}
	if b.KafkaCert == "" && b.KafkaKey == "" && b.KafkaAdvertise == "" {
		return nil, nil
	}
	switch {
	case len(k.KafkaBrokers) > 0:
		return nil, errors.New("--kafka-cert, --kafka-key and --kafka-advertise are for the embedded broker: leave out --kafka-brokers, or them")
	case b.KafkaCert == "" || b.KafkaKey == "" || k.KafkaUser == "" || k.KafkaPasswordFile == "":
		return nil, errors.New("an embedded broker that others reach needs --kafka-cert, --kafka-key, --kafka-user and --kafka-password-file")
	case k.KafkaTLS || k.KafkaCA != "" || k.KafkaSASL != "":
		return nil, errors.New("--kafka-tls, --kafka-ca and --kafka-sasl are for --kafka-brokers: the embedded broker takes TLS with every " +
			"mechanism")
	}
	certificate, err := tls.LoadX509KeyPair(b.KafkaCert, b.KafkaKey)
	if err != nil {
		return nil, fmt.Errorf("--kafka-cert and --kafka-key: %w", err)
	}
	password, err := SecretFile(k.KafkaPasswordFile)
	if err != nil {
		return nil, fmt.Errorf("--kafka-password-file: %w", err)
	}
	if password == "" {
		return nil, fmt.Errorf("--kafka-password-file: %s is empty", k.KafkaPasswordFile)
	}
	return &embedded.Access{Certificate: certificate, User: k.KafkaUser, Password: password, Advertise: b.KafkaAdvertise}, nil
}

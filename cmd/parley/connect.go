package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
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
		return nil, nil
	}
	password, err := secretFile(k.KafkaPasswordFile)
	if err != nil {
		return nil, fmt.Errorf("--kafka-password-file: %w", err)
	}
	switch k.KafkaSASL {
	case "PLAIN":
		return plain.Mechanism{Username: k.KafkaUser, Password: password}, nil
	case "SCRAM-SHA-256":
		return scram.Mechanism(scram.SHA256, k.KafkaUser, password)
	case "SCRAM-SHA-512":
		return scram.Mechanism(scram.SHA512, k.KafkaUser, password)
	}
	return nil, fmt.Errorf("--kafka-sasl: %q is not PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", k.KafkaSASL)
}

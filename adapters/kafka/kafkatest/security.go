package kafkatest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// Security makes a cluster that clients reach by TLS and SCRAM-SHA-512 only, and
// that allows what an ACL says and nothing else. It runs from Maven's artifacts.
type Security struct {
	User, Password string            // the administrator, whom no ACL binds
	Others         map[string]string // further users and their passwords, without a right

	authority *x509.CertPool
	pem       []byte
}

// Password returns a user's password.
func (s *Security) password(user string) string {
	if user == s.User {
		return s.Password
	}
	return s.Others[user]
}

// TLS trusts the brokers' certificate, once the cluster runs.
func (s *Security) TLS() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: s.authority}
}

// Authority is the certificate to trust, in PEM form.
func (s *Security) Authority() []byte { return slices.Clone(s.pem) }

// Mechanism signs in as one of the users.
func (s *Security) Mechanism(user string) sasl.Mechanism {
	m, err := scram.Mechanism(scram.SHA512, user, s.password(user))
	if err != nil {
		panic("the user's name or password is not fit for SCRAM: " + err.Error())
	}
	return m
}

func (s *Security) keystore(dir string) string { return filepath.Join(dir, "keystore.pem") }

// properties are the lines of server.properties. The controllers' listener stays
// plain: it is on loopback and no client's.
func (s *Security) properties(dir string) map[string]string {
	login := fmt.Sprintf("org.apache.kafka.common.security.scram.ScramLoginModule required username=%q password=%q;", s.User, s.Password)
	return map[string]string{
		"listener.security.protocol.map":                       "CONTROLLER:PLAINTEXT,CLIENTS:SASL_SSL",
		"sasl.enabled.mechanisms":                              "SCRAM-SHA-512",
		"sasl.mechanism.inter.broker.protocol":                 "SCRAM-SHA-512",
		"listener.name.clients.scram-sha-512.sasl.jaas.config": login,
		"ssl.keystore.type":                                    "PEM",
		"ssl.keystore.location":                                s.keystore(dir),
		"ssl.truststore.type":                                  "PEM",
		"ssl.truststore.location":                              filepath.Join(dir, "authority.pem"),
		"authorizer.class.name":                                "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
		"allow.everyone.if.no.acl.found":                       "false",
		"super.users":                                          "User:" + s.User + ";User:ANONYMOUS", // the controllers on their own listener
	}
}

// formatting puts the users into the log's first records.
func (s *Security) formatting() []string {
	args := []string{"--add-scram", fmt.Sprintf("SCRAM-SHA-512=[name=%s,password=%s]", s.User, s.Password)}
	for _, user := range slices.Sorted(maps.Keys(s.Others)) {
		args = append(args, "--add-scram", fmt.Sprintf("SCRAM-SHA-512=[name=%s,password=%s]", user, s.Others[user]))
	}
	return args
}

// prepare makes the brokers' certificate, signed by itself, for loopback.
func (s *Security) prepare(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kafka.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth,
			x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	s.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	s.authority = x509.NewCertPool()
	s.authority.AppendCertsFromPEM(s.pem)
	both := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), s.pem...)
	if err := os.WriteFile(s.keystore(dir), both, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "authority.pem"), s.pem, 0o600)
}

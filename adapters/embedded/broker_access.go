package embedded

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// Access is who is let into an embedded broker: one user. With a certificate the
// broker is open to other machines, and speaks TLS with everybody.
type Access struct {
	Certificate tls.Certificate // with its chain; valid for Advertise; none: loopback, without TLS
	User        string
	Password    string
	// Advertise is the host name or address by which clients, this process among
	// them, reach the broker. Empty: the host of Listen, which then must be one.
	Advertise string
}

// mechanisms are those the user may choose from.
var mechanisms = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}

// listen takes the broker's address, behind a door that opens to the user alone.
func (a *Access) listen(cfg BrokerConfig) (net.Listener, *door, error) {
	if a == nil {
		l, err := datafolder.ListenLoopback(cfg.Dir, cfg.Listen, cfg.Log)
		return l, nil, err
	}
	known, err := newCredentials(a.User, a.Password)
	if err != nil {
		return nil, nil, err
	}
	if cfg.UnsafeOpen {
		return nil, nil, errors.New("UnsafeOpen and Access contradict each other")
	}
	var l net.Listener
	var config *tls.Config
	if a.private() {
		l, err = datafolder.ListenLoopback(cfg.Dir, cfg.Listen, cfg.Log)
	} else {
		config = &tls.Config{Certificates: []tls.Certificate{a.Certificate}, MinVersion: tls.VersionTLS12}
		l, err = a.listenToOthers(cfg)
	}
	if err != nil {
		return nil, nil, err
	}
	entrance := newDoor(l, config, known, cfg.Log)
	return entrance, entrance, nil
}

// private tells whether only this machine gets in.
func (a *Access) private() bool { return len(a.Certificate.Certificate) == 0 && a.Advertise == "" }

func (a *Access) listenToOthers(cfg BrokerConfig) (net.Listener, error) {
	if a.User == "" || a.Password == "" || len(a.Certificate.Certificate) == 0 {
		return nil, errors.New("a broker that others reach needs a certificate, a user and a password")
	}
	host, port, err := datafolder.SplitAddress(cfg.Listen)
	if err != nil {
		return nil, err
	}
	name := a.Advertise
	if name == "" {
		name = host
	}
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		return nil, fmt.Errorf("listen address %q: clients must be told a name or an address by which they reach the broker: say which with "+
			"--kafka-advertise", cfg.Listen)
	}
	if err := a.validFor(name); err != nil {
		return nil, err
	}
	l, err := datafolder.ListenOn(cfg.Dir, host, port, cfg.Log)
	if err != nil {
		return nil, err
	}
	return advertised{l, net.JoinHostPort(name, strconv.Itoa(datafolder.PortOf(l)))}, nil
}

// validFor refuses a certificate under which no client would connect.
func (a *Access) validFor(name string) error {
	leaf, err := x509.ParseCertificate(a.Certificate.Certificate[0])
	if err != nil {
		return fmt.Errorf("the broker's certificate: %w", err)
	}
	if err := leaf.VerifyHostname(name); err != nil {
		return fmt.Errorf("the broker's certificate is not for the name that clients are told: %w; --kafka-advertise must be a name in "+
			"--kafka-cert", err)
	}
	return nil
}

// Client is how this process connects to its own broker: it trusts the certificate
// that it serves with.
func (a *Access) Client() (*tls.Config, sasl.Mechanism, error) {
	roots := x509.NewCertPool()
	for _, der := range a.Certificate.Certificate {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, nil, fmt.Errorf("the broker's certificate: %w", err)
		}
		roots.AddCert(c)
	}
	m, err := Mechanism("SCRAM-SHA-512", a.User, a.Password)
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, m, err
}

// Mechanism is a way to log in to Kafka.
func Mechanism(name, user, password string) (sasl.Mechanism, error) {
	switch name {
	case "PLAIN":
		return plain.Mechanism{Username: user, Password: password}, nil
	case "SCRAM-SHA-256":
		return scram.Mechanism(scram.SHA256, user, password)
	case "SCRAM-SHA-512":
		return scram.Mechanism(scram.SHA512, user, password)
	}
	return nil, fmt.Errorf("%q is not PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", name)
}

// advertised is a listener whose address is the one that clients are told.
type advertised struct {
	net.Listener
	address string
}

func (a advertised) Addr() net.Addr  { return a }
func (a advertised) Network() string { return "tcp" }
func (a advertised) String() string  { return a.address }

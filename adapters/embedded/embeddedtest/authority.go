package embeddedtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parley-platform/parley/adapters/embedded"
)

// Authority is a certificate authority of a test's own.
type Authority struct {
	File string // its certificate, PEM
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
}

// Issued is a certificate of an Authority, in memory and as PEM files.
type Issued struct {
	Certificate tls.Certificate
	CertFile    string
	KeyFile     string
}

// NewAuthority makes an authority that is valid for a day.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{key: newKey(t), dir: t.TempDir()}
	template := &x509.Certificate{SerialNumber: serial(t), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.File = a.write(t, "ca-*.pem", "CERTIFICATE", der)
	return a
}

// Issue makes a certificate for the names and addresses, valid until the given time.
func (a *Authority) Issue(t testing.TB, until time.Time, names ...string) Issued {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{SerialNumber: serial(t), Subject: pkix.Name{CommonName: names[0]}, NotBefore: time.Now().Add(-2 * time.Hour),
		NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	out := Issued{CertFile: a.write(t, "cert-*.pem", "CERTIFICATE", der), KeyFile: a.write(t, "key-*.pem", "PRIVATE KEY", keyDER)}
	if out.Certificate, err = tls.LoadX509KeyPair(out.CertFile, out.KeyFile); err != nil {
		t.Fatal(err)
	}
	return out
}

// Client trusts this authority and no other.
func (a *Authority) Client() *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}

// Secured makes the broker of a test ask for TLS and a password.
func Secured(i Issued, user, password string) Option {
	return func(cfg *embedded.BrokerConfig) {
		cfg.Access = &embedded.Access{Certificate: i.Certificate, User: user, Password: password}
	}
}

func (a *Authority) write(t testing.TB, pattern, kind string, der []byte) string {
	t.Helper()
	f, err := os.CreateTemp(a.dir, pattern)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := pem.Encode(f, &pem.Block{Type: kind, Bytes: der}); err != nil {
		t.Fatal(err)
	}
	return filepath.Clean(f.Name())
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func serial(t testing.TB) *big.Int {
	t.Helper()
	n, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

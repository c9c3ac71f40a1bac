package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"

	kafkago "github.com/segmentio/kafka-go"
)

// reaching wraps the error of a first connection, with what to look at.
func (l *Log) reaching(err error) error {
	hint := l.hint(err)
	if hint != "" {
		hint = " (" + hint + ")"
	}
	return fmt.Errorf("reaching Kafka at %v: %w%s", l.cfg.Brokers, err, hint)
}

// hint is what an operator checks first; empty when the error says it all. Brokers
// often only close the connection: then it is what is missing here, if anything is.
func (l *Log) hint(err error) string {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var header tls.RecordHeaderError
	var network net.Error
	switch {
	case errors.As(err, &authority):
		return "the brokers' certificate is of an authority that this machine does not trust: name its certificate with --kafka-ca"
	case errors.As(err, &name):
		return "the brokers' certificate is for another name: use a name that is in it in --kafka-brokers and in advertised.listeners"
	case errors.As(err, &invalid):
		return "the brokers' certificate is not valid: renew it, and check this machine's clock"
	case errors.As(err, &header):
		return "the port answers without TLS: use the brokers' TLS port, or leave --kafka-tls out"
	case errors.Is(err, kafkago.UnsupportedSASLMechanism):
		return "the brokers offer no such mechanism: choose another --kafka-sasl"
	case errors.Is(err, kafkago.SASLAuthenticationFailed):
		return "the brokers refuse the login: check --kafka-user and --kafka-password-file"
	case errors.Is(err, kafkago.IllegalSASLState):
		return "this port takes no login: leave --kafka-sasl, --kafka-user and --kafka-password-file out, or name the port that does"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return l.closedHint()
	case l.cfg.TLS != nil && errors.As(err, &network) && network.Timeout():
		return "nobody answers the TLS handshake: the port may be one without TLS"
	}
	return ""
}

func (l *Log) closedHint() string {
	const closed = "the broker closed the connection: "
	switch {
	case l.cfg.TLS == nil && l.cfg.SASL == nil:
		return closed + "it may want TLS (--kafka-tls) or a login (--kafka-sasl, --kafka-user, --kafka-password-file)"
	case l.cfg.TLS == nil:
		return closed + "it may want TLS (--kafka-tls), or check --kafka-sasl, --kafka-user and --kafka-password-file"
	case l.cfg.SASL == nil:
		return closed + "it may want a login (--kafka-sasl, --kafka-user, --kafka-password-file), or the port is one without TLS"
	}
	return closed + "check --kafka-sasl, --kafka-user and --kafka-password-file"
}

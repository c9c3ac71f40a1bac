// Package email is the channel of electronic mail: a door where mail comes in by SMTP, and the way by
// which answers go out, by the host of a connection or a relay of the operator's.
//
// It owns what a mail says, which conversation it belongs to, what is no mail of a person, and how an
// answer is written. It keeps nothing, relays nothing for others, and never logs: what it handles is
// what people say.
package email

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of a connection, all of which may be left out: without a host mail comes in, and
// nothing goes out, unless the operator has a relay. The connection's External is its address.
const (
	Host         = "smtpHost"
	Port         = "smtpPort" // 587 where it is left out
	User         = "smtpUser"
	Password     = "smtpPass"
	FromAddress  = "fromAddress"  // the connection's address where it is left out
	DKIMKey      = "dkimKey"      // a private key in PEM
	DKIMSelector = "dkimSelector" // "parley" where it is left out
)

// limits: a mail has no buttons, and hardly an end.
var limits = channels.Limits{Text: 100_000, Unit: channels.Characters}

// Email carries answers. It holds no account: that comes with each call.
type Email struct {
	relay string         // host and port where all mail goes; empty: to the host of the connection
	spare string         // where that of connections without a host goes; empty: nowhere
	guard webhook.Guard  // of those hosts
	roots *x509.CertPool // nil: the system's
	now   func() time.Time
}

// New takes a relay of the operator's, smtp://host:port, which takes the place of all hosts of
// connections. It is spoken to as it offers, without a login; empty: there is none.
func New(relay string) (*Email, error) {
	out := &Email{now: time.Now}
	if relay == "" {
		return out, nil
	}
	u, err := url.Parse(relay)
	if err != nil || u.Scheme != "smtp" || u.Hostname() == "" || u.Port() == "" || u.User != nil || u.Path != "" && u.Path != "/" {
		return nil, errors.New("the relay of mail must be smtp://host:port")
	}
	out.relay = u.Host
	return out, nil
}

// Guarded is one that reaches the hosts of connections that the guard allows, and believes the
// certificates of these roots; nil: those of this machine.
func (e *Email) Guarded(g webhook.Guard, roots *x509.CertPool) *Email {
	out := *e
	out.guard, out.roots = g, roots
	return &out
}

// Otherwise is one that gives the mail of connections without a host to another one, as to a relay.
func (e *Email) Otherwise(at string) *Email {
	out := *e
	out.spare = at
	return &out
}

// relayOf is the relay by which the mail of a connection goes; empty: its own host takes it.
func (e *Email) relayOf(c channels.Connection) string {
	if e.relay == "" && c.Credentials[Host] == "" {
		return e.spare
	}
	return e.relay
}

// Name is the provider that events and lists show.
func (*Email) Name() string { return "email" }

// Limits are those of a mail.
func (*Email) Limits() channels.Limits { return limits }

var errNoReplyPath = errors.New("email: an SMTP host is needed to answer")

// Check says what a connection lacks to answer; it asks nobody.
func (e *Email) Check(c channels.Connection) error {
	switch {
	case c.Credentials[Host] == "" && e.relayOf(c) == "":
		return errNoReplyPath
	case c.Credentials[User] == "" && c.Credentials[Password] != "":
		return errors.New("email: a password needs its user")
	}
	_, err := keyOf(c)
	return err
}

// Lookup cannot tell: hosts of mail keep no reference of ours.
func (*Email) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

// Send writes an answer and hands it over once.
func (e *Email) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if problem := limits.Problem(m.Text); problem != "" {
		return channels.Outcome{Status: channels.Refused, Code: "TEXT_TOO_LONG", Reason: "the text " + problem}
	}
	if err := e.Check(c); errors.Is(err, errNoReplyPath) {
		return channels.Outcome{Status: channels.Refused, Code: "NO_REPLY_PATH", Reason: "the connection has no SMTP host to answer by"}
	} else if out, lacks := wire.Lacks(err); lacks {
		return out
	}
	to, err := addressed(m.To)
	if err != nil {
		return channels.Outcome{Status: channels.Refused, Code: "ADDRESS", Reason: "there is no such address"}
	}
	mail, err := e.write(c, to, m)
	if err != nil {
		return channels.Outcome{Status: channels.Refused, Code: "MESSAGE", Reason: "the mail cannot be written"}
	}
	return e.hand(ctx, c, mail)
}

// dial reaches the host of a connection, or the relay, and says whether the way is encrypted.
func (e *Email) dial(ctx context.Context, c channels.Connection) (conn net.Conn, host string, encrypted bool, err error) {
	dialer := &net.Dialer{Timeout: patience}
	at := e.relayOf(c)
	relayed := at != ""
	if at == "" {
		at = net.JoinHostPort(c.Credentials.Reveal(Host), portOf(c))
		dialer.Control = e.guard.Control
	}
	if host, _, err = net.SplitHostPort(at); err != nil {
		return nil, "", false, err
	}
	if conn, err = dialer.DialContext(ctx, "tcp", at); err != nil {
		return nil, host, false, err
	}
	if !relayed && portOf(c) == "465" {
		secure := tls.Client(conn, e.tls(host))
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, host, false, err
		}
		return secure, host, true, nil
	}
	return conn, host, false, nil
}

func (e *Email) tls(host string) *tls.Config {
	return &tls.Config{ServerName: host, RootCAs: e.roots, MinVersion: tls.VersionTLS12}
}

func portOf(c channels.Connection) string {
	if port := c.Credentials.Reveal(Port); port != "" {
		return port
	}
	return "587"
}

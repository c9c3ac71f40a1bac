package email_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"

	"io"
	"math/big"
	"mime"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/email"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/channels"
)

// host is an SMTP host that wants a login and takes mail.
type host struct {
	mu    sync.Mutex
	login string
	from  string
	to    string
	took  []string
	says  map[string]error // by what is asked: auth, mail, rcpt, data
	cuts  bool             // the line before it answers
}

func (h *host) NewSession(c *smtp.Conn) (smtp.Session, error) {
	_, private := c.TLSConnectionState()
	return &guest{h, c, private}, nil
}

type guest struct {
	*host
	conn    *smtp.Conn
	private bool
}

func (g *guest) AuthMechanisms() []string { return []string{sasl.Plain} }

func (g *guest) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if g.login = user + ":" + password; !g.private {
			g.login += " in the clear"
		}
		return g.says["auth"]
	}), nil
}

func (g *guest) Mail(from string, _ *smtp.MailOptions) error {
	g.from = from
	return g.says["mail"]
}

func (g *guest) Rcpt(to string, _ *smtp.RcptOptions) error {
	g.to = to
	return g.says["rcpt"]
}

func (g *guest) Data(r io.Reader) error {
	data, _ := io.ReadAll(r)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.took = append(g.took, string(data))
	if g.cuts {
		_ = g.conn.Conn().Close()
	}
	return g.says["data"]
}

func (*guest) Reset() {}

func (*guest) Logout() error { return nil }

// certificate is one for this machine, and the roots that believe it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

func (h *host) listen(t *testing.T, secure *tls.Config) (port string) {
	s := smtp.NewServer(h)
	s.TLSConfig, s.AllowInsecureAuth = secure, true
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// here are hosts on this machine.
var here = webhook.Guard{AllowLoopback: true}

const to = `{"to":"ann@customer.example","subject":"RE: re: Größe der Schuhe, die ich am Montag bestellt habe, und der Socken dazu",` +
	`"inReplyTo":"2@customer.example","references":["1@customer.example"],"token":"aaaabbbbccccdddd"}`

var hello = channels.Outbound{Reference: "m-1/0/0", Attempt: 1, To: to, Text: "Fish & <chips>?\n.\nÜber 😀"}

func account(port string, more channels.Credentials) channels.Connection {
	c := channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "email", External: "shop@acme.example", Credentials: channels.Credentials{
		email.Host: "127.0.0.1", email.Port: channels.Secret(port), email.User: "shop", email.Password: "hush-password"}}
	for name, value := range more {
		if c.Credentials[name] = value; value == "" {
			delete(c.Credentials, name)
		}
	}
	return c
}

func TestEmail(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(string) (channelstest.Adapter, error) { return email.New("") },
		Connection: account("25", nil), Public: []string{email.Host, email.Port, email.User}, Outbound: hello,
	})
}

func rsaKey(t *testing.T) (private channels.Secret, public string) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	open, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	return channels.Secret(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), base64.StdEncoding.EncodeToString(open)
}

// Given an answer, then it goes to the host in private, in the conversation, as what a machine wrote,
// and signed.
func TestAnAnswerGoesOut(t *testing.T) {
	own, roots := certificate(t)
	h := &host{}
	port := h.listen(t, &tls.Config{Certificates: []tls.Certificate{own}})
	by, err := email.New("")
	require.NoError(t, err)
	by = by.Guarded(here, roots)
	private, public := rsaKey(t)
	out := by.Send(t.Context(), account(port, channels.Credentials{email.DKIMKey: private}), hello)
	require.Equal(t, channels.Status(channels.Taken), out.Status, out)
	require.Regexp(t, `^parley\.aaaabbbbccccdddd\.[0-9a-f]{16}@acme\.example$`, out.ProviderMessageID)
	require.Equal(t, []string{"shop:hush-password", "shop@acme.example", "ann@customer.example"}, []string{h.login, h.from, h.to})
	again := by.Send(t.Context(), account(port, nil), hello)
	require.Equal(t, out.ProviderMessageID, again.ProviderMessageID, "the same for each try")

	m, err := netmail.ReadMessage(strings.NewReader(h.took[0]))
	require.NoError(t, err)
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	require.NoError(t, err)
	require.Equal(t, "Re: Größe der Schuhe, die ich am Montag bestellt habe, und der Socken dazu", subject)
	for name, want := range map[string]string{"From": "<shop@acme.example>", "To": "<ann@customer.example>",
		"Reply-To": "<shop+aaaabbbbccccdddd@acme.example>", "In-Reply-To": "<2@customer.example>",
		"References": "<1@customer.example> <2@customer.example>", "Message-Id": "<" + out.ProviderMessageID + ">",
		"Auto-Submitted": "auto-replied"} {
		require.Equal(t, want, m.Header.Get(name), name)
	}
	person := hello
	person.ByPerson = true
	require.Equal(t, channels.Status(channels.Taken), by.Send(t.Context(), account(port, nil), person).Status)
	require.NotContains(t, h.took[2], "Auto-", "whose host answers no machine is to see what a person wrote")
	require.Contains(t, h.took[0], "Fish & <chips>?\r\n.\r\n=C3=9Cber =F0=9F=98=80")
	for _, line := range strings.Split(h.took[0], "\r\n") {
		require.LessOrEqual(t, len(line), 998)
	}
	published := func(domain string) ([]string, error) {
		require.Equal(t, "parley._domainkey.acme.example", domain)
		return []string{"v=DKIM1; p=" + public}, nil
	}
	verified, err := dkim.VerifyWithOptions(strings.NewReader(h.took[0]), &dkim.VerifyOptions{LookupTXT: published})
	require.NoError(t, err)
	require.Len(t, verified, 1)
	require.NoError(t, verified[0].Err)

	elsewhere := hello
	elsewhere.To = strings.ReplaceAll(hello.To, "customer.example", "b\u00fccher.example")
	require.Equal(t, channels.Status(channels.Taken), by.Send(t.Context(), account(port, nil), elsewhere).Status)
	require.Equal(t, "ann@xn--bcher-kva.example", h.to, "every host can take that")

	elsewhere.To = strings.ReplaceAll(hello.To, "ann@customer.example", "a..b.@docomo.ne.jp")
	require.Equal(t, channels.Status(channels.Taken), by.Send(t.Context(), account(port, nil), elsewhere).Status)
	require.Equal(t, "a..b.@docomo.ne.jp", h.to, "as it came")

	p := newPost(t, names{}) // what comes back to the door is known for ours
	require.Equal(t, 550, p.brings("shop@acme.example", "shop@acme.example", strings.ReplaceAll(h.took[0], "\r\n", "\n")))
}

// Given hosts that do not take it, then what that means is told: for now, for good, or nobody knows.
func TestWhatAHostAnswers(t *testing.T) {
	own, roots := certificate(t)
	answers := func(code int) error { return &smtp.SMTPError{Code: code, Message: "hush " + to} }
	for name, c := range map[string]struct {
		host *host
		want channels.Outcome
	}{
		"greylisted": {&host{says: map[string]error{"rcpt": answers(451)}},
			channels.Outcome{Status: channels.NotTaken, Code: "SMTP_451", Reason: "the SMTP host is not ready"}},
		"nobody there": {&host{says: map[string]error{"rcpt": answers(550)}},
			channels.Outcome{Status: channels.Refused, Code: "SMTP_550", Reason: "the SMTP host refused the mail"}},
		"not by this sender": {&host{says: map[string]error{"mail": answers(553)}},
			channels.Outcome{Status: channels.Refused, Code: "SMTP_553", Reason: "the SMTP host refused the mail"}},
		"spam": {&host{says: map[string]error{"data": answers(554)}},
			channels.Outcome{Status: channels.Refused, Code: "SMTP_554", Reason: "the SMTP host refused the mail"}},
		"full": {&host{says: map[string]error{"data": answers(452)}},
			channels.Outcome{Status: channels.NotTaken, Code: "SMTP_452", Reason: "the SMTP host is not ready"}},
		"another password": {&host{says: map[string]error{"auth": answers(535)}},
			channels.Outcome{Status: channels.NotTaken, Code: "SMTP_535", Reason: "the SMTP host does not accept the credentials",
				Denied: true}},
		"no login for the moment": {&host{says: map[string]error{"auth": answers(454)}},
			channels.Outcome{Status: channels.NotTaken, Code: "SMTP_454", Reason: "the SMTP host is not ready"}},
		"it cuts the line": {&host{cuts: true}, channels.Outcome{Reason: "the SMTP host did not answer"}},
	} {
		port := c.host.listen(t, &tls.Config{Certificates: []tls.Certificate{own}})
		by, err := email.New("")
		require.NoError(t, err)
		require.Equal(t, c.want, by.Guarded(here, roots).Send(t.Context(), account(port, nil), hello), name)
	}
}

// Given a host that is asked whether it takes the login, then it is brought nothing, and what it says is told.
func TestWhetherAHostKnowsTheLogin(t *testing.T) {
	own, roots := certificate(t)
	by, err := email.New("")
	require.NoError(t, err)
	no := &smtp.SMTPError{Code: 535, Message: "hush"}
	for _, c := range []struct {
		host *host
		want channels.Outcome
	}{
		{&host{says: map[string]error{"mail": no}}, channels.Outcome{Status: channels.Taken}},
		{&host{says: map[string]error{"auth": no}}, channels.Outcome{Status: channels.NotTaken, Code: "SMTP_535",
			Reason: "the SMTP host does not accept the credentials", Denied: true}},
	} {
		port := c.host.listen(t, &tls.Config{Certificates: []tls.Certificate{own}})
		require.Equal(t, c.want, by.Guarded(here, roots).Known(t.Context(), account(port, nil)))
	}
	require.Equal(t, "CREDENTIALS", by.Known(t.Context(), account("", channels.Credentials{email.Host: ""})).Code)
}

// Given a way that is not private, not ours to go, or not there, then nothing goes.
func TestNothingGoesInTheClear(t *testing.T) {
	own, _ := certificate(t)
	h := &host{}
	port := h.listen(t, &tls.Config{Certificates: []tls.Certificate{own}})
	by, err := email.New("")
	require.NoError(t, err)
	code := func(by *email.Email, c channels.Connection, m channels.Outbound) string {
		return by.Send(t.Context(), c, m).Code
	}
	require.Equal(t, "ADDRESS", code(by, account(port, nil), hello), "a host within our own network")
	require.Equal(t, "TLS", code(by.Guarded(here, nil), account(port, nil), hello), "a certificate that nobody trusts")
	require.Equal(t, "NO_REPLY_PATH", code(by, account("", channels.Credentials{email.Host: ""}), hello))
	require.Equal(t, channels.Refused, by.Send(t.Context(), account("", channels.Credentials{email.Host: ""}), hello).Status)
	require.Equal(t, "CREDENTIALS", code(by, account(port, channels.Credentials{email.DKIMKey: "no key"}), hello))
	require.Equal(t, "CREDENTIALS", code(by, account(port, channels.Credentials{email.User: ""}), hello))
	require.True(t, by.Send(t.Context(), account(port, channels.Credentials{email.User: ""}), hello).Denied, "the connection shows it")
	for _, address := range []string{"", "ann@customer.example", `{"to":"ann","token":"aaaabbbbccccdddd"}`, `{"to":"ann@x","token":"../"}`,
		`{"to":"a@x>\r\nRCPT TO:<b@y","token":"aaaabbbbccccdddd"}`} {
		m := hello
		m.To = address
		require.Equal(t, "ADDRESS", code(by.Guarded(here, nil), account(port, nil), m), address)
	}
	require.Empty(t, h.took)
	require.Empty(t, h.login)

	relay, err := email.New("smtp://127.0.0.1:" + port)
	require.NoError(t, err)
	require.Equal(t, channels.Taken, relay.Send(t.Context(), account("", channels.Credentials{email.Host: ""}), hello).Status,
		"the operator's own")
	require.Empty(t, h.login, "which is not shown a login of somebody else")
	for _, bad := range []string{"127.0.0.1:25", "http://x:25", "smtp://x", "smtp://u:p@x:25", "smtp://x:25/y"} {
		_, err := email.New(bad)
		require.Error(t, err, bad)
	}
	slow, cancel := context.WithCancel(t.Context())
	l, err := net.Listen("tcp", "127.0.0.1:0") // says nothing
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	go func() {
		if conn, err := l.Accept(); err == nil {
			cancel()
			_, _ = io.Copy(io.Discard, conn)
		}
	}()
	relay, err = email.New("smtp://" + l.Addr().String())
	require.NoError(t, err)
	require.Equal(t, "UNREACHABLE", relay.Send(slow, account("", nil), hello).Code)
}

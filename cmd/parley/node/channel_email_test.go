//go:build !apache

package node_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	netmail "net/mail"
	"net/smtp"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	given "github.com/parley-platform/parley/cmd/parley/slices"
)

// mailHost takes the answers, as the host of a connection does.
type mailHost struct {
	port string
	mu   sync.Mutex
	took []*netmail.Message
	text []string
	says error // in place of taking one
}

func newMailHost(t *testing.T) *mailHost {
	h := &mailHost{}
	s := gosmtp.NewServer(gosmtp.BackendFunc(func(*gosmtp.Conn) (gosmtp.Session, error) { return mailGuest{h}, nil }))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, h.port, _ = net.SplitHostPort(l.Addr().String())
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return h
}

type mailGuest struct{ *mailHost }

func (g mailGuest) Mail(string, *gosmtp.MailOptions) error { return nil }

func (g mailGuest) Rcpt(string, *gosmtp.RcptOptions) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.says
}

func (g mailGuest) Data(r io.Reader) error {
	m, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(m.Body)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.took, g.text = append(g.took, m), append(g.text, strings.TrimSpace(string(body)))
	return err
}

func (mailGuest) Reset() {}

func (mailGuest) Logout() error { return nil }

// told are the answers, and what they say, once there are so many.
func (h *mailHost) told(t *testing.T, want int) (took []*netmail.Message, text []string) {
	t.Helper()
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		took, text = slices.Clone(h.took), slices.Clone(h.text)
		return len(took) >= want
	}, patience, 20*time.Millisecond)
	require.Len(t, took, want)
	return took, text
}

func (h *mailHost) answers(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.says = err
}

// noNames are the names of an Internet that has none.
type noNames struct{}

func (noNames) LookupTXT(_ context.Context, name string) ([]string, error) {
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (noNames) LookupMX(context.Context, string) ([]*net.MX, error) { return nil, nil }

func (noNames) LookupIPAddr(context.Context, string) ([]net.IPAddr, error) { return nil, nil }

func (noNames) LookupAddr(context.Context, string) ([]string, error) { return nil, nil }

// subjectAgent says what it knows of a mail.
const subjectAgent = `DSL: 1
AGENT: meter
GATHER: {kind: {TYPE: enum, OPTIONS: [electricity, gas]}}
FLOW:
  START: which
  STEPS:
    which:
      SAY: "{{ session.messageMetadata.subject }}, {{ session.messageMetadata.dmarc }}: which meter?"
      RICH: [{KIND: select, ID: kind, LABEL: Meter, OPTIONS: [{ID: electricity, LABEL: Current}, {ID: gas, LABEL: Gas}]}]
      GATHER: [kind]
      NEXT: bye
    bye: {SAY: "Thank you for the {{ gather.kind }}, {{ caller.name }}.", END: true}
`

// Given a mailbox, when mail comes in by SMTP, then an agent answers in the conversation of it; what
// comes twice is one, what nobody wrote is refused, and who cannot be answered is told to us.
func TestAnAgentAnswersMail(t *testing.T) {
	t.Parallel()
	c, host := newCluster(t), newMailHost(t)
	by := func(c *node.Config) {
		c.Dev, c.SMTPListen, c.Providers = true, "127.0.0.1:0", given.Providers{Names: noNames{}}
	}
	c.a, c.b = c.start(t, by), c.start(t, by)
	w := talkWorld{&agentsWorld{cluster: c, tenant: c.tenant(t, "")}}
	w.apply(t, "Agent", "a-meter", "meter", fields{"projectId": mainApp, "dslContent": subjectAgent})
	w.auth = w.token(t)
	w.deploy(t, "production")
	box, mute := "shop"+digits()+"@acme.example", "mute"+digits()+"@acme.example"
	made := w.connect(t, fields{"channelType": "email", "externalIdentifier": box, "credentials": fields{"smtpHost": "127.0.0.1",
		"smtpPort": host.port}})
	deaf := w.connect(t, fields{"channelType": "email", "externalIdentifier": mute})
	bring := func(on *server, from, to, headers, body string) int {
		mail := headers + "From: Ann Lee <ann@customer.example>\r\nTo: " + to + "\r\n\r\n" + body + "\r\n"
		err := smtp.SendMail(on.MailAddress(), nil, from, []string{to}, []byte(mail))
		var answer *textproto.Error
		if errors.As(err, &answer) {
			return answer.Code
		}
		require.NoError(t, err)
		return 0
	}
	const ann = "ann@customer.example"
	require.Equal(t, 550, bring(w.a, ann, "nobody@acme.example", "", "Hi"))
	require.Equal(t, 550, bring(w.a, ann, box, "Auto-Submitted: auto-replied\r\n", "I am away"))
	require.Equal(t, 550, bring(w.a, "", box, "", "it bounced"))

	first := "Message-ID: <1@customer.example>\r\nSubject: My meter\r\n"
	for _, on := range []*server{w.a, w.a, w.b} {
		require.Zero(t, bring(on, ann, box, first, "Hi"))
	}
	figures := w.a.do(t, "GET", "/metrics", nil).Text
	require.Contains(t, figures, `parley_channel_messages_total{kind="email"} 2`)
	require.Contains(t, figures, `parley_channel_refusals_total{kind="email",reason="automatic"} 2`)
	took, text := host.told(t, 1)
	answer := took[0]
	require.Equal(t, "My meter, none: which meter?\r\n1. Current\r\n2. Gas", text[0])
	for name, want := range map[string]string{"Subject": "Re: My meter", "In-Reply-To": "<1@customer.example>", "To": "<" + ann + ">",
		"From": "<" + box + ">", "Auto-Submitted": "auto-replied"} {
		require.Equal(t, want, answer.Header.Get(name), name)
	}
	require.Equal(t, 554, bring(w.b, box, box, "Message-ID: "+answer.Header.Get("Message-ID")+"\r\n", "it came back"))

	host.answers(&gosmtp.SMTPError{Code: 451, Message: "later"})
	quoted := "2\r\n\r\nOn Wed, 25 Nov 2026, " + box + " wrote:\r\n> which meter?\r\n"
	require.Zero(t, bring(w.b, ann, box, "Message-ID: <2@customer.example>\r\nIn-Reply-To: "+answer.Header.Get("Message-ID")+
		"\r\nSubject: Re: My meter\r\n", quoted))
	require.Eventually(t, func() bool {
		return len(w.deliveries(t, made["id"].(string), "?status=retrying")) == 1
	}, patience, 20*time.Millisecond)
	host.answers(nil)
	took, text = host.told(t, 2)
	require.Equal(t, []string{"Re: My meter", "<2@customer.example>"}, []string{took[1].Header.Get("Subject"),
		took[1].Header.Get("In-Reply-To")})
	require.Equal(t, "Thank you for the gas, Ann Lee.", text[1])
	var contact struct{ Data map[string]any }
	w.ask(t, "GET", "/api/contacts/lookup?identity=ann%40customer.example&identityType=email", nil).must(t, 200).into(t, &contact)
	require.Equal(t, "email", contact.Data["channel"])

	host.answers(nil)
	with := "Content-Type: multipart/mixed; boundary=b\r\nMessage-ID: <4@customer.example>\r\nSubject: Photos\r\n"
	require.Zero(t, bring(w.a, ann, box, with, "--b\r\n\r\nSee\r\n--b\r\nContent-Type: text/csv\r\n"+
		"Content-Disposition: attachment; filename=a.csv\r\n\r\na,b\r\n--b\r\nContent-Type: image/png; name=b.png\r\n\r\nno picture\r\n--b--"))
	host.told(t, 3)
	session := w.sent(t, made["id"].(string), 3)[0]["sessionId"].(string)
	files := w.attachments(t, session)
	require.Len(t, files, 1, "one claims to be what it is not")
	require.Equal(t, "a.csv", files[0].(map[string]any)["filename"])

	host.answers(&gosmtp.SMTPError{Code: 550, Message: "no such user " + ann})
	require.Zero(t, bring(w.a, ann, box, "Message-ID: <3@customer.example>\r\n", "Hi again"))
	require.Zero(t, bring(w.a, ann, mute, "Message-ID: <3@customer.example>\r\n", "Hi"))
	for connection, code := range map[string]string{made["id"].(string): "SMTP_550", deaf["id"].(string): "NO_REPLY_PATH"} {
		var failed []map[string]any
		require.Eventually(t, func() bool {
			failed = w.deliveries(t, connection, "?status=failed")
			return len(failed) == 1
		}, patience, 20*time.Millisecond)
		require.Equal(t, code, failed[0]["code"])
		shown, err := json.Marshal(failed)
		require.NoError(t, err)
		require.NotContains(t, string(shown), ann)
	}
}

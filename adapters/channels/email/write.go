package email

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"mime"
	"mime/quotedprintable"
	"strings"

	"github.com/emersion/go-msgauth/dkim"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
)

// write makes the mail of an answer: in the conversation, as text, marked as one that a machine
// wrote where one did, and signed where there is a key.
func (e *Email) write(c channels.Connection, to reply, m channels.Outbound) (written, error) {
	from := connections.Mailbox(cmp.Or(c.Credentials.Reveal(FromAddress), c.External))
	_, domain, _ := cut(from)
	local, at, _ := cut(connections.Mailbox(c.External))
	out := written{from: from, to: connections.Mailbox(to.To), id: idOf(to.Token, m.Reference, domain)}
	references := to.References
	if to.InReplyTo != "" {
		references = append(references[:len(references):len(references)], to.InReplyTo)
	}
	var b bytes.Buffer
	header := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + value + "\r\n")
		}
	}
	header("From", "<"+from+">")
	header("To", "<"+out.to+">")
	header("Reply-To", "<"+local+"+"+to.Token+"@"+at+">")
	header("Subject", folded(answering(to.Subject)))
	header("Date", e.now().UTC().Format("Mon, 02 Jan 2006 15:04:05 +0000"))
	header("Message-ID", "<"+out.id+">")
	header("In-Reply-To", ids(to.InReplyTo))
	header("References", ids(references...))
	if !m.ByPerson { // who answers machines with nothing is to read what a person wrote
		header("Auto-Submitted", "auto-replied")
		header("X-Auto-Response-Suppress", "All")
	}
	header("MIME-Version", "1.0")
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	_, err := w.Write([]byte(strings.ReplaceAll(strings.ReplaceAll(m.Text, "\r\n", "\n"), "\n", "\r\n") + "\r\n"))
	if err = errors.Join(err, w.Close()); err != nil {
		return out, err
	}
	out.content, err = signed(c, domain, b.Bytes())
	return out, err
}

// ids are in brackets, one a line, so that no line is too long.
func ids(all ...string) string {
	var out []string
	for _, id := range all {
		if id != "" {
			out = append(out, "<"+id+">")
		}
	}
	return strings.Join(out, "\r\n ")
}

// answering is the subject of an answer: it says once that it is one.
func answering(subject string) string {
	subject = strings.TrimSpace(subject)
	for len(subject) >= 3 && strings.EqualFold(subject[:3], "re:") {
		subject = strings.TrimSpace(subject[3:])
	}
	return strings.TrimSpace("Re: " + subject)
}

// folded is a text as it stands in a header, in lines of which none is too long.
func folded(text string) string {
	return strings.ReplaceAll(mime.QEncoding.Encode("utf-8", text), "?= =?", "?=\r\n =?")
}

// keyOf is the key that a connection signs by; nil: it does not.
func keyOf(c channels.Connection) (crypto.Signer, error) {
	text := c.Credentials.Reveal(DKIMKey)
	if text == "" {
		return nil, nil
	}
	block, _ := pem.Decode([]byte(text))
	if block != nil {
		if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
			return key, nil
		}
		switch key, _ := x509.ParsePKCS8PrivateKey(block.Bytes); key := key.(type) {
		case *rsa.PrivateKey:
			return key, nil
		case ed25519.PrivateKey:
			return key, nil
		}
	}
	return nil, errors.New("email: the DKIM key is no private key in PEM, of RSA or Ed25519")
}

// covered are the headers that a signature holds.
var covered = []string{"From", "To", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "MIME-Version",
	"Content-Type", "Content-Transfer-Encoding"}

func signed(c channels.Connection, domain string, content []byte) ([]byte, error) {
	key, err := keyOf(c)
	if key == nil || err != nil {
		return content, err
	}
	var out bytes.Buffer
	err = dkim.Sign(&out, bytes.NewReader(content), &dkim.SignOptions{Domain: domain, Signer: key,
		Selector:               cmp.Or(c.Credentials.Reveal(DKIMSelector), "parley"),
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed, HeaderKeys: covered})
	return out.Bytes(), err
}

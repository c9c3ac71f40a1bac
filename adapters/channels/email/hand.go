package email

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/smtp"
	"net/textproto"
	"strconv"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/channels"
)

const patience = 30 * time.Second // for all of a delivery

// written is a mail, ready to go.
type written struct {
	from, to string // of the envelope
	id       string // its Message-ID
	content  []byte
}

// Known asks the host of a connection whether it takes the login, and brings nothing. Taken is yes.
func (e *Email) Known(ctx context.Context, c channels.Connection) channels.Outcome {
	if out, is := wire.Lacks(e.Check(c)); is {
		return out
	}
	return e.at(ctx, c, func(client *smtp.Client) channels.Outcome {
		_ = client.Quit()
		return channels.Outcome{Status: channels.Taken}
	})
}

// at does something at the host of a connection, or at the relay, once it is let in there.
func (e *Email) at(ctx context.Context, c channels.Connection, do func(*smtp.Client) channels.Outcome) channels.Outcome {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, host, encrypted, err := e.dial(ctx, c)
	switch {
	case errors.Is(err, webhook.ErrRefusedAddress):
		return channels.Outcome{Status: channels.Refused, Code: "ADDRESS", Reason: "the SMTP host is at no public address"}
	case err != nil:
		return channels.Outcome{Status: channels.NotTaken, Code: "UNREACHABLE", Reason: "the SMTP host cannot be reached"}
	}
	defer func() { _ = conn.Close() }()
	end := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer end()
	client, err := smtp.NewClient(conn, host)
	if err != nil {
		return before(err)
	}
	if none, ok := e.enter(client, c, host, encrypted); !ok {
		return none
	}
	return do(client)
}

// hand gives a mail to its host. Until the last line of it is sent it has certainly not been taken.
func (e *Email) hand(ctx context.Context, c channels.Connection, m written) channels.Outcome {
	return e.at(ctx, c, func(client *smtp.Client) channels.Outcome { return bring(client, m) })
}

func bring(client *smtp.Client, m written) channels.Outcome {
	err := client.Mail(m.from)
	if err == nil {
		err = client.Rcpt(m.to)
	}
	if err != nil {
		return judged(err, "the SMTP host refused the mail")
	}
	w, err := client.Data()
	if err != nil {
		return judged(err, "the SMTP host refused the mail")
	}
	if _, err = bytes.NewReader(m.content).WriteTo(w); err != nil {
		return before(err)
	}
	if err = w.Close(); err != nil {
		var answer *textproto.Error
		if !errors.As(err, &answer) {
			return channels.Outcome{Reason: "the SMTP host did not answer"}
		}
		return judged(err, "the SMTP host refused the mail")
	}
	_ = client.Quit() // it is taken, whatever is said to that
	return channels.Outcome{Status: channels.Taken, ProviderMessageID: m.id}
}

// enter encrypts the way and logs in. In the clear nothing goes but to this machine, or to the relay.
func (e *Email) enter(client *smtp.Client, c channels.Connection, host string, encrypted bool) (none channels.Outcome, ok bool) {
	if err := client.Hello(helloOf(c)); err != nil {
		return before(err), false
	}
	offered, _ := client.Extension("STARTTLS")
	relayed := e.relayOf(c) != ""
	switch {
	case encrypted:
	case offered && !relayed:
		if err := client.StartTLS(e.tls(host)); err != nil {
			return channels.Outcome{Status: channels.NotTaken, Code: "TLS", Reason: "the SMTP host cannot be spoken to in private"}, false
		}
	case !relayed && !(e.guard.AllowLoopback && loopback(host)):
		return channels.Outcome{Status: channels.NotTaken, Code: "TLS", Reason: "the SMTP host offers no STARTTLS"}, false
	}
	user := c.Credentials.Reveal(User)
	if user == "" || relayed {
		return none, true
	}
	if err := client.Auth(smtp.PlainAuth("", user, c.Credentials.Reveal(Password), host)); err != nil {
		out := before(err)
		var answer *textproto.Error
		if errors.As(err, &answer) && answer.Code/100 == 5 {
			out = wire.Denied(out.Code, "the SMTP host")
		}
		return out, false
	}
	return none, true
}

// helloOf is how we call ourselves: by the domain of the address.
func helloOf(c channels.Connection) string {
	_, domain, _ := cut(c.External)
	if domain == "" {
		return "localhost"
	}
	return domain
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

const codeAway = "UNREACHABLE"

// before is what went wrong before the mail was there: another try may do.
func before(err error) channels.Outcome {
	var answer *textproto.Error
	if !errors.As(err, &answer) {
		return channels.Outcome{Status: channels.NotTaken, Code: codeAway, Reason: "the SMTP host does not answer"}
	}
	return channels.Outcome{Status: channels.NotTaken, Code: "SMTP_" + strconv.Itoa(answer.Code), Reason: "the SMTP host is not ready"}
}

// judged is what an answer to the mail says: 5xx is final, 4xx is not.
func judged(err error, reason string) channels.Outcome {
	out := before(err)
	var answer *textproto.Error
	if errors.As(err, &answer) && answer.Code/100 == 5 {
		out.Status, out.Reason = channels.Refused, reason
	}
	return out
}

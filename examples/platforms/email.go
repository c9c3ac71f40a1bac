package platforms

import (
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	netmail "net/mail"
	"strings"
	"time"

	"github.com/emersion/go-smtp"
)

// email is a host of mail, which is not asked over HTTP: it takes what ServeMail is given. A mail that
// comes again is told by its Message-ID.
var email = platform{
	read: func(request) (m Message, answer *reply) {
		out := wrong(http.StatusNotFound, "mail comes by SMTP")
		return m, &out
	},
	taken:    func(m *Message) reply { return reply{status: mailTaken} },
	repeated: func(Message) reply { return reply{status: mailTaken} },
	busy:     func(int) reply { return reply{status: 451} },
	fails: map[Trouble]reply{
		Down:    {status: 451},
		Refuses: {status: 550},
		Revoked: {status: 530}, // a login is wanted
		Inside:  {status: 554},
	},
}

const mailTaken = 250

// ServeMail takes mail for everybody until the listener is closed.
func (x *Recorder) ServeMail(l net.Listener) error {
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &letters{x: x, conn: c}, nil }))
	s.Domain, s.MaxMessageBytes, s.ReadTimeout, s.WriteTimeout = "recorder", mostAsked, time.Minute, time.Minute
	s.ErrorLog = silent{}
	if err := s.Serve(l); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// silent is no log: what goes wrong on a connection is what a test wants.
type silent struct{}

func (silent) Printf(string, ...any) {}

func (silent) Println(...any) {}

// letters are those of one connection.
type letters struct {
	x    *Recorder
	conn *smtp.Conn
	to   []string
}

// Mail implements smtp.Session.
func (*letters) Mail(string, *smtp.MailOptions) error { return nil }

// Rcpt implements smtp.Session.
func (s *letters) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

// Data implements smtp.Session.
func (s *letters) Data(r io.Reader) error {
	mail, err := netmail.ReadMessage(r)
	if err != nil {
		return &smtp.SMTPError{Code: 554, Message: "that is no mail"}
	}
	text, err := io.ReadAll(mail.Body)
	if err != nil {
		return err
	}
	if strings.EqualFold(mail.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		if plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(string(text)))); err == nil {
			text = plain
		}
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(mail.Header.Get("Subject"))
	if err != nil {
		subject = mail.Header.Get("Subject")
	}
	id := strings.Trim(mail.Header.Get("Message-Id"), "<>")
	for _, to := range s.to {
		m := Message{Kind: "email", ID: id, To: to, Text: strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")),
			By: subject, Key: id + " " + to}
		if err := s.take(m); err != nil {
			return err
		}
	}
	return nil
}

// take keeps a mail, or says what is wrong.
func (s *letters) take(m Message) error {
	trouble, seconds := s.x.trouble(m, false)
	answer := email.fails[trouble]
	switch trouble {
	case "":
		answer = s.x.take(email, &m)
	case Busy:
		answer = email.busy(seconds)
	case Cuts:
		s.x.take(email, &m)
		return errors.Join(errCut, s.conn.Close())
	case HangsUp:
		return errors.Join(errCut, s.conn.Close())
	}
	if answer.status == mailTaken {
		return nil
	}
	return &smtp.SMTPError{Code: answer.status, Message: "that is not taken: " + string(trouble)}
}

var errCut = errors.New("the connection is cut")

// Reset implements smtp.Session.
func (s *letters) Reset() { s.to = nil }

// Logout implements smtp.Session.
func (*letters) Logout() error { return nil }

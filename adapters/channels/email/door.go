package email

import (
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-smtp"
	"golang.org/x/net/idna"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// The bounds of what comes in.
const (
	MostBytes      = 25 << 20 // of a mail
	mostRecipients = 50
	lineBytes      = 1 << 20 // programs write paragraphs and pages in one; a command may be as long, so it is no more
	mostSessions   = 200     // at once
	idle           = 2 * time.Minute
	takesWithin    = 30 * time.Second
)

// mailboxes finds the connection of an address; NOT_FOUND if there is none.
type mailboxes interface {
	At(ctx context.Context, kind, identifier string) (channels.Connection, error)
}

// inbox takes what a mail says, with the contents of its files. When it returns, nothing of it is lost
// any more; the same request id is the same mail again.
type inbox interface {
	Entry(ctx context.Context, c channels.Connection, requestID string, e channels.Entry, contents [][]byte) error
}

// Door is where mail comes in. It takes what is for a mailbox that there is, and says so when that is
// on the log.
type Door struct {
	Mailboxes mailboxes
	Inbox     inbox
	Gate      func() error // refuses while it is not known which mailboxes there are; nil: it always is
	Names     Resolver     // nil: those of this machine
	TLS       *tls.Config  // nil: mail comes in the clear
	Now       func() time.Time
	Log       *slog.Logger

	// Refused is told why a mail is not taken, by a code of faults or one of the words below; nil: nobody counts.
	Refused func(why string)
}

// Why mails are not taken, where no code of faults says it.
const (
	inactive   = "inactive"
	unreadable = "unreadable"
	byMachine  = "automatic" // no person wrote it, or would read the answer
	forged     = "forged"    // as the domain of its sender says
	loops      = "loop"
)

// Serve takes mail until the context ends; then what has begun is finished, for as long as drain
// says.
func (d Door) Serve(ctx context.Context, l net.Listener, drain time.Duration) error {
	if d.Names == nil {
		d.Names = net.DefaultResolver
	}
	known := &senders{}
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{Door: d, conn: c, senders: known}, nil
	}))
	s.Domain, s.MaxRecipients, s.MaxMessageBytes, s.MaxLineLength = "parley", mostRecipients, MostBytes+1, lineBytes // it refuses at its bound
	s.ReadTimeout, s.WriteTimeout, s.TLSConfig, s.EnableSMTPUTF8, s.ErrorLog = idle, idle, d.TLS, true, quiet{d.Log}
	done := make(chan error, 1)
	go func() {
		done <- s.Serve(&hall{Listener: l, most: mostSessions, ended: make(chan struct{}), now: d.Now})
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := s.Shutdown(ending); err != nil {
		_ = s.Close()
	}
	return <-done
}

// quiet says what the server says, without what people say.
type quiet struct{ log *slog.Logger }

// Printf implements smtp.Logger.
func (q quiet) Printf(string, ...any) { q.log.Warn("the door of mail met an error") }

// Println implements smtp.Logger.
func (q quiet) Println(...any) { q.log.Warn("the door of mail met an error") }

// session is one peer, and the mail that it brings.
type session struct {
	Door
	conn *smtp.Conn
	from string
	to   []recipient

	senders *senders
}

// recipient is a mailbox, and the conversation that its address named.
type recipient struct {
	channels.Connection
	token string
}

func refusal(code int, enhanced smtp.EnhancedCode, words string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: words}
}

// refuses counts what it answers.
func (d Door) refuses(why string, code int, enhanced smtp.EnhancedCode, words string) error {
	if d.Refused != nil {
		d.Refused(why)
	}
	return refusal(code, enhanced, words)
}

// Mail begins one. Where it says how large it is, it is held to our bound, not to the server's, which is a byte more.
func (s *session) Mail(from string, options *smtp.MailOptions) error {
	if options.Size > MostBytes {
		return smtp.ErrDataTooLarge
	}
	if s.Gate != nil && s.Gate() != nil {
		return refusal(451, smtp.EnhancedCode{4, 3, 2}, "not yet")
	}
	s.from, s.to = from, nil
	return nil
}

// Rcpt finds the mailbox of an address: as it stands, else without what is behind a +.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	ctx, cancel := context.WithTimeout(context.Background(), takesWithin)
	defer cancel()
	local, domain, plus := cut(to)
	c, err := s.mailbox(ctx, to)
	if fault.Is(err, fault.NotFound) && plus != "" {
		if !isToken.MatchString(plus) {
			plus = ""
		}
		c, err = s.mailbox(ctx, local+"@"+domain)
	} else {
		plus = ""
	}
	if err := s.shut(c, err); err != nil {
		return err
	}
	if !slices.ContainsFunc(s.to, func(r recipient) bool { return r.ID == c.ID && r.TenantID == c.TenantID }) {
		s.to = append(s.to, recipient{c, plus})
	}
	return nil
}

// mailbox is that of an address, in whatever letters its domain is written; those of older connections are as they were given.
func (d Door) mailbox(ctx context.Context, address string) (channels.Connection, error) {
	known := connections.Mailbox(strings.ToLower(address))
	c, err := d.Mailboxes.At(ctx, "email", known)
	if fault.Is(err, fault.NotFound) {
		at := strings.LastIndexByte(known, '@') + 1
		if domain, bad := idna.ToUnicode(known[at:]); bad == nil && domain != known[at:] {
			return d.Mailboxes.At(ctx, "email", known[:at]+domain)
		}
	}
	return c, err
}

// shut is why a mailbox that was looked up takes nothing; nil: it takes mail.
func (s *session) shut(c channels.Connection, err error) error {
	switch {
	case fault.Is(err, fault.NotFound):
		return s.refuses(string(fault.NotFound), 550, smtp.EnhancedCode{5, 1, 1}, "there is no such mailbox")
	case err != nil:
		s.Log.Warn("a mailbox cannot be looked up", "error", err)
		return s.refuses(string(fault.Unavailable), 451, smtp.EnhancedCode{4, 3, 0}, "not now")
	case c.Inactive:
		return s.refuses(inactive, 550, smtp.EnhancedCode{5, 2, 1}, "the mailbox takes nothing")
	}
	return nil
}

// stands looks the mailboxes up once more when the mail is there, which may be minutes after its envelope.
// Those that are left have it; where none is, or one is not known, the peer is told.
func (s *session) stands(ctx context.Context) error {
	var refused error
	stand := s.to[:0]
	for _, to := range s.to {
		c, err := s.Mailboxes.At(ctx, "email", to.External)
		refusal := s.shut(c, err)
		switch {
		case refusal == nil:
			stand = append(stand, recipient{c, to.token})
		case err != nil && !fault.Is(err, fault.NotFound):
			return refusal
		default:
			refused = refusal
		}
	}
	if s.to = stand; len(stand) > 0 {
		return nil
	}
	return refused
}

// Data takes the mail for all its mailboxes. What cannot be taken now comes again, and is known by its
// id where it was taken.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err // the server's own, as of a mail that is too large
	}
	if len(raw) > MostBytes { // in one chunk
		return smtp.ErrDataTooLarge
	}
	defer working(s.conn.Conn())()
	l, err := read(raw, s.from)
	if err != nil {
		return s.refuses(unreadable, 550, smtp.EnhancedCode{5, 6, 0}, err.Error())
	}
	if l.automatic != "" {
		return s.machine(l.automatic)
	}
	ctx, cancel := context.WithTimeout(context.Background(), takesWithin)
	defer cancel()
	known := authentic(ctx, s.Names, s.host(), s.conn.Hostname(), s.from, l.from, raw)
	if known.refuse {
		return s.refuses(forged, 550, smtp.EnhancedCode{5, 7, 1}, "the domain of the sender wants mails refused that are not from it")
	}
	if nobodys.MatchString(l.from) {
		if !known.vouched() { // the answer would not go to who is named beside it
			return s.machine(unreadSender)
		}
		// A form's, which many people fill in: who did is the one who is talked with.
		known.form, l.from, l.name = l.from, l.replyTo, l.replyName
	}
	if err := s.stands(ctx); err != nil {
		return err
	}
	for _, to := range s.to {
		if l.loop(to.External) {
			return s.refuses(loops, 554, smtp.EnhancedCode{5, 4, 6}, "the mail goes round in a ring")
		}
		if s.senders.many(authorOf(to.External, l.from, known), s.Now()) {
			return s.refuses(string(fault.RateLimit), 450, smtp.EnhancedCode{4, 7, 1}, "so many mails of one sender are not taken in an hour")
		}
	}
	if l.empty() { // it is taken, so that it does not come again, and there is nothing to begin with
		return nil
	}
	for _, to := range s.to {
		e := l.entry(to, known, s.Now())
		if err := s.Inbox.Entry(ctx, to.Connection, eventstore.CauseID("channel", to.ID, "entry/"+e.ExternalID), e, l.contents()); err != nil {
			if !fault.Is(err, fault.QueueFull) {
				s.Log.Warn("a mail is not taken; it comes again", "connection", to.ID, "error", err)
			}
			return s.refuses(string(fault.CodeOf(err)), 451, smtp.EnhancedCode{4, 3, 0}, "not now")
		}
		s.senders.took(authorOf(to.External, l.from, known), s.Now())
	}
	return nil
}

// machine refuses a mail that no person wrote, or whose answer nobody would read.
func (d Door) machine(why string) error {
	return d.refuses(byMachine, 550, smtp.EnhancedCode{5, 7, 1}, "only people are answered here: "+why)
}

// host is where the peer is.
func (s *session) host() net.IP {
	if at, is := s.conn.Conn().RemoteAddr().(*net.TCPAddr); is {
		return at.IP
	}
	return nil
}

// Reset forgets the mail that was begun.
func (s *session) Reset() { s.from, s.to = "", nil }

// Logout has nothing to free.
func (*session) Logout() error { return nil }

// loop is whether a mail is one of ours that came back: by its id, by its sender, or by what a server
// wrote on it.
func (l letter) loop(mailbox string) bool {
	local, domain, _ := cut(connections.Mailbox(mailbox))
	from, at, _ := cut(connections.Mailbox(l.from))
	return tokenIn(l.id) != "" || from == local && at == domain ||
		slices.ContainsFunc(l.loops, func(name string) bool { return strings.EqualFold(strings.Trim(name, " <>"), mailbox) })
}

// empty is whether a mail says nothing at all.
func (l letter) empty() bool { return l.text == "" && l.subject == "" && len(l.files) == 0 }

// entry is what a mail says to a mailbox. Its conversation is that which it answers, of this sender
// alone: whoever knows somebody else's begins one of his own.
func (l letter) entry(to recipient, known checks, now time.Time) channels.Entry {
	token := to.token
	chain := slices.Concat(l.references, []string{l.inReplyTo})
	for i := len(chain) - 1; i >= 0 && token == ""; i-- {
		token = tokenIn(chain[i])
	}
	if token == "" {
		root := l.id
		if chain[0] != "" {
			root = chain[0]
		}
		token = tokenOf(root)
	}
	answer := reply{To: l.from, Subject: l.subject, References: l.references, Token: token}
	if l.own {
		answer.InReplyTo = l.id
	}
	if l.replyTo != "" && known.vouched() { // else anybody could have another's answers sent to himself
		answer.To = l.replyTo
	}
	text := cmp.Or(l.text, l.calendar, l.subject)
	about := known.about()
	if l.subject != "" {
		about = append(about, channels.About{Name: "subject", Value: l.subject})
	}
	at := l.at
	if at.After(now) {
		at = time.Time{} // of a clock that nobody set
	}
	return channels.Entry{ExternalID: l.id, Thread: token + " " + l.from, From: l.from, Name: l.name, ReplyTo: answer.address(), Text: text,
		About: about, At: at.UTC(), Files: l.named()}
}

// named are the files as the conversation shows them.
func (l letter) named() (out []channels.File) {
	for _, f := range l.files {
		out = append(out, channels.File{Name: f.name, ContentType: f.contentType, Size: int64(len(f.content))})
	}
	return out
}

func (l letter) contents() (out [][]byte) {
	for _, f := range l.files {
		out = append(out, f.content)
	}
	return out
}

var _ smtp.Session = (*session)(nil)

package email_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/smtp"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/email"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

var now = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// names are those of the Internet that these tests have.
type names struct {
	txt  map[string]string
	away bool
	gone string // the one that cannot be asked for
}

func (n names) LookupTXT(_ context.Context, name string) ([]string, error) {
	if n.away || strings.TrimSuffix(name, ".") == n.gone {
		return nil, &net.DNSError{Err: "away", Name: name, IsTemporary: true}
	}
	if text, ok := n.txt[strings.TrimSuffix(name, ".")]; ok {
		return []string{text}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (names) LookupMX(context.Context, string) ([]*net.MX, error) { return nil, nil }

func (names) LookupIPAddr(context.Context, string) ([]net.IPAddr, error) { return nil, nil }

func (names) LookupAddr(context.Context, string) ([]string, error) { return nil, nil }

// office has two mailboxes, and keeps what comes in.
type office struct {
	mu   sync.Mutex
	took map[string]channels.Entry // by request id
	all  []channels.Entry
	// of the files of the newest
	contents [][]byte
	down     error
	gone     string // a mailbox that was there
}

func (o *office) At(_ context.Context, kind, address string) (channels.Connection, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if address == o.gone {
		address = "nobody@acme.example"
	}
	c := channels.Connection{ID: address, TenantID: "acme", Kind: kind, External: address, Inactive: strings.HasPrefix(address, "closed@")}
	switch address {
	case "shop@acme.example", "desk@acme.example", "closed@acme.example", "a+b@acme.example",
		"info@xn--bcher-kva.example", "alt@b\u00fccher.example":
		return c, nil
	case "away@acme.example":
		return c, errors.New("the database is away")
	}
	return c, fault.New(fault.NotFound, "there is no such connection")
}

func (o *office) Entry(_ context.Context, c channels.Connection, id string, e channels.Entry, contents [][]byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, again := o.took[id]; o.down == nil && !again {
		e.From += " to " + c.External
		o.took[id], o.all, o.contents = e, append(o.all, e), contents
	}
	return o.down
}

// post is a door, and who brings mail to it.
type post struct {
	*testing.T
	*office
	at      string
	refused map[string]int // by why
}

func newPost(t *testing.T, of names) *post {
	p := &post{t, &office{took: map[string]channels.Entry{}}, "", map[string]int{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	door := email.Door{Mailboxes: p.office, Inbox: p.office, Names: of, Now: func() time.Time { return now },
		Log: slog.New(slog.DiscardHandler), Refused: p.refuses}
	go func() { done <- door.Serve(ctx, l, time.Second) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	p.at = l.Addr().String()
	return p
}

func (p *post) refuses(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused[why]++
}

// brings hands over a mail, and gives the code of the answer: 0 is taken.
func (p *post) brings(from, to, mail string) int {
	p.Helper()
	err := smtp.SendMail(p.at, nil, from, strings.Split(to, " "), []byte(strings.ReplaceAll(mail, "\n", "\r\n")))
	var answer *textproto.Error
	if errors.As(err, &answer) {
		return answer.Code
	}
	require.NoError(p, err)
	return 0
}

func (p *post) last() channels.Entry {
	p.Helper()
	require.NotEmpty(p, p.all)
	return p.all[len(p.all)-1]
}

func mail(headers, body string) string {
	return headers + "From: Ann Lee <Ann@customer.example>\nTo: shop@acme.example\n\n" + body
}

const ann = "ann@customer.example"

// Given a mail, then who wrote it, what it says and which conversation it belongs to is known, and how
// it is answered.
func TestAMailComesIn(t *testing.T) {
	p := newPost(t, names{})
	first := mail("Message-ID: <1@customer.example>\nSubject: =?utf-8?q?Gr=C3=B6=C3=9Fe?=\nDate: Wed, 25 Nov 2026 11:59:00 +0000\n",
		"Hi there\n")
	for range 2 {
		require.Zero(t, p.brings(ann, "shop@acme.example shop+x@acme.example", first))
	}
	require.Len(t, p.all, 1, "once, to each mailbox")
	e := p.last()
	require.Equal(t, []string{"1@customer.example", "ann@customer.example to shop@acme.example", "Ann Lee", "Hi there"},
		[]string{e.ExternalID, e.From, e.Name, e.Text})
	require.Equal(t, now.Add(-time.Minute), e.At)
	require.Equal(t, []channels.About{{Name: "spf", Value: "none"}, {Name: "dkim", Value: "none"}, {Name: "dmarc", Value: "none"},
		{Name: "subject", Value: "Größe"}}, e.About)
	token, _, _ := strings.Cut(e.Thread, " ")
	require.Equal(t, token+" ann@customer.example", e.Thread)
	require.JSONEq(t, `{"to":"ann@customer.example","subject":"Größe","inReplyTo":"1@customer.example","token":"`+token+`"}`, e.ReplyTo)

	ours := "parley." + token + ".0123456789abcdef@acme.example"
	for name, c := range map[string]struct {
		headers, to string
		same        bool
	}{
		"it answers our mail":                  {"In-Reply-To: <" + ours + ">\n", "shop", true},
		"its references lead to the first":     {"References: <1@customer.example>\n\t<x@y>\n", "shop", true},
		"it answers the first":                 {"In-Reply-To: <1@customer.example>\n", "shop", true},
		"its address has the token":            {"", "shop+" + token, true},
		"it is a new one":                      {"", "shop", false},
		"its address has another word":         {"", "shop+sale", false},
		"it answers something else":            {"In-Reply-To: <other@x>\n", "shop", false},
		"an address with a + that is a box's":  {"", "a+b", false},
		"our mail among strange references":    {"References: <z@z>\n <" + ours + ">\n", "shop", true},
		"the same words, broken in the header": {"References: 1@customer.example <<\n", "shop", false},
	} {
		require.Zero(t, p.brings(ann, c.to+"@acme.example", mail("Message-ID: <"+fmt.Sprint(len(p.all)+1)+"@new>\n"+c.headers, "more")), name)
		require.Equal(t, c.same, p.last().Thread == e.Thread, name)
	}
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Message-ID: <33@new>\nIn-Reply-To: <"+ours+">\n", "more")))
	require.Contains(t, p.last().ReplyTo, `"references":["`+ours+`"]`, "the next answer names what this one answered")
	stranger := strings.Replace(mail("Message-ID: <s@s>\nIn-Reply-To: <"+ours+">\n", "tell me"), "Ann@customer", "Eve@evil", 1)
	require.Zero(t, p.brings("eve@evil.example", "shop@acme.example", stranger))
	require.Equal(t, token+" eve@evil.example", p.last().Thread, "who knows a token begins a conversation of his own")
	for n, box := range []string{"info@b\u00fccher.example", "Info+x@xn--bcher-kva.example", "alt@b\u00fccher.example",
		"alt@xn--bcher-kva.example"} {
		require.Zero(t, p.brings(ann, box, mail(fmt.Sprintf("Message-ID: <box%d@x>\n", n), "hm")), "%s: a domain has two spellings", box)
		require.Contains(t, p.last().From, []string{"info@xn--bcher-kva", "alt@b\u00fccher"}[n/2])
	}
	require.Zero(t, p.brings(ann, "shop@acme.example desk@acme.example", mail("Message-ID: <two@x>\n", "both")))
	require.Equal(t, []string{"ann@customer.example to shop@acme.example", "ann@customer.example to desk@acme.example"},
		[]string{p.all[len(p.all)-2].From, p.last().From})
}

// Given a mail that is not for us, not of a person, or not whole, then who brings it hears so.
func TestWhatIsNotTaken(t *testing.T) {
	p := newPost(t, names{})
	many := strings.TrimSpace(strings.Repeat("shop@acme.example ", 1_000))
	for name, c := range map[string]struct {
		from, to, mail string
		code           int
	}{
		"nobody":                  {ann, "nobody@acme.example", mail("", "x"), 550},
		"somewhere else":          {ann, "bob@other.example", mail("", "x"), 550},
		"nobody, with a token":    {ann, "nobody+x@acme.example", mail("", "x"), 550},
		"a mailbox that is shut":  {ann, "closed@acme.example", mail("", "x"), 550},
		"not now":                 {ann, "away@acme.example", mail("", "x"), 451},
		"a thousand":              {ann, many, mail("", "x"), 452},
		"too large":               {ann, "shop@acme.example", mail("", strings.Repeat("x\n", email.MostBytes/2)), 552},
		"an endless address":      {ann, "shop@acme.example", strings.Replace(mail("", "x"), "Ann@", strings.Repeat("a", 250)+"@", 1), 550},
		"two senders":             {ann, "shop@acme.example", mail("From: eve@evil.example\n", "x"), 550},
		"a bounce":                {"", "shop@acme.example", mail("", "x"), 550},
		"a machine's answer":      {ann, "shop@acme.example", mail("Auto-Submitted: auto-replied\n", "x"), 550},
		"it is away":              {ann, "shop@acme.example", mail("X-Autoreply: yes\n", "x"), 550},
		"it is away, it says":     {ann, "shop@acme.example", mail("Precedence: auto_reply\n", "x"), 550},
		"a daemon":                {"MAILER-DAEMON@customer.example", "shop@acme.example", mail("", "x"), 550},
		"a postmaster":            {ann, "shop@acme.example", strings.Replace(mail("", "x"), "Ann@customer", "Postmaster@customer", 1), 550},
		"brought by a postmaster": {"postmaster@customer.example", "shop@acme.example", mail("Reply-To: bob@customer.example\n", "x"), 550},
		"it wants no answer":      {ann, "shop@acme.example", mail("X-Auto-Response-Suppress: OOF,ALL\n", "x"), 550},
		"nobody reads it":         {ann, "shop@acme.example", strings.Replace(mail("", "x"), "Ann@customer", "no-reply@customer", 1), 550},
		"a list":                  {ann, "shop@acme.example", mail("List-Id: <x.y>\n", "x"), 550},
		"to many":                 {ann, "shop@acme.example", mail("Precedence: Bulk\n", "x"), 550},
		"a report":                {ann, "shop@acme.example", mail("Content-Type: multipart/report; boundary=b\n", "--b--\n"), 550},
		"one of ours": {ann, "shop@acme.example", mail("Message-ID: <parley.aaaaaaaaaaaaaaaa.0123456789abcdef@acme.example>\n", "x"),
			554},
		"by ourselves":      {ann, "shop@acme.example", strings.Replace(mail("", "x"), "Ann@customer", "Shop+x@acme", 1), 554},
		"it was here":       {ann, "shop@acme.example", mail("X-Loop: shop@acme.example\n", "x"), 554},
		"no address":        {"x", "shop@acme.example", mail("", "x"), 501},
		"no mail of a kind": {ann, "shop@acme.example", "no header\nat all", 550},
	} {
		require.Equal(t, c.code, p.brings(c.from, c.to, c.mail), name)
	}
	require.Empty(t, p.all)
	whole := mail("Content-Type: image/png\n", strings.Repeat(strings.Repeat("x", 998)+"\n", email.MostBytes/1_000-1))
	whole += strings.Repeat("y", email.MostBytes-len(whole)-strings.Count(whole, "\n")-2) + "\n"
	require.Equal(t, 552, p.brings(ann, "shop@acme.example", strings.Replace(whole, "y\n", "yy\n", 1)), "a byte more than it may have")
	require.Zero(t, p.brings(ann, "shop@acme.example", whole), "as many as it may have")
	client, err := smtp.Dial(p.at)
	require.NoError(t, err)
	defer client.Close()
	require.NoError(t, client.Hello("customer.example"))
	for size, want := range map[int]string{email.MostBytes: "250 ", email.MostBytes + 1: "552 "} {
		require.NoError(t, client.Text.PrintfLine("MAIL FROM:<%s> SIZE=%d", ann, size))
		answer, err := client.Text.ReadLine()
		require.NoError(t, err)
		require.Equal(t, want, answer[:4], "what is too large is refused before it is sent")
		require.NoError(t, client.Reset())
	}
	p.all = nil
	require.Equal(t, map[string]int{"NOT_FOUND": 3, "SERVICE_UNAVAILABLE": 1, "inactive": 1, "unreadable": 3, "automatic": 12, "loop": 3},
		p.refused)
	p.down = fault.New(fault.QueueFull, "50 messages wait")
	require.Equal(t, 451, p.brings(ann, "shop@acme.example", mail("Message-ID: <1@x>\n", "x")), "it comes again")
	require.Equal(t, 1, p.refused["QUEUE_FULL"])
	p.down = nil
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Message-ID: <1@x>\n", "x")))
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Auto-Submitted: No (a person)\n", "y")))
	require.Equal(t, 550, p.brings(ann, "shop@acme.example", mail("Auto-Submitted: auto-replied (vacation)\n", "y")))
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Message-ID: <3@x>\nX-Auto-Response-Suppress: DR, OOF, AutoReply\n", "y")),
		"hosts say so of people's mails")
	form := strings.Replace(mail("Message-ID: <2@x>\nReply-To: bob@customer.example\n", "y"), "Ann@customer", "noreply@customer", 1)
	require.Equal(t, 550, p.brings(ann, "shop@acme.example", form), "the answer would go to noreply")
	require.Len(t, p.all, 3)
	p = newPost(t, names{txt: map[string]string{"customer.example": "v=spf1 ip4:127.0.0.1 -all",
		"_dmarc.customer.example": "v=DMARC1; p=none"}})
	require.Zero(t, p.brings(ann, "shop@acme.example", form), "a form says who filled it in")
	require.Contains(t, p.last().ReplyTo, `"to":"bob@customer.example"`)
	require.Equal(t, "bob@customer.example to shop@acme.example", p.last().From, "who did is talked with, not all who ever did as one")
	require.Contains(t, p.last().About, channels.About{Name: "sender", Value: "noreply@customer.example"}, "whom the checks are about")
	thread := p.last().Thread
	require.Zero(t, p.brings("bob@customer.example", "shop@acme.example", "From: Bob <bob@customer.example>\nIn-Reply-To: <2@x>\n\nthanks\n"))
	require.Equal(t, thread, p.last().Thread, "his answer goes on with what he asked by the form")
	require.Equal(t, 550, p.brings(ann, "shop@acme.example", strings.Replace(form, "To: bob", "To: no-reply", 1)), "nobody did")
	require.Equal(t, 550, p.brings(ann, "shop@acme.example", strings.Replace(form, "noreply", "postmaster", 1)), "a server is no form")
}

// Given a mailbox that goes away between a mail's envelope and its end, then the others have the mail; where there is none, who brings
// it hears so.
func TestAMailboxGoesWhileAMailComes(t *testing.T) {
	p := newPost(t, names{})
	brings := func(id string, to ...string) error {
		c, err := smtp.Dial(p.at)
		require.NoError(t, err)
		defer c.Close()
		require.NoError(t, c.Mail(ann))
		p.gone = ""
		for _, box := range to {
			require.NoError(t, c.Rcpt(box))
		}
		p.gone = "shop@acme.example"
		w, err := c.Data()
		require.NoError(t, err)
		_, err = w.Write([]byte(strings.ReplaceAll(mail("Message-ID: <"+id+"@x>\n", "x"), "\n", "\r\n")))
		require.NoError(t, err)
		return w.Close()
	}
	var answer *textproto.Error
	require.ErrorAs(t, brings("1", "shop@acme.example"), &answer)
	require.Equal(t, 550, answer.Code)
	require.Empty(t, p.all)
	require.NoError(t, brings("2", "shop@acme.example", "desk@acme.example"))
	require.Len(t, p.all, 1)
	require.Equal(t, "ann@customer.example to desk@acme.example", p.last().From)
}

// Given a machine that answers each answer, and does not say that it is one, then it comes to an end.
func TestAMachineThatDoesNotSaySoComesToAnEnd(t *testing.T) {
	p := newPost(t, names{})
	codes := map[int]int{}
	for n := range 70 {
		codes[p.brings("ann@customer.example", "shop@acme.example", fmt.Sprintf("From: ann@customer.example\nMessage-ID: <%d@x>\n\nhm\n", n))]++
	}
	require.Equal(t, map[int]int{0: 60, 450: 10}, codes)
	require.Equal(t, map[string]int{"RATE_LIMIT_EXCEEDED": 10}, p.refused)
	require.Zero(t, p.brings("bob@customer.example", "shop@acme.example", "From: bob@customer.example\nMessage-ID: <b@x>\n\nhm\n"))
}

// Given somebody who says again and again that he is somebody else, then the mails of the one whom he means are
// taken all the same.
func TestAForgedSenderHoldsNobodyUp(t *testing.T) {
	p := newPost(t, names{txt: map[string]string{"customer.example": "v=spf1 ip4:127.0.0.1 -all",
		"_dmarc.customer.example": "v=DMARC1; p=none"}})
	codes := map[int]int{}
	for n := range 65 {
		codes[p.brings("eve@evil.example", "shop@acme.example", mail(fmt.Sprintf("Message-ID: <%d@evil>\n", n), "hm\n"))]++
	}
	require.Equal(t, map[int]int{0: 60, 450: 5}, codes)
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Message-ID: <1@x>\n", "It is me\n")))
	require.Contains(t, p.last().About, channels.About{Name: "dmarc", Value: "pass"})
}

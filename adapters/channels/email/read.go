package email

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	netmail "net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
)

// The bounds of what is read of one mail.
const (
	mostParts   = 100
	mostText    = 256 << 10 // bytes of it
	mostName    = 1000      // characters of a file's: what is kept of it keeps its ending
	mostAddress = 254       // bytes of one to which SMTP brings anything
	mostID      = 250       // of a Message-ID that is believed to be one
	mostIDs     = 100       // in References
)

// letter is what a mail says.
type letter struct {
	id         string // of its header, else derived of its content
	own        bool   // the id is of its header
	from, name string
	replyTo    string
	replyName  string // of whom that is
	subject    string
	inReplyTo  string
	references []string
	at         time.Time
	text       string // as it was said: without what is quoted, and without a signature
	calendar   string // what the events say to which it invites; empty: to none
	files      []file
	automatic  string // why it is no mail of a person; empty: it is one
	loops      []string
}

// file is what came with a mail.
type file struct {
	name, contentType string
	content           []byte
}

// read takes a mail apart. What is broken in it is read as far as it goes; without a sender there is
// none.
func read(raw []byte, envelope string) (l letter, err error) {
	entity, err := message.ReadWithOptions(bytes.NewReader(raw), &message.ReadOptions{MaxHeaderBytes: 256 << 10})
	if entity == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
		return l, errors.New("the header of the mail cannot be read")
	}
	h := mail.Header{Header: entity.Header}
	if len(h.Values("From")) > 1 { // DMARC is of one, and readers show any
		return l, errors.New("the mail has more than one From")
	}
	l.from, l.name = sender(h, "From")
	if l.from == "" {
		l.from = strings.ToLower(envelope)
	}
	if !reachable(l.from) {
		return l, errors.New("the mail does not say who sent it")
	}
	if l.replyTo, l.replyName = sender(h, "Reply-To"); !reachable(l.replyTo) {
		l.replyTo = ""
	}
	l.subject = line(decoded(h, "Subject"), 500)
	l.at, _ = h.Date()
	if id := identities(h.Get("Message-Id")); len(id) > 0 {
		l.id, l.own = id[0], true
	} else {
		sum := sha256.Sum256(raw)
		l.id = hex.EncodeToString(sum[:]) + "@without-a-message-id"
	}
	answers := identities(h.Get("In-Reply-To"))
	if len(answers) > 0 {
		l.inReplyTo = answers[0]
	}
	if l.references = identities(h.Get("References")); len(l.references) == 0 && len(answers) == 1 {
		l.references = answers // as RFC 5322 has it: some programs write no other
	}
	l.automatic = automatic(h, envelope, l.from, l.replyTo)
	l.loops = h.Values("X-Loop")
	said, _ := (&body{letter: &l}).words(entity)
	l.text = spoken(l.subject, valid(said))
	return l, nil
}

// reachable is whether an answer can be sent to an address.
func reachable(address string) bool { return isAddress(address) && len(address) <= mostAddress }

// isAddress is whether a text is an address and nothing else. Dots may stand beside each other, or right before the @:
// carriers have given such ones out (a..b.@docomo.ne.jp), and their hosts send and take them as they are.
func isAddress(text string) bool {
	a, bad := netmail.ParseAddress(text)
	return bad == nil && a.Address == text || addressIn.FindString(text) == text && text != ""
}

// sender is the first address of a header, in lower case, and what it is called.
func sender(h mail.Header, header string) (address, name string) {
	given := h.Get(header)
	all, err := h.AddressList(header)
	if err == nil && len(all) > 0 {
		return strings.ToLower(all[0].Address), line(all[0].Name, 200)
	}
	found := addressIn.FindString(given) // what cannot be parsed mostly has one in it
	if in := inBrackets.FindAllString(given, -1); len(in) > 0 {
		found = addressIn.FindString(in[len(in)-1]) // what is before it is a name, also where it looks like an address
	}
	local, domain, _ := strings.Cut(found, "@") // it may be the dots alone that cannot be parsed
	all, err = mail.ParseAddressList(strings.Replace(given, found, `"`+local+`"@`+domain, 1))
	if err == nil && all[0].Address == found {
		name = line(all[0].Name, 200)
	}
	return strings.ToLower(found), name
}

var addressIn = regexp.MustCompile(`[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`)

var inBrackets = regexp.MustCompile(`<[^<>\s]+@[^<>\s]+>`)

func decoded(h mail.Header, header string) string {
	text, err := h.Text(header)
	if err != nil {
		text = h.Get(header)
	}
	if !utf8.ValidString(text) { // of a program that writes a header as it writes a text
		text, _ = ascii.NewDecoder().String(text)
	}
	return text
}

// line is a text in one line, of valid characters, and not too many.
func line(text string, most int) string {
	text = strings.Join(strings.Fields(valid(text)), " ")
	if all := []rune(text); len(all) > most {
		return string(all[:most])
	}
	return text
}

func valid(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\uFEFF' {
			return -1
		}
		return r
	}, text)
}

var identity = regexp.MustCompile(`<([\x21-\x3b\x3d\x3f-\x7e]{1,250})>`)

// identities are the ids of mails in a header, as far as they are such.
func identities(header string) (out []string) {
	for _, found := range identity.FindAllStringSubmatch(header, mostIDs) {
		out = append(out, found[1])
	}
	return out
}

// nobodys are addresses that nobody reads; a form writes from such a one too, and names its person as Reply-To.
var nobodys = regexp.MustCompile(`^(no[-_.]?reply|do[-_.]?not[-_.]?reply)([-_.+].*)?@`)

// servers are addresses from which servers tell of mail.
var servers = regexp.MustCompile(`^(mailer-daemon([-_.+].*)?|postmaster(\+.*)?)@`)

func unread(address string) bool { return nobodys.MatchString(address) || servers.MatchString(address) }

const unreadSender = "nobody reads what is sent to its sender"

// marks are headers by which programs that answer for somebody who is away say so, each in its own way.
var marks = []string{"X-Autoreply", "X-Autorespond", "X-Autoresponder", "X-Mail-Autoreply", "X-Autogenerated"}

// suppresses is whether a mail wants none of all the things that programs answer: whoever writes so is one. Of people's
// mails hosts ask that nobody tells that he is away, or has read it (DR, RN, OOF, AutoReply): they want an answer.
func suppresses(h mail.Header) bool {
	for _, value := range strings.Split(strings.Join(h.Values("X-Auto-Response-Suppress"), ","), ",") {
		if strings.EqualFold(strings.TrimSpace(value), "All") {
			return true
		}
	}
	return false
}

// automatic says why nobody wrote a mail.
func automatic(h mail.Header, envelope, from, replyTo string) string {
	envelope = strings.ToLower(envelope)
	media, _, _ := h.ContentType()
	precedence := strings.ToLower(strings.TrimSpace(h.Get("Precedence")))
	submitted := h.Get("Auto-Submitted") // a word, with parameters and comments behind it
	if behind := strings.IndexAny(submitted, ";("); behind > 0 {
		submitted = submitted[:behind]
	}
	switch submitted = strings.TrimSpace(submitted); {
	case envelope == "":
		return "it has no sender to be answered"
	case submitted != "" && !strings.EqualFold(submitted, "no"):
		return "it says that a machine wrote it"
	case slices.ContainsFunc(marks, h.Has), precedence == "auto_reply", suppresses(h):
		return "it says that a machine wrote it"
	case servers.MatchString(from), servers.MatchString(envelope), unread(replyTo),
		replyTo == "" && (nobodys.MatchString(from) || nobodys.MatchString(envelope)):
		return unreadSender
	case precedence == "bulk" || precedence == "list" || precedence == "junk":
		return "it goes to many"
	case h.Get("List-Id") != "" || h.Get("List-Unsubscribe") != "":
		return "it is of a list"
	case media == "multipart/report":
		return "it is a report"
	}
	return ""
}

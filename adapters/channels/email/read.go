package email

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	netmail "net/mail"
	"regexp"
	"strings"
	"time"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
)

// The bounds of what is read of one mail.
const (
	mostParts = 100
	mostText  = 256 << 10 // bytes of it
	mostID    = 250       // of a Message-ID that is believed to be one
	mostIDs   = 100       // in References
)

// letter is what a mail says.
type letter struct {
	id         string // of its header, else derived of its content
	own        bool   // the id is of its header
	from, name string
	replyTo    string
	subject    string
	inReplyTo  string
	references []string
	at         time.Time
	text       string // as it was said: without what is quoted, and without a signature
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
	l.from, l.name = sender(h, "From")
	if l.from == "" {
		l.from = strings.ToLower(envelope)
	}
	if _, bad := netmail.ParseAddress(l.from); bad != nil {
		return l, errors.New("the mail does not say who sent it")
	}
	l.replyTo, _ = sender(h, "Reply-To")
	l.subject = line(decoded(h, "Subject"), 500)
	l.at, _ = h.Date()
	if id := identities(h.Get("Message-Id")); len(id) > 0 {
		l.id, l.own = id[0], true
	} else {
		sum := sha256.Sum256(raw)
		l.id = hex.EncodeToString(sum[:]) + "@without-a-message-id"
	}
	if answers := identities(h.Get("In-Reply-To")); len(answers) > 0 {
		l.inReplyTo = answers[0]
	}
	l.references = identities(h.Get("References"))
	l.automatic = automatic(h, envelope)
	l.loops = h.Values("X-Loop")
	plain, html := l.parts(entity)
	l.text = spoken(valid(cmp.Or(strings.TrimSpace(plain), fromHTML(html))))
	return l, nil
}

// sender is the first address of a header, in lower case, and what it is called.
func sender(h mail.Header, header string) (address, name string) {
	given := h.Get(header)
	all, err := h.AddressList(header)
	if err == nil && len(all) > 0 {
		return strings.ToLower(all[0].Address), line(all[0].Name, 200)
	}
	if found := addressIn.FindString(given); found != "" { // what cannot be parsed mostly has one in it
		return strings.ToLower(found), ""
	}
	return "", ""
}

var addressIn = regexp.MustCompile(`[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`)

func decoded(h mail.Header, header string) string {
	text, err := h.Text(header)
	if err != nil {
		return h.Get(header)
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
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
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

// automatic says why nobody wrote a mail.
func automatic(h mail.Header, envelope string) string {
	media, _, _ := h.ContentType()
	precedence := strings.ToLower(strings.TrimSpace(h.Get("Precedence")))
	switch submitted := strings.ToLower(strings.TrimSpace(h.Get("Auto-Submitted"))); {
	case envelope == "":
		return "it has no sender to be answered"
	case submitted != "" && submitted != "no" && !strings.HasPrefix(submitted, "no;"):
		return "it says that a machine wrote it"
	case precedence == "bulk" || precedence == "list" || precedence == "junk":
		return "it goes to many"
	case h.Get("List-Id") != "" || h.Get("List-Unsubscribe") != "":
		return "it is of a list"
	case media == "multipart/report":
		return "it is a report"
	}
	return ""
}

// parts reads the texts of a mail, and what came with it.
func (l *letter) parts(entity *message.Entity) (plain, html string) {
	seen := 0
	_ = entity.Walk(func(_ []int, part *message.Entity, err error) error {
		if seen++; seen > mostParts {
			return errors.New("so many parts")
		}
		if part == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
			return err
		}
		media, params, _ := part.Header.ContentType()
		disposition, also, _ := part.Header.ContentDisposition()
		name := cmp.Or(also["filename"], params["name"])
		switch {
		case strings.HasPrefix(media, "multipart/"):
		case disposition == "attachment", name != "", !strings.HasPrefix(media, "text/") && media != "":
			content, _ := io.ReadAll(part.Body) // what is broken is as long as it comes
			l.files = append(l.files, file{name: line(name, 200), contentType: media, content: content})
		case media == "text/html":
			html += head(part.Body)
		default:
			plain += head(part.Body)
		}
		return nil
	})
	return plain, html
}

func head(body io.Reader) string {
	text, _ := io.ReadAll(io.LimitReader(bufio.NewReader(body), mostText))
	return string(text) + "\n"
}

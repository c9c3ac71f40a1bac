package email

import (
	"bufio"
	"cmp"
	"io"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-message"
)

// body is what a mail has below its header, part by part.
type body struct {
	*letter
	seen int
}

// words are what a part says, or the parts in it, and whether that was a page. What is a file goes to the letter.
func (b *body) words(part *message.Entity) (said string, page bool) {
	b.seen++
	part = mended(part)
	media, params, _ := part.Header.ContentType()
	if in := part.MultipartReader(); in != nil {
		return b.within(in, media == "multipart/alternative")
	}
	disposition, also, _ := part.Header.ContentDisposition()
	name := cmp.Or(also["filename"], params["name"])
	switch {
	case strings.HasPrefix(media, "multipart/"): // whose boundary nobody knows
	case media == "text/calendar": // also where it stands among the texts: nobody says it
		content, _ := io.ReadAll(part.Body)
		b.calendar = cmp.Or(b.calendar, invitation(valid(string(content[:min(len(content), mostText)]))))
		b.files = append(b.files, file{name: cmp.Or(line(name, mostName), "invite.ics"), contentType: media, content: content})
	case disposition == "attachment", name != "", strings.Contains(media, "/") && !strings.HasPrefix(media, "text/"):
		content, _ := io.ReadAll(part.Body) // what is broken is as long as it comes
		b.files = append(b.files, file{name: line(name, mostName), contentType: media, content: content})
	case media == "text/html":
		return fromHTML(head(part.Body, params["charset"])), true
	default:
		return head(part.Body, params["charset"]), false
	}
	return "", false
}

// within are the words of several parts: of alternatives those that are no page. Of others all, one below the other; but programs of
// old set a page right behind the words of which it is the other form, and call it no alternative.
func (b *body) within(in message.MultipartReader, alternatives bool) (said string, page bool) {
	behindWords := false
	for b.seen < mostParts {
		part, err := in.NextPart()
		if part == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
			break
		}
		text, asPage := b.words(part)
		says := strings.TrimSpace(text) != ""
		switch {
		case !says:
		case said == "", alternatives && page && !asPage:
			said, page = text, asPage
		case !alternatives && !(asPage && behindWords):
			said, page = strings.TrimRight(said, "\r\n")+"\n"+text, page && asPage
		}
		if len(said) > mostText {
			said = strings.ToValidUTF8(said[:mostText], "")
		}
		behindWords = says && !asPage
	}
	return said, page
}

// mended is a part as its header means it, where that is written carelessly: as by a name with spaces that has no quotes. Without that
// a file is taken for what was said, and what was said for nothing.
func mended(part *message.Entity) *message.Entity {
	h := part.Header.Copy()
	understand(&h, "Content-Disposition")
	if !understand(&h, "Content-Type") {
		part.Header = h
		return part
	}
	h.Del("Content-Transfer-Encoding") // the body has been read by it
	if out, _ := message.New(h, part.Body); out != nil {
		return out
	}
	return part
}

// understand puts a header right that has parameters and does not parse, and says whether it had to.
func understand(h *message.Header, name string) bool {
	text := strings.TrimSpace(h.Get(name))
	if _, _, bad := mime.ParseMediaType(text); bad == nil || text == "" {
		return false
	}
	kind := text[:strings.IndexAny(text+";", "; \t")]
	params := map[string]string{}
	for _, found := range parameter.FindAllStringSubmatch(text[len(kind):], -1) {
		key, value := strings.ToLower(found[1]), strings.TrimSpace(found[2])
		if end := strings.IndexAny(value, " \t"); end > 0 && value[0] != '"' && !strings.Contains(key, "name") {
			value = value[:end] // only names have spaces
		}
		if _, twice := params[key]; !twice {
			params[key] = strings.TrimSpace(strings.Trim(value, `"`))
		}
	}
	h.Set(name, mime.FormatMediaType(kind, params))
	return true
}

var parameter = regexp.MustCompile(`[;\s]\s*([\w.*+-]+)\s*=\s*("[^"]*"|[^;]*)`)

// head is as much of a text as is read. One that does not say its character set is in ASCII, which programs of old take for their own.
func head(body io.Reader, set string) string {
	text, _ := io.ReadAll(io.LimitReader(bufio.NewReader(body), mostText))
	if (set == "" || strings.EqualFold(set, "us-ascii")) && !unicodeText(text, len(text) == mostText) {
		text, _ = ascii.NewDecoder().Bytes(text) // which reads any byte
	}
	return string(text) + "\n"
}

// unicodeText is whether a text is UTF-8, but for a character at its end that was cut off.
func unicodeText(text []byte, cut bool) bool {
	for len(text) > 0 {
		if r, n := utf8.DecodeRune(text); r != utf8.RuneError || n > 1 {
			text = text[n:]
			continue
		}
		return cut && !utf8.FullRune(text)
	}
	return true
}

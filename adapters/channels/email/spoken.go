package email

import (
	"cmp"
	"html"
	"regexp"
	"strings"
	"unicode"
)

var (
	forwarded = regexp.MustCompile(`(?i)^-{2,}\s*(original message|original-nachricht|ursprüngliche nachricht|message d'origine|` +
		`mensaje original|messaggio originale|oorspronkelijk bericht)\s*-{2,}$`)
	// Outlook sets the head of what it quotes below a line, or below nothing.
	rule     = regexp.MustCompile(`^_{10,}$`)
	headFrom = regexp.MustCompile(`(?i)^\*?(from|von|de|da|van|från|fra)\s?:\*?\s`)
	headSent = regexp.MustCompile(`(?i)^\*?(sent|date|gesendet|datum|envoyé|enviado|fecha|inviato|data|verzonden|skickat|sendt)\s?:\*?\s`)
	passedOn = regexp.MustCompile(`(?i)^(fwd?|wg|tr|rv|i|enc|doorst|vs)\s?:`)
	// Telephones write what they are below what somebody says, without the line that a signature has above it.
	device = regexp.MustCompile(`(?i)^(sent (from|via|with)|get \[?outlook|(diese nachricht wurde )?von meinem|gesendet (von|mit|aus)|` +
		`envoyé (de|depuis|à partir)|enviado (desde|do|de)|inviato da|verzonden (vanaf|met|vanuit)|skickat från|sendt fra)\b.{0,40}` +
		`\b(iphone|ipad|ios|android|samsung|galaxy|huawei|xiaomi|blackberry|outlook|windows|yahoo|gmail|gmx|web\.de|proton|mobile|phone|handy|` +
		`smartphone|tablet|device|app)\b.{0,20}(<\S+>|\(\S+\))?.{0,20}$`)
	introduces = regexp.MustCompile(`(?i)^(on|am|le|el|il|op|den|em|pada)\s.*:$`)
)

// spoken is what somebody wrote anew: without what they quote below it, and without a signature. What
// is between quotes stays with them, and where nothing else is there all of it does.
func spoken(subject, text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if at := headOfQuote(lines); at > 0 && !passedOn.MatchString(subject) { // who passes a mail on means it to be read
		lines = lines[:at]
	}
	for i, l := range lines {
		if l == "-- " || l == "--\u00a0" || forwarded.MatchString(strings.TrimSpace(l)) {
			lines = lines[:i]
			break
		}
	}
	lines = trimmed(lines)
	end := len(lines)
	for end > 0 && (quoted(lines[end-1]) || strings.TrimSpace(lines[end-1]) == "") {
		end--
	}
	if end < len(lines) {
		lines = lines[:end]
		for back := 1; back <= 3 && back <= len(lines); back++ { // who wrote what is quoted, often in two lines
			if introduces.MatchString(strings.TrimSpace(strings.Join(lines[len(lines)-back:], " "))) {
				lines = lines[:len(lines)-back]
				break
			}
		}
	}
	lines = trimmed(lines)
	if last := len(lines) - 1; last > 1 && strings.TrimSpace(lines[last-1]) == "" && device.MatchString(strings.TrimSpace(lines[last])) {
		lines = lines[:last]
	}
	return cmp.Or(bare(strings.Join(lines, "\n")), bare(text))
}

// bare is a text without what nobody sees before and behind it.
func bare(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' })
}

// headOfQuote is where the head of a mail begins that is quoted whole, as Outlook does; -1: nowhere.
func headOfQuote(lines []string) int {
	for i := range lines {
		if !headFrom.MatchString(strings.TrimSpace(lines[i])) {
			continue
		}
		for _, l := range lines[i+1 : min(i+4, len(lines))] {
			if !headSent.MatchString(strings.TrimSpace(l)) {
				continue
			}
			for i > 0 && (strings.TrimSpace(lines[i-1]) == "" || rule.MatchString(strings.TrimSpace(lines[i-1]))) {
				i--
			}
			return i
		}
	}
	return -1
}

func quoted(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), ">") }

func trimmed(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// blocks end a line, before and behind them.
var blocks = map[string]bool{"p": true, "div": true, "br": true, "tr": true, "li": true, "h1": true, "h2": true, "h3": true, "h4": true,
	"table": true, "ul": true, "ol": true, "pre": true, "hr": true, "blockquote": true}

// silent show nothing.
var silent = map[string]bool{"head": true, "style": true, "script": true, "title": true, "noscript": true, "template": true}

// inline are tags that stand in words, and end none.
var inline = map[string]bool{"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "big": true, "cite": true, "code": true,
	"del": true, "em": true, "font": true, "i": true, "ins": true, "kbd": true, "mark": true, "o": true, "q": true, "s": true, "samp": true,
	"small": true, "span": true, "strike": true, "strong": true, "sub": true, "sup": true, "tt": true, "u": true, "var": true, "wbr": true}

// page is the text of one, as it is read from tag to tag.
type page struct {
	strings.Builder
	depth int  // of quotes
	begun bool // a line
	apart bool // white space, or what shows as such, is behind the last word
}

func (p *page) say(text string) {
	text = html.UnescapeString(text)
	words := strings.Join(strings.Fields(text), " ")
	p.apart = p.apart || text != strings.TrimLeftFunc(text, unicode.IsSpace)
	switch {
	case words == "":
		return
	case !p.begun:
		p.WriteString(strings.Repeat("> ", min(p.depth, 5)))
	case p.apart:
		p.WriteString(" ")
	}
	p.WriteString(words)
	p.begun, p.apart = true, text != strings.TrimRightFunc(text, unicode.IsSpace)
}

// meets a tag that shows something.
func (p *page) meets(name string, ends bool) {
	if blocks[name] && p.begun {
		p.WriteString("\n")
		p.begun = false
	}
	p.apart = p.apart || !inline[name]
	if name == "blockquote" {
		if p.depth++; ends {
			p.depth = max(0, p.depth-2)
		}
	}
}

// fromHTML is the text of a page: what is quoted there is quoted here. It goes from tag to tag, and
// needs none of them to be where it belongs.
func fromHTML(source string) string {
	var p page
	for source != "" {
		text, rest, tagged := strings.Cut(source, "<")
		p.say(text)
		if !tagged {
			break
		}
		if comment, is := strings.CutPrefix(rest, "!--"); is {
			_, source, _ = strings.Cut(comment, "-->")
			continue
		}
		if !beginsTag.MatchString(rest) { // it is less than something
			p.say("<")
			source = rest
			continue
		}
		tag, behind := cutTag(rest)
		source = behind
		name, ends := tagName(tag)
		if silent[name] && !ends {
			source = behindEnd(source, name)
			continue
		}
		p.meets(name, ends)
	}
	return strings.TrimSpace(p.String())
}

var beginsTag = regexp.MustCompile(`^[A-Za-z/!?]`)

// cutTag is a tag, and what is behind it: a > in a value of it does not end it, unless the value never ends.
func cutTag(source string) (tag, behind string) {
	in := byte(0)
	for i := range len(source) {
		switch c := source[i]; {
		case in != 0:
			if c == in {
				in = 0
			}
		case c == '>':
			return source[:i], source[i+1:]
		case (c == '"' || c == '\'') && i > 0 && source[i-1] == '=':
			in = c
		}
	}
	tag, behind, _ = strings.Cut(source, ">")
	return tag, behind
}

// tagName is the name of a tag, and whether it ends something.
func tagName(tag string) (name string, ends bool) {
	tag, ends = strings.CutPrefix(tag, "/")
	end := strings.IndexFunc(tag, func(r rune) bool { return r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z') })
	if end >= 0 {
		tag = tag[:end]
	}
	return strings.ToLower(tag), ends
}

// behindEnd is the page behind the end of something that shows nothing; without one there is none.
func behindEnd(page, name string) string {
	for {
		_, rest, is := strings.Cut(page, "</")
		if !is {
			return ""
		}
		if page = rest; len(page) >= len(name) && strings.EqualFold(page[:len(name)], name) {
			_, rest, _ := strings.Cut(page, ">")
			return rest
		}
	}
}

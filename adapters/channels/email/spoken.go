package email

import (
	"html"
	"regexp"
	"strings"
)

var (
	forwarded = regexp.MustCompile(`(?i)^-{2,}\s*(original message|original-nachricht|ursprüngliche nachricht|message d'origine|` +
		`mensaje original|messaggio originale|oorspronkelijk bericht)\s*-{2,}$`)
	// Outlook sets the head of what it quotes below a line, or below nothing.
	rule       = regexp.MustCompile(`^_{10,}$`)
	headFrom   = regexp.MustCompile(`(?i)^\*?(from|von|de|da|van|från|fra)\s?:\*?\s`)
	headSent   = regexp.MustCompile(`(?i)^\*?(sent|date|gesendet|datum|envoyé|enviado|fecha|inviato|data|verzonden|skickat|sendt)\s?:\*?\s`)
	passedOn   = regexp.MustCompile(`(?i)^(fwd?|wg|tr|rv|i|enc|doorst|vs)\s?:`)
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
	if out := strings.TrimSpace(strings.Join(lines, "\n")); out != "" {
		return out
	}
	return strings.TrimSpace(text)
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

// fromHTML is the text of a page: what is quoted there is quoted here. It goes from tag to tag, and
// needs none of them to be where it belongs.
func fromHTML(page string) string {
	var b strings.Builder
	depth, fresh := 0, true
	say := func(text string) {
		words := strings.Join(strings.Fields(html.UnescapeString(text)), " ")
		switch {
		case words == "":
			return
		case fresh:
			b.WriteString(strings.Repeat("> ", min(depth, 5)))
		default:
			b.WriteString(" ")
		}
		b.WriteString(words)
		fresh = false
	}
	for page != "" {
		text, rest, tagged := strings.Cut(page, "<")
		say(text)
		if !tagged {
			break
		}
		if comment, is := strings.CutPrefix(rest, "!--"); is {
			_, page, _ = strings.Cut(comment, "-->")
			continue
		}
		tag, behind, _ := strings.Cut(rest, ">")
		page = behind
		name, ends := tagName(tag)
		if silent[name] && !ends {
			page = behindEnd(page, name)
			continue
		}
		if blocks[name] && !fresh {
			b.WriteString("\n")
			fresh = true
		}
		if name == "blockquote" {
			if depth++; ends {
				depth = max(0, depth-2)
			}
		}
	}
	return strings.TrimSpace(b.String())
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

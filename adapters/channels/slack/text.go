package slack

import (
	"regexp"
	"slices"
	"strings"
)

var (
	unescaped = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")

	// first is whom a text begins with: in a channel, and where nobody says which user the bot is, that is the bot.
	first = regexp.MustCompile(`^\s*<@[A-Z0-9]+(\|[^<>]*)?>\s*`)
	// marked is what Slack writes for a person, a channel or an address that stands in a text.
	marked = regexp.MustCompile(` ?<([^<>]+)>`)
)

// spoken is a text as people wrote it: without the bot's name, and with addresses and the names of others as
// they are read. Slack writes <mailto:ann@shop.example|ann@shop.example> for ann@shop.example.
func spoken(text string, bots []string, direct bool) string {
	if len(bots) == 0 && !direct {
		text = first.ReplaceAllString(text, "")
	}
	text = marked.ReplaceAllStringFunc(text, func(found string) string {
		inner := strings.TrimPrefix(found, " ")
		before := strings.TrimSuffix(found, inner)
		to, label, _ := strings.Cut(strings.Trim(inner, "<>"), "|")
		if id, is := strings.CutPrefix(to, "@"); is && slices.Contains(bots, id) {
			return ""
		}
		return before + named(to, label)
	})
	return strings.TrimSpace(unescaped.Replace(text))
}

// named is what people read of one: to is what it leads to, label how it is shown, where that is said.
func named(to, label string) string {
	switch {
	case strings.HasPrefix(to, "@"), strings.HasPrefix(to, "#"):
		if label != "" {
			return to[:1] + strings.TrimPrefix(label, to[:1])
		}
		return to
	case strings.HasPrefix(to, "!"):
		if label != "" {
			return label
		}
		return "@" + to[1:]
	}
	_, address, _ := strings.Cut(to, ":")
	if address = strings.TrimPrefix(address, "//"); strings.HasPrefix(to, "mailto:") || strings.HasPrefix(to, "tel:") {
		to = address
	}
	switch {
	case label == "", label == to:
		return to
	case strings.TrimSuffix(label, "/") == strings.TrimSuffix(address, "/"): // who wrote it left the beginning out
		return label
	}
	return label + " (" + to + ")"
}

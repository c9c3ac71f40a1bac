package access

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/fault"
)

// MaxNameLength is the longest name that a person can give to something, in
// characters (DECISIONS "Platform": key names are 1 to 100 characters).
const MaxNameLength = 100

// CleanName applies the rule for names that people choose: white space around the
// name is dropped, the rest is 1 to MaxNameLength characters of valid UTF-8
// without control characters or line breaks. Case counts, and inner spaces are
// kept. A broken rule is told as a problem ("must not ..."), which is empty for a
// good name.
func CleanName(raw string) (name, problem string) {
	if !utf8.ValidString(raw) {
		return "", "must be valid UTF-8"
	}
	name = strings.TrimSpace(raw)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return "", "is required"
	case n > MaxNameLength:
		return "", fmt.Sprintf("must be at most %d characters, has %d", MaxNameLength, n)
	case strings.ContainsFunc(name, breaksLine):
		return "", "must not contain control characters or line breaks"
	}
	return name, ""
}

// breaksLine knows the two separators that are not control characters but end a
// line in logs and lists all the same.
func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

func checkName(f *fault.Fields, field, raw string) string {
	name, problem := CleanName(raw)
	if problem != "" {
		f.Add(field, "%s", problem)
	}
	return name
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$`)

// ValidLanguage reports whether the text has the form of a language tag: en, de-AT,
// zh-Hant-TW.
func ValidLanguage(tag string) bool { return len(tag) <= 35 && languageTag.MatchString(tag) }

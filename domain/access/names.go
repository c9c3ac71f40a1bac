package access

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/parley-platform/parley/domain/fault"
)

// MaxNameLength is the longest name that a person can give to something, in characters
// (docs/api-rules.md "Names").
const MaxNameLength = 100

// CleanName applies the rule for names that people choose, whatever they name: the
// name is brought into the form NFC and white space around it is dropped; the rest is
// 1 to MaxNameLength characters of valid UTF-8, none of which is a control character,
// breaks the line, is not seen, or turns the direction of writing. So two names that
// look the same are the same, but for letters of other scripts. Case counts, and
// inner spaces are kept. A broken rule is told as a problem ("must not ..."), which is
// empty for a good name.
func CleanName(raw string) (name, problem string) { return CleanText(raw, MaxNameLength) }

// CleanText is CleanName for a line of text that may be longer or shorter.
func CleanText(raw string, longest int) (text, problem string) {
	if !utf8.ValidString(raw) {
		return "", "must be valid UTF-8"
	}
	text = PlainName(raw)
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return "", "is required"
	case n > longest:
		return "", fmt.Sprintf("must be at most %d characters, has %d", longest, n)
	}
	return text, unseen(text)
}

// PlainName is the form in which names are compared. Names that stand on the log since
// before CleanName refused so much are compared by it as well.
func PlainName(raw string) string { return strings.TrimSpace(norm.NFC.String(raw)) }

// SameName reports whether two names are the same to those who use them.
func SameName(a, b string) bool { return a == b || PlainName(a) == PlainName(b) }

// unseen tells which character of a name is none that one sees.
func unseen(name string) string {
	before, runes := rune(0), []rune(name)
	for i, r := range runes {
		switch {
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			return "must not contain control characters or line breaks"
		case joins(r):
			if i+1 == len(runes) || !joined(before) || !joined(runes[i+1]) {
				return fmt.Sprintf("must not contain the invisible character %U, except between letters of a script that needs it", r)
			}
		case unicode.Is(unicode.Bidi_Control, r):
			return fmt.Sprintf("must not contain the character %U, which turns the direction of writing", r)
		case !unicode.IsGraphic(r), unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector), r == '\u2800':
			return fmt.Sprintf("must not contain the invisible, private or unassigned character %U", r)
		}
		before = r
	}
	return ""
}

// joins knows the zero-width joiner and non-joiner, by which words of some scripts
// differ to those who read them.
func joins(r rune) bool { return r == '\u200c' || r == '\u200d' }

// joined are the letters, and the marks on them, of the scripts that need those two.
func joined(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar)
}

// CheckName is CleanName of a field; what is wrong with it is noted.
func CheckName(f *fault.Fields, field, raw string) (name string) {
	name, problem := CleanName(raw)
	if problem != "" {
		f.Add(field, "%s", problem)
	}
	return name
}

// CheckPathName is CheckName of a name that stands in a path: a slash would need escaping that
// few clients get right, and dots alone are steps in it, escaped or not.
func CheckPathName(f *fault.Fields, field, raw string) (name string) {
	name = CheckName(f, field, raw)
	if strings.ContainsAny(name, `/\?#%`) {
		f.Add(field, `must not contain / \ ? # or %%: it stands in paths`)
	}
	if name == "." || name == ".." {
		f.Add(field, "must not be %s: it stands in paths", name)
	}
	return name
}

// MaxDescriptionLength is the longest description of what a manifest defines, in characters.
const MaxDescriptionLength = 1000

// CheckDescription is a description without the white space around it; what is wrong with
// it is noted.
func CheckDescription(f *fault.Fields, field, raw string) (description string) {
	description = strings.TrimSpace(raw)
	if !utf8.ValidString(description) || utf8.RuneCountInString(description) > MaxDescriptionLength {
		f.Add(field, "must be valid UTF-8 of at most %d characters", MaxDescriptionLength)
	}
	return description
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$`)

// ValidLanguage reports whether the text has the form of a language tag: en, de-AT,
// zh-Hant-TW.
func ValidLanguage(tag string) bool { return len(tag) <= 35 && languageTag.MatchString(tag) }

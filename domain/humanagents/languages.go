package humanagents

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/parley-platform/parley/domain/access"
)

// LanguageTag is the one form in which languages of agents are kept, compared and shown:
// the BCP 47 tag, in its usual case and without what is out of date or goes without
// saying (iw is he, en-Latn is en). It takes tags and names: the English name of a
// language, or what its own speakers call it (German, Deutsch, Brazilian Portuguese).
// What is a tag and a name is the tag. ok is false for what is neither.
func LanguageTag(text string) (tag string, ok bool) {
	text = strings.TrimSpace(text)
	if t, err := language.BCP47.Parse(text); err == nil && spoken(t) {
		return t.String(), true
	}
	tag, ok = languageNames()[nameKey(text)]
	return tag, ok
}

// spoken tells languages from what tags say instead of one: undetermined, several, none.
func spoken(t language.Tag) bool {
	base, _, _ := t.Raw()
	return access.ValidLanguage(t.String()) && !slices.Contains([]string{"und", "mul", "mis", "zxx"}, base.String())
}

// nameKey is the form in which names of languages are compared.
func nameKey(name string) string {
	return strings.ToLower(norm.NFC.String(strings.Join(strings.Fields(name), " ")))
}

// namesOfLanguages is a line for each name, in the form of nameKey, and its tag. It is
// taken from golang.org/x/text, whose tables of names would be 2 MB of the binary; the
// test beside it makes it and compares.
//
//go:embed language_names.tsv
var namesOfLanguages string

// languageNames has the tag of each name.
var languageNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(namesOfLanguages) {
		name, tag, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		names[name] = tag
	}
	return names
})

// normalLanguages has every language once, by its tag, at its first place. What was said
// of it last counts. A language that is not known stays as it is.
func normalLanguages(given []Language) []Language {
	if given == nil {
		return nil
	}
	out := []Language{}
	for _, l := range given {
		if tag, ok := LanguageTag(l.Language); ok {
			l.Language = tag
		}
		at := slices.IndexFunc(out, func(o Language) bool { return o.Language == l.Language })
		if at < 0 {
			out = append(out, l)
			continue
		}
		out[at] = l
	}
	return out
}

// Normal is the record with its languages as LanguageTag has them: records from before
// names were taken are on the log with tags in any case, and more than once.
func (r Record) Normal() Record {
	r.ChatLanguageSupport = normalLanguages(r.ChatLanguageSupport)
	r.VoiceLangSupport = normalLanguages(r.VoiceLangSupport)
	r.CaseLanguageSupport = normalLanguages(r.CaseLanguageSupport)
	return r
}

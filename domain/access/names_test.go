package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

func TestNamesAreWhatOneSees(t *testing.T) {
	for about, c := range map[string]struct{ raw, name string }{
		"white space around":            {" \tOps\u00a0", "Ops"},
		"one form of two":               {"Cafe\u0301", "Café"},
		"Hangul from its parts":         {"\u1100\u1161", "가"},
		"an angstrom sign is a letter":  {"\u212b", "Å"},
		"inner spaces and case":         {"a  B", "a  B"},
		"a mark that has no one letter": {"q\u0307", "q\u0307"},
		"symbols and emoji":             {"☎ 24/7 🚑", "☎ 24/7 🚑"},
		"a non-joiner in Persian":       {"می\u200cخواهم", "می\u200cخواهم"},
		"a joiner in Sinhala":           {"ශ්\u200dරී", "ශ්\u200dරී"},
		"from right to left by itself":  {"שלום", "שלום"},
	} {
		name, problem := access.CleanName(c.raw)
		require.Empty(t, problem, about)
		require.Equal(t, c.name, name, about)
	}
	for about, raw := range map[string]string{
		"nothing": " \u00a0 ", "line break": "a\nb", "line separator": "a\u2028b", "U+0000": "a\x00b", "C1": "a\u0085b",
		"not UTF-8": "a\xffb", "a lone surrogate": "a\xed\xa0\x80b",
		"zero-width space": "a\u200bb", "word joiner": "a\u2060b", "soft hyphen": "a\u00adb", "byte order mark": "\ufeffa",
		"grapheme joiner": "a\u034fb",
		"Hangul filler":   "\u3164", "Braille blank": "\u2800", "variation selector": "☎\ufe0f", "tag": "a\U000e0061",
		"Mongolian selector": "a\u180eb",
		"left to right mark": "a\u200e", "right to left mark": "a\u200fb", "Arabic letter mark": "a\u061cb",
		"override": "a\u202eb", "embedding": "a\u202ab", "isolate": "a\u2066b", "end of isolate": "a\u2069b",
		"joiner between Latin letters": "a\u200db", "non-joiner at the end": "می\u200c", "non-joiner at the beginning": "\u200cمی",
		"two non-joiners": "می\u200c\u200cخ", "joined emoji": "👩\u200d🚒",
		"private use": "a\ue000", "unassigned": "a\u0378", "no character": "a\ufffe",
	} {
		_, problem := access.CleanName(raw)
		require.NotEmpty(t, problem, "%s: %q", about, raw)
	}
}

// A name that stands on the log in another form is the same name.
func TestNamesOfOlderEventsAreCompared(t *testing.T) {
	old := ciKey
	old.Name = "Cafe\u0301"
	_, err := decide(access.Scopes, after(withScope, old), createKey(func(c *access.CreateKey) { c.KeyID, c.Name = "ak-2", "Café" }))
	refused(t, err, fault.Conflict)
	_, err = decide(access.Tenants, after(withProject, []event.Payload{access.ScopeRegistered{TenantID: "acct", ProjectID: "shop",
		ScopeID: "as-1", Name: "Cafe\u0301"}}...),
		access.RegisterScope{ScopeID: "as-2", ProjectID: "shop", Name: "Café"})
	refused(t, err, fault.Conflict)
}

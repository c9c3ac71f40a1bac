package humanagents

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

const namesFile = "language_names.tsv"

// variants have English names of their own (American English, Flemish), and are
// in none of the lists of what the tables hold.
var variants = []string{"en-US", "en-GB", "en-AU", "en-CA", "de-AT", "de-CH", "fr-CA", "fr-CH", "es-ES", "es-MX", "es-419",
	"pt-BR", "pt-PT", "nl-BE", "zh-Hans", "zh-Hant"}

// alsoCalled are names in use that the tables do not have.
var alsoCalled = map[string]string{"norwegian": "no", "tagalog": "tl", "farsi": "fa", "mandarin": "zh", "castilian": "es"}

// namesOfTheTables has the tag of each name that golang.org/x/text knows. A name that
// several have is that of the language before that of its variants, and English names
// come before the others.
func namesOfTheTables() map[string]string {
	var tags []language.Tag
	for _, base := range language.Supported.BaseLanguages() {
		if t, err := language.BCP47.Compose(base); err == nil {
			tags = append(tags, t)
		}
	}
	for _, v := range variants {
		tags = append(tags, language.Raw.Make(v))
	}
	tags = append(tags, language.Supported.Tags()...)
	tags = append(tags, display.Supported.Tags()...)
	names := maps.Clone(alsoCalled)
	for _, namer := range []display.Namer{display.English.Languages(), display.Self} {
		for _, t := range tags {
			name := nameKey(namer.Name(t))
			if _, taken := names[name]; name != "" && !taken && spoken(t) {
				names[name] = t.String()
			}
		}
	}
	return names
}

// TestNamesOfLanguagesAreThoseOfTheTables: what is known is what golang.org/x/text
// knows. After a new version of it UPDATE_LANGUAGES=1 writes the file anew.
func TestNamesOfLanguagesAreThoseOfTheTables(t *testing.T) {
	names := namesOfTheTables()
	var file strings.Builder
	for _, name := range slices.Sorted(maps.Keys(names)) {
		require.NotContains(t, name, "\t")
		require.NotContains(t, name, "\n")
		file.WriteString(name + "\t" + names[name] + "\n")
	}
	if os.Getenv("UPDATE_LANGUAGES") != "" {
		require.NoError(t, os.WriteFile(namesFile, []byte(file.String()), 0o644))
		return // this binary has the file as it was
	}
	committed, err := os.ReadFile(namesFile)
	require.NoError(t, err)
	require.Equal(t, string(committed), file.String(), "run UPDATE_LANGUAGES=1 go test ./domain/humanagents")
	require.Equal(t, string(committed), namesOfLanguages)
	require.Equal(t, names, languageNames())
}

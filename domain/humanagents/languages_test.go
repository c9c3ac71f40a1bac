package humanagents_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/humanagents"
)

// TestLanguagesByTagOrName: one form of each language, whatever it is called.
func TestLanguagesByTagOrName(t *testing.T) {
	for tag, texts := range map[string][]string{
		"en":      {"en", "EN", "eng", "en-Latn", "English", "english", " English "},
		"en-US":   {"en-US", "en-us", "en_US", "American English"},
		"de":      {"de", "deu", "German", "Deutsch", "deutsch"},
		"de-AT":   {"de-AT", "DE-at", "Austrian German", "Österreichisches Deutsch", "O\u0308sterreichisches Deutsch"},
		"fr":      {"fr", "French", "français", "FRANÇAIS"},
		"ja":      {"ja", "Japanese", "日本語"},
		"he":      {"he", "iw", "Hebrew"},
		"no":      {"no", "Norwegian"},
		"pt-BR":   {"pt-BR", "Brazilian  Portuguese"},
		"zh":      {"zh", "Chinese", "中文"},
		"zh-Hant": {"zh-Hant", "zh-hant", "Traditional Chinese"},
		"es-419":  {"es-419", "Latin American Spanish"},
	} {
		for _, text := range texts {
			got, ok := humanagents.LanguageTag(text)
			require.Equal(t, []any{tag, true}, []any{got, ok}, text)
			again, ok := humanagents.LanguageTag(got)
			require.Equal(t, []any{tag, true}, []any{again, ok}, "the form is its own")
		}
	}
	for _, text := range []string{"", " ", "e", "xx", "xyz", "xx-US", "Elvish of the woods", "english!", "und", "mul", "zxx", "root",
		"x-private", "en--US", "en-", "English, German", "\xff\xfe", "en\x00"} {
		got, ok := humanagents.LanguageTag(text)
		require.False(t, ok, "%q is %q", text, got)
	}
}

func TestLanguagesOfAnAgentAreKeptAsTheirTags(t *testing.T) {
	past := history(t, nil, define("a-1", maria()).Decide)
	past = history(t, past, update("a-1", given(t, `{"voiceLanguageSupport":[{"language":"Deutsch","proficiency":1}],
		"chatLanguageSupport":[{"language":"English","proficiency":50},{"language":"de_at","proficiency":80},
			{"language":"EN","proficiency":90,"isActive":false}]}`)).Decide)
	off := false
	a := agent(t, "a-1", past)
	once := []humanagents.Language{{Language: "en", Proficiency: 90, IsActive: &off}, {Language: "de-AT", Proficiency: 80}}
	require.Equal(t, once, a.ChatLanguageSupport, "once each, the last counts")
	require.Equal(t, []humanagents.Language{{Language: "de", Proficiency: 1}}, a.VoiceLangSupport)

	renamed := given(t, `{"voiceLanguageSupport":[{"language":"german","proficiency":1},{"language":"de","proficiency":1}]}`)
	same := history(t, past, update("a-1", renamed).Decide)
	require.Len(t, same, len(past), "another name of the same changes nothing")
	english := maria(func(g *humanagents.Given) {
		g.CaseLanguageSupport = &[]humanagents.Language{{Language: "English", Proficiency: 1}}
	})
	tag := maria(func(g *humanagents.Given) {
		g.CaseLanguageSupport = &[]humanagents.Language{{Language: "en", Proficiency: 1}}
	})
	defined := history(t, nil, define("a-2", english).Decide)
	require.Len(t, history(t, defined, define("a-2", tag).Decide), len(defined), "nor in a manifest")
}

// TestLanguagesOnTheLogStayReadable: records from before are compared in the one form,
// and an update that leaves a list is not refused for what stands in it.
func TestLanguagesOnTheLogStayReadable(t *testing.T) {
	past := history(t, nil, define("a-1", maria()).Decide)
	old := past[0].(humanagents.HumanAgentDefined)
	old.Agent.ChatLanguageSupport = []humanagents.Language{{Language: "EN", Proficiency: 1}, {Language: "xx-YY", Proficiency: 2},
		{Language: "en", Proficiency: 3}}
	old.Declared.ChatLanguageSupport = old.Agent.ChatLanguageSupport
	past[0] = old
	normal := []humanagents.Language{{Language: "en", Proficiency: 3}, {Language: "xx-YY", Proficiency: 2}}
	require.Equal(t, normal, agent(t, "a-1", past).ChatLanguageSupport)
	past = history(t, past, update("a-1", maria(func(g *humanagents.Given) { g.NickName = ptr("Mia") })).Decide)
	require.Equal(t, "Mia", agent(t, "a-1", past).NickName)

	again := given(t, `{"chatLanguageSupport":[{"language":"xx-YY","proficiency":2}]}`)
	_, err := update("a-1", again).Decide(humanagents.Organisations.State(past...))
	require.Equal(t, []string{"chatLanguageSupport[0].language"}, faulttest.Fields(t, err))
	require.ErrorContains(t, err, "such as en, de-AT, English or Deutsch")
}

//go:build !apache

package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

func speaks(language string, proficiency float64) map[string]any {
	return map[string]any{"language": language, "proficiency": proficiency}
}

// TestLanguagesOfHumanAgentsByNameOrTag: whoever names a language, and however, every
// answer has its tag.
func TestLanguagesOfHumanAgentsByNameOrTag(t *testing.T) {
	t.Parallel()
	w := shared(t).tenant(t, "")
	w.agents(t, map[string]any{"voiceLanguageSupport": list(speaks("French", 40), speaks("de_at", 30))}, "a-1", "a-2")
	defined := list(speaks("fr", 40), speaks("de-AT", 30))
	require.Equal(t, defined, object(t, w.call(t, "GET", agentPath("a-1"), nil))["voiceLanguageSupport"], "of a manifest")

	for _, c := range []struct {
		row         string
		sent, shown []any
	}{
		{"chatLanguageSupport", list(speaks("English", 90)), list(speaks("en", 90))},
		{"voiceLanguageSupport", list(speaks("EN-us", 90), speaks("Deutsch", 0)), list(speaks("en-US", 90), speaks("de", 0))},
		{"caseLanguageSupport", list(speaks("日本語", 100), speaks("en", 1), speaks("Japanese", 5), speaks("english", 2)),
			list(speaks("ja", 5), speaks("en", 2))},
	} {
		got := object(t, w.call(t, "PUT", agentPath("a-1"), w.agentBody("a-1", map[string]any{c.row: c.sent})))
		require.Equal(t, c.shown, got[c.row], c.row)
		_, listed := w.listAgents(t, "")
		require.Equal(t, c.shown, listed["a-1"][c.row], c.row)
		require.Equal(t, defined, listed["a-2"]["voiceLanguageSupport"], "another's stay")
		unknown := w.call(t, "PUT", agentPath("a-1"), w.agentBody("a-1", map[string]any{c.row: list(speaks("en", 1), speaks("Elvish", 1))}))
		unknown.refused(t, 400, fault.Validation, c.row+"[1].language")
		require.Contains(t, unknown.Text, "such as en, de-AT, English or Deutsch")
	}
}

package dsl_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
)

func example(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".yaml")
	require.NoError(t, err)
	return string(data)
}

func compiled(t testing.TB, name, source string) *dsl.Program {
	t.Helper()
	p, problems := dsl.Compile(name, source)
	require.Empty(t, problems)
	return p
}

func TestTheExamplesCompile(t *testing.T) {
	for name, file := range map[string]string{"Support_Triage": "support_triage",
		"Trip_Planner": "trip_planner", "Meter_Reading": "meter_reading"} {
		p := compiled(t, name, example(t, file))
		require.Equal(t, name, p.Agent)
		require.Equal(t, name != "Meter_Reading", p.NeedsModel(), name)
		require.Empty(t, p.Warnings, name)
	}
}

var (
	yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")
	agentName = regexp.MustCompile(`(?m)^AGENT: (\w+)`)
)

// The guide to the language is what people paste from: each agent in it compiles, and each tool
// does in an agent that has the store which it names.
func TestWhatTheGuideShowsCompiles(t *testing.T) {
	guide, err := os.ReadFile("../../docs/language.md")
	require.NoError(t, err)
	blocks := yamlBlock.FindAllStringSubmatch(string(guide), -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		source := block[1]
		if strings.HasPrefix(source, "  ") {
			source = "DSL: 1\nAGENT: Shown\nGOAL: To show a tool.\nMEMORY: {visits: {SCOPE: session}}\nTOOLS:\n" + source
		}
		name := agentName.FindStringSubmatch(source)
		require.NotNil(t, name, source)
		compiled(t, name[1], source)
	}
}

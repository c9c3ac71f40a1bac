package llm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
)

const goodFile = `providers:
  - {name: rules, kind: local}
  - name: own
    kind: openai
    baseUrl: http://10.0.0.7:8000/v1
    apiKeyEnv: OWN_KEY
  - {name: claude, kind: anthropic}
models:
  - id: small
    provider: rules
    prices: {version: 2026-11, input: 0.15, output: "0.6"}
  - {id: large, provider: own, model: llama-70b}
  - {id: sonnet, provider: claude}
tiers:
  fast: [small, large]
  powerful: [sonnet]
`

func environment(name string) string {
	return map[string]string{"OWN_KEY": "sk-secret", "ANTHROPIC_API_KEY": "sk-ant-secret"}[name]
}

func TestAFileOfModels(t *testing.T) {
	models, err := llm.ReadModels([]byte(goodFile), environment)
	require.NoError(t, err)
	said := []completions.Message{{Role: completions.User, Text: "Hello there"}}
	for _, r := range []completions.Request{{ModelID: "small"}, {ModelID: "large"}, {ModelID: "sonnet"}, {Tier: "fast"},
		{Tier: "powerful"}} {
		require.NoError(t, models.Check(r), r)
	}
	require.True(t, fault.Is(models.Check(completions.Request{ModelID: "medium"}), fault.Validation))
	require.True(t, fault.Is(models.Check(completions.Request{}), fault.Unavailable), "the file has no balanced tier")
	finish, err := models.Complete(t.Context(), completions.Request{Tier: "fast", Messages: said},
		func(completions.Piece) error { return nil })
	require.NoError(t, err)
	require.Equal(t, completions.Chosen{ModelID: "small", Provider: "rules", Source: "tier"}, finish.Chosen)
	require.Equal(t, completions.Pricing{Version: "2026-11", In: 150_000, Out: 600_000}, finish.Pricing)
}

func TestWhatIsWrongInAFileOfModels(t *testing.T) {
	for says, edit := range map[string][2]string{
		"line 2: providers[0].kind must be":                   {"kind: local", "kind: lokal"},
		"line 2: providers[0].name must be":                   {"name: rules", "name: 'r u l e s'"},
		"line 3: providers[1].name is used twice":             {"name: own", "name: rules"},
		"line 6: providers[1].apiKeyEnv names a variable":     {"OWN_KEY", "NO_KEY"},
		"line 5: providers[1].baseUrl and the key":            {"http://10.0.0.7", "10.0.0.7"},
		"line 9: models[0].id must be":                        {"id: small", "id: ''"},
		"line 12: models[1].id is used twice":                 {"id: large", "id: small"},
		"line 13: models[2].provider is not the name":         {"provider: claude", "provider: clod"},
		"line 11: models[0].prices.version must say":          {"2026-11", "''"},
		"line 11: models[0].prices.input must be US dollars":  {"0.15", "0.0000001"},
		"line 11: models[0].prices.output must be US dollars": {`"0.6"`, "-1"},
		"line 15: tiers.fast[1] is not the id of a model":     {"[small, large]", "[small, huge]"},
		"line 16: tiers.strong is no tier":                    {"powerful", "strong"},
		"line 12: field modell not found":                     {"model: llama-70b", "modell: llama-70b"},
		"it must be one document":                             {"tiers:", "---\ntiers:"},
	} {
		_, err := llm.ReadModels([]byte(strings.Replace(goodFile, edit[0], edit[1], 1)), environment)
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := llm.ReadModels(nil, environment)
	require.ErrorContains(t, err, "models are missing")
	_, err = llm.ReadModels([]byte("providers: []\n"), environment)
	require.ErrorContains(t, err, "line 1: models must name at least one")
}

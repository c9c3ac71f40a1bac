package llm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/llm"
)

const pricedModels = `# who answers
providers:
  - {name: openai, kind: openai}
  - {name: own, kind: openai, baseUrl: "http://10.0.0.7:8000/v1"}
  - {name: claude, kind: anthropic}
models:
  - id: small # the cheap one
    provider: openai
    model: gpt-4o-mini
    prices: {version: 2026-01, input: 0.150, output: 0.60}
  - {id: gpt-5, provider: openai, prices: {version: 2026-01, input: 1, output: 2}}
  - {id: sonnet, provider: claude, model: claude-sonnet}
  - {id: llama, provider: own, model: gpt-4o-mini}
tiers: {fast: [small], balanced: [sonnet]}
`

func priceList(t *testing.T, rows string) llm.PriceList {
	t.Helper()
	list, err := llm.ReadPriceList([]byte(rows))
	require.NoError(t, err)
	return list
}

const listed = `{"sample_spec": {"input_cost_per_token": "what a token costs"},
"gpt-4o-mini": {"input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07, "cache_read_input_token_cost": 7.5e-08,
  "cache_creation_input_token_cost": 0, "mode": "chat"},
"gpt-5": {"input_cost_per_token": 0.00000125, "output_cost_per_token": 0.00001},
"anthropic/claude-sonnet": {"input_cost_per_token": 3E-6, "output_cost_per_token": 0.000015000001}}`

// Given prices in the file, then those that the list has otherwise are changed, exactly, and all
// else stands as it stood.
func TestPricesOfAListAreTakenOver(t *testing.T) {
	content, all, err := llm.Repricing{List: priceList(t, listed), Version: "2026-11-25"}.In([]byte(pricedModels))
	require.NoError(t, err)
	none := []string{}
	require.Equal(t, []llm.Repriced{
		{Model: "small", Row: "gpt-4o-mini", Outcome: llm.PriceUnchanged, Before: &llm.Price{Version: "2026-01", Input: "0.150",
			Output: "0.60"}, After: &llm.Price{Version: "2026-01", Input: "0.150", Output: "0.60"},
			LeftOut: []string{"cache_read_input_token_cost"}},
		{Model: "gpt-5", Row: "gpt-5", Outcome: llm.PriceChanged, Before: &llm.Price{Version: "2026-01", Input: "1", Output: "2"},
			After: &llm.Price{Version: "2026-11-25", Input: "1.25", Output: "10"}, LeftOut: none},
		{Model: "sonnet", Row: "anthropic/claude-sonnet", Outcome: llm.PriceAdded, After: &llm.Price{Version: "2026-11-25", Input: "3",
			Output: "15.000001"}, LeftOut: none},
		{Model: "llama", Outcome: llm.PriceUnlisted, LeftOut: none},
	}, all)
	text := string(content)
	for _, stands := range []string{"# who answers", "id: small # the cheap one", "input: 0.150, output: 0.60",
		"baseUrl: \"http://10.0.0.7:8000/v1\"",
		"input: 1.25, output: 10}", "input: 3, output: 15.000001}", "tiers: {fast: [small], balanced: [sonnet]}"} {
		require.Contains(t, text, stands)
	}
	again, all, err := llm.Repricing{List: priceList(t, listed), Version: "2026-12-01"}.In(content)
	require.NoError(t, err)
	require.Equal(t, text, string(again), "twice is as once")
	require.Equal(t, llm.PriceUnchanged, all[2].Outcome)
}

func TestARowMayBeNamed(t *testing.T) {
	_, all, err := llm.Repricing{List: priceList(t, listed), Version: "v", As: map[string]string{"llama": "gpt-5"}}.In([]byte(pricedModels))
	require.NoError(t, err)
	require.Equal(t, []string{llm.PriceAdded, "gpt-5"}, []string{all[3].Outcome, all[3].Row})
}

// Given rows that cannot be taken, then each is named, and nothing is given.
func TestRowsThatAreWrong(t *testing.T) {
	for row, why := range map[string]string{
		`[]`:                              "is no JSON object",
		`{"output_cost_per_token": 1e-6}`: "input_cost_per_token must be a number",
		`{"input_cost_per_token": "1e-6", "output_cost_per_token": 1e-6}`:   "input_cost_per_token must be a number",
		`{"input_cost_per_token": -1e-6, "output_cost_per_token": 1e-6}`:    "not below 0",
		`{"input_cost_per_token": 1e-6, "output_cost_per_token": 1e-13}`:    "output_cost_per_token 1e-13 has more digits",
		`{"input_cost_per_token": 1e999999999, "output_cost_per_token": 1}`: "must be a number of dollars",
		`{"input_cost_per_token": 5, "output_cost_per_token": 1e-6}`:        "more than a dollar for a token",
		`{"input_cost_per_token": 1e18, "output_cost_per_token": 1e-6}`:     "more than a dollar for a token",
	} {
		list := priceList(t, `{"gpt-5": `+row+`, "gpt-4o-mini": {"input_cost_per_token": null}}`)
		content, all, err := llm.Repricing{List: list, Version: "v"}.In([]byte(pricedModels))
		require.Nil(t, content)
		require.Nil(t, all)
		require.ErrorContains(t, err, "the model gpt-5: row \"gpt-5\"", row)
		require.ErrorContains(t, err, why, row)
		require.ErrorContains(t, err, "the model small: row \"gpt-4o-mini\": input_cost_per_token must be a number")
	}
	list := priceList(t, listed)
	for as, why := range map[[2]string]string{{"big", "gpt-5"}: `"big" is not the id of a model`, {"llama", "gpt-9"}: `no row "gpt-9"`} {
		_, _, err := llm.Repricing{List: list, Version: "v", As: map[string]string{as[0]: as[1]}}.In([]byte(pricedModels))
		require.ErrorContains(t, err, why)
	}
	_, _, err := llm.Repricing{List: list}.In([]byte("models: []"))
	require.ErrorContains(t, err, "must name at least one")
	_, _, err = llm.Repricing{List: list, Version: strings.Repeat("v", 65)}.In([]byte(pricedModels))
	require.ErrorContains(t, err, "prices.version")
	for _, none := range []string{"", "[]", "{}", "<html>"} {
		_, err := llm.ReadPriceList([]byte(none))
		require.Error(t, err)
	}
}

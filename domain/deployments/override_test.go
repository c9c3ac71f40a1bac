package deployments_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
)

func TestWhatADeploymentSaysInPlaceOfMODEL(t *testing.T) {
	warm := 0.7
	for text, want := range map[string]dsl.Override{
		`{}`:                              {},
		`{"tier":"fast"}`:                 {Tier: "fast"},
		`{"modelId":"own-small","x":[1]}`: {ModelID: "own-small"},
		`{"fallbackTier":"powerful","extractTier":"fast","temperature":0.7,"maxTokens":200000}`: {FallbackTier: "powerful", ExtractTier: "fast",
			Temperature: &warm, MaxTokens: 200_000},
	} {
		got, wrong := deployments.ReadOverride("a", json.RawMessage(text))
		require.Empty(t, wrong, text)
		require.Equal(t, want, got, text)
	}
	for text, most := range map[string]int{`{"maxTokens":5000.0}`: 5000, `{"maxTokens":5e3}`: 5000, `{"maxTokens":null}`: 0} {
		got, wrong := deployments.NewOverride("a", json.RawMessage(text))
		require.Empty(t, wrong, text)
		require.Equal(t, most, got.MaxTokens, text)
	}
	none := json.RawMessage(`{"tier":"fast","maxTokens":0}`)
	_, wrong := deployments.NewOverride("a", none)
	require.Equal(t, fault.Fields{{Field: "modelOverrides.a.maxTokens", Problem: "must be a whole number from 1 to 200000"}}, wrong)
	was, wrong := deployments.ReadOverride("a", none)
	require.Empty(t, wrong, "of a deployment that there is")
	require.Equal(t, dsl.Override{Tier: "fast"}, was)
	for text, field := range map[string]string{
		`{"tier":"huge"}`:                            "modelOverrides.a.tier",
		`{"tier":7}`:                                 "modelOverrides.a.tier",
		`{"tier":"fast","modelId":"m"}`:              "modelOverrides.a.modelId",
		`{"fallbackTier":"x"}`:                       "modelOverrides.a.fallbackTier",
		`{"extractTier":"x"}`:                        "modelOverrides.a.extractTier",
		`{"temperature":2.1}`:                        "modelOverrides.a.temperature",
		`{"temperature":-0.1}`:                       "modelOverrides.a.temperature",
		`{"maxTokens":-1}`:                           "modelOverrides.a.maxTokens",
		`{"maxTokens":200001}`:                       "modelOverrides.a.maxTokens",
		`{"maxTokens":1.5}`:                          "modelOverrides.a.maxTokens",
		`{"maxTokens":1e30}`:                         "modelOverrides.a.maxTokens",
		`{"maxTokens":"5"}`:                          "modelOverrides.a.maxTokens",
		`[]`:                                         "modelOverrides",
		`{"a":{"b":{"c":{"d":{"e":{"f":1}}}}}}`:      "modelOverrides",
		`{"a":"` + strings.Repeat("x", 4<<10) + `"}`: "modelOverrides",
	} {
		got, wrong := deployments.ReadOverride("a", json.RawMessage(text))
		require.Len(t, wrong, 1, text)
		require.Equal(t, field, wrong[0].Field, text)
		require.Zero(t, got, "what is wrong says nothing")
	}
}

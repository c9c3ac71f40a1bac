package deployments_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/dsl"
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

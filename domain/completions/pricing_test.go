package completions_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
)

func TestPricesOfAMillionTokensArePicoDollarsOfOne(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "0.15": 150_000, "1": 1_000_000, "0.000001": 1, "999999.999999": 999_999_999_999} {
		got, ok := completions.PerToken(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "-1", "1e3", "0.0000001", "1000000", ".5", "1/2", "x", "0x1"} {
		got, ok := completions.PerToken(text)
		require.False(t, ok, text)
		require.Zero(t, got, text)
	}
	require.InDelta(t, 0.15, completions.Dollars(150_000_000_000), 1e-15)
}

// Given figures that are just what can be counted, then one token more is too much.
func TestCostsThatCannotBeCounted(t *testing.T) {
	const most = int64(1) << 61
	for _, p := range []completions.Pricing{{Version: "v", In: 1}, {Version: "v", Out: 1}} {
		u := completions.Usage{TokensIn: most * p.In, TokensOut: most * p.Out}
		require.Equal(t, most, *p.Cost(u))
		u.TokensIn, u.TokensOut = u.TokensIn+p.In, u.TokensOut+p.Out
		require.Nil(t, p.Cost(u))
	}
	both := completions.Pricing{Version: "v", In: 2, Out: 3}
	require.Equal(t, int64(2*5+3*7), *both.Cost(completions.Usage{TokensIn: 5, TokensOut: 7}))
	free := completions.Pricing{Version: "v"}
	require.Zero(t, *free.Cost(completions.Usage{TokensIn: math.MaxInt64, TokensOut: math.MaxInt64}))
}

func TestNamesOfModelsAndKeys(t *testing.T) {
	for id, ok := range map[string]bool{"a": true, "gpt-4o_mini": true, "org/model:7b.1": true, strings.Repeat("a", 128): true,
		"": false, "-a": false, "a b": false, strings.Repeat("a", 129): false, "a\n": false} {
		require.Equal(t, ok, completions.ValidModelID(id), "%q", id)
	}
	for key, ok := range map[string]bool{"sk-~!": true, "a b": true, "a\nb": false, "ä": false, "a\x7f": false, "a\x1f": false} {
		require.Equal(t, ok, completions.ValidKey(key), "%q", key)
	}
	require.Equal(t, []string{"fast", "balanced", "powerful"}, completions.Tiers())
}

func TestTheFiguresOfACompletion(t *testing.T) {
	finish := completions.Finish{Chosen: completions.Chosen{ModelID: "m", Provider: "p"}, Model: "m-1",
		Usage: completions.Usage{TokensIn: 2, TokensOut: 3, Estimated: true}, Pricing: completions.Pricing{Version: "v", In: 10, Out: 100}}
	cost := int64(320)
	require.Equal(t, completions.Figures{CompletionID: "c", ModelID: "m", Provider: "p", Model: "m-1", TokensIn: 2, TokensOut: 3,
		Estimated: true, PriceVersion: "v", Cost: &cost}, completions.Figures{CompletionID: "c"}.Counted(finish))
	finish.Pricing, finish.Usage.TokensIn = completions.Pricing{Version: "v", In: math.MaxInt64}, math.MaxInt64
	unknown := completions.Figures{}.Counted(finish)
	require.Nil(t, unknown.Cost)
	require.Empty(t, unknown.PriceVersion, "a version of nothing")
}

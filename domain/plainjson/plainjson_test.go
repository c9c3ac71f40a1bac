package plainjson_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/plainjson"
)

func TestWhatEverybodyReadsAlike(t *testing.T) {
	for body, want := range map[string]string{
		` { "a" : [ 1, "x y", null ] } `:                  `{"a":[1,"x y",null]}`,
		`"\ud83d\ude00"`:                                  `"\ud83d\ude00"`,
		`{"a":{"b":1},"c":{"b":1}}`:                       `{"a":{"b":1},"c":{"b":1}}`,
		strings.Repeat("[", 64) + strings.Repeat("]", 64): strings.Repeat("[", 64) + strings.Repeat("]", 64),
	} {
		got, ok := plainjson.Compact([]byte(body))
		require.True(t, ok, body)
		require.Equal(t, want, string(got))
	}
	for why, body := range map[string]string{
		"no JSON": `{`, "two values": `1 2`, "not UTF-8": "\"\xff\"", "a member twice": `{"a":1,"b":2,"a":3}`,
		"too deep": strings.Repeat("[", 65) + strings.Repeat("]", 65), "NUL": `"\u0000"`,
		"half of a pair": `"\ud83d"`, "the other half": `"\ude00"`, "two first halves": `"\ud83d\ud83d"`,
		"more than a float holds":              `1e999`,
		"a fraction that is written at length": `[-1e-131000]`, "nothing, at length": `0e-131000`,
	} {
		_, ok := plainjson.Compact([]byte(body))
		require.False(t, ok, why)
	}
}

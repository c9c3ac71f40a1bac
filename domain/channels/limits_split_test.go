package channels_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

func TestATextIsCutWhereItHurtsLeast(t *testing.T) {
	for name, c := range map[string]struct {
		most int
		unit channels.Unit
		text string
		want []string
	}{
		"it fits":                  {5, channels.Characters, "12345", []string{"12345"}},
		"one past it":              {5, channels.Characters, "123456", []string{"12345", "6"}},
		"paragraph before line":    {12, channels.Characters, "aaaa\n\nbb\ncccc dd", []string{"aaaa", "bb\ncccc dd"}},
		"sentence before word":     {14, channels.Characters, "Or one. Two three", []string{"Or one.", "Two three"}},
		"word":                     {9, channels.Characters, "hello big world", []string{"hello", "big world"}},
		"an emoji is two":          {3, channels.UTF16, "😀😀", []string{"😀", "😀"}},
		"bytes, never within one":  {3, channels.Bytes, "éé", []string{"é", "é"}},
		"nothing":                  {5, channels.Characters, " \n ", nil},
		"one that fits into none":  {1, channels.Bytes, "é", []string{"é"}},
		"right to left":            {6, channels.Characters, "שלום עולם", []string{"שלום", "עולם"}},
		"a family stays together":  {6, channels.Characters, "ab👨‍👩‍👧!", []string{"ab", "👨‍👩‍👧!"}},
		"so do a letter, its dot":  {3, channels.Bytes, "abe\u0301", []string{"ab", "e\u0301"}},
		"and the halves of a flag": {6, channels.UTF16, "a🇫🇷🇩🇪", []string{"a🇫🇷", "🇩🇪"}},
		"too long for one message": {2, channels.Characters, "👨‍👩‍👧", []string{"👨\u200d", "👩\u200d", "👧"}},
		"a mark at the very start": {8, channels.Characters, "a bcdefghijk", []string{"a bcdefg", "hijk"}},
	} {
		l := channels.Limits{Text: c.most, Unit: c.unit}
		got := l.Split(c.text)
		require.Equal(t, c.want, got, name)
		require.Equal(t, strings.Join(strings.Fields(c.text), ""), strings.Join(strings.Fields(strings.Join(got, "")), ""), name)
	}
}

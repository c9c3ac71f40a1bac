package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// valid is what the scanner says of a text that comes in pieces.
func valid(text string, piece int) bool {
	var s Scanner
	for len(text) > 0 {
		n := min(piece, len(text))
		if _, err := s.Write([]byte(text[:n])); err != nil {
			return false
		}
		text = text[n:]
	}
	return s.End() == nil
}

var scanned = []string{
	``, ` `, `{}`, `[]`, `{"a":1}`, `[1,2]`, `[1,]`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{,}`, `[,]`, `]`, `}`, `{]`,
	`[}`, `{"a":1]`, `[1}`,
	`1`, `-`, `-1`, `01`, `-01`, `0`, `0.`, `0.5`, `.5`, `1e`, `1e+`, `1e+5`, `1E-5`, `1.5e400`, `+1`, `1 2`, `1,2`, `[1 2]`,
	`[0]`, `[-0.0e-0]`, `00`, `0e1`, `1.e1`,
	`true`, `false`, `null`, `tru`, `nul`, `truex`, `[true,false,null]`, `NaN`, `Infinity`, `[nullnull]`,
	`""`, `"a`, `"\"`, `"\\"`, `"\u12"`, `"\u12G4"`, `"\ud800"`, `"\x"`, "\"\t\"", "\"\x7f\"", `"é😀"`, "\"\xff\"",
	"\"\xe2\x82\"", "\"\xed\xa0\x80\"", "\"\xc0\x80\"",
	"\xff", "\xef\xbb\xbf{}", ` { "a" : [ 1 , { } ] } `, "{\"\\u0061\":{\"b\":[[[]]]}}", `{"a":1}{"a":2}`, `'a'`, `// x`,
	`{"a":1 "b":2}`, `{"a" 1}`, `["a" "b"]`, `{"a":"b":"c"}`,
	strings.Repeat("[", 9999) + strings.Repeat("]", 9999), strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
	strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200),
}

// The scanner takes exactly what encoding/json takes, cut into pieces anywhere.
func TestTheScannerAgreesWithTheDecoder(t *testing.T) {
	for _, text := range scanned {
		want := json.Valid([]byte(text)) && utf8.ValidString(text)
		for _, piece := range []int{1, 3, len(text) + 1} {
			require.Equal(t, want, valid(text, piece), "%.60q in pieces of %d", text, piece)
		}
	}
}

func FuzzTheScannerAgreesWithTheDecoder(f *testing.F) {
	for _, text := range scanned {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, json.Valid([]byte(text)) && utf8.ValidString(text), valid(text, 7), "%q", text)
	})
}

func TestTheScannerMeasures(t *testing.T) {
	for _, c := range []struct {
		text           string
		values, levels int
		member         string
	}{
		{`{}`, 1, 0, ""},
		{`{"a":1,"b":[1,2,{}]}`, 6, 2, "b"},
		{`{"a":{"x":{"y":1}},"b":[]}`, 5, 2, "a"},
		{`{"a":1,"metadata":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `,"c":{}}`, 68, 65, "metadata"},
		{`[[],[],[]]`, 4, 1, ""},
	} {
		var s Scanner
		_, err := s.Write([]byte(c.text))
		require.NoError(t, err)
		require.NoError(t, s.End())
		require.Equal(t, c.values, s.Values, c.text)
		require.Equal(t, c.levels, s.Levels, c.text)
		require.Equal(t, c.member, s.Member, c.text)
	}
}

package projections

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Keepable is a text as Postgres can keep it: neither a zero character nor bytes that
// are not UTF-8, which become U+FFFD. What a caller wrote must not stop a partition.
func Keepable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// unkeepable finds escapes that Postgres may refuse: of the zero character, and of
// halves of surrogate pairs. It also finds some that are well; they cost time only.
var unkeepable = regexp.MustCompile(`\\u(0000|[dD][89a-fA-F])`)

// keepableJSON is a JSON text as Postgres can keep it.
func keepableJSON(data []byte) string {
	if utf8.Valid(data) && !unkeepable.Match(data) {
		return string(data)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return string(data)
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(keepableValue(v)); err != nil {
		return string(data)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func keepableValue(v any) any {
	switch v := v.(type) {
	case string:
		return Keepable(v)
	case []any:
		for i := range v {
			v[i] = keepableValue(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) { // two names may become one: the last wins, always the same
			out[Keepable(k)] = keepableValue(v[k])
		}
		return out
	}
	return v
}

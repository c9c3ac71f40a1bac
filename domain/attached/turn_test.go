package attached_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attached"
)

func TestWhatMayGoWithATurn(t *testing.T) {
	many := func(n int) string {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"m%d":1`, i))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	filled := func(n int) string { return `{"x":"` + strings.Repeat("x", n-8) + `"}` }
	require.Empty(t, attached.TurnProblem(nil))
	for text, want := range map[string]string{`{}`: "", `{"a.b_c-D9":[{"a":{"b":[]}}]}`: "", many(100): "", filled(16 << 10): "",
		filled(16<<10 + 1): "bytes", many(101): "members", `[]`: "object", `{"a":{"b":{"c":{"d":{}}}}}`: "",
		`{"a":{"b":{"c":{"d":{"e":{}}}}}}`: "levels",
		`{"":1}`:                           "name", `{"a b":1}`: "name",
		`{"` + strings.Repeat("a", 65) + `":1}`: "name", `{"` + strings.Repeat("a", 64) + `":1}`: ""} {
		got := attached.TurnProblem(json.RawMessage(text))
		require.Equal(t, want == "", got == "", got)
		require.Contains(t, got, want)
	}
}

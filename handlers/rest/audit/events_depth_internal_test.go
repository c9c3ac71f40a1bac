package audit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// An event of a time when bodies had no bounds does not make a page unreadable: what is
// too deep in it is left out, and all else is as it was recorded.
func TestAnEventThatIsTooDeepIsShownWithoutItsDepths(t *testing.T) {
	deep := func(levels int) string {
		return strings.Repeat(`{"a":`, levels) + `"}]\"{["` + strings.Repeat("}", levels)
	}
	for _, levels := range []int{shownDepth, 1_000, 9_000} {
		data := `{"before":1.0,"metadata":` + deep(levels) + `,"after":[{"x":"\u00e9"},[]]}`
		line, err := EventJSON(&eventstore.Record{Type: "parley.calls.requested.v1", Data: []byte(data)})
		require.NoError(t, err)
		require.True(t, json.Valid(line))
		require.Contains(t, string(line), `{"before":1.0,"metadata":{"a":`)
		require.Contains(t, string(line), tooDeepToShow)
		require.Contains(t, string(line), `,"after":[{"x":"\u00e9"},[]]}`)
		require.LessOrEqual(t, jsontext.DepthOf(line), shownDepth+1)
	}
	for name, c := range map[string][2]string{"objects": {`{"a":`, `}`}, "arrays": {`[1,`, `,2]`}} {
		nested := func(levels int, inside string) string {
			return strings.Repeat(c[0], levels) + inside + strings.Repeat(c[1], levels)
		}
		require.Equal(t, nested(shownDepth, `0`), string(shallow([]byte(nested(shownDepth, `0`)))), "%s that can be shown", name)
		require.Equal(t, nested(shownDepth, tooDeepToShow), string(shallow([]byte(nested(shownDepth+1, `0`)))), "one level more")
	}
	within := `{"metadata":` + deep(jsontext.MaxDepth) + `}`
	require.Equal(t, within, string(shallow([]byte(within))), "what a body may hold is shown whole")
}

func TestAnEventThatIsNoJSONIsAnError(t *testing.T) {
	_, err := EventJSON(&eventstore.Record{Type: "parley.calls.requested.v1", Data: []byte(`{"a":`)})
	require.Error(t, err)
}

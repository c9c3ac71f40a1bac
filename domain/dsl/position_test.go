package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
)

// What is wrong in the middle of a text is told where it stands in the source, however YAML
// writes the text: `nope` is the only name in these that there is not.
func TestMistakesAreToldWhereTheyStand(t *testing.T) {
	for name, said := range map[string]string{
		"plain":                     `SAY: Hello {{ nope }}`,
		"plain, several lines":      "SAY: Hello\n  and\n\n  once more {{ nope }}",
		"single quotes":             `SAY: 'It''s {{ nope }}'`,
		"quotes of a condition":     "SAY: '{{ ''it'' + nope }}'",
		"single, several lines":     "SAY: 'Hello\n\n\n   you {{ nope }}'",
		"double quotes":             `SAY: "Hello {{ nope }}"`,
		"escapes":                   `SAY: "\u00e4\x41\n\t\U0001F600\\\" {{ nope }}"`,
		"double, several lines":     "SAY: \"Hello   \n    you\n    {{ nope }}\"",
		"a line that goes on":       "SAY: \"Hel\\\n    lo\\n {{ nope }}\"",
		"a line that goes on, CRLF": "SAY: \"Hel\\\r\n    lo\\n {{ nope }}\"",
		"lines as they are":         "SAY: |\n  one\n\n  äö two {{ nope }}\n",
		"the same, indented":        "SAY: |\n  one\n      two {{ nope }}\n",
		"the same, after empty":     "SAY: |\n\n\n  two {{ nope }}\n",
		"folded":                    "SAY: >-\n  one\n  two\n\n  three {{ nope }}\n",
		"folded, indented":          "SAY: >\n  one\n    * two\n    * three {{ nope }}\n  four\n",
		"with a comment":            "SAY: |- # two lines\n  one\n  {{ nope }}",
		"inside of an expression":   "SAY: >-\n  {{ turn.text ==\n     nope }}\n",
	} {
		source := "DSL: 1\nAGENT: A\nGOAL: g\nON_START:\n  " + strings.ReplaceAll(said, "\n", "\n  ")
		before := strings.Split(source[:strings.Index(source, "nope")], "\n")
		at := fmt.Sprintf("%d:%d", len(before), 1+len([]rune(before[len(before)-1])))

		_, problems := dsl.Compile("A", source)

		require.Len(t, problems, 1, name)
		require.Equal(t, "unknown_name", problems[0].Code, "%s: %+v", name, problems)
		require.Equal(t, at, fmt.Sprintf("%d:%d", problems[0].Line, problems[0].Column), "%s:\n%s", name, source)
	}
}

// A source of mistakes only is no work for minutes.
func TestAThousandMistakesAreFiftyProblems(t *testing.T) {
	for _, style := range []string{"%s", "'%s'", `"%s"`, "|\n    %s", ">\n    %s"} {
		_, problems := dsl.Compile("A", "DSL: 1\nAGENT: A\nGOAL: g\nON_START:\n  SAY: "+fmt.Sprintf(style, "a "+strings.Repeat("{{ x }}", 1000)))
		require.Len(t, problems, dsl.MostProblems)
		last := problems[len(problems)-1]
		require.Equal(t, "unknown_name", last.Code)
	}
}

package scalars_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/dsl/scalars"
)

// Given a scalar in which each capital letter stands once, however YAML writes it, then each is found where
// it stands in the source.
func TestACharacterIsFoundInTheSource(t *testing.T) {
	for name, source := range map[string]string{
		"plain":                       "k: A bC D",
		"plain, folded":               "k: A b\n  C\n\n  D e\n   F\n",
		"plain, two empty lines":      "k: A\n\n\n  B C\n",
		"behind others":               "x: 1\ny:\n  - k: AB\n",
		"single quotes":               "k: 'A ''B'' C'\n",
		"a quote at the end":          "k: 'A'''\n",
		"single quotes, folded":       "k: 'A  \n  B\n\n  C'\n",
		"double quotes":               `k: "A \"B\" \\ C"`,
		"characters by their numbers": `k: "A\x61b \u00e9B \U0001F600C\tD"`,
		"double quotes, folded":       "k: \"A  \n  B\n\n\n  C\"\n",
		"a line that goes on":         "k: \"A \\\n    B\\\n  C\"\n",
		"wide characters":             "k: é😀A 'B\n",
		"a block":                     "k: |\n  A\n   B C\n\n  D\n",
		"a folded block":              "k: >\n  A\n  B\n\n  C D\n    E\n",
		"lines as on Windows":         "k: \"A\\\r\n  B\r\n  C\"\r\n",
	} {
		var doc yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(source), &doc), name)
		node, lines := last(&doc), strings.Split(source, "\n")
		looked := 0
		for offset, c := range []rune(node.Value) {
			if !unicode.IsUpper(c) || strings.Count(source, string(c)) != 1 {
				continue
			}
			looked++
			line, column := scalars.Place(lines, node, offset)
			require.Equal(t, [2]int{line, column}, placeOf(lines, c), "%s: %c", name, c)
		}
		require.NotZero(t, looked, name)
	}
}

// Behind the last character there is a place, too: where a text lacks something.
func TestBehindTheEnd(t *testing.T) {
	for source, want := range map[string][2]int{"k: AB": {1, 6}, "k: 'AB'": {1, 7}, "k: |\n  AB\n": {2, 5}, "k: |\n  A\n  BC\n": {3, 5}} {
		var doc yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(source), &doc))
		node := last(&doc)
		line, column := scalars.Place(strings.Split(source, "\n"), node, len([]rune(strings.TrimSpace(node.Value))))
		require.Equal(t, want, [2]int{line, column}, source)
	}
	line, column := scalars.Place([]string{"k: v"}, &yaml.Node{Line: 7, Column: 3}, 1)
	require.Equal(t, [2]int{7, 3}, [2]int{line, column}, "a node that is not of the source")
}

// last is the scalar that stands last.
func last(n *yaml.Node) *yaml.Node {
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n
}

func placeOf(lines []string, c rune) [2]int {
	for i, line := range lines {
		for k, r := range []rune(line) {
			if r == c {
				return [2]int{i + 1, k + 1}
			}
		}
	}
	return [2]int{}
}

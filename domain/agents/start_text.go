package agents

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/fault"
)

// StartText reads what an agent says first: ON_START / SAY of its source, a text or
// a list of texts that become lines, or a map of them by language, of which it is the first. It is empty when the source has none.
// Everything else in the source is the compiler's to judge. A source that is not
// YAML, or whose SAY is something else, is refused by spec.dslContent and line.
func StartText(dsl string) (string, error) {
	text, problem := startText(dsl)
	if problem != "" {
		return "", fault.Field("spec.dslContent", "%s", problem)
	}
	return text, nil
}

func startText(dsl string) (text, problem string) {
	root, err := parse(dsl)
	if err != nil {
		return "", "is not YAML: " + locate(dsl, err)
	}
	start := member(root, "ON_START")
	if start == nil || isNull(start) {
		return "", ""
	}
	if start.Kind != yaml.MappingNode {
		return "", fmt.Sprintf("line %d: ON_START must be a map", start.Line)
	}
	say := member(start, "SAY")
	if say == nil || isNull(say) {
		return "", ""
	}
	return sayText(say)
}

// Talks reports whether a source is written in a version of the language, and so may be more
// than what it says first.
func Talks(dsl string) bool {
	root, err := parse(dsl)
	return err == nil && member(root, "DSL") != nil
}

// parse gives the first document's root, nil for an empty source. Later documents
// are only read for mistakes.
func parse(dsl string) (*yaml.Node, error) {
	var first *yaml.Node
	for dec := yaml.NewDecoder(strings.NewReader(dsl)); ; {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return first, nil
		}
		if err != nil {
			return nil, err
		}
		if first == nil && len(doc.Content) > 0 {
			first = resolve(doc.Content[0])
		}
	}
}

func sayText(say *yaml.Node) (text, problem string) {
	const want = "line %d: SAY must be a text or a list of texts"
	if isText(say) {
		return say.Value, ""
	}
	if say.Kind == yaml.MappingNode && len(say.Content) > 1 { // by languages: of a call the first
		if first := resolve(say.Content[1]); first.Kind != yaml.MappingNode {
			return sayText(first)
		}
	}
	if say.Kind != yaml.SequenceNode {
		return "", fmt.Sprintf(want, say.Line)
	}
	lines := make([]string, 0, len(say.Content))
	for _, item := range say.Content {
		if item = resolve(item); !isText(item) {
			return "", fmt.Sprintf(want, item.Line)
		}
		lines = append(lines, item.Value)
	}
	return strings.Join(lines, "\n"), ""
}

func member(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return resolve(n.Content[i+1])
		}
	}
	return nil
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

var unknownAnchor = regexp.MustCompile(`unknown anchor '([^']+)'`)

// locate makes a sentence with a line out of the parser's error; for some mistakes
// the parser does not say where they are.
func locate(dsl string, err error) string {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.HasPrefix(message, "line ") {
		return message
	}
	if m := unknownAnchor.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("line %d: %s", lineOf(dsl, strings.Index(dsl, "*"+m[1])), message)
	}
	isControl := func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f }
	return fmt.Sprintf("line %d: %s", lineOf(dsl, strings.IndexFunc(dsl, isControl)), message)
}

func lineOf(dsl string, offset int) int {
	return 1 + strings.Count(dsl[:max(offset, 0)], "\n")
}

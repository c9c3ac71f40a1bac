package mcptool

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-platform/parley/domain/plainjson"
)

// resultOf is what a tool answered as JSON: the structured content if there is some, else its
// text, as JSON where it is an object or a list, else the list of its contents as they are.
func resultOf(r *mcp.CallToolResult) (json.RawMessage, string) {
	var answer any
	switch text, only := textOf(r.Content); {
	case r.StructuredContent != nil:
		answer = r.StructuredContent
	case len(r.Content) == 0:
		return json.RawMessage("null"), ""
	case !only:
		answer = r.Content
	default:
		if began := strings.TrimSpace(text); strings.HasPrefix(began, "{") || strings.HasPrefix(began, "[") {
			if result, ok := plainjson.Compact([]byte(text)); ok {
				return result, ""
			}
		}
		answer = text
	}
	said, err := plainjson.Of(answer)
	if err != nil {
		return nil, CodeNotJSON
	}
	result, ok := plainjson.Compact(said)
	if !ok {
		return nil, CodeNotJSON
	}
	return result, ""
}

// textOf is the text of contents, and whether they are nothing else.
func textOf(contents []mcp.Content) (text string, only bool) {
	var lines []string
	for _, c := range contents {
		if t, ok := c.(*mcp.TextContent); ok {
			lines = append(lines, t.Text)
		}
	}
	return strings.Join(lines, "\n"), len(lines) == len(contents)
}

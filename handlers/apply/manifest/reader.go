package manifest

import (
	"encoding/json"
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"
)

// reader turns the nodes of one manifest into JSON values, and notes where each
// field is.
type reader struct {
	*parser
	lines map[string]int
}

// value is the JSON value of a node; what has none is a fault.
func (r *reader) value(n *yaml.Node, path string, depth int) any {
	if _, known := r.lines[path]; !known && path != "" {
		r.lines[path] = n.Line
	}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.fault(n.Line, path, "uses an anchor or alias: write the value out")
	case depth > maxDepth:
		r.fault(n.Line, path, "is nested deeper than %d", maxDepth)
	case n.Kind == yaml.MappingNode:
		return r.object(n, path, depth)
	case n.Kind == yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = r.value(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
		}
		return list
	case n.Kind == yaml.ScalarNode:
		return r.scalar(n, path)
	}
	return nil
}

func (r *reader) object(n *yaml.Node, path string, depth int) any {
	out := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, child := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Anchor != "" || key.ShortTag() == "!!merge" {
			r.fault(key.Line, path, "has a key that is no plain text")
			continue
		}
		name := Joined(path, key.Value)
		if _, twice := out[key.Value]; twice {
			r.fault(key.Line, name, "is given twice")
			continue
		}
		r.lines[name] = key.Line
		out[key.Value] = r.value(child, name, depth+1)
	}
	return out
}

// scalar keeps as text what JSON has no type for, such as dates: the field's schema
// says what it wants. Problems never quote the value, which may be a secret.
func (r *reader) scalar(n *yaml.Node, path string) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return b
		}
	case "!!int":
		var i int64
		if n.Decode(&i) == nil {
			return i
		}
		var u uint64
		if n.Decode(&u) == nil {
			return u
		}
	case "!!float":
		if n.Style == jsonNumber {
			return json.Number(n.Value)
		}
		var f float64
		if n.Decode(&f) == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	case "!!str", "!!timestamp":
		return n.Value
	}
	r.fault(n.Line, path, "has a value that cannot be read: put it in quotes if it is a text")
	return nil
}

// Joined names a member as fields are named: spec.slug.
func Joined(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

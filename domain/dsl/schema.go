package dsl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a JSON Schema (2020-12), compiled.
type Schema struct {
	raw      any
	compiled *jsonschema.Schema
}

// Check says what of a value does not fit; nil: it does. The value is one of JSON.
func (s *Schema) Check(v any) error {
	if s == nil {
		return nil
	}
	err := s.compiled.Validate(generic(v))
	if err == nil {
		return nil
	}
	at, problem := innermost(err)
	return fmt.Errorf("%s does not fit: %s", at, problem)
}

// MarshalJSON is the schema itself, for the model.
func (s *Schema) MarshalJSON() ([]byte, error) { return json.Marshal(s.raw) }

// properties are the declared members of an object, sorted, with their schemas.
func (s *Schema) properties() (names []string, all map[string]any) {
	object, _ := s.raw.(map[string]any)
	all, _ = object["properties"].(map[string]any)
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, all
}

// Properties are the declared members of an object with their schemas, for the model.
func (s *Schema) Properties() map[string]any {
	if _, all := s.properties(); all != nil {
		return all
	}
	return map[string]any{}
}

// Members are those of an object as expressions take them: whole numbers where the schema has
// integers, and else numbers with a point. Without a schema, and of what is no object, too. Whole numbers that would lose digits by
// that stay whole.
func (s *Schema) Members(object json.RawMessage) map[string]any {
	var v any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	_ = d.Decode(&v) // what is no object has no members
	var raw any
	if s != nil {
		raw = s.raw
	}
	members, _ := typed(v, raw).(map[string]any)
	if members == nil {
		members = map[string]any{}
	}
	return members
}

func typed(v, schema any) any {
	of, _ := schema.(map[string]any)
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil && (of["type"] == "integer" || n > 1<<53 || n < -1<<53) {
			return n
		}
		f, _ := v.Float64()
		if of["type"] == "integer" && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return int64(f)
		}
		return f
	case map[string]any:
		properties, _ := of["properties"].(map[string]any)
		for name, x := range v {
			v[name] = typed(x, properties[name])
		}
	case []any:
		for i, x := range v {
			v[i] = typed(x, of["items"])
		}
	}
	return v
}

// required are the members that must be there.
func (s *Schema) required() []string {
	object, _ := s.raw.(map[string]any)
	list, _ := object["required"].([]any)
	var names []string
	for _, x := range list {
		if name, ok := x.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// noLoader refuses schemas that are elsewhere: compiling reads nothing.
type noLoader struct{}

// Load says no.
func (noLoader) Load(string) (any, error) {
	return nil, fmt.Errorf("a $ref may only point inside the schema")
}

func newSchema(raw any) (*Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	const here = "agent:///schema"
	if err := c.AddResource(here, generic(raw)); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, err
	}
	return &Schema{raw, compiled}, nil
}

// generic gives whole numbers in a form that the validator knows.
func generic(v any) any {
	switch v := v.(type) {
	case int64:
		return json.Number(fmt.Sprint(v))
	case int:
		return json.Number(fmt.Sprint(v))
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = generic(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = generic(x)
		}
		return out
	}
	return v
}

var place = regexp.MustCompile(`^at '([^']*)': `)

// innermost is the last sentence of the validator's report, and what it is about.
func innermost(err error) (at, problem string) {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	last := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "- "))
	at = "it"
	if m := place.FindStringSubmatch(last); m != nil {
		last = last[len(m[0]):]
		if m[1] != "" {
			at = strings.ReplaceAll(strings.TrimPrefix(m[1], "/"), "/", ".")
		}
	}
	return at, last
}

// Pattern is a regular expression of RE2, which takes linear time.
type Pattern struct{ re *regexp.Regexp }

// String is its source.
func (p *Pattern) String() string { return p.re.String() }

// MarshalText shows its source.
func (p *Pattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

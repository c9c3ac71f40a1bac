package rest

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/fault"
)

// fitter makes a JSON value fit the schema of an operation before it is validated.
//
// Members that the schema does not name are dropped: they are ignored by contract.
// It also closes a gap: Go decodes members whatever their case and merges repeated
// objects, so a member "TIMEOUT" beside "timeout" would be stored without having
// been validated. What remains after fitting has exactly the names of the schema,
// once each.
//
// Numbers keep their digits, and whole numbers that were written as 5000.0 or 5e3
// become 5000 where an integer is wanted. Texts and numbers that cannot be stored
// are noted as problems.
type fitter struct {
	registry huma.Registry
	problems *fault.Fields
}

// fit answers a copy of the value; a nil schema is free-form.
func (f fitter) fit(s *huma.Schema, path string, v any) any {
	s = resolved(s, f.registry)
	switch v := v.(type) {
	case map[string]any:
		return f.object(s, path, v)
	case []any:
		return f.array(s, path, v)
	case string:
		if problem := unfitText(v); problem != "" {
			f.problems.Add(path, "%s", problem)
		}
		return v
	case json.Number:
		return f.number(s, path, v)
	default:
		return v
	}
}

func (f fitter) object(s *huma.Schema, path string, in map[string]any) map[string]any {
	out := make(map[string]any, len(in))
	for name, v := range in {
		member, known := memberSchema(s, name)
		if !known {
			continue
		}
		at := name
		if path != "" {
			at = path + "." + name
		}
		if unfitText(name) != "" {
			f.problems.Add(path, "must not have a member with U+0000 in its name")
			continue
		}
		out[name] = f.fit(member, at, v)
	}
	return out
}

// memberSchema is the schema of an object's member, and false for a member that is
// to be dropped. An object that names no members at all is free-form.
func memberSchema(s *huma.Schema, name string) (*huma.Schema, bool) {
	if s == nil {
		return nil, true
	}
	if member, ok := s.Properties[name]; ok {
		return member, true
	}
	if other, ok := s.AdditionalProperties.(*huma.Schema); ok {
		return other, true
	}
	return nil, len(s.Properties) == 0
}

func (f fitter) array(s *huma.Schema, path string, in []any) []any {
	var item *huma.Schema
	if s != nil {
		item = s.Items
	}
	out := make([]any, len(in))
	for i, v := range in {
		out[i] = f.fit(item, path+"["+strconv.Itoa(i)+"]", v)
	}
	return out
}

func (f fitter) number(s *huma.Schema, path string, n json.Number) any {
	value, err := strconv.ParseFloat(n.String(), 64)
	if err != nil {
		f.problems.Add(path, "is out of range")
		return n
	}
	if s == nil || s.Type != huma.TypeInteger || value != math.Trunc(value) {
		return n // not whole: validation says so
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil && math.Abs(value) < 1<<53 { // 5e3, 5000.0: exact as a float
		i, err = int64(value), nil
	}
	if err != nil || s.Format == "int32" && int64(int32(i)) != i {
		f.problems.Add(path, "is out of range")
		return n
	}
	return i
}

// resolved follows references. A schema that leaves a choice cannot say which
// members are known, so it is treated as free-form.
func resolved(s *huma.Schema, registry huma.Registry) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = registry.SchemaFromRef(s.Ref)
	}
	if s != nil && (s.OneOf != nil || s.AnyOf != nil || s.AllOf != nil) {
		return nil
	}
	return s
}

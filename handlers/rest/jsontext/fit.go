package jsontext

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/plainjson"
)

// Fitter makes a JSON value fit the schema of an operation before it is validated.
//
// Members that the schema does not name are dropped: they are ignored by contract.
// It also closes a gap: Go decodes members whatever their case and merges repeated
// objects, so a member "TIMEOUT" beside "timeout" would be stored without having
// been validated. What remains after fitting has exactly the names of the schema,
// once each.
//
// Numbers keep their digits, and whole numbers that were written as 5000.0 or 5e3
// become 5000 where an integer is wanted. Texts and numbers that cannot be stored
// are noted as problems. What the schema leaves free, such as metadata, keeps its bytes,
// white space between values aside: order, spellings and digits are the caller's.
type Fitter struct {
	Registry huma.Registry
	Problems *fault.Fields
}

// place is where a value stands in the body; nil is the body itself. Its name is made
// only for those that are wrong.
type place struct {
	in    *place
	name  string
	index int // of an item, which has no name
}

func (p *place) String() string {
	switch {
	case p == nil:
		return ""
	case p.name == "":
		return p.in.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.in == nil:
		return p.name
	}
	return p.in.String() + "." + p.name
}

// Fit answers what is to be written instead of the value. What is free-form stays as
// its bytes are.
func (f Fitter) Fit(s *huma.Schema, at *place, raw json.RawMessage) any {
	s = Resolved(s, f.Registry)
	if freeForm(s) {
		f.checkFree(at, raw)
		return raw
	}
	switch raw = bytes.TrimLeft(raw, " \t\r\n"); raw[0] {
	case '{':
		return f.object(s, at, raw)
	case '[':
		return f.array(s, at, raw)
	case '"':
		return f.text(at, raw)
	case 't', 'f', 'n':
		return raw
	default:
		return f.number(s, at, json.Number(bytes.TrimRight(raw, " \t\r\n")))
	}
}

// freeForm is a schema that says nothing of what is inside of its values.
func freeForm(s *huma.Schema) bool {
	if s == nil {
		return true
	}
	_, listed := s.AdditionalProperties.(*huma.Schema)
	return len(s.Properties) == 0 && s.Items == nil && !listed && (s.Type == "" || s.Type == huma.TypeObject)
}

func (f Fitter) text(at *place, raw json.RawMessage) any {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil // never: the body was scanned
	}
	if problem := UnfitText(text); problem != "" {
		f.Problems.Add(at.String(), "%s", problem)
	}
	return text
}

func (f Fitter) object(s *huma.Schema, at *place, raw json.RawMessage) any {
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return nil // never: the body was scanned
	}
	if membersOf(raw) > len(in) {
		f.twice(s, at, raw)
	}
	out := make(map[string]any, len(in))
	for name, v := range in {
		member, known := memberSchema(s, name)
		if !known {
			continue
		}
		if UnfitText(name) != "" {
			f.Problems.Add(at.String(), "%s", unfitName)
			continue
		}
		out[name] = f.Fit(member, &place{in: at, name: name}, v)
	}
	return out
}

// membersOf counts the members of an object, those that are there twice as two.
func membersOf(raw []byte) (n int) {
	depth, text, empty := 0, false, true
	for i := 1; i < len(raw); i++ {
		switch c := raw[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text, empty = !text, false
		case text:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		case c == ',' && depth == 0:
			n++
		}
	}
	if empty {
		return 0
	}
	return n + 1
}

// twice notes the members that are there more than once: of two readers one would take the first.
func (f Fitter) twice(s *huma.Schema, at *place, raw json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(raw))
	_, err := d.Token()
	for times := map[string]int{}; err == nil && d.More(); {
		var name json.Token
		if name, err = d.Token(); err != nil {
			return // never: the body was scanned
		}
		var v json.RawMessage
		err = d.Decode(&v)
		key, _ := name.(string)
		if _, known := memberSchema(s, key); !known || UnfitText(key) != "" {
			continue
		}
		if times[key]++; times[key] == 2 {
			f.Problems.Add((&place{in: at, name: key}).String(), "must be given once")
		}
	}
}

const unfitName = "must not have a member with U+0000 in its name"

// checkFree notes texts and numbers that cannot be stored in what is kept as it is. Few values
// have any, and only those are decoded.
func (f Fitter) checkFree(at *place, raw json.RawMessage) {
	if !bytes.Contains(raw, []byte(`\u0000`)) && FitNumbers(raw) {
		return
	}
	if v, err := DecodeJSON(raw); err == nil {
		f.checkValue(at, v)
	}
}

func (f Fitter) checkValue(at *place, v any) {
	switch v := v.(type) {
	case string:
		if problem := UnfitText(v); problem != "" {
			f.Problems.Add(at.String(), "%s", problem)
		}
	case json.Number:
		if !plainjson.Number(v.String()) {
			f.Problems.Add(at.String(), "is out of range")
		}
	case []any:
		for i := range v {
			f.checkValue(&place{in: at, index: i}, v[i])
		}
	case map[string]any:
		for name := range v {
			if UnfitText(name) != "" {
				f.Problems.Add(at.String(), "%s", unfitName)
				continue
			}
			f.checkValue(&place{in: at, name: name}, v[name])
		}
	}
}

// memberSchema is the schema of an object's member, and false for a member that is
// to be dropped. An object that names no members at all is free-form; of a closed one
// nothing is dropped, so that validation refuses what it does not know.
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
	return nil, len(s.Properties) == 0 || s.AdditionalProperties == false
}

func (f Fitter) array(s *huma.Schema, at *place, raw json.RawMessage) any {
	var in []json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return nil // never: the body was scanned
	}
	out := make([]any, len(in))
	for i, v := range in {
		if s.UniqueItems && (v[0] == '{' || v[0] == '[') {
			continue // huma compares items with each other, which ends in a panic for these; null is refused for its kind too
		}
		out[i] = f.Fit(s.Items, &place{in: at, index: i}, v)
	}
	return out
}

func (f Fitter) number(s *huma.Schema, at *place, n json.Number) any {
	value, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || !plainjson.Number(n.String()) {
		f.Problems.Add(at.String(), "is out of range")
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
		f.Problems.Add(at.String(), "is out of range")
		return n
	}
	return i
}

// Resolved follows references. A schema that leaves a choice cannot say which
// members are known, so it is treated as free-form.
func Resolved(s *huma.Schema, registry huma.Registry) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = registry.SchemaFromRef(s.Ref)
	}
	if s != nil && (s.OneOf != nil || s.AnyOf != nil || s.AllOf != nil) {
		return nil
	}
	return s
}

// DecodeJSON reads one JSON value. Numbers keep their digits.
func DecodeJSON(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

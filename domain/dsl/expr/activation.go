package expr

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"cel.dev/cel-go/cel"
)

// activation gives the values of a scope in the types that were declared: what has been
// through JSON has only numbers with a point, and a declared integer is one again. Members
// that are null count as absent, and so does everything in a map that is not in the scope.
type activation struct {
	scope Scope
	of    *Environment
}

// ResolveName is a value by its name; only those that an expression reads are looked at.
func (a activation) ResolveName(name string) (any, bool) {
	t, declared := a.of.names[name]
	if !declared {
		return nil, false
	}
	v := a.scope[name]
	if v == nil {
		if _, record := a.of.records.fields[t.TypeName()]; record || t.Kind() == cel.MapKind {
			return map[string]any{}, true
		}
		return nil, false
	}
	return a.of.fit(v, t, 0), true
}

// Parent is none.
func (activation) Parent() cel.Activation { return nil }

// fit brings a value to its declared type where that loses nothing; one of another type
// stays, and the expression that reads it fails.
func (e *Environment) fit(v any, t *Type, depth int) any {
	if depth > deepest {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		return e.fitMembers(v, t, depth)
	case []any:
		item := Dyn
		if t.Kind() == cel.ListKind {
			item = t.Parameters()[0]
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = e.fit(v[i], item, depth+1)
		}
		return out
	case []string:
		return v
	case time.Time:
		return v.UTC()
	}
	if n, whole := v.(int64); whole && (t.Kind() == cel.IntKind || losesDigits(n)) {
		return n
	}
	if f, isNumber := number(v); isNumber {
		if t.Kind() == cel.IntKind && f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			return int64(f)
		}
		return f
	}
	if s, isText := v.(string); isText && t.Kind() == cel.TimestampKind {
		if read, ok := ReadDate(s); ok {
			return read
		}
	}
	return v
}

func (e *Environment) fitMembers(v map[string]any, t *Type, depth int) any {
	fields := e.records.fields[t.TypeName()]
	out := make(map[string]any, len(v))
	for name, member := range v {
		of := Dyn
		if declared, has := fields[name]; has {
			of = declared
		}
		if member != nil {
			out[name] = e.fit(member, of, depth+1)
		}
	}
	return out
}

// losesDigits is whether a whole number would be written as another one if it had a point, as ids of 19 digits.
func losesDigits(n int64) bool {
	return strconv.FormatFloat(float64(n), 'f', -1, 64) != strconv.FormatInt(n, 10)
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}

package jsontext

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Given is a member of a body that changes what it names: absent it changes nothing, and
// null clears.
type Given[T any] struct {
	Is    bool // it stands in the body
	Value T    // zero for null
}

// Schema implements huma.SchemaProvider.
func (Given[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), true, "")
	s.Nullable = true
	return &s
}

// UnmarshalJSON implements json.Unmarshaler; it is not called for an absent member.
func (g *Given[T]) UnmarshalJSON(data []byte) error {
	g.Is = true
	return json.Unmarshal(data, &g.Value) // null leaves the zero value
}

// Into sets what the member names, if it was given.
func (g Given[T]) Into(to *T) {
	if g.Is {
		*to = g.Value
	}
}

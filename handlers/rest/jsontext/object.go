package jsontext

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// Object is an object whose members are the caller's: its bytes are kept as they came, and
// null is none.
type Object json.RawMessage

// Schema implements huma.SchemaProvider.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) { return json.RawMessage(o).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (o *Object) UnmarshalJSON(data []byte) error {
	if string(data) != "null" {
		*o = append((*o)[:0], data...)
	}
	return nil
}

package jsontext

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// Anything is one value of JSON, of whatever kind: null, a text, a number, an object ...
type Anything json.RawMessage

// Schema implements huma.SchemaProvider: everything fits.
func (Anything) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// MarshalJSON implements json.Marshaler.
func (a Anything) MarshalJSON() ([]byte, error) { return json.RawMessage(a).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (a *Anything) UnmarshalJSON(data []byte) error {
	*a = append((*a)[:0:0], data...)
	return nil
}

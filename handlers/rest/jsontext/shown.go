package jsontext

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// Shown is JSON that is shown as it was written.
type Shown json.RawMessage

// Schema implements huma.SchemaProvider.
func (Shown) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
		Description: "As it stands on the log, in the version that type names; secrets are sealed."}
}

// MarshalJSON implements json.Marshaler.
func (d Shown) MarshalJSON() ([]byte, error) { return d, nil }

// Package attached owns the bounds of JSON that callers attach to things for purposes of
// their own, such as metadata: what it says is nobody's business here.
package attached

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// IsObject reports whether the text is one JSON object, nested no deeper than so many levels,
// its own included.
func IsObject(data json.RawMessage, levels int) bool {
	if !json.Valid(data) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a number may be larger than any float
	for depth, first := 0, true; ; first = false {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return !first
		case err != nil || first && token != json.Delim('{'):
			return false
		case token == json.Delim('{') || token == json.Delim('['):
			depth++
		case token == json.Delim('}') || token == json.Delim(']'):
			depth--
		}
		if depth > levels {
			return false
		}
	}
}

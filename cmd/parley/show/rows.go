package show

import (
	"encoding/json"
	"fmt"
)

// Rows shows what an answer of the API lists: as it came, an object a line, where programs
// read it, else as a table. what names one of them in an error.
func Rows[T any](o *Out, what string, heads []string, all []json.RawMessage, row func(T) []Cell) error {
	var rows [][]Cell
	for _, raw := range all {
		if o.JSON() {
			if err := o.Raw(raw); err != nil {
				return err
			}
			continue
		}
		var item T
		if err := json.Unmarshal(raw, &item); err != nil {
			return fmt.Errorf("reading %s: %w", what, err)
		}
		rows = append(rows, row(item))
	}
	if o.JSON() {
		return nil
	}
	return o.Table(heads, rows)
}

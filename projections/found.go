package projections

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// List is a slice that is stored as a JSON array, empty rather than null.
func List(s []string) json.RawMessage {
	if len(s) == 0 {
		return json.RawMessage("[]")
	}
	data, _ := json.Marshal(s) // strings always have a JSON form
	return data
}

// Found turns "no rows" into no error: absence is an answer.
func Found(err error, doing string) error {
	if err == nil || errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

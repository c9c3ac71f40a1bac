package attached

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// MostOfTurn is how many bytes what goes with one turn may have.
const MostOfTurn = 16 << 10

const (
	deepOfTurn  = 5
	namesOfTurn = 100
)

var nameOfTurn = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// TurnProblem is what is wrong with an object that goes with one turn, which agents see as
// session.messageMetadata; empty: nothing, or there is none.
func TurnProblem(raw json.RawMessage) string {
	switch {
	case raw == nil:
		return ""
	case len(raw) > MostOfTurn:
		return fmt.Sprintf("must be at most %d bytes, has %d", MostOfTurn, len(raw))
	case !IsObject(raw, deepOfTurn):
		return fmt.Sprintf("must be an object of at most %d levels", deepOfTurn)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return "must be an object"
	}
	if len(members) > namesOfTurn {
		return fmt.Sprintf("may have at most %d members", namesOfTurn)
	}
	for name := range members {
		if !nameOfTurn.MatchString(name) {
			return "has a member whose name is not made of 1 to 64 letters, digits, _, . and -"
		}
	}
	return ""
}

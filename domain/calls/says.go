package calls

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/fault"
)

// Talker is the number of the simulated callee who says the lines of metadata.says, one after
// each thing that is said to it.
const Talker = "tel:+15550000011"

// What one such callee may have to say.
const (
	MostSays    = 100
	LongestSays = 1_000 // characters of a line
)

// saysOf are the lines of a request's metadata; what has another form is none.
func saysOf(metadata json.RawMessage) []string {
	var of struct {
		Says []string `json:"says"`
	}
	if json.Unmarshal(metadata, &of) != nil {
		return nil
	}
	return of.Says
}

// checkSays looks at the lines where somebody is to say them: to all others metadata is the caller's
// own.
func (c DialOut) checkSays(f *fault.Fields) {
	if target, _ := NormalTarget(c.Target); target != Talker || !isObject(c.Metadata) {
		return
	}
	var of struct {
		Says json.RawMessage `json:"says"`
	}
	var lines []string
	if err := json.Unmarshal(c.Metadata, &of); err != nil || len(of.Says) == 0 {
		return
	}
	if json.Unmarshal(of.Says, &lines) != nil {
		f.Add("metadata.says", "must be an array of texts")
		return
	}
	if len(lines) > MostSays {
		f.Add("metadata.says", "may have at most %d lines", MostSays)
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > LongestSays {
			f.Add("metadata.says", "has a line of more than %d characters", LongestSays)
			return
		}
	}
}

package checks

import "fmt"

// Findings is what the checks of a round found.
type Findings struct {
	Acknowledged int      `json:"acknowledged"` // changes that were answered with 2xx
	Found        int      `json:"found"`        // of them, those that the log has as they were answered
	Lost         int      `json:"lost"`         // of them, those that the log does not have, or has otherwise
	Doubled      int      `json:"doubled"`      // requests that took effect more than once
	Problems     []string `json:"problems"`     // what broke a promise, first the check's name
	Undecided    []string `json:"undecided"`    // what a check could not decide in its time
	more         map[string]int
}

// mostOfOne is how many problems of one check are kept.
const mostOfOne = 8

// Add notes a problem that a check found.
func (f *Findings) Add(check, format string, args ...any) {
	if f.more == nil {
		f.more = map[string]int{}
	}
	f.more[check]++
	if f.more[check] <= mostOfOne {
		f.Problems = append(f.Problems, check+": "+fmt.Sprintf(format, args...))
	}
}

// OK says that nothing was found.
func (f *Findings) OK() bool { return len(f.Problems) == 0 && f.Lost == 0 && f.Doubled == 0 }

// Checks names the checks that found something.
func (f *Findings) Checks() map[string]int { return f.more }

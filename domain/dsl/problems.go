package dsl

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing in a source that is wrong, as the API shows it. Line and column
// count from 1, the column in characters.
type Problem struct {
	Field  string `json:"field"` // where in the structure: FLOW.STEPS.ask.NEXT
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Code   string `json:"code"`
	Hint   string `json:"hint"`
}

// Problems are all that is wrong, in the order of the source; empty is none.
type Problems []Problem

// MostProblems are told at once; what follows is rarely of interest before these are mended.
const MostProblems = 50

// Error is the first of them, and how many follow.
func (p Problems) Error() string {
	if len(p) == 0 {
		return "no problems"
	}
	text := fmt.Sprintf("line %d, column %d: %s %s", p[0].Line, p[0].Column, p[0].Field, p[0].Hint)
	if len(p) > 1 {
		text += fmt.Sprintf(" (and %d more)", len(p)-1)
	}
	return text
}

// sorted is the order of the source, without repetitions, and bounded.
func (p Problems) sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		if a.Column != b.Column {
			return a.Column - b.Column
		}
		return strings.Compare(a.Field+a.Code+a.Hint, b.Field+b.Code+b.Hint)
	})
	p = slices.Compact(p)
	return p[:min(len(p), MostProblems)]
}

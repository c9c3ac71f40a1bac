package manifest

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with a file of manifests.
type Fault struct {
	File    string
	Line    int    // 1 is the first
	Field   string // spec.aliases[1]; empty: the document itself
	Problem string
}

// String is the fault as editors and people know it: file:line: field problem.
func (f Fault) String() string {
	text := f.Problem
	if f.Field != "" {
		text = f.Field + " " + text
	}
	switch {
	case f.File == "":
		return text
	case f.Line == 0:
		return f.File + ": " + text
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, text)
}

// Faults is everything that is wrong with files of manifests, as an error.
type Faults []Fault

// Error names each on a line of its own.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

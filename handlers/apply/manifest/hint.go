package manifest

import (
	"slices"
	"strings"
)

// Hint helps with a name that is not known: the nearest known one, if it is near,
// else all of them. Of a short name one letter may be wrong, or two changed places: with more, anything
// would be near.
func Hint(name string, known []string) string {
	best, distance := "", 1+max(1, len(name)/3)
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	switch {
	case best != "":
		return "did you mean " + best + "?"
	case len(known) > 0:
		return "known are " + strings.Join(known, ", ")
	}
	return "nothing is known here"
}

// longestHint bounds the names that are compared, in bytes; a longer one is no
// typing mistake.
const longestHint = 64

// editDistance is the number of characters to insert, remove or replace, or of neighbours to change places.
func editDistance(a, b string) int {
	if len(a) > longestHint || len(b) > longestHint {
		return longestHint
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	var before []int // the row above that of i
	for i := range len(a) {
		above := slices.Clone(row)
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost(a[i], b[j]))
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before = above
	}
	return row[len(b)]
}

func cost(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}

package manifest

import "strings"

// Hint helps with a name that is not known: the nearest known one, if it is near,
// else all of them.
func Hint(name string, known []string) string {
	best, distance := "", 1+max(2, len(name)/3)
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

// editDistance is the number of characters to insert, remove or replace.
func editDistance(a, b string) int {
	if len(a) > longestHint || len(b) > longestHint {
		return longestHint
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			row[j+1] = min(above+1, row[j]+1, diagonal+cost(a[i], b[j]))
			diagonal = above
		}
	}
	return row[len(b)]
}

func cost(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}

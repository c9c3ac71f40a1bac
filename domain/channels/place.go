package channels

import (
	"slices"
	"strconv"
	"strings"
)

// Place is a location that somebody sent, in words for an agent: its latitude and longitude, and in
// lines of their own what it is called, where that is known.
func Place(latitude, longitude float64, called ...string) string {
	at := strconv.FormatFloat(latitude, 'f', -1, 64) + ", " + strconv.FormatFloat(longitude, 'f', -1, 64)
	called = slices.DeleteFunc(slices.Clone(called), func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(append([]string{at}, called...), "\n")
}

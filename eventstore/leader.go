package eventstore

import "strings"

// Leader is which leader wrote the last of what was read of a partition; the zero value is
// for one of which nothing was read.
type Leader struct{ epoch string }

// Changed takes note of what was read, and reports whether another leader wrote the last of
// it than what was read before: then the log has to be looked at again, because a new
// leader may have cut what was read. Only the last counts: entries of two leaders are read
// again after that look, and must be taken then.
func (l *Leader) Changed(read []Entry) bool {
	before := l.epoch
	for _, e := range read {
		if epoch, _, ok := strings.Cut(e.Mark, "/"); ok { // a marker's has none
			l.epoch = epoch
		}
	}
	return before != "" && l.epoch != before
}

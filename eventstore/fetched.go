package eventstore

import (
	"errors"
	"strings"
)

// ErrOutOfRange says that an offset is not on the log: it was cut at its start or
// its end, or it is another log.
var ErrOutOfRange = errors.New("offset is not on the log")

// BuildAnew tells an operator how to build the read models from the log as it is. It
// ends a sentence.
const BuildAnew = `stop every node, make the database empty (psql "$DATABASE_URL" -c 'DROP SCHEMA public CASCADE; CREATE SCHEMA public';
	embedded: delete the folder postgres under --data), and start again`

// Fetched is what one read of a partition brought.
type Fetched struct {
	Entries []Entry
	Start   int64 // first offset on the log
	End     int64 // the offset that the next record will get
}

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

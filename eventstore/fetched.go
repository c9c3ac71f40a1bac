package eventstore

import "errors"

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

package event

import "time"

// Stamp is the form of a time in an event: UTC, whole milliseconds, without the reading of
// a process's monotonic clock.
func Stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

package acts

import (
	"context"
	"errors"

	"github.com/parley-platform/parley/eventstore"
)

// Others collects what went wrong with some of many streams that one event, request or
// timer goes through. One of them that cannot be folded is left aside, loudly: it must
// hold up nobody else, and coming again would not help it. What may go well next time
// is an error, but only when all the others have had their turn.
type Others struct {
	Ctx    context.Context
	During string // what was being done with them
	again  []error
}

// Failed takes what came of one of them, and reports whether it was anything but success.
func (o *Others) Failed(which string, err error) bool {
	switch {
	case err == nil:
		return false
	case Aside(o.Ctx, o.During, which, err):
	default:
		o.again = append(o.again, err)
	}
	return true
}

// Err joins what is to be tried again; nil if nothing is.
func (o *Others) Err() error { return errors.Join(o.again...) }

// Aside reports whether an error is of a stream that cannot be folded, and tells the
// operator which.
func Aside(ctx context.Context, during, which string, err error) bool {
	if !eventstore.Unreadable(err) {
		return false
	}
	Logger(ctx).Error("a stream cannot be folded: it is left aside, the others go on; the error says which of its events to look at",
		"during", during, "which", which, "error", err)
	return true
}

package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// LongAnswer is the answer of a request that goes on when the request was admitted:
// a file, or a stream that lasts for hours. What was true at its beginning is asked
// again while it lasts.
type LongAnswer struct{ x *exchange }

// LongAnswerOf is the answer of the request of the context.
func LongAnswerOf(ctx context.Context) LongAnswer { return LongAnswer{exchangeOf(ctx)} }

// Refuse answers an error in the place of what was to come. It must be the first thing
// that is written.
func (a LongAnswer) Refuse(ctx context.Context, err error) { a.x.refuse(ctx, err) }

// EndsWithNode has end called when the node stops, until stop is.
func (a LongAnswer) EndsWithNode(end func()) (stop func() bool) {
	return context.AfterFunc(a.x.api.streaming, end)
}

// MayTakeLong lifts the deadline by which the request had to be read: when it passes, the
// context of a request that is still answered would end.
func (a LongAnswer) MayTakeLong() {
	if a.x.answer != nil {
		_ = http.NewResponseController(a.x.answer).SetReadDeadline(time.Time{})
	}
}

// Look begins to read anew: Holds speaks of what is read from now on.
func (a LongAnswer) Look() { a.x.read() }

// Holds is a fault if what was read since Look may not be what the read models hold.
func (a LongAnswer) Holds(ctx context.Context) error { return a.x.shut(ctx) }

// Allowed verifies the credential of the request again. What cannot be told now is not
// held against it: nothing is read meanwhile either.
func (a LongAnswer) Allowed(ctx context.Context, r *http.Request) error {
	c, err := chosen(a.x.op.Requirement, r.Header)
	if err != nil {
		return err
	}
	a.x.read()
	p, err := a.x.api.verify(ctx, c)
	if err == nil {
		err = a.x.op.Requirement.Check(p)
	}
	if fault.Is(err, fault.Unauthorized) || fault.Is(err, fault.Forbidden) {
		if a.x.shut(ctx) == nil { // else the answer may rest on read models that are not complete
			return err
		}
	}
	return nil
}

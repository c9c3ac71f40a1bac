package eventstore

import (
	"context"

	"github.com/parley-platform/parley/domain/event"
)

// ExecuteAsync is Execute for callers who do not wait until the effect is visible. It
// answers, with a Result that is Pending, as soon as the commit is on the log, if that
// is the first of its stream; of any other it answers what Execute does.
//
// It may only be used where the stream's id was derived for this very request, fresh or
// from its Idempotency-Key: then nobody else writes version 1, and what is on the log is
// what counts. (Two requests that share a key on two nodes at the same moment both hear
// of the same id; which of them it holds is read there.) The command goes on behind the
// answer, within the time of the caller's context but whether or not the caller stays.
func ExecuteAsync[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, cmd Command,
	decide func(S) ([]event.Payload, error)) (Result[S], error) {
	durable, ended := make(chan *Result[S], 1), make(chan error, 1)
	x := &execution[S]{s: s, agg: agg, stream: stream, cmd: cmd, decide: decide, durable: durable}
	behind, cancel := context.WithoutCancel(ctx), func() {}
	if deadline, ok := ctx.Deadline(); ok {
		behind, cancel = context.WithDeadline(behind, deadline)
	}
	go func() {
		defer cancel()
		ended <- x.observed(behind)
	}()
	select {
	case res := <-durable:
		return *res, nil
	case err := <-ended:
		select {
		case res := <-durable: // both at once: the caller gets what it preferred
			if err == nil {
				return *res, nil
			}
		default:
		}
		return x.result, err
	}
}

// tell says that a commit is on the log, once, if it is one that can be relied on. One
// that was sent more than once may have lost to itself in another place.
func (x *execution[S]) tell(c *commit, a Ack, after *S) {
	if x.durable == nil || a.Resent || c.records[0].Version != 1 {
		return
	}
	x.durable <- &Result[S]{Events: c.recorded(a.Offset), State: *after, Pending: true}
	x.durable = nil
}

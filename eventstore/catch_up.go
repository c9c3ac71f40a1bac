package eventstore

import (
	"cmp"
	"context"

	"github.com/parley-platform/parley/domain/event"
)

// Newer reads what a stream has behind a version. An Index may implement it beside Load; what a node keeps of a
// stream that others write too is then brought up to date, in place of losing its place on the log and being read
// whole.
type Newer interface {
	// After returns accepted records in version order, at most so many.
	After(ctx context.Context, stream string, version int64, most int) ([]*Record, error)
}

const (
	doubts     = 8   // looks that find nothing new, until a stream is taken to be this node's alone
	mostBehind = 100 // records that a node catches up with; who is further behind reads the stream
)

// catchUp folds what others have written since, where they do. It says whether the entry is now the stream as
// the index has it, as load would have read it; one that cannot be brought there is dropped. The caller has the turn.
func (x *execution[S]) catchUp(ctx context.Context, e *entry[S]) (caughtUp bool, err error) {
	if e.doubts == 0 || e.last != nil {
		return false, nil
	}
	caughtUp, news, err := x.lookBehind(ctx, e)
	if caughtUp && !news {
		e.doubts--
	}
	return caughtUp, err
}

// lookBehind brings an entry of which nothing is on its way to where the index is. news: it was not there.
func (x *execution[S]) lookBehind(ctx context.Context, e *entry[S]) (caughtUp, news bool, err error) {
	index, can := x.s.Index.(Newer)
	if !can {
		return false, false, nil
	}
	records, follow, err := newer(ctx, x.s, x.agg, index, x.stream, e.head)
	switch {
	case err != nil:
		return false, false, err
	case !follow:
		return false, false, errAgain
	case len(records) == 0:
		return true, false, nil
	}
	if e.kept {
		e.state, e.kept = copyOf(e.state), false
	}
	f := &folded[S]{state: *e.state, requests: e.requests, ours: x.s.Source()}
	if err := f.add(x.agg, records); err != nil {
		return false, false, err
	}
	e.become(f)
	return true, true, nil
}

// stands says whether a decision on what is kept, which came to nothing, may be answered: the index has nothing behind it. If not, the
// turn is passed: the command decides again once what it missed is kept, or where it is read as a whole, or it was answered aside.
func (x *execution[S]) stands(ctx context.Context, e *entry[S], epoch uint64) (stands bool, again error) {
	if e.last != nil {
		return false, x.aside(ctx, e)
	}
	same, news, err := x.lookBehind(ctx, e)
	if err == nil && x.s.Follower.Epoch() != epoch {
		err = errAgain
	}
	if err == nil && same && !news {
		return true, nil
	}
	if err != nil || !same {
		x.drop(e)
	}
	e.pass()
	return false, cmp.Or(err, errAgain)
}

// aside is what becomes of a decision that came to nothing while other commits were on their way, on which it was made and which may be
// lost: it waits for the newest of them, and decides again. Where it meets others then, the stream is too busy to be met at rest, and it
// decides on what the index has. What is kept stays as it is: those who go on with it would lose their places on the log.
func (x *execution[S]) aside(ctx context.Context, e *entry[S]) error {
	last := e.last
	e.pass()
	if x.waited {
		f, err := steady(x.s, func() (*folded[S], error) { return latest(ctx, x.s, x.agg, x.stream) })
		if err != nil {
			return err
		}
		if f.requests.of[x.cmd.RequestID] == nil { // else another node has done it, and those on their way will find that out
			payloads, err := x.decided(f.state, f.head)
			if len(payloads) == 0 || err != nil {
				x.result.State = f.state
				return err
			}
		}
	}
	x.waited = true
	return cmp.Or(wait(ctx, last), errAgain) // what is on its way will be in the index then
}

// newer is what the index has behind a head. follow: a state of that head can be gone on from by it; else the stream has to be read.
func newer[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], index Newer, stream string, head Head) (records []*Record,
	follow bool, err error) {
	records, err = index.After(ctx, stream, head.Version, mostBehind)
	if err := s.opened(ctx, agg.Category, stream, records, err); err != nil {
		return nil, false, err
	}
	apart := len(records) == mostBehind || len(records) > 0 && records[0].Parent != head.Commit
	return records, !apart && !erased(agg, records), nil
}

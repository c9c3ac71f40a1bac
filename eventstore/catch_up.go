package eventstore

import (
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
	index, can := x.s.Index.(Newer)
	if !can || e.doubts == 0 || e.last != nil {
		return false, nil
	}
	records, follow, err := newer(ctx, x.s, x.agg, index, x.stream, e.head)
	switch {
	case err != nil:
		return false, err
	case !follow:
		return false, errAgain
	case len(records) == 0:
		e.doubts--
		return true, nil
	}
	if e.kept {
		e.state, e.kept = copyOf(e.state), false
	}
	f := &folded[S]{state: *e.state, requests: e.requests, ours: x.s.Source()}
	if err := f.add(x.agg, records); err != nil {
		return false, err
	}
	e.become(f)
	return true, nil
}

// newer is what the index has behind a head. follow: a state of that head can be gone on from by it; else the stream has to be read.
func newer[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], index Newer, stream string, head Head) (records []*Record,
	follow bool, err error) {
	records, err = index.After(ctx, stream, head.Version, mostBehind)
	if err == nil {
		err = s.open(ctx, agg.Category, records)
	}
	if err != nil {
		return nil, false, unavailable(stream, err)
	}
	apart := len(records) == mostBehind || len(records) > 0 && records[0].Parent != head.Commit
	return records, !apart && !erased(agg, records), nil
}

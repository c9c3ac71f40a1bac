package eventstore

import (
	"errors"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// take folds one record into a state, and gives the event. A record whose event this node
// cannot read is refused with a fault that says why; the state is of no use then.
func take[S any](agg *event.Aggregate[S], state *S, r *Record) (p event.Payload, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = unreadable(r, fmt.Errorf("folding it panics with a %T", v))
		}
	}()
	if p, err = agg.Decode(r.Type, r.Data); err != nil {
		return nil, unreadable(r, err)
	}
	agg.Fold(state, p)
	return p, nil
}

var errUnreadable = errors.New("the stream cannot be folded")

// Unreadable reports whether something failed because a stream holds an event that this
// node cannot read. Who works through many streams leaves that one aside, loudly, and
// goes on with the others: no repetition mends it.
func Unreadable(err error) bool { return errors.Is(err, errUnreadable) }

// unreadable is the refusal of whatever needs the state of a stream that holds an event
// which this node cannot read. Such an event counts, as for everyone who applies the
// accept rule: nothing may be decided as if it were not there.
func unreadable(r *Record, err error) error {
	cause := fmt.Errorf("loading %s version %d: %w: %w", r.Stream, r.Version, errUnreadable, err)
	if errors.Is(err, event.ErrUnknownType) {
		return fault.New(fault.NotExecuted, "this node is of an older version of Parley than the one that wrote %s, which %s holds at version "+
			"%d: nothing was done; try again, a node of the newer version can do it",
			r.Type, r.Stream, r.Version).After(2 * time.Second).Because(cause)
	}
	return fault.New(fault.Internal, "%s cannot be read: its event at version %d is not of the form of %s; nothing was done, and the "+
		"operator has to look at %s/%d, offset %d",
		r.Stream, r.Version, r.Type, r.Topic, r.Partition, r.Offset).Because(cause)
}

package reactors

import (
	"context"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore"
)

// logReader reads a partition of the log from an offset on.
type logReader interface {
	Fetch(ctx context.Context, topic string, partition int, offset int64) (eventstore.Fetched, error)
}

// Lag is how far a group is behind the log. It counts what is on the log, of whatever
// type; a reactor passes quickly over what is not for it.
type Lag struct {
	Events int64         // behind the committed offsets, which follow by a second
	Age    time.Duration // of the oldest of them
	Lost   []string      // partitions on which the group stands nowhere, or off the log
}

// LagOf asks the broker. Where the group stands nowhere but a position was decided on, as
// in the first second of a reactor, it counts from there.
func LagOf(ctx context.Context, on *Edges, log logReader, now time.Time, group string, topics []string,
	pending []registrations.Position) (Lag, error) {
	var out Lag
	committed, err := on.Groups.Committed(ctx, group, topics...)
	if err != nil {
		return out, err
	}
	for _, topic := range topics {
		edges, err := on.of(ctx, topic, committed[topic], pending)
		if err != nil {
			return out, err
		}
		starts, ends := edges.starts, edges.ends
		for p := range len(ends) {
			at, ok := committed[topic][p]
			if !ok {
				at = -1
			}
			if i := slices.IndexFunc(pending, func(d registrations.Position) bool { return d.Topic == topic && d.Partition == p }); i >= 0 &&
				(at < starts[p] || at > ends[p]) {
				at = pending[i].Offset
			}
			if at < starts[p] || at > ends[p] {
				out.Lost = append(out.Lost, lost{topic, p, at, starts[p], ends[p]}.String())
				continue
			}
			if at == ends[p] {
				continue
			}
			oldest, err := log.Fetch(ctx, topic, p, at)
			if err != nil {
				return out, err
			}
			behind := false
			for _, e := range oldest.Entries {
				if e.Record != nil {
					behind = true
					out.Age = max(out.Age, now.Sub(e.Record.Time))
					break
				}
			}
			if behind { // the genesis alone is nothing to do
				out.Events += ends[p] - at
			}
		}
	}
	return out, nil
}

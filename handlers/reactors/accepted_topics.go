package reactors

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// AcceptedTopics copies every accepted event to a topic of its own, for consumers
// that do not apply the accept rule: the same key, bytes and ce_id, in the order of
// its stream, at least once.
type AcceptedTopics struct {
	Categories []*event.Category
	CopyTopic  func(topic string) string // where the events of a topic go

	// Append queues a record behind those of its partition and returns the channel on
	// which its outcome comes. The copies of many streams go out in one batch; those
	// of one stream follow one another, because the next event waits for this one.
	Append func(ctx context.Context, topic string, partition int, records []*eventstore.Record) (<-chan eventstore.Ack, error)
}

// AcceptedTopicsName is the reactor's name; its group is parley-accepted-topics.
const AcceptedTopicsName = "accepted-topics"

// Reactor declares it. A new group begins at offset 0: it is a copy and not an
// effect, so an old log is copied whole.
func (a AcceptedTopics) Reactor() Reactor {
	return Reactor{Name: AcceptedTopicsName, Categories: a.Categories, All: true, Side: AtLeastOnce, Handle: a.copy}
}

// copy returns when the copy is durable. What the log says when it cannot be
// written is tried again for as long as it takes, never set aside.
func (a AcceptedTopics) copy(ctx context.Context, e Event) error {
	r := e.Record
	acks, err := a.Append(ctx, a.CopyTopic(r.Topic), r.Partition, []*eventstore.Record{r})
	if err != nil {
		return fmt.Errorf("copying %s/%d@%d: %w", r.Topic, r.Partition, r.Offset, err)
	}
	select {
	case ack := <-acks:
		if ack.Err != nil {
			return fmt.Errorf("copying %s/%d@%d: %w", r.Topic, r.Partition, r.Offset, ack.Err)
		}
		return nil
	case <-ctx.Done():
		return fault.New(fault.OutcomeUnknown, "the copy was not acknowledged in time").Because(ctx.Err())
	}
}

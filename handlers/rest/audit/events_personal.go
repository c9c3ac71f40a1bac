package audit

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// personal opens what is personal in events for who may read it, and shuts it for others. Of
// a type that this node does not know, which a newer version wrote, everything is left as it
// stands on the log.
func (e EventsAPI) personal(ctx context.Context, who access.Principal, events []*eventstore.Record) error {
	of := map[string][]*eventstore.Record{} // by topic
	for _, r := range events {
		of[r.Topic] = append(of[r.Topic], r)
	}
	for topic, records := range of {
		category := catalog.OfTopic(topic)
		switch {
		case category == nil:
		case who.HasPermission(access.PermPersonalRead):
			if err := eventstore.Open(ctx, e.Keys, category, records...); err != nil {
				return fault.New(fault.NotExecuted, "what is personal in the events cannot be opened at the moment").Because(err)
			}
		default:
			eventstore.Shut(category, records...)
		}
	}
	return nil
}

package memory

import (
	"context"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// Put appends events to a stream whatever its state is: what a test is given.
func Put[S any](ctx context.Context, s *eventstore.Store, agg *event.Aggregate[S], tenant, stream string, events ...event.Payload) error {
	return eventstore.Do(ctx, s, agg, stream, eventstore.Command{Tenant: tenant, Actor: "test", CorrelationID: "tr-test"},
		func(S) ([]event.Payload, error) { return events, nil })
}

// Events are those of a stream that count. It panics where one cannot be read, which the
// store would have refused.
func Events(l *Log, category *event.Category, stream string) (out []event.Payload) {
	for _, r := range l.Accepted() {
		if r.Stream == stream {
			out = append(out, Payload(category, r))
		}
	}
	return out
}

// Payload is the event of a record. It panics where that cannot be read.
func Payload(category *event.Category, r *eventstore.Record) event.Payload {
	p, err := category.Decode(r.Type, r.Data)
	if err != nil {
		panic(err)
	}
	return p
}

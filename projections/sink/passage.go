package sink

import (
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// Passage is what one transaction of the engine brought of one partition: from an offset
// up to another, and the events between them that count, as they were judged and decoded.
type Passage struct {
	Place
	From, To int64
	Records  []*eventstore.Record
	Payloads []event.Payload
}

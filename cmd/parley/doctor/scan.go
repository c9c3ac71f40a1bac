package doctor

import (
	"context"
	"fmt"
	"sync"

	"github.com/parley-platform/parley/consumer"
	"github.com/parley-platform/parley/eventstore"
)

// scan counts what the log holds.
type scan struct {
	mu       sync.Mutex
	accepted int
	skipped  map[eventstore.Reason]int
	where    map[eventstore.Reason][]string // the first places of each
}

func newScan() *scan {
	return &scan{skipped: map[eventstore.Reason]int{}, where: map[eventstore.Reason][]string{}}
}

// Load implements consumer.Sink: a scan begins with the first record, because only so the
// heads of the streams are known.
func (s *scan) Load(context.Context, consumer.Place) (consumer.State, error) {
	return consumer.State{}, nil
}

// Take implements consumer.Sink: it counts a batch; partitions come at the same time.
func (s *scan) Take(_ context.Context, b consumer.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range b.Commits {
		s.accepted += len(c)
	}
	for _, skip := range b.Skipped {
		s.skipped[skip.Reason]++
		if len(s.where[skip.Reason]) < 3 {
			s.where[skip.Reason] = append(s.where[skip.Reason], fmt.Sprintf("%s offset %d", b.Place, skip.Offset))
		}
	}
	return nil
}

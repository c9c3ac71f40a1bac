package reactors

import (
	"context"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/registrations"
)

// freshness is how long what the broker said of a topic's ends is good enough to tell
// whether a group stands on the log.
const freshness = 5 * time.Second

// Edges tells where topics begin and end, for many groups that are looked at one after
// the other: reactors share their topics, and each question about one is a request to the
// broker for each of its partitions and either end.
type Edges struct {
	Groups Groups

	mu    sync.Mutex
	known map[string]edges
}

// edges are the offsets of a topic's partitions, as they were a moment ago.
type edges struct {
	starts, ends map[int]int64
	at           time.Time
}

// of gives edges that are not older than the offsets which a group has committed, and the
// positions that were decided for it: it stands behind no end that it has passed since.
func (e *Edges) of(ctx context.Context, topic string, committed map[int]int64, decided []registrations.Position) (edges, error) {
	e.mu.Lock()
	known, ok := e.known[topic]
	e.mu.Unlock()
	if ok && time.Since(known.at) < freshness && known.reach(topic, committed, decided) {
		return known, nil
	}
	now := time.Now()
	starts, ends, err := e.Groups.Bounds(ctx, topic)
	if err != nil {
		return edges{}, err
	}
	known = edges{starts, ends, now}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		e.known = map[string]edges{}
	}
	e.known[topic] = known
	return known, nil
}

func (e edges) reach(topic string, committed map[int]int64, decided []registrations.Position) bool {
	for _, p := range decided {
		if p.Topic == topic && p.Offset > e.ends[p.Partition] {
			return false
		}
	}
	for partition, at := range committed {
		if at > e.ends[partition] {
			return false
		}
	}
	return true
}

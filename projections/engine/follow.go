package engine

import (
	"context"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/sink"
)

const (
	followEvery = 25 * time.Millisecond // looks at streams that another node projects
	followPause = 2 * time.Millisecond  // between two looks: what comes at once is told at once
)

// follows tells who follows single streams that there is more in them. One question to the
// stream index serves all of a node: asked at once when a partition of theirs moves here, and
// every few milliseconds for what other nodes project. Nothing is kept of what was told; a
// follower reads the index itself.
type follows struct {
	moves moves
	wake  chan struct{}

	mu   sync.Mutex
	next *looks // what is asked next; nil: it has to be made anew
	all  map[*Follower]struct{}
	at   map[sink.Place]int // followers by partition
	stop context.CancelFunc // of the loop; nil while nobody follows
}

// moves are the versions of those streams that have another than was seen of them.
type moves func(ctx context.Context, streams []string, seen []int64) (map[string]int64, error)

// looks is what is asked of the index: each stream once, with the version that all its followers have seen. Nobody
// changes it; while nothing happens it is asked again and again as it is.
type looks struct {
	streams []string
	seen    []int64
}

func newFollows(moves moves) *follows {
	return &follows{moves: moves, wake: make(chan struct{}, 1), all: map[*Follower]struct{}{}, at: map[sink.Place]int{}}
}

// Follower is woken when its stream has more events.
type Follower struct {
	of      *follows
	stream  string
	at      sink.Place
	version int64               // of the last look
	ring    func(version int64) // whoever follows
	news    chan struct{}
}

// Follow begins to listen for events of one stream, on whichever node they are written and
// projected: what is visible later than a read that began after Follow rings C. Stop must be
// called.
func (p *Projector) Follow(category *event.Category, stream string) (*Follower, error) {
	n, err := p.Log.Partitions(category.Topic())
	if err != nil {
		return nil, err
	}
	return p.follows.follow(stream, sink.Place{Topic: category.Topic(), Partition: eventstore.PartitionOf(stream, n)}), nil
}

func (x *follows) follow(stream string, at sink.Place) *Follower {
	f := &Follower{of: x, stream: stream, at: at, news: make(chan struct{}, 1)}
	f.ring = func(int64) {
		select {
		case f.news <- struct{}{}:
		default:
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.all[f], x.next = struct{}{}, nil
	x.at[at]++
	if x.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		x.stop = stop
		go x.run(ctx)
	}
	return f
}

// C gives a value when there may be something new.
func (f *Follower) C() <-chan struct{} { return f.news }

// Calls has ring called where C would give a value, for who has no goroutine that waits for it, with the version of the newest event.
// It must not wait; behind Stop it is called no more.
func (f *Follower) Calls(ring func(version int64)) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.ring, f.news = ring, nil
}

// Stop ends the listening.
func (f *Follower) Stop() {
	x := f.of
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, follows := x.all[f]; !follows {
		return
	}
	delete(x.all, f)
	x.next = nil
	if x.at[f.at]--; x.at[f.at] == 0 {
		delete(x.at, f.at)
	}
	if len(x.all) == 0 {
		x.stop()
		x.stop = nil
	}
}

// moved is said of each partition that was projected further, here or elsewhere.
func (x *follows) moved(at sink.Place) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.at[at] == 0 {
		return
	}
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// run looks until the last follower has gone. What went wrong is looked at again.
func (x *follows) run(ctx context.Context) {
	for {
		began := time.Now()
		x.look(ctx)
		took := time.Since(began)
		if sink.Pause(ctx, max(followPause, took)) != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-x.wake:
		case <-time.After(max(followEvery, 4*took)):
		}
	}
}

// look rings for the streams whose heads are others than at the last look.
func (x *follows) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	next := x.looks()
	moved, err := x.moves(ctx, next.streams, next.seen)
	if err != nil || len(moved) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for f := range x.all {
		if version, ok := moved[f.stream]; ok && version != f.version {
			f.version, x.next = version, nil
			f.ring(version)
		}
	}
}

func (x *follows) looks() *looks {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.next != nil {
		return x.next
	}
	seen := map[string]int64{}
	for f := range x.all {
		if least, ok := seen[f.stream]; !ok || f.version < least {
			seen[f.stream] = f.version
		}
	}
	x.next = &looks{}
	for stream, version := range seen {
		x.next.streams, x.next.seen = append(x.next.streams, stream), append(x.next.seen, version)
	}
	return x.next
}

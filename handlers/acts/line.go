package reactors

import (
	"context"
	"sync"
)

// turns lets one caller at a time work on a stream. Those who come meanwhile wait
// rather than turn back: what they were told of may have happened after the
// first one looked.
type turns struct {
	mu     sync.Mutex
	byName map[string]*turn
}

type turn struct {
	free  chan struct{} // holds one token while nobody works
	users int           // working or waiting
}

// enter waits for the stream; leave must be called once.
func (t *turns) enter(ctx context.Context, stream string) (leave func(), err error) {
	mine := t.join(stream)
	select {
	case <-mine.free:
		return func() { mine.free <- struct{}{}; t.quit(stream, mine) }, nil
	case <-ctx.Done():
		t.quit(stream, mine)
		return nil, ctx.Err()
	}
}

func (t *turns) join(stream string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.byName[stream]
	if mine == nil {
		mine = &turn{free: make(chan struct{}, 1)}
		mine.free <- struct{}{}
		if t.byName == nil {
			t.byName = map[string]*turn{}
		}
		t.byName[stream] = mine
	}
	mine.users++
	return mine
}

func (t *turns) quit(stream string, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.byName, stream)
	}
}

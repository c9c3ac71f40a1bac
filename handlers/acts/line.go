package acts

import (
	"context"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// Lines let one caller at a time work on a stream. Those who come meanwhile wait, in the order
// in which they came, rather than turn back: what they were told of may have happened after the
// first one looked.
type Lines struct {
	Most int // who may wait for one stream; 0: as many as come

	mu     sync.Mutex
	byName map[string]*line
}

type line struct {
	free  chan struct{} // holds one token while nobody works
	users int           // working or waiting
}

// Enter waits for the stream; leave must be called once. Where too many wait already, that is
// told at once.
func (t *Lines) Enter(ctx context.Context, stream string) (leave func(), err error) {
	mine := t.join(stream)
	if mine == nil {
		return nil, fault.New(fault.QueueFull, "%d wait already; come again when some of them had their turn", t.Most).After(time.Second)
	}
	select {
	case <-mine.free:
		return func() { mine.free <- struct{}{}; t.quit(stream, mine) }, nil
	case <-ctx.Done():
		t.quit(stream, mine)
		return nil, ctx.Err()
	}
}

func (t *Lines) join(stream string) *line {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.byName[stream]
	if mine == nil {
		mine = &line{free: make(chan struct{}, 1)}
		mine.free <- struct{}{}
		if t.byName == nil {
			t.byName = map[string]*line{}
		}
		t.byName[stream] = mine
	}
	if t.Most > 0 && mine.users > t.Most {
		return nil
	}
	mine.users++
	return mine
}

func (t *Lines) quit(stream string, mine *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.byName, stream)
	}
}

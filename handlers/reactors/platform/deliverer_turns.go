package platform

import (
	"context"
	"sync"

	"github.com/parley-platform/parley/domain/webhooks"
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

// maxUnproven bounds what is remembered; what is forgotten is an attempt more.
const maxUnproven = 4096

// unproven remembers attempts that were made but whose record has not been
// acknowledged. It is lost with the process, which at least once allows.
type unproven struct {
	mu       sync.Mutex
	byStream map[string]madeAttempt
}

type madeAttempt struct {
	noticeID string
	number   int
	record   attemptRecord
}

// keep remembers the record of an attempt.
func (u *unproven) keep(stream string, a webhooks.Attempt, r attemptRecord) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byStream == nil {
		u.byStream = map[string]madeAttempt{}
	}
	if len(u.byStream) >= maxUnproven {
		for other := range u.byStream { // perhaps of a stream that another node works on now
			delete(u.byStream, other)
			break
		}
	}
	u.byStream[stream] = madeAttempt{a.NoticeID, a.Number, r}
}

// get is the record of exactly that attempt, nil when it was not made here.
func (u *unproven) get(stream string, a webhooks.Attempt) attemptRecord {
	u.mu.Lock()
	defer u.mu.Unlock()
	if made := u.byStream[stream]; made.noticeID == a.NoticeID && made.number == a.Number {
		return made.record
	}
	return nil
}

// drop forgets the stream's.
func (u *unproven) drop(stream string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.byStream, stream)
}

package reactors

import (
	"sync"

	"github.com/parley-platform/parley/domain/attempt"
)

// maxUnrecorded bounds what is remembered. What is forgotten is an attempt more, or one in
// doubt.
const maxUnrecorded = 4096

// unrecorded remembers the outcomes of attempts that were made here and whose record has
// not been acknowledged: a log that is away for a while must not make us knock every
// second, nor make unknown what we know. It is lost with the process.
type unrecorded[S any] struct {
	mu       sync.Mutex
	byStream map[string]made[S]
	count    uint64 // of all that were ever kept
}

type made[S any] struct {
	name    string
	outcome attempt.Decision[S]
	turn    uint64 // when it was kept
}

// keep remembers the outcome of an attempt, and forgets the oldest if there are too many:
// it is perhaps of a stream that another node works on now.
func (u *unrecorded[S]) keep(stream, name string, outcome attempt.Decision[S]) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byStream == nil {
		u.byStream = map[string]made[S]{}
	}
	if _, known := u.byStream[stream]; !known && len(u.byStream) >= maxUnrecorded {
		oldest := ""
		for other, m := range u.byStream {
			if oldest == "" || m.turn < u.byStream[oldest].turn {
				oldest = other
			}
		}
		delete(u.byStream, oldest)
	}
	u.count++
	u.byStream[stream] = made[S]{name, outcome, u.count}
}

// get is the outcome of exactly that attempt, nil when it was not made here.
func (u *unrecorded[S]) get(stream, name string) attempt.Decision[S] {
	u.mu.Lock()
	defer u.mu.Unlock()
	if m := u.byStream[stream]; m.name == name {
		return m.outcome
	}
	return nil
}

// drop forgets the stream's attempt of that name, or whichever there is if none is named.
func (u *unrecorded[S]) drop(stream, name string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if name == "" || u.byStream[stream].name == name {
		delete(u.byStream, stream)
	}
}

package engine

import (
	"sync"
	"time"
)

// alarmEvery is the least time between two log lines about the same thing.
const alarmEvery = time.Minute

// alarms keeps a million records of one kind from writing a million lines: the first
// is told at once, the others are counted and told with the next line.
type alarms struct {
	mu   sync.Mutex
	held map[string]*alarm
}

type alarm struct {
	told  time.Time
	count int
}

// due notes n more of a kind and says how many there were since the last line, or zero
// when it is too early for another.
func (a *alarms) due(kind string, n int, now time.Time) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held == nil {
		a.held = map[string]*alarm{}
	}
	x := a.held[kind]
	if x == nil {
		x = &alarm{}
		a.held[kind] = x
	}
	x.count += n
	if now.Sub(x.told) < alarmEvery {
		return 0
	}
	count := x.count
	x.told, x.count = now, 0
	return count
}

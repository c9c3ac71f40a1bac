package channels

import (
	"maps"
	"sync"
	"time"
)

// pace is when something may be shown next by each account whose provider counts for all its conversations.
// Each node has its own: what they are too many for together, the provider refuses, and they rest for as long as
// it says.
type pace struct {
	mu   sync.Mutex
	next map[string]time.Time
}

// take takes the time of an account that is now, if there is one; pause: how long there is none.
func (p *pace) take(account string, now time.Time, every time.Duration) (pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.next, func(_ string, at time.Time) bool { return !at.After(now) })
	if at, busy := p.next[account]; busy {
		return at.Sub(now)
	}
	p.next[account] = now.Add(every)
	return 0
}

// rest has an account show nothing until then.
func (p *pace) rest(account string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until.After(p.next[account]) {
		p.next[account] = until
	}
}

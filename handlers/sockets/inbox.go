package sockets

import (
	"context"
	"sync"
)

// Inbox has what comes on a socket dealt with one after the other, beside who reads it. While nothing has come it is
// nobody's work: a socket on which nothing is said has no goroutine for it.
type Inbox[T any] struct {
	Most int // that may wait for the one before them
	Deal func(ctx context.Context, one T)

	mu      sync.Mutex
	waiting []T
	busy    bool
}

// Put has one dealt with while the context lasts, behind those before it; false: as many wait as may. It is called by
// who serves the socket.
func (b *Inbox[T]) Put(ctx context.Context, s *Socket, one T) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) >= b.Most {
		return false
	}
	b.waiting = append(b.waiting, one)
	if !b.busy {
		b.busy = true
		s.Beside(func() { b.dealAll(ctx) })
	}
	return true
}

func (b *Inbox[T]) dealAll(ctx context.Context) {
	for {
		b.mu.Lock()
		if len(b.waiting) == 0 || ctx.Err() != nil {
			b.waiting, b.busy = nil, false
			b.mu.Unlock()
			return
		}
		next := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.mu.Unlock()
		b.Deal(ctx, next)
	}
}

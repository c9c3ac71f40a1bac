package keyring

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// How large a lot is: the first, and the largest. One that lasted less than a second makes
// the next twice as large.
const (
	firstLot   = 32
	largestLot = 4096
	lotTimeout = 15 * time.Second
)

// lot is the keys that were made ahead. The next lot is made when half of one is gone, so
// that nobody waits for it but who comes first, or all at once.
type lot struct {
	make func(ctx context.Context, n int) ([]sealed.Key, error)

	mu     sync.Mutex
	keys   []sealed.Key
	drops  int           // how often all were dropped
	size   int           // of the next one
	began  time.Time     // when the last one was made
	making chan struct{} // closed when the one that is being made is there, or is not to be had
	failed error         // why the last one could not be made
}

// take waits for a key if there is none.
func (l *lot) take(ctx context.Context) (sealed.Key, error) {
	for {
		l.mu.Lock()
		if n := len(l.keys); n > 0 {
			key := l.keys[n-1]
			l.keys = l.keys[:n-1]
			if n-1 <= l.size/2 && l.making == nil {
				l.begin()
			}
			l.mu.Unlock()
			return key, nil
		}
		if l.making == nil {
			l.begin()
		}
		made := l.making
		l.mu.Unlock()
		select {
		case <-made:
		case <-ctx.Done():
			return sealed.Key{}, fmt.Errorf("waiting for a data key: %w", ctx.Err())
		}
		l.mu.Lock()
		err, none := l.failed, len(l.keys) == 0
		l.mu.Unlock()
		if none && err != nil {
			return sealed.Key{}, err
		}
	}
}

// begin has the next lot made. The caller has the lock.
func (l *lot) begin() {
	switch now := time.Now(); {
	case l.size == 0:
		l.size = firstLot
	case now.Sub(l.began) < time.Second:
		l.size = min(2*l.size, largestLot)
	case now.Sub(l.began) > time.Minute:
		l.size = max(l.size/2, firstLot)
	}
	l.making = make(chan struct{})
	go l.fill(l.size, l.drops)
}

// drop forgets the keys that nobody took, and those that are being made.
func (l *lot) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys = nil
	l.drops++
}

func (l *lot) fill(n, drops int) {
	ctx, cancel := context.WithTimeout(context.Background(), lotTimeout)
	defer cancel()
	keys, err := l.make(ctx, n)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drops != drops {
		keys = nil
	}
	l.keys, l.failed, l.began = append(l.keys, keys...), err, time.Now()
	close(l.making)
	l.making = nil
}

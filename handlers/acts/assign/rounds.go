package assign

import (
	"context"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// Rounds have those who would serve one line at the same moment share it: when sixty agents are free at once, sixty who went
// through the line would offer each transfer sixty times. Who comes while a round is under way is served by the next, which
// begins behind what he came for. It is of one node; other nodes' rounds meet on the streams.
type Rounds struct {
	mu   sync.Mutex
	next map[string]*round // by line, while one is under way; nil: nobody waits for another
}

// round is one way through a line, and who waits for it.
type round struct {
	serve func() error
	done  chan struct{}
	err   error
}

// share serves a line by a round that begins after the call. It goes on without a caller whose time is up.
func (x *Rounds) share(ctx context.Context, line string, serve func(ctx context.Context) error) error {
	if x == nil {
		return serve(ctx)
	}
	r := x.join(ctx, line, serve)
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return late(ctx)
	}
}

// late is that a line was not gone through in time: it is to be served again, by whoever wanted it.
func late(ctx context.Context) error {
	return fault.New(fault.NotExecuted, "the line was not gone through in time").After(time.Second).Because(ctx.Err())
}

func (x *Rounds) join(ctx context.Context, line string, serve func(ctx context.Context) error) *round {
	x.mu.Lock()
	defer x.mu.Unlock()
	next, running := x.next[line]
	if next != nil {
		return next
	}
	r := &round{done: make(chan struct{}), serve: func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimFor)
		defer cancel()
		err := serve(ctx)
		if err != nil && ctx.Err() != nil {
			return late(ctx)
		}
		return err
	}}
	if x.next == nil {
		x.next = map[string]*round{}
	}
	if running {
		x.next[line] = r
		return r
	}
	x.next[line] = nil
	go x.run(line, r)
	return r
}

// run goes through a line until nobody waits for another round.
func (x *Rounds) run(line string, r *round) {
	for r != nil {
		r.err = r.serve()
		close(r.done)
		x.mu.Lock()
		if r = x.next[line]; r == nil {
			delete(x.next, line)
		} else {
			x.next[line] = nil
		}
		x.mu.Unlock()
	}
}

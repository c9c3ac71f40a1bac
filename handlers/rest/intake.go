package rest

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/parley-platform/parley/domain/fault"
)

// What bodies may hold in memory on one node. Those of callers whose credentials are
// not good hold nothing: they are judged as they come (scan.go) and forgotten.
const (
	smallBody   = 16 << 10  // bytes; what a connection costs anyway, so nobody waits for it
	smallValues = 1_000     // the same, of values
	rawBytes    = 64 << 20  // of bodies as they were received
	madeBytes   = 128 << 20 // of what is made of them while their requests are answered
	bodyWait    = 5 * time.Second

	// What is made of a body, about: decoded for validation and for the handler, and
	// written anew in between. TestWhatIsReckonedForABodyIsWhatItHolds measures it.
	madePerByte  = 5
	madePerValue = 160

	strangers     = 64 // bodies of callers without a good credential that are judged at once
	strangersWait = time.Second
)

// intake bounds the bodies in flight of one node. A tenant gets at most half of each
// budget, so that one cannot keep the others out; strangers have a lane of their own.
type intake struct {
	raw, made *budget
	strangers *semaphore.Weighted
}

func newIntake() *intake {
	return &intake{raw: newBudget(rawBytes), made: newBudget(madeBytes), strangers: semaphore.NewWeighted(strangers)}
}

// stranger takes a place for judging a body that nobody answers for.
func (i *intake) stranger(ctx context.Context) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, strangersWait)
	defer cancel()
	if err := i.strangers.Acquire(ctx, 1); err != nil {
		return nil, fault.New(fault.RateLimit, "too many requests without a valid credential are under way").After(strangersWait)
	}
	return func() { i.strangers.Release(1) }, nil
}

// budget is a number of bytes that requests share.
type budget struct {
	node  *semaphore.Weighted
	share int64 // of one tenant

	mu      sync.Mutex
	tenants map[string]*shareOf // those that hold something, or wait
}

type shareOf struct {
	bytes *semaphore.Weighted
	users int
}

func newBudget(size int64) *budget {
	return &budget{node: semaphore.NewWeighted(size), share: size / 2, tenants: map[string]*shareOf{}}
}

// room is a part of a budget that a request has.
type room struct {
	b      *budget
	tenant string
	own    *shareOf
	bytes  int64
}

// keep gives back what is not wanted after all.
func (r *room) keep(bytes int64) {
	if more := r.bytes - bytes; more > 0 {
		r.bytes -= more
		r.b.node.Release(more)
		r.own.bytes.Release(more)
	}
}

// release gives back the rest. It is called once.
func (r *room) release() {
	r.keep(0)
	r.b.leave(r.tenant, r.own)
}

// take waits for n bytes of the tenant's share, then of the node. What is larger than a share
// takes all of it.
func (b *budget) take(ctx context.Context, tenant string, n int64) (*room, error) {
	n = min(n, b.share)
	ctx, cancel := context.WithTimeout(ctx, bodyWait)
	defer cancel()
	own := b.enter(tenant)
	if err := own.bytes.Acquire(ctx, n); err != nil {
		b.leave(tenant, own)
		return nil, fault.New(fault.QueueFull, "too many large bodies of this account are under way").After(bodyWait)
	}
	if err := b.node.Acquire(ctx, n); err != nil {
		own.bytes.Release(n)
		b.leave(tenant, own)
		return nil, fault.New(fault.NotExecuted, "too many large bodies are under way: nothing was done").After(bodyWait)
	}
	return &room{b, tenant, own, n}, nil
}

func (b *budget) enter(tenant string) *shareOf {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.tenants[tenant]
	if own == nil {
		own = &shareOf{bytes: semaphore.NewWeighted(b.share)}
		b.tenants[tenant] = own
	}
	own.users++
	return own
}

func (b *budget) leave(tenant string, own *shareOf) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(b.tenants, tenant)
	}
}

package campaigns

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/eventstore"
)

// mostEndings bounds the outcomes of one commit.
const mostEndings = 100

// endings lets the outcomes of one campaign's start go to the lines together: while a
// commit of some is on its way, those that come meanwhile wait, and are the next one. So
// the more calls end at once, the fewer commits each of them costs, and two nodes that
// write the lines of a tenant each have one commit there which the other's can beat, in
// place of a chain that is lost whole.
//
// One of those who wait sends for all and tells them how it went: an outcome is handled
// when its commit is there, and not before. Only outcomes of one correlation go together:
// a commit has one. Its cause is the first one's; those of the others are named by their
// effects.
type endings struct {
	mu      sync.Mutex
	waiting map[endingsOf][]*ending // the first of them leads when nobody is at work
	busy    map[endingsOf]bool
}

type endingsOf struct{ tenant, correlation string }

// ending is one outcome that is to be told.
type ending struct {
	finish pacing.Finish
	lead   chan struct{} // closed: it is its turn to send
	led    bool
	done   chan error // how it went, when another has sent it
}

func newEndings() *endings {
	return &endings{waiting: map[endingsOf][]*ending{}, busy: map[endingsOf]bool{}}
}

// finish tells the lines of an outcome, together with what others have to tell.
func (c Engine) finish(ctx context.Context, cmd eventstore.Command, f pacing.Finish) error {
	return c.endings.tell(ctx, endingsOf{cmd.Tenant, cmd.CorrelationID}, f, func(all []pacing.Finish) error {
		return c.pace(ctx, cmd, pacing.FinishAll{Clock: c.clock(), Outcomes: all}.Decide)
	})
}

// tell returns when the outcome was sent, by whomever.
func (x *endings) tell(ctx context.Context, of endingsOf, f pacing.Finish, send func([]pacing.Finish) error) error {
	mine := x.join(of, f)
	select {
	case err := <-mine.done:
		return err
	case <-mine.lead:
		return x.send(of, send)
	case <-ctx.Done():
		x.leave(of, mine)
		return ctx.Err()
	}
}

func (x *endings) join(of endingsOf, f pacing.Finish) *ending {
	mine := &ending{finish: f, lead: make(chan struct{}), done: make(chan error, 1)}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waiting[of] = append(x.waiting[of], mine)
	if !x.busy[of] {
		x.next(of)
	}
	return mine
}

// next gives the lead to the first that waits. Who calls it holds the lock.
func (x *endings) next(of endingsOf) {
	if len(x.waiting[of]) == 0 {
		delete(x.waiting, of)
		delete(x.busy, of)
		return
	}
	first := x.waiting[of][0]
	x.busy[of], first.led = true, true
	close(first.lead)
}

// leave takes an outcome back whose handler has no more time. It may have been sent.
func (x *endings) leave(of endingsOf, mine *ending) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := slices.Index(x.waiting[of], mine); i >= 0 {
		x.waiting[of] = slices.Delete(x.waiting[of], i, i+1)
		if mine.led {
			x.next(of)
		}
	}
}

// errUnsent is what is told when sending panicked.
var errUnsent = errors.New("the outcomes of contacts were not sent")

// send sends what waits, and gives the lead on. The first of them is the caller's.
func (x *endings) send(of endingsOf, send func([]pacing.Finish) error) (err error) {
	x.mu.Lock()
	n := min(len(x.waiting[of]), mostEndings)
	all := slices.Clone(x.waiting[of][:n])
	x.waiting[of] = slices.Delete(x.waiting[of], 0, n)
	x.mu.Unlock()
	err = errUnsent
	defer func() {
		for _, e := range all {
			e.done <- err
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		x.next(of)
	}()
	outcomes := make([]pacing.Finish, len(all))
	for i, e := range all {
		outcomes[i] = e.finish
	}
	err = send(outcomes)
	return err
}

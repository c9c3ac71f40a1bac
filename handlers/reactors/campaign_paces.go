package reactors

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/eventstore"
)

// togetherMost bounds the commands of one commit on the lines.
const togetherMost = 32

// paces lets the commands to a tenant's lines that come while one is on its way wait
// for it, and makes one commit of all that have waited. Without it, a hundred lines
// whose calls end at once would be a hundred commits that come in each other's way,
// those of other nodes too. What belongs to different requests stays apart, because a
// commit tells one correlation id; its cause is that of the first. The zero value is ready.
type paces struct {
	mu     sync.Mutex
	queues map[pacesOf]*paceQueue
}

type pacesOf struct{ tenant, correlationID, actor string }

type paceQueue struct {
	users   int // who is between enter and leave; the last one takes the queue away
	slot    chan struct{}
	waiting []*waitingPace
}

type waitingPace struct {
	cmd    eventstore.Command
	decide func(pacing.State) ([]event.Payload, error)
	done   chan error
}

// execute is one commit.
type executePacing func(ctx context.Context, cmd eventstore.Command, decide func(pacing.State) ([]event.Payload, error)) error

// do returns when the command is in a commit, its own or another's, or was refused.
// The commands must be such that nothing is lost or doubled by saying them again.
func (p *paces) do(ctx context.Context, cmd eventstore.Command, decide func(pacing.State) ([]event.Payload, error), execute executePacing) error {
	own := &waitingPace{cmd, decide, make(chan error, 1)}
	key := pacesOf{cmd.Tenant, cmd.CorrelationID, cmd.Actor}
	q := p.enter(key, own)
	defer p.leave(key, q, own)
	for {
		select {
		case err := <-own.done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case q.slot <- struct{}{}:
			p.lead(ctx, q, execute)
		}
	}
}

func (p *paces) enter(key pacesOf, own *waitingPace) *paceQueue {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queues[key]
	if q == nil {
		if p.queues == nil {
			p.queues = map[pacesOf]*paceQueue{}
		}
		q = &paceQueue{slot: make(chan struct{}, 1)}
		p.queues[key] = q
	}
	q.users++
	q.waiting = append(q.waiting, own)
	return q
}

func (p *paces) leave(key pacesOf, q *paceQueue, own *waitingPace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(q.waiting, own); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	if q.users--; q.users == 0 {
		delete(p.queues, key)
	}
}

// lead makes one commit of those that wait, in the order in which they came, and gives
// the slot back. A decision that panics fails the commit for all whose it was to be; one
// who has given up makes none, because it would fail for the others.
func (p *paces) lead(ctx context.Context, q *paceQueue, execute executePacing) {
	defer func() { <-q.slot }()
	if ctx.Err() != nil {
		return
	}
	batch := p.take(q)
	if len(batch) == 0 { // another has done it
		return
	}
	all, refused := make(pacing.Together, len(batch)), make([]error, len(batch))
	for i, b := range batch {
		all[i] = b.decide
	}
	err := errPanicked
	defer func() {
		for i, b := range batch {
			b.done <- cmp.Or(err, refused[i])
		}
	}()
	err = execute(ctx, batch[0].cmd, func(s pacing.State) (said []event.Payload, _ error) {
		said, refused = all.DecideAll(s)
		return said, nil
	})
}

var errPanicked = errors.New("a command that was to share the commit panicked")

// take takes those out of the queue whose turn it is.
func (p *paces) take(q *paceQueue) []*waitingPace {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(len(q.waiting), togetherMost)
	batch := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return batch
}

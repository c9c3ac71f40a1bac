package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Load is callers at work.
type Load struct {
	w       *World
	cancel  context.CancelFunc
	working sync.WaitGroup
}

// Size says how many callers of each kind there are, how long they wait between two
// operations on average, and for how long for an answer.
type Size struct {
	Dialers, Keys        int
	Campaigns, Transfers int
	Writers              int
	Every                time.Duration
	Patience             time.Duration
}

// Start lets callers work until Stop. Each has a randomness of its own, so that what
// it asks for depends on the seed and on its answers alone.
func (w *World) Start(seed uint64, generation int, s Size) *Load {
	ctx, cancel := context.WithCancel(context.Background())
	l := &Load{w: w, cancel: cancel}
	shared := &ring{}
	var callers []func(c *client, r *random)
	several := func(n int, caller func(c *client, r *random)) {
		for range n {
			callers = append(callers, caller)
		}
	}
	several(s.Dialers, func(c *client, r *random) { c.dial(ctx, r, s.Every) })
	several(s.Keys, func(c *client, r *random) { c.keys(ctx, r, shared, s.Every) })
	several(s.Campaigns, func(c *client, r *random) { c.campaigns(ctx, r) })
	several(s.Transfers, func(c *client, r *random) { c.transfers(ctx, r, s.Every) })
	several(s.Writers, func(c *client, r *random) { c.writes(ctx, r, s.Every) })
	for i, caller := range callers {
		id := generation*100 + i
		c, r := w.client(id, s.Patience), randomOf(seed, id)
		l.working.Go(func() {
			caller(c, r)
			c.http.CloseIdleConnections()
		})
	}
	return l
}

// Stop ends the callers where they are: what they were at stays open.
func (l *Load) Stop() {
	l.cancel()
	l.working.Wait()
}

// Settle asks again under the key of every operation whose outcome is open, as users
// do that do not know what became of their request, until each has an answer.
func (w *World) Settle(ctx context.Context) error {
	var open []*Op
	w.History.mu.Lock()
	for _, op := range w.History.ops {
		if op.Outcome == Unknown && op.Kind.Writes() {
			open = append(open, op)
		}
	}
	w.History.mu.Unlock()
	c := w.client(9999, 15*time.Second)
	for i, op := range open {
		if c.repeat(ctx, op, i); op.Outcome == Unknown {
			return unsettled(ctx, op)
		}
	}
	return errors.Join(w.resumePaused(ctx, c), w.settleWriters(ctx))
}

func unsettled(ctx context.Context, op *Op) error {
	return fmt.Errorf("%s under key %s has no answer: %w; its last tries: %v", op.Kind, op.Key, ctx.Err(), op.Tries[max(0, len(op.Tries)-3):])
}

// repeat goes on with a change that has no outcome.
func (c *client) repeat(ctx context.Context, op *Op, first int) {
	switch op.Kind {
	case DialOut:
		c.repeatCall(ctx, op, first)
	case CreateKey:
		c.repeatCreate(ctx, op, first)
	case RevokeKey:
		c.repeatRevoke(ctx, op, first)
	case SetScope:
		c.repeatSet(ctx, op, first)
	case CreateCampaign:
		c.repeatCampaign(ctx, op, first)
	case Trigger:
		c.repeatTrigger(ctx, op, first)
	case Assign:
		c.repeatAssign(ctx, op, first)
	case SetPresence:
		c.repeatPresence(ctx, op, first)
	}
}

// FinalReads reads everything once more at both nodes.
func (w *World) FinalReads(ctx context.Context) {
	c := w.client(9998, 15*time.Second)
	for _, node := range w.Nodes {
		c.readScope(ctx, node, made{})
		c.readCalls(ctx, node)
	}
}

// FinalRuns reads how every run ended, at both nodes. It is for when all is over.
func (w *World) FinalRuns(ctx context.Context) {
	c := w.client(9997, 15*time.Second)
	for _, node := range w.Nodes {
		w.readRuns(ctx, c, node)
	}
}

// Probe places a call under the key at the node and says when the answer came; it
// asks again until then.
func (w *World) Probe(ctx context.Context, key string, first int) (answered time.Time, err error) {
	c := w.client(9000+first, 15*time.Second)
	op := c.placeCall(ctx, key, "tel:+15550000005", first)
	if op.Outcome != OK {
		return time.Time{}, fmt.Errorf("call under %s: %s, %v", key, op.Outcome, ctx.Err())
	}
	return time.Now(), nil
}

// ProbeScope makes a key in the hot scope at a node: a change that always is one.
func (w *World) ProbeScope(ctx context.Context, key string, first int) (answered time.Time, err error) {
	c := w.client(9010+first, 15*time.Second)
	if op, _ := c.createKey(ctx, key, "probe "+key, first); op.Outcome != OK {
		return time.Time{}, fmt.Errorf("create-key under %s: %s, %v", key, op.Outcome, ctx.Err())
	}
	return time.Now(), nil
}

package eventstore

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Command is what a decision's events carry besides their payloads.
type Command struct {
	Tenant        string // whose stream it is; another tenant's stream is NOT_FOUND. Empty: the stream's own, for reactors and timers
	Actor         string // user:<sub>, key:<id>, tool:<call>@<session>, reactor:<name>, timer:<name>
	CorrelationID string // empty: that of the stream's newest event, which then is the cause as well
	CausationID   string
	RequestID     string // see RequestID and CauseID; empty: not idempotent
	RequestHash   string // keyed, of the request's body; ignored without RequestID
	PlainHash     string // the same without a key, as older versions wrote it; empty: none did
	KeyName       string // what the caller gave the request id by, where that was no Idempotency-Key

	// New says that the stream's id was made up for this very command, so that there
	// is nothing to read before the first try. If it is not so after all, the commit
	// loses, and the next try reads.
	New bool

	// Stateless says that nobody looks at the result's state. It spares a copy for each
	// commit, which counts where a stream with a large state gets many, as from a set of
	// manifests.
	Stateless bool
}

const (
	maxAttempts = 12
	firstDelay  = 2 * time.Millisecond
	maxDelay    = 200 * time.Millisecond
)

// errAgain ends an attempt that another attempt may finish.
var errAgain = errors.New("superseded")

// Execute runs one command on one stream: load, decide, append, await, verdict,
// and again when another commit won. When it returns without error every query on
// every node sees the effect. decide is pure; it may run several times, must not
// keep or change the state, and refuses with a *fault.Error.
func Execute[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, cmd Command,
	decide func(S) ([]event.Payload, error)) (Result[S], error) {
	x := &execution[S]{s: s, agg: agg, stream: stream, cmd: cmd, decide: decide}
	err := x.observed(ctx)
	return x.result, err
}

// Do is Execute for who only wants to know that it was done: no state is kept for it.
func Do[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, cmd Command,
	decide func(S) ([]event.Payload, error)) error {
	cmd.Stateless = true
	_, err := Execute(ctx, s, agg, stream, cmd, decide)
	return err
}

// observed is run with its span and its measures.
func (x *execution[S]) observed(ctx context.Context) error {
	start := x.s.Now()
	ctx, span := x.begin(ctx)
	err := x.run(ctx)
	x.end(span, err)
	x.s.Observe(Stats{Category: x.agg.Name, Attempts: x.attempts, Events: x.result.Events,
		Replayed: x.result.Replayed, Took: x.s.Now().Sub(start), Err: err})
	return err
}

// execution is one call of Execute.
type execution[S any] struct {
	s        *Store
	agg      *event.Aggregate[S]
	stream   string
	cmd      Command
	decide   func(S) ([]event.Payload, error)
	attempts int
	waited   bool              // for a commit of the stream that was on its way
	trace    string            // traceparent of the command's span
	durable  chan<- *Result[S] // takes the commit that is on the log; nil: nobody wants to know

	// result is what the command came to, once it has. It stands here, and is not handed up from step to
	// step: states are large, and each step that waits would hold one on its stack.
	result Result[S]
}

func (x *execution[S]) run(ctx context.Context) error {
	delay := firstDelay
	for x.attempts < maxAttempts {
		x.attempts++
		err := x.attempt(ctx)
		if !errors.Is(err, errAgain) {
			return err
		}
		select {
		case <-ctx.Done():
			ended := fault.New(fault.NotExecuted, "the request ended while others changed the same thing")
			return ended.After(time.Second).Because(ctx.Err())
		case <-time.After(rand.N(delay)): // full jitter
		}
		delay = min(2*delay, maxDelay)
	}
	return fault.New(fault.NotExecuted, "too many others are changing the same thing").After(time.Second)
}

// attempt decides once, on the cache when there is something in it, else on the
// index. A refusal or an empty decision made on cached state is made again on the
// index before it is answered.
func (x *execution[S]) attempt(ctx context.Context) error {
	epoch := x.s.Follower.Epoch() // before the gate is asked, to be compared after the load
	if err := x.s.Follower.Gate(); err != nil {
		return err
	}
	e := entryOf[S](x.s.cache, x.stream, epoch)
	if err := e.take(ctx); err != nil {
		return err
	}
	if e.dead {
		e.pass()
		return errAgain
	}
	if !e.loaded && x.cmd.New && x.attempts == 1 {
		e.begin()
	}
	fresh, err := x.refresh(ctx, e)
	if err == nil && fresh && x.s.Follower.Epoch() != epoch {
		err = errAgain // a crash of Postgres may have taken the index's newest rows before it was read
	}
	if err != nil {
		x.drop(e)
		e.pass()
		return err
	}
	known, err := x.known(ctx, e, epoch)
	if err != nil || known != nil {
		e.pass()
		if err == nil {
			err = x.replay(ctx, *known)
		}
		return err
	}
	c, err := x.decideOn(ctx, e)
	if err == nil && c != nil {
		return x.send(ctx, e, c) // passes the turn
	}
	if !fresh {
		if stands, again := x.stands(ctx, e, epoch); !stands {
			return again
		}
	}
	if err == nil {
		x.result.State = *x.lent(e)
	}
	e.pass()
	return err
}

// refresh reads the stream where nothing is known of it, or what others may have written since. fresh: the entry is the
// stream as the index has it.
func (x *execution[S]) refresh(ctx context.Context, e *entry[S]) (fresh bool, err error) {
	if e.loaded {
		return x.catchUp(ctx, e)
	}
	return true, e.load(ctx, x.s, x.agg, x.stream)
}

// decideOn runs the decision; a nil commit means that nothing needs to happen. A
// decision that panics leaves the stream to the next caller.
func (x *execution[S]) decideOn(ctx context.Context, e *entry[S]) (*commit, error) {
	returned := false
	defer func() {
		if !returned {
			x.drop(e)
			e.pass()
		}
	}()
	c, err := x.decideAt(ctx, e)
	returned = true
	return c, err
}

// decided is what the command decides on a state; nothing of a stream of another tenant.
func (x *execution[S]) decided(state S, head Head) ([]event.Payload, error) {
	if x.cmd.Tenant != "" && head.Tenant != "" && head.Tenant != x.cmd.Tenant {
		return nil, fault.New(fault.NotFound, "not found")
	}
	return x.decide(state)
}

func (x *execution[S]) decideAt(ctx context.Context, e *entry[S]) (*commit, error) {
	payloads, err := x.decided(*e.state, e.head)
	if err != nil || len(payloads) == 0 {
		return nil, err
	}
	cmd := x.cmd
	if cmd.CorrelationID == "" {
		cmd.CorrelationID = e.trail.correlation
		cmd.CausationID = cmp.Or(cmd.CausationID, e.trail.event)
	}
	c, err := x.s.commit(ctx, x.agg.Category, x.stream, e.head, e.trail.key, cmd, payloads)
	if err == nil {
		c.traced(x.trace)
	}
	return c, err
}

// send appends the commit and waits for its verdict. It is called with the turn
// and passes it as soon as the commit has its place in the queue.
func (x *execution[S]) send(ctx context.Context, e *entry[S], c *commit) error {
	first := c.records[0]
	expected := x.s.Follower.Expect(c.topic, c.partition, x.stream, first.Version, first.Commit)
	defer expected.Cancel()
	ack, err := x.s.producer.Append(ctx, c.topic, c.partition, c.records)
	if err != nil {
		e.pass()
		return err
	}
	f := &flight{done: make(chan struct{})}
	defer close(f.done)
	e.advance(x.agg, c, f)
	after := x.lent(e)
	if anybody, _ := c.erases(); anybody {
		x.drop(e) // its state knows the person; who comes next reads the stream
	}
	e.pass()

	span := sending(ctx, c)
	a := x.acknowledged(ctx, c, ack)
	sent(span, a)
	if a.Err != nil {
		x.kill(e)
		return a.Err
	}
	x.tell(c, a, after)
	accepted, err := x.verdict(ctx, expected, c, a)
	if err != nil {
		x.kill(e)
		return durable(err)
	}
	if !accepted {
		x.kill(e)
		return errAgain
	}
	if due := e.settle(x.s.Index, first.RequestID, f); due != nil {
		x.s.keepSnapshot(x.stream, snapshotKey(x.agg), due.head, func() []byte { return pack(&due.state, due.requests) })
	}
	x.result.Events, x.result.State = c.recorded(a.Offset), *after
	return nil
}

// acknowledged waits for the producer, and for the keys of the commit. Whoever stops waiting
// before the commit is sent takes it back; after that the outcome is not known.
func (x *execution[S]) acknowledged(ctx context.Context, c *commit, ack <-chan Ack) Ack {
	select {
	case a := <-ack:
		x.s.keep(ctx, c, a)
		return a
	case <-ctx.Done():
	}
	if x.s.producer.withdraw(c.topic, c.partition, ack) {
		return Ack{Err: unsent(ctx.Err())}
	}
	select {
	case a := <-ack:
		x.s.keep(ctx, c, a)
		return a
	default:
		if len(c.taken.keys) > 0 {
			go func() { x.s.keep(ctx, c, <-ack) }()
		}
		return Ack{Err: fault.New(fault.OutcomeUnknown, "the log has not acknowledged the change in time; it may yet take effect: repeat with "+
			"the same Idempotency-Key").After(2 * time.Second).Because(ctx.Err())}
	}
}

// verdict waits for the judgement of a commit that is on the log; an error says
// that it is not known. Two kinds of no prove nothing: one that was heard while the
// index may have gone back or was rebuilt, which is asked for again, and one about a
// commit whose bytes may come once more.
func (x *execution[S]) verdict(ctx context.Context, expected Expectation, c *commit, a Ack) (bool, error) {
	for epoch := x.s.Follower.Epoch(); ; epoch = x.s.Follower.Epoch() {
		accepted, err := expected.Wait(ctx, a.Offset+int64(len(c.records)))
		if accepted || err != nil {
			return accepted, err
		}
		if err := x.s.Follower.Gate(); err != nil {
			return false, err
		}
		if x.s.Follower.Epoch() == epoch {
			break
		}
	}
	if !a.Resent {
		return false, nil
	}
	accepted, err := x.lastWord(ctx, c.records[0])
	if !accepted || err != nil {
		return false, err
	}
	return expected.Wait(ctx, a.Offset+int64(len(c.records))) // which knows whether the read models hold it
}

// lastWord judges a commit of which another copy may come. If it was decided on an
// earlier commit of this node's chain that has not come yet, both may come late, in
// order, and be accepted; it has lost for good only when its version, or the one
// before, belongs to another. For example, A and B were sent as a chain and A is held
// up on its way: B lands, is superseded, and is sent once more. Then A lands, and after
// it the second copy of B, which now follows its parent and counts.
func (x *execution[S]) lastWord(ctx context.Context, first *Record) (bool, error) {
	records, err := x.s.Index.Load(ctx, x.stream)
	if err != nil {
		return false, err
	}
	before := first.Version - 1
	switch n := int64(len(records)); {
	case n > before:
		return records[before].Commit == first.Commit, nil
	case n == before && n > 0 && records[n-1].Commit != first.Parent:
		return false, nil
	}
	return false, errors.New("the change was sent twice and follows one that has not come")
}

// durable is the refusal when a commit is on the log but its verdict did not come.
func durable(err error) error {
	if fault.Is(err, fault.ProjectionFailed) || fault.Is(err, fault.OutcomeUnknown) {
		return err
	}
	return fault.New(fault.OutcomeUnknown, "the change is on the log but the read models have not reached it in time: repeat with the same "+
		"Idempotency-Key").After(2 * time.Second).Because(err)
}

// lent is the state for the caller to keep: the next commit is folded into another.
func (x *execution[S]) lent(e *entry[S]) *S {
	if x.cmd.Stateless {
		return new(S)
	}
	e.kept = true
	return e.state
}

// drop forgets an entry; the caller has its turn.
func (x *execution[S]) drop(e *entry[S]) {
	e.dead = true
	x.s.cache.drop(x.stream, e)
}

// kill forgets an entry whose chain broke, but for what was there before the chain: who comes next reads what is behind that.
func (x *execution[S]) kill(e *entry[S]) {
	e.turn <- struct{}{}
	defer e.pass()
	before := e.before()
	if _, can := x.s.Index.(Newer); e.dead || before == nil || !can {
		x.drop(e)
		return
	}
	e.dead = true
	x.s.cache.replace(x.stream, e, before)
}

// wait returns when a flight has landed or the caller's time is up.
func wait(ctx context.Context, f *flight) error {
	if f == nil {
		return nil
	}
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return fault.New(fault.NotExecuted, "the request ended while an earlier change of the same thing was on its way").After(
			time.Second).Because(ctx.Err())
	}
}

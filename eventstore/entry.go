package eventstore

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// entry is one stream as this node knows it: the state at the head of the chain
// of commits that it read or itself sent. Commands of one stream on one node
// decide one after the other, whoever has the turn, and their commits go out as a chain; each
// names its predecessor, so if one of them loses, all behind it lose too and are
// decided again.
type entry[S any] struct {
	turn     chan struct{} // holds one value while somebody has the turn
	loaded   bool
	dead     bool // dropped: some commit lost, or its outcome is unknown
	state    *S
	kept     bool // somebody was given the state: the next commit is folded into a copy
	head     Head
	trail    trail
	requests answered
	last     *flight    // the newest commit that is still on its way
	seen     *folded[S] // the stream before that one, and those before it, if it was given to anybody: nobody changes it
	read     bool       // by queries too, which see no commit that is on its way
	doubts   int        // others write the stream too: how often it is looked still whether they have
	left     int64      // the version up to which somebody has read it, or left a snapshot
}

// trail is what the newest event of a stream leaves to the next: the key that the stream's
// personal members are sealed with and, for a command without a correlation id, the
// correlation and its own id. When a carrier says that a call rings, say, the
// event so belongs to the request that asked for the call.
type trail struct {
	correlation string
	event       string // id of the newest event
	key         string // of the stream, as Record.KeyID
}

// flight is one commit between append and verdict.
type flight struct {
	done chan struct{} // closed when the verdict is known
}

func newEntry[S any]() *entry[S] { return &entry[S]{turn: make(chan struct{}, 1)} }

// take waits for the turn, but no longer than the caller has time: whoever has it
// may be waiting for the index.
func (e *entry[S]) take(ctx context.Context) error {
	select {
	case e.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.New(fault.NotExecuted, "the request ended while it waited for others to change the same thing").After(time.Second).Because(
			ctx.Err())
	}
}

// pass gives the turn to the next.
func (e *entry[S]) pass() { <-e.turn }

// begin takes the stream to be empty without reading it: its id was made for this very
// command, as that of a call is by a dial-out. Should there be something after all, the
// commit loses, and the next attempt reads.
func (e *entry[S]) begin() {
	e.state, e.requests = new(S), noneAnswered()
	e.loaded = true
}

// load fills the entry from the index.
func (e *entry[S]) load(ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) error {
	f, err := fold(ctx, s, agg, stream)
	if err != nil {
		return err
	}
	e.become(f)
	e.left = f.head.Version
	return nil
}

// become takes the stream to be as it was read.
func (e *entry[S]) become(f *folded[S]) {
	e.state, e.head, e.trail, e.requests = &f.state, f.head, f.trail, f.requests
	e.loaded = true
	if f.others {
		e.doubts = doubts
	}
}

// advance folds a commit that was just handed to the producer.
func (e *entry[S]) advance(agg *event.Aggregate[S], c *commit, f *flight) {
	if e.last == nil && (e.kept || e.read) {
		e.seen = &folded[S]{state: *e.state, head: e.head, trail: e.trail}
		e.kept = true
	}
	if e.kept {
		e.state, e.kept = copyOf(e.state), false
	}
	for _, p := range c.payloads {
		agg.Fold(e.state, p)
	}
	first := c.records[0]
	e.trail = trail{first.CorrelationID, c.records[len(c.records)-1].ID, first.KeyID}
	e.head = Head{Version: first.Version + int64(len(c.records)) - 1, Commit: first.Commit, Tenant: first.Tenant}
	if first.RequestID != "" {
		r := requestOf(first)
		r.flight = f
		e.requests.of[first.RequestID] = r
	}
	e.last = f
}

// settle notes that a flight was accepted, which the index knows from now on. due is the stream as it is worth keeping for
// who reads it next: nobody on this node has to read what is gone on with here, and so nobody leaves a snapshot.
func (e *entry[S]) settle(index Index, requestID string, f *flight) (due *folded[S]) {
	e.turn <- struct{}{}
	defer e.pass()
	if r := e.requests.of[requestID]; r != nil && r.flight == f {
		r.flight = nil
	}
	e.requests.forget(index, e.head.Version, mostCollected)
	if e.last != f {
		return nil
	}
	e.last, e.seen = nil, nil
	if e.dead || e.head.Version-e.left < snapshotEvery {
		return nil
	}
	e.left, e.kept = e.head.Version, true
	return &folded[S]{state: *e.state, head: e.head, requests: e.requests.short(index, e.head.Version)}
}

// before is the stream as it was before the commits that are on their way; nil: nobody kept that. Others write it too.
func (e *entry[S]) before() *entry[S] {
	if e.seen == nil {
		return nil
	}
	out := newEntry[S]()
	out.state, out.kept, out.head, out.trail = &e.seen.state, true, e.seen.head, e.seen.trail
	out.loaded, out.read, out.doubts, out.left = true, e.read, doubts, e.left
	out.requests = answered{of: make(map[string]*request, len(e.requests.of)), gone: e.requests.gone}
	for id, r := range e.requests.of {
		if r.to <= e.seen.head.Version { // what it led to was accepted, whether or not who asked has heard that
			out.requests.of[id] = &request{hash: r.hash, from: r.from, to: r.to}
		}
	}
	return out
}

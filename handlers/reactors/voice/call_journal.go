package voice

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// callDecision is a command of domain/calls on its call.
type callDecision = func(calls.State) ([]event.Payload, error)

// callWriter runs one step of a call.
type callWriter = func(ctx context.Context, callID, step string, decide callDecision) (eventstore.Result[calls.State], error)

// callReader folds a call.
type callReader = func(ctx context.Context, callID string) (eventstore.Loaded[calls.State], error)

// callJournal records what happens to one call, in order, without making the leg
// wait for the log: a log that is away must not keep a leg from being hung up. What
// happens while a commit is on its way is the next one, together: when an agent begins
// to speak with the answer, say, both are one commit.
type callJournal struct {
	callID  string
	try     string // by which the call is ours: what another has, we say nothing of
	named   string // what the request ids of its steps begin with
	execute callWriter
	read    callReader
	stands  func(calls.State) // told how the call stands behind each commit, and behind what others wrote; must not take its time
	log     *slog.Logger

	mu      sync.Mutex
	queue   []callEntry
	written int // entries taken so far; part of the request ids
	closed  bool
	known   int64 // version of the newest event that was looked at
	rung    int64 // and of the newest that there is, as far as was told
	wake    chan struct{}

	endedElsewhere chan struct{} // closed when the log says that the call is over and we did not say so
	taken          chan struct{} // closed when the log says that the call is another node's
	once           sync.Once
}

// mostEntries bounds a commit: what waited while the log was away is many words.
const mostEntries = 50

const lookLimit = 5 * time.Second // for what others wrote; facts wait meanwhile

type callEntry struct {
	step   string
	decide callDecision
	then   func(eventstore.Result[calls.State]) // called when it is recorded, with the commit that it is in
}

func newCallJournal(callID, try string, d *Dialer, stands func(calls.State)) *callJournal {
	return &callJournal{callID: callID, try: try, named: callID, execute: d.execute, read: d.loaded, stands: stands, log: d.cfg.Log,
		wake: make(chan struct{}, 1), endedElsewhere: make(chan struct{}), taken: make(chan struct{})}
}

// ours decides while the call is ours.
func (j *callJournal) ours(decide callDecision) callDecision {
	return func(s calls.State) ([]event.Payload, error) {
		if s.Attempt.ID != j.try {
			return nil, nil
		}
		return decide(s)
	}
}

// add queues one command. step names it in logs and request ids.
func (j *callJournal) add(step string, decide callDecision) { j.addThen(step, decide, nil) }

// addThen is add for who waits until the command is on the log: then is called by the writer, and
// must not take its time.
func (j *callJournal) addThen(step string, decide callDecision,
	then func(eventstore.Result[calls.State])) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.queue = append(j.queue, callEntry{step, decide, then})
	j.signal()
}

// close says that nothing follows what was added.
func (j *callJournal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	j.signal()
}

func (j *callJournal) signal() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// idle reports whether everything added was recorded.
func (j *callJournal) idle() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.queue) == 0
}

// write records until the journal is closed and empty, or ctx ends. What it then
// leaves out is logged; the call's lease ends the call.
func (j *callJournal) write(ctx context.Context) error {
	for {
		entries, number, more := j.head()
		if !more {
			return nil
		}
		if len(entries) == 0 {
			if j.look(ctx) {
				continue
			}
			select {
			case <-j.wake:
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		if err := j.record(ctx, entries, number); err != nil {
			return err
		}
		j.drop(len(entries))
	}
}

// news says that the call's stream has come to a version, on whichever node. Of what the journal wrote itself it knows already.
func (j *callJournal) news(version int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if version > j.rung {
		j.rung = version
		j.signal()
	}
}

// look sees what others wrote, if they did. What cannot be read now is seen behind the next commit, which is a sign of life at the latest.
func (j *callJournal) look(ctx context.Context) (looked bool) {
	j.mu.Lock()
	looked = j.rung > j.known
	j.known = max(j.known, j.rung)
	j.mu.Unlock()
	if !looked {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	read, err := j.read(ctx, j.callID)
	if err != nil {
		j.log.Debug("what others wrote to a call cannot be read now", "call", j.callID, "error", err)
		return true
	}
	j.knows(read.Version)
	switch {
	case read.State.Attempt.ID != j.try:
		j.once.Do(func() { close(j.taken) })
	case read.State.Ended():
		j.once.Do(func() { close(j.endedElsewhere) })
	default:
		j.stands(read.State)
	}
	return true
}

func (j *callJournal) knows(version int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.known = max(j.known, version)
}

// head is what waits, and the number of the first entry, from 1. more is false when
// nothing waits and nothing will.
func (j *callJournal) head() (entries []callEntry, number int, more bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.queue[:min(len(j.queue), mostEntries)]), j.written + 1, len(j.queue) > 0 || !j.closed
}

func (j *callJournal) drop(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.queue = j.queue[n:]
	j.written += n
}

// record writes entries as one commit, whose request id is that of the first. A refusal is
// a fault of ours: each of them is written by itself then, what is refused is logged, and
// the next has its turn. The error is that of ctx.
func (j *callJournal) record(ctx context.Context, entries []callEntry, number int) error {
	step := entries[0].step
	requestID := fmt.Sprintf("dialer/%s/%d-%s", j.named, number, step)
	decide := make([]callDecision, len(entries))
	for i, e := range entries {
		decide[i] = e.decide
	}
	var recorded eventstore.Result[calls.State]
	ended, taken, told := false, false, false // ended: there was nothing to say any more, because others had ended the call
	err := acts.Persist(ctx, func() error {
		res, err := j.execute(ctx, j.callID, requestID, j.ours(calls.InTurn(decide...)))
		recorded, taken = res, err == nil && res.State.Attempt.ID != j.try
		ended = len(res.Events) == 0 && res.State.Ended()
		if err != nil && acts.WorthRepeating(err) && !told {
			told = true
			j.log.Warn("the log did not take a fact of a call; it is tried until it does", "call", j.callID, "step", step, "error", err)
		}
		return err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		j.log.Error("a fact of a call was not recorded; its lease will end the call", "call", j.callID, "step", step, "error", err)
		return ctx.Err()
	case fault.Is(err, fault.ProjectionFailed):
		j.log.Error("a fact of a call is on the log, and no read model takes it", "call", j.callID, "step", step, "error", err)
	case err != nil && len(entries) > 1:
		for i := range entries {
			if err := j.record(ctx, entries[i:i+1], number+i); err != nil {
				return err
			}
		}
		return nil
	case err != nil:
		j.log.Error("a fact of a call was refused", "call", j.callID, "step", step, "error", err)
	case taken:
		j.once.Do(func() { close(j.taken) })
	case ended:
		j.once.Do(func() { close(j.endedElsewhere) })
	}
	if n := len(recorded.Events); n > 0 {
		j.knows(recorded.Events[n-1].Version)
	}
	for _, e := range entries {
		if e.then != nil {
			e.then(recorded)
		}
	}
	if err == nil && !taken && !ended {
		j.stands(recorded.State)
	}
	return nil
}

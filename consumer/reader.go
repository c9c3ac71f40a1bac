package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/eventstore"
)

// reader reads one partition.
type reader struct {
	cfg    Config
	log    *kafka.Log
	at     Place
	target int64 // the end of the log when Run began

	state    State
	loaded   bool
	verified bool // the log is known to be the one of the state
	leader   eventstore.Leader
}

// Pauses between tries while brokers are away.
const (
	shortest = 50 * time.Millisecond
	longest  = 5 * time.Second
)

// errStop wraps what ends Run.
type errStop struct{ cause error }

func (e *errStop) Error() string { return e.cause.Error() }
func (e *errStop) Unwrap() error { return e.cause }

func stop(err error) error { return &errStop{err} }

// run reads until ctx ends, the target is reached, or something is wrong for good.
func (r *reader) run(ctx context.Context) error {
	delay := shortest
	for {
		done, err := r.step(ctx)
		var final *errStop
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &final):
			return fmt.Errorf("consumer: %s: %w", r.at, final.cause)
		case err != nil:
			r.cfg.Log.Warn("reading the log failed, trying again", "place", r.at.String(), "error", err)
			r.verified = false
			pause(ctx, delay)
			delay = min(2*delay, longest)
		case done:
			return nil
		default:
			delay = shortest
		}
	}
}

// step reads what is there and hands it on.
func (r *reader) step(ctx context.Context) (done bool, err error) {
	if err := r.ready(ctx); err != nil {
		return false, err
	}
	if r.cfg.ToEnd && r.state.Next >= r.target {
		return true, nil
	}
	got, err := r.log.Fetch(ctx, r.at.Topic, r.at.Partition, r.state.Next)
	if err != nil {
		return false, r.sorted(err)
	}
	if got.Start > 0 || got.End < r.state.Next {
		return false, stop(fmt.Errorf("%w: it runs from %d to %d now, and %d was read; %s", ErrLogChanged, got.Start, got.End, r.state.Next,
			whatToDo))
	}
	if r.leader.Changed(got.Entries) { // it may have cut what was read before
		r.verified = false
		return false, nil
	}
	return r.hand(ctx, got.Entries)
}

// hand judges entries and gives them to the sink, batch by batch.
func (r *reader) hand(ctx context.Context, entries []eventstore.Entry) (done bool, err error) {
	for len(entries) > 0 && ctx.Err() == nil {
		n := cut(entries, r.cfg.BatchRecords)
		used, err := r.take(ctx, entries[:n])
		for err == nil && used == 0 && n < len(entries) { // a commit without its end: what follows shows it
			n = cut(entries, n+1)
			used, err = r.take(ctx, entries[:n])
		}
		if err != nil {
			return false, err
		}
		if used > 0 {
			entries = entries[used:]
			continue
		}
		// An incomplete commit: its rest comes, or another record that shows it is torn. A
		// stranger's may be longer than one read.
		next := entries[len(entries)-1].Offset + 1
		if r.cfg.ToEnd && next >= r.target {
			return true, nil
		}
		more, err := r.log.Fetch(ctx, r.at.Topic, r.at.Partition, next)
		if err != nil {
			return false, r.sorted(err)
		}
		if r.leader.Changed(more.Entries) {
			r.verified = false
			return false, nil
		}
		entries = append(entries, more.Entries...)
	}
	return false, nil
}

// take judges entries from a commit boundary on, and hands on how far that went.
func (r *reader) take(ctx context.Context, entries []eventstore.Entry) (used int, err error) {
	heads := &staged{saved: r.state, fresh: map[string]Head{}}
	judged := eventstore.Arbitrate(heads, entries)
	for used < len(entries) && entries[used].Offset < judged.Next {
		used++
	}
	if used == 0 {
		return 0, nil
	}
	b := Batch{Place: r.at, Skipped: judged.Skipped, Progress: heads.progress(r.log.LogID(), judged.Next, entries[used-1].Mark)}
	for _, c := range judged.Accepted {
		commit := make(Commit, len(c))
		for i, e := range c {
			commit[i] = e.Record
		}
		b.Commits = append(b.Commits, commit)
	}
	if err := r.cfg.personal.show(ctx, r.at.Topic, b.Commits); err != nil {
		return 0, fmt.Errorf("opening what is personal in offsets %d to %d: %w", entries[0].Offset, judged.Next-1, err)
	}
	if err := r.cfg.Sink.Take(ctx, b); err != nil {
		return 0, stop(fmt.Errorf("taking offsets %d to %d: %w", entries[0].Offset, judged.Next-1, err))
	}
	r.state.Add(b.Progress)
	return used, nil
}

// cut is how many entries make a batch, at least; it never ends inside a commit.
func cut(entries []eventstore.Entry, least int) int {
	n := min(least, len(entries))
	for n < len(entries) && entries[n].Record != nil && entries[n].Record.CommitIndex > 0 {
		n++
	}
	return n
}

const whatToDo = "bring the old log back, or clear the saved state and what was made from it and begin at 0"

// ready loads the state once, and sees to it that the log is the one it speaks of.
func (r *reader) ready(ctx context.Context) error {
	if !r.loaded {
		state, err := r.cfg.Sink.Load(ctx, r.at)
		if err != nil {
			return stop(fmt.Errorf("loading the saved state: %w", err))
		}
		if err := state.check(); err != nil {
			return stop(err)
		}
		r.state, r.loaded = state, true
	}
	if r.verified {
		return nil
	}
	if r.state.LogID != "" && r.state.LogID != r.log.LogID() {
		return stop(fmt.Errorf("%w: the saved state speaks of log %s, the brokers hold log %s; %s", ErrLogChanged, r.state.LogID, r.log.LogID(),
			whatToDo))
	}
	if err := r.log.Verify(ctx, r.at.Topic, r.at.Partition); err != nil {
		return r.sorted(err)
	}
	if r.state.Next > 0 {
		mark, err := r.log.ReadMark(ctx, r.at.Topic, r.at.Partition, r.state.Next-1)
		if err != nil {
			return r.sorted(err)
		}
		if mark != r.state.Mark {
			return stop(fmt.Errorf("%w: the record before offset %d is %q, the saved state was made after %q; %s", ErrLogChanged, r.state.Next, mark,
				r.state.Mark, whatToDo))
		}
	}
	r.verified = true
	return nil
}

// sorted tells a log that is not the one it was from brokers that are away.
func (r *reader) sorted(err error) error {
	if errors.Is(err, eventstore.ErrOutOfRange) {
		return stop(fmt.Errorf("%w: %w; %s", ErrLogChanged, err, whatToDo))
	}
	return err
}

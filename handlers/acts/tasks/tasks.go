// Package tasks shows what was said by the agent-to-agent protocol as its tasks: a message of a thread,
// and those that went on with it, with what the agent did because of them.
//
// Nothing of a task is stored for itself. It is what stands in the streams of its thread and of the
// sessions that answered, whoever reads it on whatever node; its id names the thread and the message.
package tasks

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// Tasks reads them.
type Tasks struct {
	Store *eventstore.Store
	Now   func() time.Time
	Link  func(fileID string) string // where a file is downloaded
	// Follow tells when a stream has news; nil: they are looked for.
	Follow func(category *event.Category, stream string) (news <-chan struct{}, stop func(), err error)
}

// Ref names a task.
type Ref struct {
	Thread string // the stream
	Number int    // of the message that began it
}

var idForm = regexp.MustCompile(`^([0-9a-f]{32})-([1-9][0-9]{0,8})$`)

// ID is how others name it.
func (r Ref) ID() string {
	return fmt.Sprintf("%s-%d", strings.TrimPrefix(r.Thread, threads.Threads.Prefix+"-"), r.Number)
}

// RefOf reads an id; false: it is none.
func RefOf(id string) (r Ref, ok bool) {
	parts := idForm.FindStringSubmatch(id)
	if parts == nil {
		return r, false
	}
	r.Number, _ = strconv.Atoi(parts[2])
	r.Thread = threads.Threads.Stream(parts[1])
	return r, true
}

// Task is one as it stands.
type Task struct {
	a2a.Task
	Ref
	TenantID     string
	ConnectionID string
	SessionID    string // that has taken its last message; empty: none yet
	Turn         int    // of that session, if it runs for this; 0: none does
	Suspended    bool   // it waits for something from outside, perhaps for long
	Tellers      []threads.Teller
}

// Rests is whether nothing comes of it for now.
func (t Task) Rests() bool { return t.Status.State.Pauses() || t.Suspended }

// Unknown is the fault of a task that is not there.
func Unknown() error { return fault.New(fault.NotFound, "there is no such task") }

// Read gives a task.
func (x Tasks) Read(ctx context.Context, ref Ref) (Task, error) {
	thread, err := eventstore.Recent(ctx, x.Store, threads.Threads, ref.Thread, eventstore.BackTo(threads.Reaches(ref.Number)))
	if err != nil {
		return Task{}, err
	}
	return x.of(ctx, ref, thread)
}

// of is a task of a thread that was read.
func (x Tasks) of(ctx context.Context, ref Ref, thread eventstore.Told[threads.State]) (Task, error) {
	f := reading(ref, thread.Events)
	if f.first == nil {
		return Task{}, Unknown()
	}
	for _, session := range f.sessions {
		told, err := eventstore.Recent(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(session),
			func(newest []eventstore.Recorded) bool { return f.hasBegun(session, newest) })
		if err != nil {
			return Task{}, err
		}
		f.session(session, told, x.Link)
	}
	out := f.task(x.Now())
	out.Tellers = thread.State.Of(ref.Number)
	return out, nil
}

// Cut ends the turn that runs for a task which nobody wants any more, where one does.
func (x Tasks) Cut(ctx context.Context, l acts.Log, by acts.Caller, ref Ref) error {
	task, err := x.Read(ctx, ref)
	if err != nil || task.Turn == 0 {
		return err
	}
	end := sessions.CancelTurn{Turn: task.Turn, At: x.Now()}
	_, err = acts.Execute(ctx, l, by, sessions.Sessions, sessions.Sessions.Stream(task.SessionID), end.Decide)
	if fault.Is(err, fault.Conflict) { // it has ended by itself
		return nil
	}
	return err
}

// List gives the tasks of a thread, the newest first.
func (x Tasks) List(ctx context.Context, stream string) ([]Task, error) {
	thread, err := eventstore.History(ctx, x.Store, threads.Threads, stream)
	if err != nil {
		return nil, err
	}
	var out []Task
	for n := thread.State.Received; n > 0; n-- {
		task, err := x.of(ctx, Ref{stream, n}, thread)
		if fault.Is(err, fault.NotFound) {
			continue // a message that went on with another
		}
		if err != nil {
			return nil, err
		}
		out = append(out, task)
	}
	return out, nil
}

// lookAgain is when a task is read anew, if no news come.
const lookAgain = time.Second

// Watch tells a task each time that it has changed, whoever works on it, until told says that it is
// enough. Nil is told each time that nothing came for a beat.
func (x Tasks) Watch(ctx context.Context, ref Ref, beat time.Duration, told func(*Task) (enough bool, err error)) error {
	var followed []func()
	defer func() {
		for _, stop := range followed {
			stop()
		}
	}()
	follow := func(category *event.Category, stream string) (<-chan struct{}, error) {
		if x.Follow == nil {
			return nil, nil
		}
		news, stop, err := x.Follow(category, stream)
		if err == nil {
			followed = append(followed, stop)
		}
		return news, err
	}
	ofThread, err := follow(threads.Threads.Category, ref.Thread)
	if err != nil {
		return err
	}
	quiet := time.NewTicker(beat)
	defer quiet.Stop()
	var ofSession <-chan struct{}
	session := ""
	for {
		task, err := x.Read(ctx, ref)
		switch {
		case fault.Is(err, fault.CatchingUp): // it goes on meanwhile
		case err != nil:
			return err
		default:
			if enough, err := told(&task); err != nil || enough {
				return err
			}
			if task.SessionID != session {
				session = task.SessionID
				if ofSession, err = follow(sessions.Sessions.Category, sessions.Sessions.Stream(session)); err != nil {
					return err
				}
				continue // what came before somebody listened
			}
		}
		if err := x.wait(ctx, quiet, ofThread, ofSession, told); err != nil {
			return err
		}
	}
}

// wait waits for news.
func (x Tasks) wait(ctx context.Context, quiet *time.Ticker, a, b <-chan struct{}, told func(*Task) (bool, error)) error {
	again := time.NewTimer(lookAgain)
	defer again.Stop()
	for {
		select {
		case <-a:
			return nil
		case <-b:
			return nil
		case <-again.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-quiet.C:
			if _, err := told(nil); err != nil {
				return err
			}
		}
	}
}

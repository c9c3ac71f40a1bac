package channels

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/tasks"
	"github.com/parley-platform/parley/handlers/reactors"
)

// TaskTellers tells other agents, where they want it, that a task of theirs rests: it has ended, or
// waits for them. It sends nothing itself: the sender of notices does, in the order of the thread.
type TaskTellers struct {
	Store  *eventstore.Store
	Tasks  tasks.Tasks
	Notify acts.Notify
}

const taskTellers = "task-tellers"

// Reactor declares it. What is told once is told once, whatever leads to it.
func (x TaskTellers) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: taskTellers, Side: reactors.AtLeastOnce, Handle: x.handle, Only: ofThreads,
		Categories: []*event.Category{threads.Threads.Category, sessions.Sessions.Category},
		Events: []event.Payload{threads.Taken{}, threads.Queued{}, threads.Refused{}, threads.Dropped{}, threads.TellerSet{},
			threads.TellerDeleted{}, sessions.TurnEnded{}, sessions.PassedOn{}, sessions.SessionEnded{}}} // whichever comes last
}

func (x TaskTellers) handle(ctx context.Context, e reactors.Event) error {
	stream := e.Stream
	switch p := e.Payload.(type) {
	case sessions.TurnEnded:
		stream = p.Thread
	case sessions.SessionEnded: // a task that waited for its caller is canceled by it
		stream = p.Thread
	case sessions.PassedOn:
		session, err := eventstore.Read(ctx, x.Store, sessions.Sessions, e.Stream)
		if err != nil {
			return fmt.Errorf("folding %s: %w", e.Stream, err)
		}
		stream = session.State.Thread
	}
	if stream == "" {
		return nil
	}
	thread, err := eventstore.Read(ctx, x.Store, threads.Threads, stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", stream, err)
	}
	switch p := e.Payload.(type) {
	case threads.TellerDeleted:
		return x.withdraw(ctx, e, stream, thread.State, p.Number, p.ID)
	case threads.TellerSet: // it may be in place of another one
		if err := x.withdraw(ctx, e, stream, thread.State, p.Number, p.ID); err != nil {
			return err
		}
	}
	for _, t := range thread.State.Tellers {
		if err := x.tell(ctx, e, stream, thread.State.ProjectID, t); err != nil {
			return err
		}
	}
	return x.changed(ctx, e, stream, thread.State.Tellers)
}

// changed withdraws what was just put in for a teller that was deleted, or that another took the place of, in the meantime:
// who saw that may have looked for it too early.
func (x TaskTellers) changed(ctx context.Context, e reactors.Event, stream string, told []threads.Teller) error {
	if len(told) == 0 {
		return nil
	}
	now, err := eventstore.Read(ctx, x.Store, threads.Threads, stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", stream, err)
	}
	for _, t := range told {
		if !slices.Contains(now.State.Tellers, t) {
			if err := x.withdraw(ctx, e, stream, now.State, t.Number, t.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// withdraw takes back what is not told yet of the tellers that had an id before the one that has it now, if one has.
func (x TaskTellers) withdraw(ctx context.Context, e reactors.Event, stream string, s threads.State, number int, id string) error {
	ref := tasks.Ref{Thread: stream, Number: number}
	cmd := deliveries.Withdraw{AskedBy: askedBy(ref, id), At: e.Time, Keeps: func(n deliveries.Notice) bool {
		return slices.ContainsFunc(s.Of(number), func(t threads.Teller) bool {
			return t.ID == id && t.URL == n.URL && t.URLSealed == n.URLSealed && t.HeadersSealed == n.HeadersSealed
		})
	}}
	for _, way := range s.Ways(ref.Thread) {
		by := reactors.Because(taskTellers, "withdraw", e)
		by.RequestID = "" // it may be looked for again, and is withdrawn once
		if err := eventstore.Do(ctx, x.Store, deliveries.Deliveries, deliveries.Deliveries.Stream(way), by, cmd.Decide); err != nil {
			return fmt.Errorf("withdrawing what is told of a task of %s: %w", ref.Thread, err)
		}
	}
	return nil
}

// askedBy names who wants to be told of a task.
func askedBy(ref tasks.Ref, id string) string {
	return eventstore.CauseID(taskTellers, ref.ID(), "asked/"+id)
}

// tell puts in what a task says of itself, if it rests.
func (x TaskTellers) tell(ctx context.Context, e reactors.Event, stream, project string, t threads.Teller) error {
	task, err := x.Tasks.Read(ctx, tasks.Ref{Thread: stream, Number: t.Number})
	if err != nil {
		return fmt.Errorf("reading a task of %s: %w", stream, err)
	}
	if !task.Status.State.Pauses() {
		return nil
	}
	body, err := bodyOf(a2a.Version(t.Form), task.Task)
	if err != nil {
		return err
	}
	once := eventstore.CauseID(taskTellers, task.Ref.ID(), fmt.Sprintf("%s/%s/%s", t.ID, task.Status.State,
		task.Status.At.Format(time.RFC3339Nano)))
	by := acts.Caller{Command: reactors.Because(taskTellers, "tell/"+once, e), Project: project}
	return x.Notify.Do(ctx, by, acts.Notice{Subject: t.Way(stream), ID: once, URL: t.URL, URLSealed: t.URLSealed,
		HeadersSealed: t.HeadersSealed, AskedBy: askedBy(task.Ref, t.ID), Body: body, At: e.Time, GoesOn: true})
}

// bodyOf is what is told: of a task that is too large for it its state alone.
func bodyOf(v a2a.Version, task a2a.Task) (json.RawMessage, error) {
	body, err := json.Marshal(v.Answer(task))
	if err == nil && len(body) > deliveries.MaxBody {
		task.History, task.Artifacts, task.Status.Message = nil, nil, nil
		body, err = json.Marshal(v.Answer(task))
	}
	if err != nil {
		return nil, fmt.Errorf("encoding a task: %w", err)
	}
	return body, nil
}

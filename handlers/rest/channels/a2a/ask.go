package a2a

import (
	"context"
	"strconv"

	protocol "github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/tasks"
)

// asks reads the parameters that name a task, and finds it.
func (x API) asks(ctx context.Context, a asked) (tasks.Task, protocol.Asking, error) {
	asking, refusal := a.version.ReadAsking(a.method, a.params)
	if refusal != nil {
		return tasks.Task{}, asking, refusal
	}
	task, err := x.task(ctx, asking.TaskID)
	return task, asking, err
}

func (x API) get(ctx context.Context, a asked) (any, error) {
	task, asking, err := x.asks(ctx, a)
	if err != nil {
		return nil, err
	}
	return a.version.Task(cut(task.Task, asking.History)), nil
}

// subscribed is the task that somebody wants to follow.
func (x API) subscribed(ctx context.Context, a asked) (tasks.Ref, *int, error) {
	task, asking, err := x.asks(ctx, a)
	if err == nil && task.Status.State.Terminal() {
		err = protocol.Refuse(protocol.Unsupported, "the task is %s: nothing more comes of it", task.Status.State)
	}
	return task.Ref, asking.History, err
}

// cancel ends a task: the turn that runs for it, else what would go on with it.
func (x API) cancel(ctx context.Context, a asked) (any, error) {
	task, _, err := x.asks(ctx, a)
	if err != nil {
		return nil, err
	}
	if task.Status.State.Terminal() {
		return nil, notCancelable(task)
	}
	by := x.Caller(ctx).Further()
	drop := threads.Drop{Number: task.Number, At: x.Now()}
	if _, err := acts.Execute(ctx, x.Log, by, threads.Threads, task.Thread, drop.Decide); err != nil {
		return nil, err
	}
	if err := x.Tasks.Cut(ctx, x.Log, by, task.Ref); err != nil { // a session may have taken it meanwhile
		return nil, err
	}
	if task, err = x.Tasks.Read(ctx, task.Ref); err != nil {
		return nil, err
	}
	if task.Status.State != protocol.Canceled {
		return nil, notCancelable(task)
	}
	return a.version.Task(task.Task), nil
}

func notCancelable(task tasks.Task) error {
	return protocol.Refuse(protocol.TaskNotCancelable, "the task is %s", task.Status.State)
}

const (
	pageSize    = 50
	largestPage = 100
)

// list gives the tasks of a context.
func (x API) list(ctx context.Context, a asked) (any, error) {
	asking, refusal := a.version.ReadListing(a.params)
	if refusal != nil {
		return nil, refusal
	}
	if asking.ContextID == "" {
		return nil, protocol.Fault("contextId", "is required: tasks are listed of one context")
	}
	c := connectionOf(ctx)
	all, err := x.Tasks.List(ctx, threads.Stream(x.MAC, c.TenantID, c.ConnectionID, asking.ContextID))
	if err != nil {
		return nil, err
	}
	var found []protocol.Task
	for _, t := range all {
		if !asking.Wants(t.Task) {
			continue
		}
		if !asking.Artifacts {
			t.Artifacts = nil
		}
		found = append(found, cut(t.Task, asking.History))
	}
	protocol.Newest(found)
	from, size := 0, pageSize
	if asking.Page != "" {
		if from, err = strconv.Atoi(asking.Page); err != nil || from < 0 || from > len(found) {
			return nil, protocol.Fault("pageToken", "is none that was given")
		}
	}
	if asking.Size > largestPage {
		return nil, protocol.Fault("pageSize", "must be at most %d", largestPage)
	}
	if asking.Size > 0 {
		size = asking.Size
	}
	to, next := min(from+size, len(found)), ""
	if to < len(found) {
		next = strconv.Itoa(to)
	}
	return protocol.Page(found[from:to], next, len(found), size), nil
}

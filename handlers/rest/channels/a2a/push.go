package a2a

import (
	"context"
	"net/url"
	"slices"

	"github.com/google/uuid"

	protocol "github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/tasks"
)

// checkPush refuses an address that nobody may be told at.
func (x API) checkPush(p protocol.Push) error {
	if at, err := url.Parse(p.URL); err != nil || at.Host == "" || len(p.URL) > 2048 {
		return protocol.Fault("url", "must be an absolute http or https URL of at most 2048 bytes")
	}
	if err := x.CheckURL(p.URL); err != nil {
		return protocol.Fault("url", "%s", err.Error())
	}
	return nil
}

// tell has somebody told of a task from now on.
func (x API) tell(ctx context.Context, v protocol.Version, ref tasks.Ref, p protocol.Push) (threads.Teller, error) {
	if p.ID == "" {
		p.ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte(ref.ID()+p.URL)).String() // the same once more is the same
	}
	out := threads.Teller{Number: ref.Number, ID: p.ID, Form: string(v)}
	tenant := connectionOf(ctx).TenantID
	var err error
	if out.URL, out.URLSealed, err = x.SealURL(tenant, p.URL); err != nil {
		return out, err
	}
	headers := map[string]string{}
	if p.Token != "" {
		headers["X-A2A-Notification-Token"] = p.Token
	}
	if p.Scheme != "" && p.Credentials != "" {
		headers["Authorization"] = p.Scheme + " " + p.Credentials
	}
	if len(headers) > 0 {
		if out.HeadersSealed, err = x.SealHeaders(tenant, headers); err != nil {
			return out, err
		}
	}
	cmd := threads.Tell{Teller: out, At: x.Now()}
	_, err = acts.Execute(ctx, x.Log, x.Caller(ctx).Further(), threads.Threads, ref.Thread, cmd.Decide)
	return out, err
}

// shown is one without its secrets.
func shown(task string, t threads.Teller) protocol.Push {
	return protocol.Push{ID: t.ID, TaskID: task, URL: t.URL}
}

func (x API) setPush(ctx context.Context, a asked) (any, error) {
	p, refusal := a.version.ReadPush(a.params)
	if refusal != nil {
		return nil, refusal
	}
	task, err := x.task(ctx, p.TaskID)
	if err != nil {
		return nil, err
	}
	if err := x.checkPush(p); err != nil {
		return nil, err
	}
	set, err := x.tell(ctx, a.version, task.Ref, p)
	return a.version.Push(shown(task.Task.ID, set)), err
}

func (x API) getPush(ctx context.Context, a asked) (any, error) {
	task, asking, err := x.asks(ctx, a)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(task.Tellers, func(t threads.Teller) bool { return asking.PushID == "" || t.ID == asking.PushID })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "nobody is told of the task by that id")
	}
	return a.version.Push(shown(task.Task.ID, task.Tellers[i])), nil
}

func (x API) listPushes(ctx context.Context, a asked) (any, error) {
	task, _, err := x.asks(ctx, a)
	var out []protocol.Push
	for _, t := range task.Tellers {
		out = append(out, shown(task.Task.ID, t))
	}
	return a.version.Pushes(out), err
}

func (x API) deletePush(ctx context.Context, a asked) (any, error) {
	task, asking, err := x.asks(ctx, a)
	if err != nil {
		return nil, err
	}
	cmd := threads.TellNoMore{Number: task.Number, ID: asking.PushID, At: x.Now()}
	_, err = acts.Execute(ctx, x.Log, x.Caller(ctx).Further(), threads.Threads, task.Thread, cmd.Decide)
	if a.version == protocol.V1 {
		return map[string]any{}, err
	}
	return nil, err
}

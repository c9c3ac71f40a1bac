package a2a

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	protocol "github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/handlers/acts/tasks"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
)

const (
	heartbeat = 15 * time.Second
	patience  = 10 * time.Second // with a reader that takes nothing
	longest   = time.Hour        // that one stream lasts
)

// stream tells a task as it goes on, by Server-Sent Events: first all of it, then what changes, until it
// is the other side that has to do something. Who goes away ends nothing.
func (x API) stream(ctx context.Context, ref tasks.Ref, history *int, form rpcForm) *huma.StreamResponse {
	return rest.ByHand(func(w http.ResponseWriter) {
		w.Header().Set("Cache-Control", "no-cache, no-transform")
		to := eventstream.Open(w, patience)
		gone := func(err error) error {
			if err != nil {
				return errGone
			}
			return nil
		}
		long := rest.LongAnswerOf(ctx)
		long.MayTakeLong()
		here, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		defer long.EndsWithNode(cancel)()
		told := telling{version: form.version, history: history}
		err := x.Tasks.Watch(here, ref, cmp.Or(x.Heartbeat, heartbeat), func(t *tasks.Task) (bool, error) {
			if t == nil {
				return false, gone(to.Beat())
			}
			for _, u := range told.next(*t) {
				if err := gone(to.Event("", form.event(form.version.Update(u)))); err != nil {
					return false, err
				}
			}
			return t.Status.State.Pauses(), nil
		})
		if err != nil && !errors.Is(err, errGone) && here.Err() == nil {
			_ = to.Event("", form.fault(x.refusal(ctx, err)))
		}
	})
}

// telling is a task as far as it was told.
type telling struct {
	version protocol.Version
	history *int
	begun   bool
	status  protocol.Status
	parts   map[string]int // of each artifact
}

// next are the updates that tell what has changed.
func (t *telling) next(task tasks.Task) (out []protocol.Update) {
	if !t.begun {
		t.begun, t.status, t.parts = true, task.Status, map[string]int{}
		for _, a := range task.Artifacts {
			t.parts[a.ID] = len(a.Parts)
		}
		whole := cut(task.Task, t.history)
		out = append(out, protocol.Update{Task: &whole})
		if task.Status.State.Pauses() {
			out = append(out, t.update(task, protocol.Update{Status: &task.Status}))
		}
		return out
	}
	rests := task.Status.State.Pauses()
	for _, a := range task.Artifacts {
		before := t.parts[a.ID]
		if len(a.Parts) <= before {
			continue
		}
		t.parts[a.ID] = len(a.Parts)
		a.Parts = slices.Clone(a.Parts[before:])
		out = append(out, t.update(task, protocol.Update{Artifact: &a, Append: before > 0, Last: rests}))
	}
	if task.Status.State != t.status.State {
		t.status = task.Status
		out = append(out, t.update(task, protocol.Update{Status: &task.Status}))
	}
	return out
}

func (t *telling) update(task tasks.Task, u protocol.Update) protocol.Update {
	u.TaskID, u.ContextID = task.Task.ID, task.ContextID
	return u
}

// errGone says that nobody reads any more.
var errGone = errors.New("nobody reads the stream")

package voice

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Notifier puts the notifications of a call into its delivery stream, in the order of
// the call's events (docs/api-rules.md "Notifications"). It sends nothing itself: the
// sender does.
type Notifier struct {
	Store  *eventstore.Store
	Notify acts.Notify
}

// Reactor declares it. A notice that is put in twice under the same id is one.
func (n Notifier) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "notifier", Categories: []*event.Category{calls.Calls.Category}, Side: reactors.AtLeastOnce,
		Handle: n.handle,
		Events: []event.Payload{calls.Answered{}, calls.AmdDetected{}, calls.Completed{}, calls.Failed{}}}
}

func (n Notifier) handle(ctx context.Context, e reactors.Event) error {
	call, err := eventstore.Read(ctx, n.Store, calls.Calls, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	notice := calls.NoticeOf(call.State, e.Payload) // what it reads of the state does not change after the event
	if notice == nil {
		return nil
	}
	request := call.State.Request
	return n.Notify.Do(ctx, acts.Caller{Command: reactors.Because("notifier", "enqueue", e), Project: request.ProjectID},
		acts.Notice{Subject: e.Stream, ID: e.ID, URL: request.NotifyURL, URLSealed: request.NotifyURLSealed,
			HeadersSealed: request.NotifyHeadersSealed, Body: notice, At: e.Time})
}

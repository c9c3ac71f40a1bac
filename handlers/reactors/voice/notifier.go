package voice

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Notifier puts the notifications of a call into its delivery stream, in the order of
// the call's events (docs/api-rules.md "Notifications"). It sends nothing itself: the
// sender does.
type Notifier struct {
	Store   *eventstore.Store
	SealURL reactors.SealURL
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
	body, err := json.Marshal(notice)
	if err != nil {
		return reactors.Poison(fmt.Errorf("encoding a notice: %w", err))
	}
	request := call.State.Request
	url, sealed, err := n.SealURL.Stored(request.TenantID, request.NotifyURL, request.NotifyURLSealed)
	if err != nil {
		return err
	}
	enqueue := deliveries.Enqueue{NoticeID: e.ID, TenantID: request.TenantID, ProjectID: request.ProjectID, URL: url, URLSealed: sealed,
		HeadersSealed: request.NotifyHeadersSealed, Body: body, QueuedAt: e.Time}
	_, err = eventstore.Execute(ctx, n.Store, deliveries.Deliveries, deliveries.Deliveries.Stream(e.Stream), reactors.Because("notifier",
		"enqueue", e), enqueue.Decide)
	return err
}

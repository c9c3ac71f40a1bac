package contactcenter

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
)

// TransferNotices puts what is told of a transfer into its delivery stream, in the order
// of its events (docs/api-rules.md "Transfer"). It sends nothing itself: the sender
// does.
type TransferNotices struct {
	Store  *eventstore.Store
	Notify acts.Notify
}

// Reactor declares it. A notice that is put in twice under the same id is one.
func (t TransferNotices) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "transfer-notices", Categories: []*event.Category{transfers.Transfers.Category}, Side: reactors.AtLeastOnce,
		Handle: t.handle,
		Events: []event.Payload{transfers.Queued{}, transfers.Assigned{}, transfers.Failed{}, transfers.TimedOut{}}}
}

func (t TransferNotices) handle(ctx context.Context, e reactors.Event) error {
	loaded, err := eventstore.Read(ctx, t.Store, transfers.Transfers, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	notice := transfers.NoticeOf(loaded.State, e.Payload)
	if notice == nil || loaded.State.Request.CallbackURL == "" { // an agent has nobody to be told
		return nil
	}
	r := loaded.State.Request
	return t.Notify.Do(ctx, acts.Caller{Command: reactors.Because("transfer-notices", "enqueue", e), Project: r.ProjectID},
		acts.Notice{Subject: e.Stream, ID: e.ID, URL: r.CallbackURL, URLSealed: r.CallbackSealed, Body: notice, At: e.Time})
}

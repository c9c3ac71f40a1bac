package contactcenter

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// TransferNotices puts what is told of a transfer into its delivery stream, in the order
// of its events (docs/api-rules.md "Transfer"). It sends nothing itself: the sender
// does.
type TransferNotices struct {
	Store   *eventstore.Store
	SealURL reactors.SealURL
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
	if notice == nil {
		return nil
	}
	body, err := json.Marshal(notice)
	if err != nil {
		return reactors.Poison(fmt.Errorf("encoding a notice: %w", err))
	}
	r := loaded.State.Request
	url, sealed, err := t.SealURL.Stored(r.TenantID, r.CallbackURL, r.CallbackSealed)
	if err != nil {
		return err
	}
	enqueue := deliveries.Enqueue{NoticeID: e.ID, TenantID: r.TenantID, ProjectID: r.ProjectID, URL: url, URLSealed: sealed,
		Body: body, QueuedAt: e.Time}
	_, err = eventstore.Execute(ctx, t.Store, deliveries.Deliveries, deliveries.Deliveries.Stream(e.Stream),
		reactors.Because("transfer-notices",
			"enqueue", e), enqueue.Decide)
	return err
}

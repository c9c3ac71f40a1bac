package platform

import (
	"fmt"

	"github.com/parley-platform/parley/domain/callerurl"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/projections"
)

// AttemptTimer is the name of a delivery stream's timer: its next attempt is due
// then. One notice of a stream is under way at a time, so one name is enough.
const AttemptTimer = "attempt"

// DeliveriesModel stores what became of each notice, and keeps the timers of the
// next attempts.
var DeliveriesModel = newDeliveriesModel()

func newDeliveriesModel() *projections.Model {
	m := projections.NewModel("deliveries", 2, []string{"deliveries", "timers"}, deliveries.Deliveries.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e deliveries.Enqueued) {
		bare, _ := callerurl.Bare(e.URL) // old events hold all of it in the open
		b.Put("deliveries", notice(at, e.NoticeID), projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"url": bare, "status": "queued", "queued_at": e.QueuedAt})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deliveries.AttemptFailed) {
		b.Set("deliveries", notice(at, e.NoticeID), projections.Row{"status": "retrying", "attempts": e.Attempt, "last_error": problem(e.Status,
			e.Error)})
		b.SetTimer(at, AttemptTimer, e.NextAttemptAt)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deliveries.AttemptDue) { b.ClearTimer(at, AttemptTimer) })
	projections.On(m, func(b *projections.Batch, at projections.At, e deliveries.Delivered) {
		b.Set("deliveries", notice(at, e.NoticeID), projections.Row{"status": "delivered", "attempts": e.Attempt, "finished_at": e.At})
		b.ClearTimer(at, AttemptTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deliveries.Undelivered) {
		b.Set("deliveries", notice(at, e.NoticeID), projections.Row{"status": "undelivered", "attempts": e.Attempts,
			"last_error": problem(e.Status, e.Error), "finished_at": e.At})
		b.ClearTimer(at, AttemptTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deliveries.Withdrawn) {
		b.Set("deliveries", notice(at, e.NoticeID), projections.Row{"status": "withdrawn", "finished_at": e.At})
		if e.Head { // the timer is the head's alone
			b.ClearTimer(at, AttemptTimer)
		}
	})
	projections.Ignore[deliveries.Erased](m) // bodies stand in the events alone
	return m
}

func notice(at projections.At, id string) projections.Row {
	return projections.Row{"stream": at.Stream, "notice_id": id}
}

func problem(status int, text string) string {
	if text == "" && status != 0 {
		return fmt.Sprintf("HTTP status %d", status)
	}
	return text
}

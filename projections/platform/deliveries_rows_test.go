package platform_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/projections/platform"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of notices, then these are the rows after each.
func TestRowsOfDeliveries(t *testing.T) {
	model := given.Open(t).Follow(platform.DeliveriesModel)
	model.After("s", given.Filled(func(e *deliveries.Enqueued) { e.URL = "https://example.com/a?token=secret" }),
		"+ deliveries stream=delivery-s notice_id=noticeId tenant=tenantId project_id=projectId url=https://example.com/a "+
			"status=queued queued_at=12:00:09",
	)
	model.After("s", given.Filled(func(e *deliveries.AttemptFailed) { e.Error = "" }),
		"~ deliveries stream=delivery-s notice_id=noticeId: status=retrying attempts=3 last_error=HTTP status 5",
		"+ timers stream=delivery-s name=attempt topic=parley.deliveries tenant=tenantId due_at=12:00:08 claimed_until=-infinity",
	)
	model.After("s", given.Filled[deliveries.AttemptDue](),
		"- timers stream=delivery-s name=attempt",
	)
	model.After("s", given.Filled[deliveries.AttemptFailed](),
		"~ deliveries stream=delivery-s notice_id=noticeId: last_error=error",
		"+ timers stream=delivery-s name=attempt topic=parley.deliveries tenant=tenantId due_at=12:00:08 claimed_until=-infinity",
	)
	model.After("s", given.Filled(func(e *deliveries.Delivered) { e.Attempt = 7 }),
		"~ deliveries stream=delivery-s notice_id=noticeId: status=delivered attempts=7 finished_at=12:00:05",
		"- timers stream=delivery-s name=attempt",
	)
	model.After("s", given.Filled(func(e *deliveries.Enqueued) { e.NoticeID = "n-2" }),
		"+ deliveries stream=delivery-s notice_id=n-2 tenant=tenantId project_id=projectId url=url status=queued queued_at=12:00:09",
	)
	model.After("s", given.Filled(func(e *deliveries.AttemptFailed) { e.NoticeID = "n-2" }),
		"~ deliveries stream=delivery-s notice_id=n-2: status=retrying attempts=3 last_error=error",
		"+ timers stream=delivery-s name=attempt topic=parley.deliveries tenant=tenantId due_at=12:00:08 claimed_until=-infinity",
	)
	model.After("s", given.Filled(func(e *deliveries.Undelivered) { e.NoticeID, e.Attempts, e.Status, e.Error = "n-2", 8, 0, "" }),
		"~ deliveries stream=delivery-s notice_id=n-2: status=undelivered attempts=8 last_error= finished_at=12:00:04",
		"- timers stream=delivery-s name=attempt",
	)
	model.After("s", given.Filled(func(e *deliveries.Undelivered) { e.NoticeID, e.Attempts, e.Error = "n-2", 8, "refused" }),
		"~ deliveries stream=delivery-s notice_id=n-2: last_error=refused",
	)
	model.After("s", given.Filled(func(e *deliveries.Enqueued) { e.NoticeID = "n-3" }),
		"+ deliveries stream=delivery-s notice_id=n-3 tenant=tenantId project_id=projectId url=url status=queued queued_at=12:00:09",
	)
	model.After("s", given.Filled(func(e *deliveries.AttemptFailed) { e.NoticeID, e.Error = "n-3", "" }),
		"~ deliveries stream=delivery-s notice_id=n-3: status=retrying attempts=3 last_error=HTTP status 5",
		"+ timers stream=delivery-s name=attempt topic=parley.deliveries tenant=tenantId due_at=12:00:08 claimed_until=-infinity",
	)
	model.After("s", given.Filled(func(e *deliveries.Withdrawn) { e.NoticeID, e.Head = "n-2", false }), // one behind the head has no timer
		"~ deliveries stream=delivery-s notice_id=n-2: status=withdrawn finished_at=12:00:05",
	)
	model.After("s", given.Filled(func(e *deliveries.Withdrawn) { e.NoticeID, e.Head = "n-3", true }),
		"~ deliveries stream=delivery-s notice_id=n-3: status=withdrawn finished_at=12:00:05",
		"- timers stream=delivery-s name=attempt",
	)
}

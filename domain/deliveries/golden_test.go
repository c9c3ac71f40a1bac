package deliveries_test

import (
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event/eventtest"
)

func TestEventsKeepTheirJSON(t *testing.T) {
	later := noon.Add(4 * time.Second)
	eventtest.Golden(t, deliveries.Deliveries.Category, "testdata/events", deliveries.Erased{Erasure: eventtest.Erasure},
		enqueued("n1"),
		withSealedURL(enqueued("n1")),
		askedBy("crm", enqueued("n1")),
		deliveries.Withdrawn{NoticeID: "n1", Attempts: 2, Head: true, At: later},
		failed("n1", 1, noon.Add(3*time.Second)),
		deliveries.AttemptDue{NoticeID: "n1", Attempt: 2, At: noon.Add(3 * time.Second)},
		deliveries.Delivered{NoticeID: "n1", Attempt: 2, Status: 204, At: later},
		deliveries.Undelivered{NoticeID: "n1", Attempts: 2, At: later, Status: 404, Error: "status 404", Reason: deliveries.ReasonFinal},
		deliveries.Undelivered{NoticeID: "n1", At: later, Reason: deliveries.ReasonDeadline},
	)
}

package webhooks_test

import (
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/webhooks"
)

func TestEventsKeepTheirJSON(t *testing.T) {
	later := noon.Add(4 * time.Second)
	eventtest.Golden(t, webhooks.Deliveries.Category, "testdata/events",
		enqueued("n1"),
		withSealedURL(enqueued("n1")),
		failed("n1", 1, noon.Add(3*time.Second)),
		webhooks.AttemptDue{NoticeID: "n1", Attempt: 2, At: noon.Add(3 * time.Second)},
		webhooks.Delivered{NoticeID: "n1", Attempt: 2, Status: 204, At: later},
		webhooks.Undelivered{NoticeID: "n1", Attempts: 2, At: later, Status: 404, Error: "status 404", Reason: webhooks.ReasonFinal},
		webhooks.Undelivered{NoticeID: "n1", At: later, Reason: webhooks.ReasonDeadline},
	)
}

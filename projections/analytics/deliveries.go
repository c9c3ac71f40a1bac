package analytics

import (
	"github.com/parley-platform/parley/domain/deliveries"
	"strconv"
)

// What is sent to callers' addresses is system. An address is never shown: it may hold
// a secret.
var (
	_ = On(System, "", func(_ At, e deliveries.Enqueued) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID}, Remember: true, Metadata: map[string]any{"noticeId": e.NoticeID}}
	})
	_ = Ignore[deliveries.AttemptDue]("the attempt itself tells how it went")
	_ = On(System, "", func(_ At, e deliveries.Delivered) Entry {
		return Entry{Metadata: map[string]any{"noticeId": e.NoticeID, "attempt": e.Attempt, "status": e.Status}}
	})
	_ = On(System, "", func(_ At, e deliveries.AttemptFailed) Entry {
		return Entry{Error: failureOf(e.Status), Metadata: map[string]any{"noticeId": e.NoticeID, "attempt": e.Attempt}}
	})
	_ = On(System, "", func(_ At, e deliveries.Withdrawn) Entry {
		return Entry{Metadata: map[string]any{"noticeId": e.NoticeID, "attempts": e.Attempts, "withdrawn": true}}
	})
	_ = On(System, "", func(_ At, e deliveries.Undelivered) Entry {
		return Entry{Error: "undelivered: " + e.Reason, Metadata: map[string]any{"noticeId": e.NoticeID, "attempts": e.Attempts}}
	})
)

// failureOf is why an attempt failed, without what the network said, which may quote
// the address.
func failureOf(status int) string {
	if status == 0 {
		return "no answer"
	}
	return "answered " + strconv.Itoa(status)
}

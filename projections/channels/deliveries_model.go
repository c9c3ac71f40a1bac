package channels

import (
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/projections"
)

// DeliveryStatus is how far a reply has come.
type DeliveryStatus string

// The statuses.
const (
	DeliveryQueued   DeliveryStatus = "queued"
	DeliverySending  DeliveryStatus = "sending"  // the provider is being asked, or its answer is in doubt
	DeliveryRetrying DeliveryStatus = "retrying" // it was not taken, and is tried again later
	DeliverySent     DeliveryStatus = "sent"     // the provider has taken all of it
	DeliveryFailed   DeliveryStatus = "failed"
)

// ReplyTimer is the name of the timer of a conversation's reply: threads.Wake is due then.
const ReplyTimer = "reply"

// DeliveriesModel stores what is said back in conversations of channels, and nothing of its words.
var DeliveriesModel = newDeliveriesModel()

func newDeliveriesModel() *projections.Model {
	m := projections.NewModel("channel deliveries", 5,
		[]string{deliveries, "channel_thread_sessions", "channel_refusals", "timers"}, threads.Threads.Category,
		sessions.Sessions.Category)
	storeThreadsOfSessions(m)
	projections.On(m, storeQueued)
	storeAttempts(m)
	storeHeard(m)
	storeUnheard(m)
	storeRefusals(m)
	projections.Ignore[threads.FilesFetched](m)
	projections.Ignore[threads.Opted](m)
	projections.Ignore[threads.Received](m)
	projections.Ignore[threads.WasOver](m)
	projections.Ignore[threads.Dropped](m)
	projections.Ignore[threads.TakenBack](m)
	projections.Ignore[threads.LineOpened](m)
	projections.Ignore[threads.LineClosed](m)
	projections.Ignore[threads.DraftBegun](m)
	projections.Ignore[threads.DraftShown](m)
	projections.Ignore[threads.DraftDropped](m)
	projections.Ignore[threads.TellerSet](m)
	projections.Ignore[threads.TellerDeleted](m)
	projections.Ignore[sessions.ModelAnswered](m)
	projections.Ignore[sessions.ModelCounted](m)
	projections.IgnoreTalk(m)
	return m
}

// deliveries is the table with a row for each reply.
const deliveries = "channel_deliveries"

// delivery is the key of a reply's row.
func delivery(a projections.At, reply int) projections.Row {
	return projections.Row{"thread_id": a.StreamID, "reply": reply}
}

// storeThreadsOfSessions remembers in which thread a session answers.
func storeThreadsOfSessions(m *projections.Model) {
	answers := func(b *projections.Batch, a projections.At, session, thread string) {
		b.Put("channel_thread_sessions", projections.Row{"session_id": session}, projections.Row{"thread_id": thread, "tenant": a.Tenant})
	}
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Taken) { answers(b, a, e.SessionID, a.StreamID) })
	// It has what was said also where that was never noted as taken: who said it had left by then, or was erased.
	projections.On(m, func(b *projections.Batch, a projections.At, e sessions.Opened) {
		if e.Thread != "" {
			answers(b, a, e.SessionID, threads.Threads.StreamID(e.Thread))
		}
	})
}

func storeQueued(b *projections.Batch, a projections.At, e threads.Queued) {
	parts := e.Messages
	if e.Fetched { // one answer has all of it
		parts = 1
	}
	row := projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
		"connection_id": e.ConnectionID, "session_id": e.SessionID, "message_id": e.MessageID, "status": string(DeliveryQueued),
		"parts": parts, "parts_sent": 0, "attempts": 0, "code": "", "reason": "", "provider_message_id": "", "queued_at": e.At,
		"send_by": e.SendBy}
	if e.Polled { // it is where who talks looks for it
		row["status"], row["parts_sent"], row["ended_at"] = string(DeliverySent), parts, e.At
	}
	b.Put(deliveries, delivery(a, e.Reply), row)
}

// storeAttempts follows what is sent to a provider, with the timer of who looks after it.
func storeAttempts(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Started) {
		b.Set(deliveries, delivery(a, e.Reply), projections.Row{"status": string(DeliverySending), "attempts": e.Attempt})
		b.SetTimer(a, ReplyTimer, e.LeaseUntil)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Missed) {
		b.Set(deliveries, delivery(a, e.Reply), projections.Row{"status": string(DeliveryRetrying), "code": e.Code, "reason": e.Reason})
		b.SetTimer(a, ReplyTimer, e.RetryAt)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, _ threads.Due) { b.ClearTimer(a, ReplyTimer) })
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.PartSent) {
		row := projections.Row{"status": string(DeliveryQueued), "parts_sent": e.Part + 1, "provider_message_id": e.ProviderMessageID,
			"code": "", "reason": ""}
		if e.Last {
			row["status"], row["ended_at"] = string(DeliverySent), e.At
		}
		b.Set(deliveries, delivery(a, e.Reply), row)
		b.ClearTimer(a, ReplyTimer)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Failed) {
		storeFailed(b, a, []int{e.Reply}, e.Code, e.Reason, e.At)
		b.ClearTimer(a, ReplyTimer)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Retried) {
		b.Set(deliveries, delivery(a, e.Reply),
			projections.Row{"status": string(DeliveryQueued), "send_by": e.SendBy, "ended_at": nil})
	})
	projections.On(m, storeReported)
}

// storeReported keeps what the provider says of a reply that it took.
func storeReported(b *projections.Batch, a projections.At, e threads.Reported) {
	row := projections.Row{"state": e.State}
	switch channels.State(e.State) {
	case channels.Undelivered:
		row["code"], row["reason"] = e.Code, "the provider took it, and says that it did not arrive"
	case channels.Delivered, channels.Read: // after all
		row["code"], row["reason"] = "", ""
	}
	b.Set(deliveries, delivery(a, e.Reply), row)
}

// storeHeard is for replies that who talks has got at once: in the answer of a request, or as speech.
func storeHeard(m *projections.Model) {
	heard := func(b *projections.Batch, a projections.At, replies []int, when time.Time) {
		for _, reply := range replies {
			b.Set(deliveries, delivery(a, reply), projections.Row{"status": string(DeliverySent), "parts_sent": 1, "ended_at": when})
		}
	}
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Answered) { heard(b, a, e.Replies, e.At) })
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Spoken) { heard(b, a, e.Replies, e.At) })
}

// storeUnheard is for replies that nobody is there for any more.
func storeUnheard(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Forgotten) {
		storeFailed(b, a, e.Replies, threads.CodeErased, "the person was erased", e.At)
		b.ClearTimer(a, ReplyTimer)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Left) {
		storeFailed(b, a, e.Unheard, threads.CodeLeft, "the person has left", e.At)
	})
}

func storeFailed(b *projections.Batch, a projections.At, replies []int, code, reason string, when time.Time) {
	for _, reply := range replies {
		b.Set(deliveries, delivery(a, reply), projections.Row{"status": string(DeliveryFailed), "code": code, "reason": reason,
			"ended_at": when})
	}
}

// storeRefusals keeps when a message got no answer: by that, retention finds a conversation that never had a session.
func storeRefusals(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Refused) {
		if e.ProjectID == "" { // it was not said then
			return
		}
		b.Put("channel_refusals", projections.Row{"thread_id": a.StreamID},
			projections.Row{"tenant": a.Tenant, "project_id": e.ProjectID, "refused_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, a projections.At, _ threads.Erased) {
		b.Delete("channel_refusals", projections.Row{"thread_id": a.StreamID})
		b.Set(deliveries, projections.Row{"thread_id": a.StreamID}, projections.Row{"provider_message_id": ""}) // some hold a number
	})
}

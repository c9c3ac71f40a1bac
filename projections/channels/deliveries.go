package channels

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

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
	m := projections.NewModel("channel deliveries", 4,
		[]string{"channel_deliveries", "channel_thread_sessions", "channel_refusals", "timers"}, threads.Threads.Category,
		sessions.Sessions.Category)
	at := func(at projections.At, reply int) projections.Row {
		return projections.Row{"thread_id": at.StreamID, "reply": reply}
	}
	timer := func(b *projections.Batch, at projections.At, due time.Time) { b.SetTimer(at, ReplyTimer, due) }
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
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Queued) {
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
		b.Put("channel_deliveries", at(a, e.Reply), row)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Started) {
		b.Set("channel_deliveries", at(a, e.Reply), projections.Row{"status": string(DeliverySending), "attempts": e.Attempt})
		timer(b, a, e.LeaseUntil)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Missed) {
		b.Set("channel_deliveries", at(a, e.Reply), projections.Row{"status": string(DeliveryRetrying), "code": e.Code, "reason": e.Reason})
		timer(b, a, e.RetryAt)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, _ threads.Due) { b.ClearTimer(a, ReplyTimer) })
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.PartSent) {
		row := projections.Row{"status": string(DeliveryQueued), "parts_sent": e.Part + 1, "provider_message_id": e.ProviderMessageID,
			"code": "", "reason": ""}
		if e.Last {
			row["status"], row["ended_at"] = string(DeliverySent), e.At
		}
		b.Set("channel_deliveries", at(a, e.Reply), row)
		b.ClearTimer(a, ReplyTimer)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Failed) {
		b.Set("channel_deliveries", at(a, e.Reply), projections.Row{"status": string(DeliveryFailed), "code": e.Code, "reason": e.Reason,
			"ended_at": e.At})
		b.ClearTimer(a, ReplyTimer)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Retried) {
		b.Set("channel_deliveries", at(a, e.Reply), projections.Row{"status": string(DeliveryQueued), "send_by": e.SendBy, "ended_at": nil})
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Reported) {
		row := projections.Row{"state": e.State}
		switch channels.State(e.State) {
		case channels.Undelivered:
			row["code"], row["reason"] = e.Code, "the provider took it, and says that it did not arrive"
		case channels.Delivered, channels.Read: // after all
			row["code"], row["reason"] = "", ""
		}
		b.Set("channel_deliveries", at(a, e.Reply), row)
	})
	heard := func(b *projections.Batch, a projections.At, replies []int, when time.Time) {
		for _, reply := range replies {
			b.Set("channel_deliveries", at(a, reply), projections.Row{"status": string(DeliverySent), "parts_sent": 1, "ended_at": when})
		}
	}
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Answered) { heard(b, a, e.Replies, e.At) })
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Spoken) { heard(b, a, e.Replies, e.At) })
	over := func(b *projections.Batch, a projections.At, replies []int, code, reason string, when time.Time) {
		for _, reply := range replies {
			b.Set("channel_deliveries", at(a, reply), projections.Row{"status": string(DeliveryFailed), "code": code, "reason": reason,
				"ended_at": when})
		}
	}
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Forgotten) {
		over(b, a, e.Replies, threads.CodeErased, "the person was erased", e.At)
		b.ClearTimer(a, ReplyTimer)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Left) {
		over(b, a, e.Unheard, threads.CodeLeft, "the person has left", e.At)
	})
	projections.On(m, func(b *projections.Batch, a projections.At, e threads.Refused) {
		if e.ProjectID == "" { // it was not said then
			return
		}
		b.Put("channel_refusals", projections.Row{"thread_id": a.StreamID},
			projections.Row{"tenant": a.Tenant, "project_id": e.ProjectID, "refused_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, a projections.At, _ threads.Erased) {
		b.Delete("channel_refusals", projections.Row{"thread_id": a.StreamID})
	})
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

// Deliveries answers what became of what was said back.
type Deliveries struct{ db *pgxpool.Pool }

// NewDeliveries reads through the pool.
func NewDeliveries(db *pgxpool.Pool) *Deliveries { return &Deliveries{db} }

// Delivery is one reply.
type Delivery struct {
	ThreadID          string
	Reply             int
	SessionID         string
	MessageID         string
	Status            DeliveryStatus
	State             string // empty: the provider says nothing of it
	Parts, PartsSent  int
	Attempts          int
	Code, Reason      string
	ProviderMessageID string
	QueuedAt, SendBy  time.Time
	EndedAt           *time.Time
}

const selectDeliveries = `SELECT thread_id, reply, session_id, message_id, status, state, parts, parts_sent, attempts, code, reason,
	provider_message_id, queued_at, send_by, ended_at FROM channel_deliveries `

// DeliveryQuery asks for deliveries of a connection.
type DeliveryQuery struct {
	Tenant, Connection string
	Status             DeliveryStatus // empty: all
	SessionID          string         // empty: of all
	Limit, Offset      int
}

// List returns deliveries, the newest first, and how many there are in all.
func (x *Deliveries) List(ctx context.Context, q DeliveryQuery) ([]Delivery, int, error) {
	const where = `WHERE tenant = $1 AND connection_id = $2 AND ($3 = '' OR status = $3) AND ($4 = '' OR session_id = $4) `
	return projections.Page[Delivery](ctx, x.db, "listing deliveries", projections.PageQuery{
		Count: `SELECT count(*) FROM channel_deliveries ` + where,
		Rows:  selectDeliveries + where + `ORDER BY queued_at DESC, thread_id, reply DESC LIMIT $5 OFFSET $6`,
		Args:  []any{q.Tenant, q.Connection, string(q.Status), q.SessionID}, Limit: q.Limit, Offset: q.Offset})
}

// OpenDeliveries are those of a kind that their provider has not taken yet.
type OpenDeliveries struct {
	Kind    string
	Count   int
	Seconds float64 // for which the oldest has been on its way
}

// Open counts the deliveries of all accounts that are on their way, by kind.
func (x *Deliveries) Open(ctx context.Context) ([]OpenDeliveries, error) {
	return projections.All[OpenDeliveries](ctx, x.db, "counting open deliveries", `SELECT c.kind, count(*)::int AS count,
		greatest(0, extract(epoch FROM now() - min(d.queued_at)))::float8 AS seconds FROM channel_deliveries d
		JOIN channel_connections c USING (tenant, connection_id) WHERE d.ended_at IS NULL AND d.send_by > now() GROUP BY c.kind`)
}

// Get finds a delivery of a connection.
func (x *Deliveries) Get(ctx context.Context, tenant, connection, thread string, reply int) (Delivery, bool, error) {
	return projections.One[Delivery](ctx, x.db, "reading a delivery", selectDeliveries+
		`WHERE tenant = $1 AND connection_id = $2 AND thread_id = $3 AND reply = $4`, tenant, connection, thread, reply)
}

// Taken finds the delivery of which the provider took a part by an id.
func (x *Deliveries) Taken(ctx context.Context, tenant, connection, providerMessageID string) (Delivery, bool, error) {
	return projections.One[Delivery](ctx, x.db, "reading a delivery", selectDeliveries+
		`WHERE tenant = $1 AND connection_id = $2 AND provider_message_id = $3 AND provider_message_id <> ''`,
		tenant, connection, providerMessageID)
}

// mostOfSession is how many replies of a session are told of.
const mostOfSession = 1000

// OfSession are the newest replies of a session, in their order.
func (x *Deliveries) OfSession(ctx context.Context, tenant, session string) ([]Delivery, error) {
	found, err := projections.All[Delivery](ctx, x.db, "reading the deliveries of a session", selectDeliveries+
		`WHERE tenant = $1 AND session_id = $2 ORDER BY thread_id, reply DESC LIMIT $3`, tenant, session, mostOfSession)
	slices.Reverse(found)
	return found, err
}

package channels

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/projections"
)

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

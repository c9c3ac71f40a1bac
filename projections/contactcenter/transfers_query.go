package contactcenter

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/projections"
)

// Transfers answers what became of transfers, and who waits.
type Transfers struct{ db *pgxpool.Pool }

// NewTransfers reads through the pool.
func NewTransfers(db *pgxpool.Pool) *Transfers { return &Transfers{db} }

// Transfer is one transfer as it stands. An assignment is accepted when it is made:
// AssignedAt is the acceptedTime of call details too.
type Transfer struct {
	TransferID, SessionID, ConversationID string
	Opened                                bool // there is a conversation with that id
	ConversationOver                      bool // and it has ended
	Status                                transfers.Phase
	AskedHumanAgentID                     string // the target, or
	QueueID, QueueName                    string // the target, as it was called then
	Skills                                []string
	RequestedAt                           time.Time  // EnterTime of a queue
	QueuedAt, WaitUntil                   *time.Time // nil: it never waited
	HumanAgentID                          string     // who has, or had, the conversation
	AssignedAt, EndedAt                   *time.Time
	Reason                                transfers.Reason
	Voicemail                             bool
	Turn                                  int
	Escalation                            *transfers.Escalation // of an agent's own wish; nil: somebody else asked
}

// Conversation is the conversation that can be used; empty: none was opened.
func (t Transfer) Conversation() string {
	if !t.Opened {
		return ""
	}
	return t.ConversationID
}

// Active reports whether something may still happen to it.
func (t Transfer) Active() bool {
	return t.Status == transfers.PhaseRequested || t.Status == transfers.PhaseQueued || t.Status == transfers.PhaseAssigned
}

// Taken reports whether an agent or a queue has, or had, the conversation by it.
func (t Transfer) Taken() bool { return t.QueuedAt != nil || t.AssignedAt != nil }

const selectTransfers = `SELECT transfer_id, session_id, conversation_id, status, asked_agent_id AS asked_human_agent_id, queue_id,
	queue_name, skills,
	requested_at,
	queued_at, wait_until, agent_id AS human_agent_id, assigned_at, ended_at, reason, voicemail, turn, escalation,
	conversation_status IS NOT NULL AS opened,
	coalesce(conversation_status = '` + string(conversations.Ended) + `', false) AS conversation_over
	FROM transfers LEFT JOIN LATERAL (SELECT c.status AS conversation_status FROM conversations c
		WHERE c.stream_id = transfers.tenant || '.' || transfers.project_id || '.' || transfers.conversation_id) stands ON true `

func (x *Transfers) read(ctx context.Context, rest string, args ...any) ([]Transfer, error) {
	return projections.All[Transfer](ctx, x.db, "reading transfers", selectTransfers+rest, args...)
}

// List returns a project's transfers, newest first, and how many there are. An empty
// session lists those of all.
func (x *Transfers) List(ctx context.Context, tenant, project, session string, limit, offset int) ([]Transfer, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR session_id = $3)`
	return projections.Page[Transfer](ctx, x.db, "listing transfers", projections.PageQuery{Count: `SELECT count(*) FROM transfers ` + where,
		Rows: selectTransfers + where + ` ORDER BY requested_at DESC, transfer_id LIMIT $4 OFFSET $5`,
		Args: []any{tenant, project, session}, Limit: limit, Offset: offset})
}

// OfSessions returns the transfers of a project's sessions in their order: what call details tell
// as destinations.
func (x *Transfers) OfSessions(ctx context.Context, tenant, project string, sessions []string) (map[string][]Transfer, error) {
	found, err := x.read(ctx, `WHERE tenant = $1 AND session_id = ANY($3) AND project_id = $2 ORDER BY turn, transfer_id`,
		tenant, project, sessions)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]Transfer, len(sessions))
	for _, t := range found {
		out[t.SessionID] = append(out[t.SessionID], t)
	}
	return out, nil
}

// OfSession returns the transfers of one session in their order.
func (x *Transfers) OfSession(ctx context.Context, tenant, session string) ([]Transfer, error) {
	return x.read(ctx, `WHERE tenant = $1 AND session_id = $2 ORDER BY turn, transfer_id`, tenant, session)
}

// OfConversation returns the transfers to one conversation of a project, by all its ids,
// in their order.
func (x *Transfers) OfConversation(ctx context.Context, tenant, project string, ids ...string) ([]Transfer, error) {
	return x.read(ctx, `WHERE tenant = $1 AND conversation_id = ANY($3) AND project_id = $2 ORDER BY turn, transfer_id`, tenant, project, ids)
}

// HasConversation reports whether a conversation of a project can be used.
func (x *Transfers) HasConversation(ctx context.Context, tenant, project, id string) (has bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM conversations WHERE stream_id = $1)`,
		conversations.StreamID(tenant, project, id)).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("looking for a conversation: %w", err)
	}
	return has, nil
}

// Aliases lists the conversations that transfers opened for what another conversation
// of a project is about too: its session, or the session or call that has its id.
func (x *Transfers) Aliases(ctx context.Context, tenant, project, conversation, session string) ([]string, error) {
	return projections.TextColumn(ctx, x.db, "looking for other ids of a conversation",
		`SELECT DISTINCT conversation_id FROM transfers WHERE tenant = $1 AND project_id = $2 AND conversation_id <> $3
		AND session_id = ANY(ARRAY[$3, $4, (SELECT session_id FROM interactions WHERE tenant = $1 AND project_id = $2 AND conversation_id = $3)])
		ORDER BY conversation_id`,
		tenant, project, conversation, session)
}

// Served lists agents with affinity who had the customer before: in this session
// first, then, if the user is known, those who had the user most recently.
func (x *Transfers) Served(ctx context.Context, tenant, session, user string) ([]string, error) {
	return projections.TextColumn(ctx, x.db, "looking for agents who had the customer before", `SELECT s.agent_id FROM (
			SELECT agent_id, bool_or(session_id = $2) here, max(assigned_at) last FROM transfers
			WHERE tenant = $1 AND assigned_at IS NOT NULL AND (session_id = $2 OR user_id <> '' AND user_id = $3) GROUP BY agent_id) s
		JOIN human_agents a ON a.tenant = $1 AND a.agent_id = s.agent_id AND (a.record->>'agentAffinity')::boolean
		ORDER BY s.here DESC, s.last DESC, s.agent_id LIMIT 20`, tenant, session, user)
}

// InLine reports whether a session waits in the line of a queue.
func (x *Transfers) InLine(ctx context.Context, tenant, session string) (waits bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM transfers WHERE tenant = $1 AND session_id = $2 AND status = $3)`, tenant, session,
		transfers.PhaseQueued).Scan(&waits)
	return waits, projections.Found(err, "looking whether a session waits for people")
}

// Standing reports whether a transfer stands in the line of a queue, and whether anybody does.
func (x *Transfers) Standing(ctx context.Context, tenant, queue, transferID string) (itDoes, anybody bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM waiting WHERE tenant = $1 AND queue_id = $2 AND transfer_id = $3),
			EXISTS (SELECT FROM waiting WHERE tenant = $1 AND queue_id = $2)`, tenant, queue, transferID).Scan(&itDoes, &anybody)
	return itDoes, anybody, projections.Found(err, "looking into a line")
}

// Lines lists the queues of a tenant in whose lines somebody stands, who has waited for
// longest first.
func (x *Transfers) Lines(ctx context.Context, tenant string) ([]string, error) {
	return projections.TextColumn(ctx, x.db, "looking for lines",
		`SELECT queue_id FROM waiting WHERE tenant = $1 GROUP BY queue_id ORDER BY min(entered_at), queue_id`, tenant)
}

// TransferredSession is a session as a transfer sees it.
type TransferredSession struct {
	Channel    string
	CustomerID string // the person at the other end; empty: unknown
	Ended      bool
}

// Session finds a session of a project.
func (x *Transfers) Session(ctx context.Context, tenant, project, id string) (TransferredSession, bool, error) {
	return projections.One[TransferredSession](ctx, x.db, "reading a session",
		`SELECT channel, ended, user_id AS customer_id FROM `+projections.KnownSessions+` k LIMIT 1`, tenant, project, id)
}

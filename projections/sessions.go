package projections

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/sessions"
)

// SessionsModel stores one row per session. The context that changes as the
// channel learns more is folded from the stream when it is needed.
var SessionsModel = newSessionsModel()

func newSessionsModel() *Model {
	m := NewModel("sessions", 1, []string{"sessions"}, sessions.Sessions.Category)
	On(m, func(b *Batch, at At, e sessions.Opened) {
		b.Put("sessions", Row{"session_id": e.SessionID}, Row{"tenant": e.TenantID, "project_id": e.ProjectID, "channel": e.Channel, "call_id": e.CallID,
			"agent_name": e.AgentName, "status": string(sessions.Active), "opened_at": e.At})
	})
	Ignore[sessions.Informed](m)
	On(m, func(b *Batch, at At, e sessions.SessionEnded) {
		b.Set("sessions", Row{"session_id": at.StreamID}, Row{"status": string(sessions.Ended), "ended_at": e.At})
	})
	return m
}

// Sessions answers what sessions there are.
type Sessions struct{ db *pgxpool.Pool }

// NewSessions reads through the pool.
func NewSessions(db *pgxpool.Pool) *Sessions { return &Sessions{db} }

// SessionInfo is one session.
type SessionInfo struct {
	ID, ProjectID, Channel, CallID, AgentName string
	Status                                    sessions.Status
	OpenedAt                                  time.Time
	EndedAt                                   *time.Time
}

// Find returns a tenant's session.
func (x *Sessions) Find(ctx context.Context, tenant, id string) (s SessionInfo, ok bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT session_id, project_id, channel, call_id, agent_name, status, opened_at, ended_at FROM sessions WHERE tenant = $1 AND session_id = $2`, tenant, id).
		Scan(&s.ID, &s.ProjectID, &s.Channel, &s.CallID, &s.AgentName, &s.Status, &s.OpenedAt, &s.EndedAt)
	return s, err == nil, found(err, "reading a session")
}

package projections

import (
	"context"
	"fmt"

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

// knownSessions are the sessions of tenant $1 and project $2 with the id $3, the one
// that is to be believed first. The answer of a call gives its session the id and shows
// it, in interactions and notifications, before the session's own stream is opened:
// until then the call answers for it.
const knownSessions = `(SELECT s.channel, s.status = '` + string(sessions.Ended) + `' AS ended,
			coalesce(i.user_id, '') AS user_id, 1 AS place
		FROM sessions s LEFT JOIN interactions i ON i.conversation_id = s.call_id AND i.tenant = s.tenant
		WHERE s.tenant = $1 AND s.project_id = $2 AND s.session_id = $3
	UNION ALL SELECT channel, ended_at IS NOT NULL, user_id, 2
		FROM interactions WHERE tenant = $1 AND project_id = $2 AND session_id = $3
	ORDER BY place)`

// knowsSession reports whether a project has the session.
func knowsSession(ctx context.Context, db *pgxpool.Pool, tenant, project, session string) (has bool, err error) {
	if err = db.QueryRow(ctx, `SELECT EXISTS `+knownSessions, tenant, project, session).Scan(&has); err != nil {
		return false, fmt.Errorf("looking for a session: %w", err)
	}
	return has, nil
}

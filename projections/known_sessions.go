package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/parley-platform/parley/domain/sessions"
)

// KnownSessions are the sessions of tenant $1 and project $2 with the id $3, the one
// that is to be believed first. The answer of a call gives its session the id and shows
// it, in interactions and notifications, before the session's own stream is opened:
// until then the call answers for it. One that assists people is nobody's to transfer or note.
const KnownSessions = `(SELECT s.channel, s.status = '` + string(sessions.Ended) + `' AS ended,
			coalesce(i.user_id, '') AS user_id, 1 AS place
		FROM sessions s LEFT JOIN interactions i ON i.conversation_id = s.call_id AND i.tenant = s.tenant
		WHERE s.tenant = $1 AND s.project_id = $2 AND s.session_id = $3 AND s.assists = ''
	UNION ALL SELECT channel, ended_at IS NOT NULL, user_id, 2
		FROM interactions WHERE tenant = $1 AND project_id = $2 AND session_id = $3
	ORDER BY place)`

// KnowsSession reports whether a project has the session.
func KnowsSession(ctx context.Context, db *pgxpool.Pool, tenant, project, session string) (has bool, err error) {
	if err = db.QueryRow(ctx, `SELECT EXISTS `+KnownSessions, tenant, project, session).Scan(&has); err != nil {
		return false, fmt.Errorf("looking for a session: %w", err)
	}
	return has, nil
}

// IgnoreTalk leaves out what happens in sessions when they have begun, but for what models cost.
func IgnoreTalk(m *Model) {
	Ignore[sessions.Informed](m)
	Ignore[sessions.ContactLinked](m)
	Ignore[sessions.Erased](m) // who ignores the rest has no row that says who somebody is
	Ignore[sessions.SessionEnded](m)
	Ignore[sessions.TurnEnded](m)
	Ignore[sessions.MessageReceived](m)
	Ignore[sessions.PickedUp](m)
	Ignore[sessions.Said](m)
	Ignore[sessions.StepEntered](m)
	Ignore[sessions.SlotsFilled](m)
	Ignore[sessions.VariablesSet](m)
	Ignore[sessions.HandedOff](m)
	Ignore[sessions.HandedBack](m)
	Ignore[sessions.Noticed](m)
	Ignore[sessions.WorkGiven](m)
	Ignore[sessions.DelegateBegun](m)
	Ignore[sessions.DelegateSaid](m)
	Ignore[sessions.DelegateEnded](m)
	Ignore[sessions.WorkDone](m)
	Ignore[sessions.CallOpened](m)
	Ignore[sessions.CallClaimed](m)
	Ignore[sessions.CallSent](m)
	Ignore[sessions.CallEnded](m)
	Ignore[sessions.ModelAsked](m)
	Ignore[sessions.ModelTold](m)
	Ignore[sessions.MemoryAsked](m)
	Ignore[sessions.MemoryTold](m)
	Ignore[sessions.MemorySet](m)
	Ignore[sessions.WasReset](m)
	Ignore[sessions.Escalated](m)
	Ignore[sessions.TakenByPeople](m)
	Ignore[sessions.GivenBack](m)
	Ignore[sessions.PassedOn](m)
	Ignore[sessions.PersonSaid](m)
	Ignore[sessions.FeedbackGiven](m)
	Ignore[sessions.Attached](m)
	Ignore[sessions.MessageTakenBack](m)
}

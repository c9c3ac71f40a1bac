package projections

import "github.com/parley-platform/parley/domain/sessions"

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

package analytics

import (
	"github.com/parley-platform/parley/domain/sessions"
)

var (
	_ = On(Session, SessionOpened, func(_ At, e sessions.Opened) Entry {
		out := Entry{Traits: Traits{Project: e.ProjectID, SessionID: e.SessionID, AgentName: e.AgentName, Channel: e.Channel}, Remember: true}
		if e.CallID != "" {
			out.Metadata = map[string]any{"callId": e.CallID}
		}
		return out
	})
	_ = On(Session, "", func(_ At, e sessions.Informed) Entry { return Entry{} })
	_ = On(Session, "", func(_ At, e sessions.ContactLinked) Entry { return Entry{} })
	_ = On(Session, SessionEnded, func(_ At, e sessions.SessionEnded) Entry {
		return Entry{Lifetime: true, Metadata: map[string]any{"reason": e.Reason}}
	})
)

// The event types that session metrics count.
const (
	SessionOpened = "session_opened"
	SessionEnded  = "session_ended"
)

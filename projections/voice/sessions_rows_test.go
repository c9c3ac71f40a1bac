package voice_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/sessions"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// Given the events of sessions, then these are the rows after each.
func TestRowsOfSessions(t *testing.T) {
	model := given.Open(t).Follow(voice.SessionsModel)
	model.After("sessionId", given.Filled[sessions.Opened](),
		"+ sessions session_id=sessionId tenant=tenantId project_id=projectId channel=channel call_id=callId "+
			"agent_name=agentName status=active opened_at=12:00:13 contact_id=contactId linked_at=12:00:12",
	)
	model.After("sessionId", given.Filled[sessions.Informed]())
	model.After("sessionId", given.Filled(func(e *sessions.ContactLinked) { e.ContactID = "ct-2" }),
		"~ sessions session_id=sessionId: contact_id=ct-2 linked_at=12:00:03",
	)
	model.After("sessionId", given.Filled[sessions.SessionEnded](),
		"~ sessions session_id=sessionId: status=ended ended_at=12:00:03",
	)
}

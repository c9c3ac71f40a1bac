package voice_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// Given the events of sessions, then these are the rows after each.
func TestRowsOfSessions(t *testing.T) {
	model := given.Open(t).Follow(voice.SessionsModel)
	idle := "timers stream=session-sessionId name=idle"
	model.After("sessionId", given.Filled(func(e *sessions.Opened) { e.At, e.Begun.IdleMinutes = given.Second(30), 0 }),
		"+ sessions session_id=sessionId tenant=tenantId project_id=projectId channel=channel call_id=callId "+
			"agent_name=agentName status=active opened_at=12:00:30 contact_id=contactId linked_at=12:00:13 deployment_id=deploymentId "+
			"environment=environment test=true active_at=12:00:30 assists=assists",
		"+ "+idle+" topic=parley.sessions tenant=tenantId due_at=2026-03-02T12:00:30Z "+
			"claimed_until=-infinity",
	)
	model.After("sessionId", given.Filled[sessions.Informed]())
	model.After("sessionId", given.Filled(func(e *sessions.MessageReceived) { e.At, e.IdleMinutes = given.Second(40), 0 }),
		"~ "+idle+": due_at=2026-03-02T12:00:40Z")
	model.After("sessionId", given.Filled(func(e *sessions.Said) { e.At, e.IdleMinutes = given.Second(41), 0 }),
		"~ "+idle+": due_at=2026-03-02T12:00:41Z")
	model.After("sessionId", given.Filled(func(e *sessions.Said) { e.At, e.IdleMinutes = given.Second(41), 30 }),
		"~ "+idle+": due_at=12:30:41")
	for _, said := range []event.Payload{
		given.Filled[sessions.StepEntered](), given.Filled[sessions.SlotsFilled](), given.Filled[sessions.VariablesSet](),
		given.Filled[sessions.HandedOff](), given.Filled[sessions.HandedBack](), given.Filled(func(e *sessions.Noticed) { e.Figures = nil }),
		given.Filled[sessions.WasReset](), given.Filled[sessions.FeedbackGiven](), given.Filled[sessions.Attached](),
	} {
		model.After("sessionId", said)
	}
	model.After("sessionId", given.Filled[sessions.Noticed](), "~ sessions session_id=sessionId: traces=17")
	model.After("sessionId", given.Filled[sessions.TurnEnded](),
		"~ sessions session_id=sessionId: messages=18 traces=19 errors=20 handoffs=21 active_at=12:00:06")
	model.After("sessionId", given.Filled(func(e *sessions.ContactLinked) { e.ContactID = "ct-2" }),
		"~ sessions session_id=sessionId: contact_id=ct-2 linked_at=12:00:03",
	)
	model.After("sessionId", given.Filled[sessions.SessionEnded](),
		"~ sessions session_id=sessionId: status=ended ended_at=12:00:05 ended_by=reason",
		"- "+idle,
	)
	model.After("ofACall", given.Filled(func(e *sessions.Opened) { e.SessionID, e.Begun, e.At = "ofACall", nil, given.Second(30) }),
		"+ sessions session_id=ofACall tenant=tenantId project_id=projectId channel=channel call_id=callId "+
			"agent_name=agentName status=active opened_at=12:00:30 contact_id=contactId linked_at=12:00:13 active_at=12:00:30")
}

// A session that people have has no timer; what they and the user say is counted, and its day
// begins when it is given back. Of a test session nobody has it.
func TestRowsOfASessionThatPeopleHave(t *testing.T) {
	model := given.Open(t).Follow(voice.SessionsModel)
	const idle, row = "timers stream=session-s name=idle", "~ sessions session_id=s: "
	again := "+ " + idle + " topic=parley.sessions tenant=tenantId due_at=2026-03-02T12:00:05Z claimed_until=-infinity"
	model.After("s", given.Filled(func(e *sessions.Opened) { e.SessionID, e.At, e.Begun.IdleMinutes = "s", given.Second(1), 0 }),
		"+ sessions session_id=s tenant=tenantId project_id=projectId channel=channel call_id=callId agent_name=agentName status=active "+
			"opened_at=12:00:01 contact_id=contactId linked_at=12:00:13 deployment_id=deploymentId environment=environment test=true "+
			"active_at=12:00:01 assists=assists",
		"+ "+idle+" topic=parley.sessions tenant=tenantId due_at=2026-03-02T12:00:01Z claimed_until=-infinity")
	figures := sessions.Figures{Messages: 3, Traces: 7}
	model.After("s", given.Filled(func(e *sessions.Escalated) { e.Test = false }), "- "+idle)
	model.After("s", given.Filled[sessions.TakenByPeople]())
	model.After("s", given.Filled(func(e *sessions.PassedOn) { e.Test, e.Figures, e.At = false, figures, given.Second(3) }),
		row+"messages=3 traces=7 active_at=12:00:03")
	model.After("s", given.Filled(func(e *sessions.PersonSaid) { e.Late, e.Figures, e.At = false, figures, given.Second(4) }),
		row+"active_at=12:00:04")
	model.After("s", given.Filled(func(e *sessions.GivenBack) { e.At, e.IdleMinutes = given.Second(5), 0 }), again)
	model.After("s", given.Filled(func(e *sessions.Escalated) { e.Test = true }))
	model.After("s", given.Filled(func(e *sessions.PassedOn) {
		e.Test, e.Figures, e.At, e.IdleMinutes = true, figures, given.Second(6), 0
	}),
		row+"active_at=12:00:06", "~ "+idle+": due_at=2026-03-02T12:00:06Z")
	model.After("s", given.Filled(func(e *sessions.PersonSaid) {
		e.Late, e.Figures, e.At, e.IdleMinutes = true, figures, given.Second(7), 0
	}),
		row+"active_at=12:00:07", "~ "+idle+": due_at=2026-03-02T12:00:07Z")
}

package voice_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/calls"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// Given the events of calls, then these are the rows after each.
func TestRowsOfCalls(t *testing.T) {
	model := given.Open(t).Follow(voice.CallsModel)
	model.After("callId", given.Filled(func(e *calls.Requested) { e.Target, e.Metadata = "tel:+1555", nil }),
		"+ interactions conversation_id=callId tenant=tenantId project_id=projectId channel=voice direction=Outbound "+
			"status=dialing user_id=+1555 channel_user_id=+1555 center_id=caller flow_id=id agent_name=agentName "+
			"detection=machineDetection requested_at=12:00:52 customer={} provider=provider",
		"+ timers stream=call-callId name=lease topic=parley.calls tenant=tenantId due_at=12:00:53 claimed_until=-infinity",
	)
	model.After("callId", given.Filled[calls.AttemptStarted](),
		"~ timers stream=call-callId name=lease: due_at=12:00:07",
	)
	model.After("callId", given.Filled[calls.Ringing](),
		"~ interactions conversation_id=callId: status=ringing",
	)
	model.After("callId", given.Filled[calls.LeaseRenewed](),
		"~ timers stream=call-callId name=lease: due_at=12:00:03",
	)
	model.After("callId", given.Filled[calls.Answered](),
		"~ interactions conversation_id=callId: status=inProgress agent_name=name session_id=sessionId started_at=12:00:03",
	)
	model.After("callId", given.Filled[calls.Completed](),
		"~ interactions conversation_id=callId: status=machineDetected verdict=verdict ended_at=12:00:02 duration_ms=7 "+
			"reason_code=reasonCode reason=reason disconnecting=Gateway Hangup final_status=CLOSED end_told_at=12:05:00",
		"- timers stream=call-callId name=lease",
	)
	model.After("callId", given.Filled(func(e *calls.QualityMeasured) { e.RFactor, e.JitterMs, e.Confidence = 93, 2, 0 }),
		`~ interactions conversation_id=callId: quality={"bargeIns":12,"digitTurns":13,`+
			`"jitterMs":2,"latencyMs":16,"mos":4.41,"silencePercent":18,"turns":11}`)
	model.After("c-2", given.Filled(func(e *calls.Requested) { e.CallID, e.Metadata = "c-2", []byte(`{"firstName":"Ann"}`) }),
		"+ interactions conversation_id=c-2 tenant=tenantId project_id=projectId channel=voice direction=Outbound "+
			"status=dialing user_id=target channel_user_id=target center_id=caller flow_id=id agent_name=agentName "+
			`detection=machineDetection requested_at=12:00:52 customer={"firstName":"Ann"} provider=provider`,
		"+ timers stream=call-c-2 name=lease topic=parley.calls tenant=tenantId due_at=12:00:53 claimed_until=-infinity",
	)
	model.After("c-2", given.Filled[calls.Failed](),
		"~ interactions conversation_id=c-2: status=failed ended_at=12:00:02 reason_code=reasonCode reason=reason end_told_at=12:08:00",
		"- timers stream=call-c-2 name=lease",
	)
	model.After("c-2", given.Filled(func(e *calls.Completed) { e.By, e.MachineDetected = calls.ByCallee, true }),
		"~ interactions conversation_id=c-2: status=machineDetected verdict=verdict duration_ms=7 disconnecting=User Hangup "+
			"final_status=MachineDetected end_told_at=12:09:00",
	)
	model.After("c-2", given.Filled(func(e *calls.Completed) { e.By, e.MachineDetected = calls.ByBot, false }),
		"~ interactions conversation_id=c-2: status=completed disconnecting=Bot Hangup final_status=BotResolved "+
			"end_told_at=12:10:00",
	)
	model.After("c-3", given.Filled(func(e *calls.Arrived) { e.CallID, e.Person = "c-3", "client:s_1" }),
		"+ interactions conversation_id=c-3 tenant=tenantId project_id=projectId channel=voice direction=direction status=dialing "+
			"user_id=s_1 channel_user_id=s_1 center_id=ourNumber flow_id=id agent_name=agentName detection=disabled "+
			"requested_at=12:00:17 customer={} "+
			"provider=provider provider_call_id=providerCallId connection_id=connectionId",
		"+ timers stream=call-c-3 name=lease topic=parley.calls tenant=tenantId due_at=12:00:16 claimed_until=-infinity",
	)
	model.After("c-3", given.Filled[calls.LineTaken](),
		"~ timers stream=call-c-3 name=lease: due_at=12:00:06",
	)
	model.After("c-3", given.Filled(func(e *calls.StatusTold) { e.Late = false }),
		"~ interactions conversation_id=c-3: provider_status=raw",
	)
	model.After("c-3", given.Filled(func(e *calls.StatusTold) { e.Raw, e.Late = "ringing", true }))
}

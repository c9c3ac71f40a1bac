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
			"detection=machineDetection requested_at=12:00:51 customer={}",
		"+ timers stream=call-callId name=lease topic=parley.calls tenant=tenantId due_at=12:00:52 claimed_until=-infinity",
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
		"~ interactions conversation_id=callId: status=inProgress session_id=sessionId started_at=12:00:03",
	)
	model.After("callId", given.Filled[calls.Completed](),
		"~ interactions conversation_id=callId: status=machineDetected verdict=verdict ended_at=12:00:02 duration_ms=7 "+
			"reason_code=reasonCode reason=reason disconnecting=Gateway Hangup final_status=CLOSED",
		"- timers stream=call-callId name=lease",
	)
	model.After("c-2", given.Filled(func(e *calls.Requested) { e.CallID, e.Metadata = "c-2", []byte(`{"firstName":"Ann"}`) }),
		"+ interactions conversation_id=c-2 tenant=tenantId project_id=projectId channel=voice direction=Outbound "+
			"status=dialing user_id=target channel_user_id=target center_id=caller flow_id=id agent_name=agentName "+
			`detection=machineDetection requested_at=12:00:51 customer={"firstName":"Ann"}`,
		"+ timers stream=call-c-2 name=lease topic=parley.calls tenant=tenantId due_at=12:00:52 claimed_until=-infinity",
	)
	model.After("c-2", given.Filled[calls.Failed](),
		"~ interactions conversation_id=c-2: status=failed ended_at=12:00:02 reason_code=reasonCode reason=reason",
		"- timers stream=call-c-2 name=lease",
	)
	model.After("c-2", given.Filled(func(e *calls.Completed) { e.By, e.MachineDetected = calls.ByCallee, true }),
		"~ interactions conversation_id=c-2: status=machineDetected verdict=verdict duration_ms=7 disconnecting=User Hangup "+
			"final_status=MachineDetected",
	)
	model.After("c-2", given.Filled(func(e *calls.Completed) { e.By, e.MachineDetected = calls.ByBot, false }),
		"~ interactions conversation_id=c-2: status=completed disconnecting=Bot Hangup final_status=BotResolved",
	)
}

package contactcenter_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// escalated is the row's member of why an agent gave a conversation to people.
const escalated = `escalation={"agentName":"agentName","context":{"context":{"is":"context"}},"priority":"priority",` +
	`"step":"step","why":"why"}`

// Given the events of transfers and lines, then these are the rows after each.
func TestRowsOfTransfers(t *testing.T) {
	model := given.Open(t).Follow(contactcenter.TransfersModel)
	model.After("t-1", given.Filled[transfers.Requested](),
		"+ transfers transfer_id=t-1 tenant=tenantId project_id=projectId org_id=orgId session_id=sessionId "+
			"conversation_id=conversationId user_id=userId turn=28 status=requested asked_agent_id=agentId queue_id=queueId "+
			`queue_name=queueName skills=["skills"] requested_at=12:00:29 `+escalated,
	)
	model.After("t-1", given.Filled[transfers.Offered]())
	model.After("t-1", given.Filled[transfers.Queued](),
		"+ timers stream=transfer-t-1 name=wait topic=parley.transfers tenant=tenantId due_at=12:00:04 claimed_until=-infinity",
		"~ transfers transfer_id=t-1: status=queued queued_at=12:00:03 wait_until=12:00:04",
	)
	model.After("t-1", given.Filled[transfers.Assigned](),
		"~ transfers transfer_id=t-1: status=assigned agent_id=agentId assigned_at=12:00:04",
		"- timers stream=transfer-t-1 name=wait",
	)
	model.After("t-1", given.Filled[transfers.Ended](),
		"~ transfers transfer_id=t-1: status=ended ended_at=12:00:03 reason=reason",
	)
	model.After("t-2", given.Filled(func(e *transfers.Requested) { e.Skills = nil }),
		"+ transfers transfer_id=t-2 tenant=tenantId project_id=projectId org_id=orgId session_id=sessionId "+
			"conversation_id=conversationId user_id=userId turn=28 status=requested asked_agent_id=agentId queue_id=queueId "+
			"queue_name=queueName skills=[] requested_at=12:00:29 "+escalated,
	)
	model.After("t-2", given.Filled[transfers.Queued](),
		"+ timers stream=transfer-t-2 name=wait topic=parley.transfers tenant=tenantId due_at=12:00:04 claimed_until=-infinity",
		"~ transfers transfer_id=t-2: status=queued queued_at=12:00:03 wait_until=12:00:04",
	)
	model.After("t-2", given.Filled[transfers.Failed](),
		"~ transfers transfer_id=t-2: status=failed ended_at=12:00:03 reason=reason",
		"- timers stream=transfer-t-2 name=wait",
	)
	model.After("t-3", given.Filled[transfers.Requested](),
		"+ transfers transfer_id=t-3 tenant=tenantId project_id=projectId org_id=orgId session_id=sessionId "+
			"conversation_id=conversationId user_id=userId turn=28 status=requested asked_agent_id=agentId queue_id=queueId "+
			`queue_name=queueName skills=["skills"] requested_at=12:00:29 `+escalated,
	)
	model.After("t-3", given.Filled[transfers.Queued](),
		"+ timers stream=transfer-t-3 name=wait topic=parley.transfers tenant=tenantId due_at=12:00:04 claimed_until=-infinity",
		"~ transfers transfer_id=t-3: status=queued queued_at=12:00:03 wait_until=12:00:04",
	)
	model.After("t-3", given.Filled[transfers.TimedOut](),
		"~ transfers transfer_id=t-3: status=timedOut ended_at=12:00:05 reason=reason voicemail=true",
		"- timers stream=transfer-t-3 name=wait",
	)
	model.After("q", given.Filled[waitinglines.Entered](),
		"+ waiting tenant=tenantId queue_id=queueId transfer_id=transferId session_id=sessionId entered_at=12:00:10",
	)
	model.After("q", given.Filled[waitinglines.Left](),
		"- waiting tenant=tenantId queue_id=queueId transfer_id=transferId",
	)
}

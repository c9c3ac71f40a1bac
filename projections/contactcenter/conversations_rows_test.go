package contactcenter_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of conversations, then these are the rows after each.
func TestRowsOfConversations(t *testing.T) {
	model := given.Open(t).Follow(contactcenter.ConversationsModel)
	model.After("c-1", given.Filled[conversations.Opened](),
		"+ conversations stream_id=c-1 tenant=tenantId project_id=projectId conversation_id=conversationId session_id=sessionId "+
			"origin=origin status=waiting experience=experience opened_at=12:00:08",
	)
	model.After("c-1", given.Filled[conversations.HandedOver](),
		"~ conversations stream_id=c-1: status=active",
	)
	model.After("c-1", given.Filled(func(e *conversations.HandedOver) { e.HumanAgentID = "" }),
		"~ conversations stream_id=c-1: status=waiting",
	)
	model.After("c-1", given.Filled(func(e *conversations.AgentEntered) { e.Stay, e.Continues = 1, false }),
		"+ conversation_participants stream_id=c-1 stay=1 segment=9 identity=identity name=name entered_by=transferType "+
			"entered_at=12:00:19 experience=experience external=true reason=reason language=language agent_email=agentEmail "+
			"queue_id=queueId queue_name=queueName",
		"~ conversations stream_id=c-1: status=active entered_at=12:00:19 segments=9",
	)
	model.After("c-1", given.Filled(func(e *conversations.AgentLeft) { e.Stay, e.TransferType = 1, conversations.Cold }),
		"~ conversation_participants stream_id=c-1 stay=1: left_by=cold left_at=12:00:18",
		"~ conversations stream_id=c-1: status=transferring",
	)
	model.After("c-1", given.Filled(func(e *conversations.AgentEntered) { e.Stay = 1 }),
		"~ conversation_participants stream_id=c-1 stay=1: redialed_at=12:00:19 left_by= left_at=",
		"~ conversations stream_id=c-1: status=active",
	)
	model.After("c-1", given.Filled(func(e *conversations.AgentLeft) { e.Stay, e.TransferType = 1, conversations.NA }),
		"~ conversation_participants stream_id=c-1 stay=1: left_by=na left_at=12:00:18",
		"~ conversations stream_id=c-1: status=closing",
	)
	model.After("c-1", given.Filled(func(e *conversations.AgentEntered) { e.Stay, e.Continues = 2, false }),
		"+ conversation_participants stream_id=c-1 stay=2 segment=9 identity=identity name=name entered_by=transferType "+
			"entered_at=12:00:19 experience=experience external=true reason=reason language=language agent_email=agentEmail "+
			"queue_id=queueId queue_name=queueName",
		"~ conversations stream_id=c-1: status=active",
	)
	model.After("c-1", given.Filled[conversations.TransferAbandoned](),
		"~ conversations stream_id=c-1: status=closing",
	)
	model.After("c-1", given.Filled(func(e *conversations.MessageReceived) { e.Number, e.Author = 1, conversations.User }),
		"+ conversation_messages stream_id=c-1 number=1 author=USER agent_id=agentId query=query source=source "+
			"language=language experience=experience assist=pending at=12:00:12",
		"+ timers stream=conversation-c-1 name=assist topic=parley.conversations tenant=tenantId due_at=12:00:16 claimed_until=-infinity",
	)
	model.After("c-1", given.Filled(func(e *conversations.MessageTakenBack) { e.Number = 1 }),
		"~ conversation_messages stream_id=c-1 number=1: query=(taken back by its sender)")
	model.After("c-1", given.Filled(func(e *conversations.MessageReceived) { e.Author, e.SendUserMessage = conversations.HumanAgent, true }),
		"+ conversation_messages stream_id=c-1 number=2 author=AGENT agent_id=agentId query=query source=source "+
			"language=language experience=experience at=12:00:12",
	)
	model.After("c-1", given.Filled(func(e *conversations.AssistFailed) { e.Number = 1 }),
		"~ conversation_messages stream_id=c-1 number=1: assist=failed assist_session=sessionId assist_code=code "+
			"assist_problem=problem assisted_at=12:00:08")
	model.After("c-1", given.Filled(func(e *conversations.AssistAnswered) { e.Number, e.Waiting = 1, 0 }),
		"~ conversation_messages stream_id=c-1 number=1: assist=answered suggestion=text assist_agent=agent",
		"- timers stream=conversation-c-1 name=assist")
	model.After("c-1", given.Filled(func(e *conversations.MessageReceived) { e.Recorded = false }))
	model.After("c-1", given.Filled[conversations.SummaryAsked](),
		"~ conversations stream_id=c-1: summary_number=2 summary_status=pending "+
			`summary_wanted={"language":"language","locale":"locale","type":"type"} summary_asked_at=12:00:07`,
	)
	model.After("c-1", given.Filled[conversations.SummaryAttemptFailed](),
		"~ conversations stream_id=c-1: summary_error=error",
		"+ timers stream=conversation-c-1 name=summary topic=parley.conversations tenant=tenantId due_at=12:00:06 "+
			"claimed_until=-infinity",
	)
	model.After("c-1", given.Filled[conversations.SummaryDue](),
		"- timers stream=conversation-c-1 name=summary",
	)
	model.After("c-1", given.Filled[conversations.SummaryFailed](),
		"~ conversations stream_id=c-1: summary_status=failed summary_at=12:00:05",
	)
	model.After("c-1", given.Filled[conversations.SummaryAttemptFailed](),
		"+ timers stream=conversation-c-1 name=summary topic=parley.conversations tenant=tenantId due_at=12:00:06 "+
			"claimed_until=-infinity",
	)
	model.After("c-1", given.Filled[conversations.SummaryAsked](),
		"~ conversations stream_id=c-1: summary_status=pending summary_error= summary_at=",
		"- timers stream=conversation-c-1 name=summary",
	)
	model.After("c-1", given.Filled[conversations.Summarized](),
		"~ conversations stream_id=c-1: summary_status=done summary_text=text summary_provider=provider summary_model=model "+
			"summary_at=12:00:08",
	)
	model.After("c-1", given.Filled[conversations.Noted](),
		"+ conversation_work stream_id=c-1 agent_id=agentId started_at=12:00:23 ended_at=12:00:24 duration_ms=25",
		`~ conversations stream_id=c-1: dispositions=["dispositions"] disposition_remarks=["dispositionRemarks"] `+
			`agent_notes=["agentNotes"] user_level_tags=["userLevelTags"] session_level_tags=[{"name":"name","value":"value"}] `+
			`meta_info={"is":"metaInfo"}`,
	)
	model.After("c-1", conversations.Noted{SessionID: "found later"},
		"~ conversations stream_id=c-1: session_id=found later",
	)
	model.After("c-1", given.Filled(func(e *conversations.Noted) { *e = conversations.Noted{} }))
	model.After("c-1", given.Filled[conversations.ConversationEnded](),
		"~ conversations stream_id=c-1: status=ended ended_at=12:00:11 end_reason=reason",
	)
}

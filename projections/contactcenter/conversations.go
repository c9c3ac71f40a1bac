package contactcenter

import (
	"time"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/projections"
)

// SummaryTimer is the name of a conversation's timer: the next attempt at its summary
// is due then.
const SummaryTimer = "summary"

// AssistTimer is the name of a conversation's timer of messages that ask the assisting agent: then
// somebody looks what became of them.
const AssistTimer = "assist"

// assistPatience is how long the assisting agent takes before anybody looks.
const assistPatience = 4 * time.Second

// What became of a message that asks the assisting agent.
const (
	AssistPending  = "pending" // no answer is known
	AssistAnswered = "answered"
	AssistFailed   = "failed"
)

// ConversationsModel stores conversations that people take part in: who came and
// went, what was said, the summary, and what agents noted.
var ConversationsModel = newConversationsModel()

func newConversationsModel() *projections.Model {
	m := projections.NewModel("conversations", 4, []string{"conversations", "conversation_participants", "conversation_messages",
		"conversation_work", "timers"},
		conversations.Conversations.Category)
	storeStatus(m)
	storeStays(m)
	storeMessages(m)
	storeSuggestions(m)
	storeSummaries(m)
	storeNotes(m)
	eraseConversations(m)
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.LateRefused) { saidMore(b, at) }) // an audit reads the log
	projections.Ignore[conversations.Attributed](m)
	return m
}

// saidMore notes that something is personal in the conversation again, if it was not.
func saidMore(b *projections.Batch, at projections.At) {
	b.Set("conversations", conversation(at), projections.Row{"erased": false})
}

// storeStatus is when a conversation began, whether it waits for somebody, and how it ended.
func storeStatus(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.Opened) {
		b.Put("conversations", conversation(at), projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"conversation_id": e.ConversationID, "session_id": e.SessionID,
			"origin": string(e.Origin), "status": string(conversations.Waiting), "experience": string(e.Experience), "opened_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.HandedOver) {
		status := conversations.Active
		if e.HumanAgentID == "" {
			status = conversations.Waiting
		}
		b.Set("conversations", conversation(at), projections.Row{"status": string(status)})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.ConversationEnded) {
		b.Set("conversations", conversation(at), projections.Row{"status": string(conversations.Ended), "ended_at": e.At, "end_reason": e.Reason,
			"erased": false})
	})
}

// storeStays is who came and went.
func storeStays(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.AgentEntered) {
		b.Set("conversations", conversation(at), projections.Row{"status": string(conversations.Active), "segments": e.Segment,
			"experience": string(e.Experience), "erased": false})
		if e.Stay == 1 && !e.Continues {
			b.Set("conversations", conversation(at), projections.Row{"entered_at": e.At})
		}
		if e.Continues {
			b.Set("conversation_participants", stay(at, e.Stay), projections.Row{"redialed_at": e.At, "left_at": nil, "left_by": ""})
			return
		}
		b.Put("conversation_participants", stay(at, e.Stay), projections.Row{"segment": e.Segment, "identity": e.Identity, "name": e.Name,
			"entered_by": string(e.TransferType), "entered_at": e.At,
			"experience": string(e.Experience), "external": e.IsExtAD, "reason": e.Reason, "language": e.Language,
			"agent_email": e.CustomFields.HumanAgentEmail, "queue_id": e.CustomFields.QueueID, "queue_name": e.CustomFields.QueueName})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.AgentLeft) {
		b.Set("conversation_participants", stay(at, e.Stay), projections.Row{"left_at": e.At, "left_by": string(e.TransferType)})
		saidMore(b, at)
		switch e.TransferType {
		case conversations.Cold:
			b.Set("conversations", conversation(at), projections.Row{"status": string(conversations.Transferring)})
		case conversations.NA:
			b.Set("conversations", conversation(at), projections.Row{"status": string(conversations.Closing)})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.TransferAbandoned) {
		b.Set("conversations", conversation(at), projections.Row{"status": string(conversations.Closing), "erased": false})
	})
}

// storeMessages is what was said, and what of it waits for the assisting agent.
func storeMessages(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.MessageReceived) {
		if !e.Recorded {
			return
		}
		assist := ""
		if e.AsksAssist() {
			assist = AssistPending
		}
		b.Put("conversation_messages", projections.Row{"stream_id": at.StreamID, "number": e.Number}, projections.Row{"author": string(e.Author),
			"agent_id": e.HumanAgentID, "query": e.Query, "source": e.Source,
			"language": e.Language, "experience": string(e.Experience), "assist": assist, "at": e.At})
		if e.AsksAssist() {
			b.SetTimer(at, AssistTimer, e.At.Add(assistPatience))
		}
		saidMore(b, at)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.MessageTakenBack) {
		b.Set("conversation_messages", projections.Row{"stream_id": at.StreamID, "number": e.Number},
			projections.Row{"query": conversations.TakenBackLine})
	})
}

// storeSuggestions is what the assisting agent says to messages.
func storeSuggestions(m *projections.Model) {
	told := func(b *projections.Batch, at projections.At, number, waiting int, row projections.Row) {
		b.Set("conversation_messages", projections.Row{"stream_id": at.StreamID, "number": number}, row)
		if waiting == 0 {
			b.ClearTimer(at, AssistTimer)
		}
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.AssistAnswered) {
		told(b, at, e.Number, e.Waiting, projections.Row{"assist": AssistAnswered, "suggestion": e.Text, "assist_agent": e.Agent,
			"assist_session": e.SessionID, "assisted_at": e.At})
		saidMore(b, at)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.AssistFailed) {
		told(b, at, e.Number, e.Waiting, projections.Row{"assist": AssistFailed, "assist_code": e.Code, "assist_problem": e.Problem,
			"assist_session": e.SessionID, "assisted_at": e.At})
	})
}

// storeSummaries is what was asked for as a summary, and what came of it.
func storeSummaries(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.SummaryAsked) {
		b.Set("conversations", conversation(at), projections.Row{"summary_number": e.Number,
			"summary_status": string(conversations.SummaryPending), "summary_text": "", "summary_provider": "",
			"summary_model": "", "summary_error": "", "summary_asked_at": e.At, "summary_at": nil,
			"summary_wanted": conversations.SummaryWanted{Language: e.Language, Locale: e.Locale, Type: e.Type}})
		b.ClearTimer(at, SummaryTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.SummaryAttemptFailed) {
		b.Set("conversations", conversation(at), projections.Row{"summary_error": e.Error})
		b.SetTimer(at, SummaryTimer, e.NextAttemptAt)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.SummaryDue) {
		b.ClearTimer(at, SummaryTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.Summarized) {
		b.Set("conversations", conversation(at), projections.Row{"summary_status": string(conversations.SummaryDone), "summary_text": e.Text,
			"summary_provider": e.Provider,
			"summary_model":    e.Model, "summary_error": "", "summary_at": e.At, "erased": false})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.SummaryFailed) {
		b.Set("conversations", conversation(at), projections.Row{"summary_status": string(conversations.SummaryFailing), "summary_error": e.Error,
			"summary_at": e.At})
	})
}

// storeNotes is what agents wrote down, and the work that they had with it when the conversation was over.
func storeNotes(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.Noted) {
		row := projections.Row{"erased": false}
		setList(row, "dispositions", e.Dispositions)
		setList(row, "disposition_remarks", e.DispositionRemarks)
		setList(row, "agent_notes", e.AgentNotes)
		setList(row, "user_level_tags", e.UserLevelTags)
		setList(row, "session_level_tags", e.SessionLevelTags)
		if e.MetaInfo != nil {
			row["meta_info"] = string(e.MetaInfo) // as it was sent: its bytes are kept
		}
		if e.SessionID != "" {
			row["session_id"] = e.SessionID
		}
		b.Set("conversations", conversation(at), row)
		if w := e.AfterCallWork; w != nil {
			b.Put("conversation_work", projections.Row{"stream_id": at.StreamID, "agent_id": w.HumanAgentID},
				projections.Row{"started_at": w.StartedAt,
					"ended_at": w.EndedAt, "duration_ms": w.DurationMs})
		}
	})
}

// eraseConversations takes out what is personal when the person is erased.
func eraseConversations(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.Erased) {
		if len(e.Keys) > 0 {
			return // a colleague
		}
		b.Set("conversations", conversation(at), projections.Row{"end_reason": "", "summary_text": "", "disposition_remarks": nil,
			"agent_notes": nil, "user_level_tags": nil, "session_level_tags": nil, "meta_info": nil,
			"erased": true})
		b.Set("conversation_messages", conversation(at), projections.Row{"query": projections.Erased, "suggestion": ""})
		b.Set("conversation_participants", conversation(at), projections.Row{"reason": ""})
	})
}

func conversation(at projections.At) projections.Row {
	return projections.Row{"stream_id": at.StreamID}
}

func stay(at projections.At, number int) projections.Row {
	return projections.Row{"stream_id": at.StreamID, "stay": number}
}

func setList[T any](row projections.Row, column string, now *[]T) {
	if now == nil {
		return
	}
	row[column] = append([]T{}, *now...)
}

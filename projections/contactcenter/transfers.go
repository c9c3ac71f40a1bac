package contactcenter

import (
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/projections"
)

// WaitTimer is the name of a transfer's timer: it has waited for long enough then.
const WaitTimer = "wait"

// TransfersModel stores one row per transfer, keeps the timers of those that wait, and
// stores who stands in which line.
var TransfersModel = newTransfersModel()

func newTransfersModel() *projections.Model {
	m := projections.NewModel("transfers", 2, []string{"transfers", "waiting", "timers"}, transfers.Transfers.Category,
		waitinglines.Lines.Category)
	key := func(at projections.At) projections.Row { return projections.Row{"transfer_id": at.StreamID} }
	projections.On(m, func(b *projections.Batch, at projections.At, e transfers.Requested) {
		row := projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID, "org_id": e.OrgID, "session_id": e.SessionID,
			"conversation_id": e.ConversationID,
			"user_id":         e.CustomerID, "turn": e.Turn, "status": string(transfers.PhaseRequested), "asked_agent_id": e.HumanAgentID,
			"queue_id": e.QueueID, "queue_name": e.QueueName,
			"skills": projections.List(e.Skills), "requested_at": e.At, "escalation": nil}
		if e.Escalation != nil {
			row["escalation"] = e.Escalation
		}
		b.Put("transfers", key(at), row)
	})
	projections.Ignore[transfers.Offered](m) // only who got it counts
	projections.Ignore[transfers.Declined](m)
	projections.On(m, func(b *projections.Batch, at projections.At, e transfers.Queued) {
		b.Set("transfers", key(at), projections.Row{"status": string(transfers.PhaseQueued), "queued_at": e.At, "wait_until": e.Until})
		b.SetTimer(at, WaitTimer, e.Until)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e transfers.Assigned) {
		b.Set("transfers", key(at), projections.Row{"status": string(transfers.PhaseAssigned), "agent_id": e.HumanAgentID, "assigned_at": e.At})
		b.ClearTimer(at, WaitTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e transfers.Failed) {
		b.Set("transfers", key(at), projections.Row{"status": string(transfers.PhaseFailed), "reason": string(e.Reason), "ended_at": e.At})
		b.ClearTimer(at, WaitTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e transfers.TimedOut) {
		b.Set("transfers", key(at), projections.Row{"status": string(transfers.PhaseTimedOut), "reason": string(e.Reason),
			"voicemail": e.Voicemail, "ended_at": e.At})
		b.ClearTimer(at, WaitTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e transfers.Ended) {
		b.Set("transfers", key(at), projections.Row{"status": string(transfers.PhaseEnded), "reason": string(e.Reason), "ended_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e transfers.Erased) {
		b.Set("transfers", key(at), projections.Row{"user_id": projections.Erased, "escalation": nil, "erased": true})
	})
	storeLines(m)
	return m
}

func storeLines(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e waitinglines.Entered) {
		b.Put("waiting", projections.Row{"tenant": e.TenantID, "queue_id": e.QueueID, "transfer_id": e.TransferID},
			projections.Row{"session_id": e.SessionID, "entered_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e waitinglines.Left) {
		b.Delete("waiting", projections.Row{"tenant": e.TenantID, "queue_id": e.QueueID, "transfer_id": e.TransferID})
	})
}

package voice

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/reporting"
	"github.com/parley-platform/parley/projections"
)

// CallStatus is how far a call is, as list-interactions shows it.
type CallStatus string

// The statuses of list-interactions. CallMachineDetected is a machine that a call with
// machineDetection: disconnect hung up on.
const (
	CallDialing         CallStatus = "dialing"
	CallRinging         CallStatus = "ringing"
	CallInProgress      CallStatus = "inProgress"
	CallCompleted       CallStatus = "completed"
	CallMachineDetected CallStatus = "machineDetected"
	CallFailed          CallStatus = "failed"
)

// ChannelVoice is the kind slug of telephone calls.
const ChannelVoice = channels.Voice

// CallsModel stores one row per call, and keeps its deadline timer. Operators and widgets
// know the rows as interactions, the API's word for them.
var CallsModel = newCallsModel()

// LeaseTimer is the name of a call's deadline timer: ExpireLease is due then.
const LeaseTimer = "lease"

func newCallsModel() *projections.Model {
	m := projections.NewModel("interactions", 4, []string{"interactions", "timers"}, calls.Calls.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Requested) {
		b.Put("interactions", projections.Row{"conversation_id": e.CallID}, projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"channel": ChannelVoice, "direction": "Outbound",
			"status": string(CallDialing), "user_id": address(e.Target), "channel_user_id": address(e.Target), "center_id": e.OurNumber,
			"flow_id": e.Flow.ID, "agent_name": e.Flow.AgentName, "detection": string(e.MachineDetection), "requested_at": e.At,
			"customer": calls.CustomerOf(e.Metadata)})
		keepDeadline(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.AttemptStarted) { keepDeadline(b, at, e) })
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.LeaseRenewed) { keepDeadline(b, at, e) })
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Ringing) {
		b.Set("interactions", call(at), projections.Row{"status": string(CallRinging)})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Answered) {
		b.Set("interactions", call(at), projections.Row{"status": string(CallInProgress), "session_id": e.SessionID, "started_at": e.At})
	})
	projections.Ignore[calls.AmdDetected](m) // the completion carries the verdict
	projections.Ignore[calls.Said](m)
	projections.Ignore[calls.Heard](m)
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Completed) {
		status := CallCompleted
		if e.MachineDetected {
			status = CallMachineDetected
		}
		hangup, final := reporting.EndOfCall(e)
		b.Set("interactions", call(at), projections.Row{"status": string(status), "ended_at": e.At, "duration_ms": e.DurationMs,
			"verdict":     string(e.Verdict),
			"reason_code": string(e.ReasonCode), "reason": e.Reason, "disconnecting": hangup, "final_status": string(final)})
		keepDeadline(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Failed) {
		b.Set("interactions", call(at), projections.Row{"status": string(CallFailed), "ended_at": e.At,
			"reason_code": string(e.ReasonCode), "reason": e.Reason})
		keepDeadline(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Erased) {
		b.Set("interactions", call(at), projections.Row{"user_id": projections.Erased, "channel_user_id": projections.Erased, "customer": nil,
			"erased": true})
	})
	return m
}

// keepDeadline sets, moves or clears the call's timer, as the domain says of the event.
func keepDeadline(b *projections.Batch, at projections.At, e event.Payload) {
	due, set, ended := calls.Deadline(e)
	switch {
	case set:
		b.SetTimer(at, LeaseTimer, due)
	case ended:
		b.ClearTimer(at, LeaseTimer)
	}
}

func call(at projections.At) projections.Row { return projections.Row{"conversation_id": at.StreamID} }

// address is a call's target without its scheme.
func address(target string) string {
	_, rest, ok := strings.Cut(target, ":")
	if !ok {
		return target
	}
	return rest
}

// Calls answers how far calls are, and how they ended.
type Calls struct{ db *pgxpool.Pool }

// NewCalls reads through the pool.
func NewCalls(db *pgxpool.Pool) *Calls { return &Calls{db} }

// Call is one call; list-interactions shows it as an interaction.
type Call struct {
	ConversationID, Channel, Direction string
	Status                             CallStatus
	CustomerID, CenterID               string
	AgentName                          string
	SessionID                          string // empty: no session was opened
	Detection, Verdict                 string
	RequestedAt                        time.Time
	StartedAt, EndedAt                 *time.Time
	DurationMs                         *int64
	ReasonCode, Reason                 string
	DisconnectingEvent, FinalStatus    string
}

const selectCalls = `SELECT conversation_id, channel, direction, status, user_id AS customer_id, center_id, agent_name,
	coalesce(session_id, '') AS session_id, detection, verdict, requested_at, started_at, ended_at, duration_ms, reason_code, reason,
	disconnecting AS disconnecting_event, final_status FROM interactions `

// List returns a project's calls, newest first, and how many there are. An
// empty status lists all.
func (x *Calls) List(ctx context.Context, tenant, project string, status CallStatus, limit, offset int) ([]Call, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR status = $3)`
	return projections.Page[Call](ctx, x.db, "listing calls", projections.PageQuery{Count: `SELECT count(*) FROM interactions ` + where,
		Rows: selectCalls + where + ` ORDER BY requested_at DESC, conversation_id LIMIT $4 OFFSET $5`,
		Args: []any{tenant, project, string(status)}, Limit: limit, Offset: offset})
}

// Of finds one call of a project.
func (x *Calls) Of(ctx context.Context, tenant, project, conversationID string) (Call, bool, error) {
	return projections.One[Call](ctx, x.db, "reading a call",
		selectCalls+`WHERE tenant = $1 AND project_id = $2 AND conversation_id = $3`, tenant, project, conversationID)
}

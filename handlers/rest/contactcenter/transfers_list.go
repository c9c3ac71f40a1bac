package contactcenter

import (
	"context"
	"encoding/json"

	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/contactcenter"
)

type transfersIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	SessionID string `query:"sessionId" maxLength:"128" pattern:"^[A-Za-z0-9_-]*$" doc:"Only transfers of this session."`
	rest.Page
}

type transfer struct {
	TransferID     string   `json:"transferId"`
	SessionID      string   `json:"sessionId"`
	ConversationID string   `json:"conversationId,omitempty" doc:"As hooks and agents know it; absent while nobody has taken the session."`
	Status         string   `json:"status" enum:"requested,queued,assigned,failed,timedOut,ended" doc:"ended: it was assigned, and the interaction is over."`
	AID            string   `json:"aId,omitempty" doc:"The agent who was asked for."`
	QueueID        string   `json:"queueId,omitempty" doc:"The queue that was asked for."`
	QueueName      string   `json:"queueName,omitempty" doc:"As it was called then."`
	Skills         []string `json:"skills"`
	AgentID        string   `json:"agentId,omitempty" doc:"Who has the conversation, or had it."`
	Reason         string   `json:"reason,omitempty" doc:"Why it failed or ended."`
	Voicemail      bool     `json:"voicemail" doc:"The wait was over, and voicemail took the conversation."`
	RequestedAt    string   `json:"requestedAt" format:"date-time"`
	QueuedAt       string   `json:"queuedAt,omitempty" format:"date-time" doc:"Absent if it never waited."`
	WaitUntil      string   `json:"waitUntil,omitempty" format:"date-time"`
	AssignedAt     string   `json:"assignedAt,omitempty" format:"date-time"`
	AcceptedTime   string   `json:"acceptedTime,omitempty" format:"date-time" doc:"An assignment is accepted when it is made."`
	EndedAt        string   `json:"endedAt,omitempty" format:"date-time"`

	Escalation *escalation `json:"escalation,omitempty" doc:"Why an agent gave the conversation to people; absent where it did not."`
}

// escalation is what an agent says with its ESCALATE.
type escalation struct {
	AgentName string          `json:"agentName"`
	Step      string          `json:"step,omitempty"`
	Priority  string          `json:"priority,omitempty" enum:"low,normal,high,urgent" doc:"In a queue's line those with a higher one come first."`
	Reason    string          `json:"reason,omitempty"`
	Context   jsontext.Object `json:"context,omitempty" doc:"What CONTEXT names, by its names."`
}

func escalationShown(e *transfers.Escalation) *escalation {
	if e == nil {
		return nil
	}
	out := &escalation{AgentName: e.AgentName, Step: e.Step, Priority: e.Priority, Reason: e.Why}
	if len(e.Context) > 0 {
		out.Context, _ = json.Marshal(e.Context)
	}
	return out
}

type listTransfersOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Transfers  []transfer      `json:"transfers"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

func (x Transfers) list(ctx context.Context, in *transfersIn) (*listTransfersOut, error) {
	found, total, err := x.Transfers.List(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, in.SessionID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listTransfersOut{}
	out.Body.Success, out.Body.Transfers, out.Body.Pagination = true, rest.Shown(found, transferShown), in.Of(total)
	return out, nil
}

func transferShown(t contactcenter.Transfer) transfer {
	return transfer{TransferID: t.TransferID, SessionID: t.SessionID, ConversationID: t.Conversation(), Status: string(t.Status),
		AID: t.AskedHumanAgentID, QueueID: t.QueueID, QueueName: t.QueueName, Skills: t.Skills, AgentID: t.HumanAgentID, Reason: string(t.Reason),
		Voicemail: t.Voicemail, RequestedAt: rest.ISOTime(&t.RequestedAt), QueuedAt: rest.ISOTime(t.QueuedAt),
		WaitUntil: rest.ISOTime(t.WaitUntil), AssignedAt: rest.ISOTime(t.AssignedAt), AcceptedTime: rest.ISOTime(t.AssignedAt),
		EndedAt: rest.ISOTime(t.EndedAt), Escalation: escalationShown(t.Escalation)}
}

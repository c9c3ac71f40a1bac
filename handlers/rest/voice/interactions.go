package voice

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/voice"
)

// InteractionsAPI is what the Interactions page needs.
type InteractionsAPI struct{ Interactions Interactions }

// Interactions knows what happened in conversations.
type Interactions interface {
	List(ctx context.Context, tenant, project string, status voice.InteractionStatus, limit, offset int) ([]voice.Interaction, int,
		error)
}

type interactionsIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Status    string `query:"status" enum:"dialing,ringing,inProgress,completed,machineDetected,failed" doc:"Only interactions with this status."`
	rest.Page
}

type interaction struct {
	ConversationID   string `json:"conversationId"`
	Channel          string `json:"channel" example:"voice"`
	Direction        string `json:"direction" example:"Outbound"`
	Status           string `json:"status" enum:"dialing,ringing,inProgress,completed,machineDetected,failed" doc:"The Status column; machineDetected when machineDetection was disconnect and a machine or its beep was found."`
	UserID           string `json:"userId" doc:"The other end."`
	CenterID         string `json:"centerId" doc:"Our end: the caller of a dial-out."`
	AgentName        string `json:"agentName,omitempty"`
	SessionID        string `json:"sessionId,omitempty"`
	MachineDetection string `json:"machineDetection,omitempty" doc:"The verdict of answering machine detection."`
	ReasonCode       string `json:"reasonCode,omitempty"`
	Reason           string `json:"reason,omitempty"`
	RequestedAt      string `json:"requestedAt" format:"date-time"`
	StartedAt        string `json:"startedAt,omitempty" format:"date-time"`
	EndedAt          string `json:"endedAt,omitempty" format:"date-time"`
	DurationMs       *int64 `json:"durationMs,omitempty"`
}

type interactionsOut struct {
	Body struct {
		Success      bool            `json:"success"`
		Interactions []interaction   `json:"interactions"`
		Pagination   rest.Pagination `json:"pagination"`
	}
}

// DeclareInteractions adds the list behind the Interactions page (extension;
// docs/api-rules.md "Interactions").
func DeclareInteractions(api *rest.API, x InteractionsAPI) {
	rest.Declare(api, rest.Operation{
		ID: "list-interactions", Method: "GET", Path: "/api/v1/projects/{projectId}/interactions", Extension: true,
		Summary: "List conversations with their status, newest first", Tags: []string{"Interactions"},
		Requirement: access.Needs(access.PermSessionRead), Resolve: rest.ProjectFrom("projectId"),
	}, x.list)
}

func (x InteractionsAPI) list(ctx context.Context, in *interactionsIn) (*interactionsOut, error) {
	found, total, err := x.Interactions.List(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID,
		voice.InteractionStatus(in.Status), in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &interactionsOut{}
	out.Body.Success, out.Body.Interactions = true, []interaction{}
	for _, i := range found {
		out.Body.Interactions = append(out.Body.Interactions, interactionOf(i))
	}
	out.Body.Pagination = rest.Pagination{Total: total, Limit: in.Limit, Offset: in.Offset}
	return out, nil
}

func interactionOf(i voice.Interaction) interaction {
	return interaction{
		ConversationID: i.ConversationID, Channel: i.Channel, Direction: i.Direction, Status: string(i.Status),
		UserID: i.UserID, CenterID: i.CenterID, AgentName: i.AgentName,
		SessionID: i.SessionID, MachineDetection: i.Verdict, ReasonCode: i.ReasonCode, Reason: i.Reason,
		RequestedAt: rest.ISOTime(&i.RequestedAt), StartedAt: rest.ISOTime(i.StartedAt), EndedAt: rest.ISOTime(i.EndedAt),
		DurationMs: i.DurationMs}
}

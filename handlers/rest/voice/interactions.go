package voice

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/voice"
)

// InteractionsAPI is what the Interactions page needs.
type InteractionsAPI struct{ Calls listedCalls }

// listedCalls knows the calls of projects.
type listedCalls interface {
	List(ctx context.Context, tenant, project string, status voice.CallStatus, limit, offset int) ([]voice.Call, int,
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
	CenterID         string `json:"centerId" doc:"Our end: the caller of a dial-out, the number that was called, the name of a room."`
	AgentName        string `json:"agentName,omitempty"`
	SessionID        string `json:"sessionId,omitempty"`
	MachineDetection string `json:"machineDetection,omitempty" doc:"The verdict of answering machine detection."`
	ReasonCode       string `json:"reasonCode,omitempty"`
	Reason           string `json:"reason,omitempty"`
	RequestedAt      string `json:"requestedAt" format:"date-time"`
	StartedAt        string `json:"startedAt,omitempty" format:"date-time"`
	EndedAt          string `json:"endedAt,omitempty" format:"date-time"`
	DurationMs       *int64 `json:"durationMs,omitempty"`
	Provider         string `json:"provider,omitempty" example:"twilio" doc:"Who carries the call: local is the simulated carrier, livekit has rooms, webrtc is a page that calls the node itself."`
	ProviderCallID   string `json:"providerCallId,omitempty" doc:"What the provider calls a call that it brought."`
	ProviderStatus   string `json:"providerStatus,omitempty" example:"no-answer" doc:"What the provider said last of such a call, in its own word."`
}

type listInteractionsOut struct {
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
		Summary:     "List conversations with their status, newest first",
		Description: "Calls that were placed or came in, and rooms, whatever became of them.", Tags: []string{"Interactions"},
		Requirement: access.Needs(access.PermSessionRead), Resolve: rest.ProjectFrom("projectId"),
	}, x.list)
}

func (x InteractionsAPI) list(ctx context.Context, in *interactionsIn) (*listInteractionsOut, error) {
	found, total, err := x.Calls.List(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID,
		voice.CallStatus(in.Status), in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listInteractionsOut{}
	out.Body.Success, out.Body.Interactions, out.Body.Pagination = true, rest.Shown(found, interactionOf), in.Of(total)
	return out, nil
}

func interactionOf(c voice.Call) interaction {
	return interaction{
		ConversationID: c.ConversationID, Channel: c.Channel, Direction: c.Direction, Status: string(c.Status),
		UserID: c.CustomerID, CenterID: c.CenterID, AgentName: c.AgentName,
		SessionID: c.SessionID, MachineDetection: c.Verdict, ReasonCode: c.ReasonCode, Reason: c.Reason,
		RequestedAt: rest.ISOTime(&c.RequestedAt), StartedAt: rest.ISOTime(c.StartedAt), EndedAt: rest.ISOTime(c.EndedAt),
		DurationMs: c.DurationMs, Provider: c.Provider, ProviderCallID: c.ProviderCallID, ProviderStatus: c.ProviderStatus}
}

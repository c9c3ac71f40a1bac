package channels

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/channels"
)

// TextsAPI is what the list of text messages needs.
type TextsAPI struct{ Texts textReader }

// textReader knows what became of text messages.
type textReader interface {
	List(ctx context.Context, q channels.TextQuery) ([]channels.Text, int, error)
}

type textsIn struct {
	ProjectID  string `path:"projectId" doc:"A project's id or alias."`
	Status     string `query:"status" enum:"queued,sending,retrying,sent,failed" doc:"Only messages with this status."`
	CampaignID string `query:"campaignId" maxLength:"128" pattern:"^[A-Za-z0-9_-]*$" doc:"Only messages of this campaign."`
	RunID      string `query:"campaignInstanceId" maxLength:"128" pattern:"^[A-Za-z0-9_-]*$" doc:"Only messages of this run of a campaign."`
	rest.Page
}

type textMessage struct {
	MessageID         string `json:"messageId"`
	From              string `json:"from"`
	To                string `json:"to" doc:"The recipient, E.164."`
	Text              string `json:"text"`
	Status            string `json:"status" enum:"queued,sending,retrying,sent,failed" doc:"sent: a provider has taken it. sending: a provider is being asked, or its answer is in doubt."`
	CampaignID        string `json:"campaignId,omitempty"`
	RunID             string `json:"campaignInstanceId,omitempty"`
	ContactIndex      *int   `json:"contactIndex,omitempty" doc:"Of the contact in the campaign's run, from 0."`
	Provider          string `json:"provider,omitempty" doc:"local: recorded, and sent to nobody."`
	ProviderMessageID string `json:"providerMessageId,omitempty"`
	Segments          *int   `json:"segments,omitempty" doc:"Parts that the message is billed as."`
	Attempts          int    `json:"attempts" doc:"How often a provider was asked."`
	Code              string `json:"code,omitempty" doc:"Of the failure, or of the refusal before the next attempt: the provider's own code, EXPIRED or OUTCOME_UNKNOWN."`
	Reason            string `json:"reason,omitempty"`
	RequestedAt       string `json:"requestedAt" format:"date-time"`
	SendBy            string `json:"sendBy" format:"date-time" doc:"No attempt is begun after it."`
	EndedAt           string `json:"endedAt,omitempty" format:"date-time"`
}

type listMessagesOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Messages   []textMessage   `json:"messages"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

// DeclareTexts adds the list of text messages (extension).
func DeclareTexts(api *rest.API, x TextsAPI) {
	rest.Declare(api, rest.Operation{
		ID: "list-messages", Method: "GET", Path: "/api/v1/projects/{projectId}/messages", Extension: true,
		Summary:     "List text messages and what became of them, newest first",
		Description: "Messages out to people, each with what became of its delivery.", Tags: []string{"Campaigns"},
		Requirement: access.Needs(access.PermSessionRead), Resolve: rest.ProjectFrom("projectId"),
	}, x.list)
}

func (x TextsAPI) list(ctx context.Context, in *textsIn) (*listMessagesOut, error) {
	found, total, err := x.Texts.List(ctx, channels.TextQuery{Tenant: rest.PrincipalOf(ctx).TenantID, Project: rest.ProjectOf(ctx).ID,
		Status: channels.TextStatus(in.Status), CampaignID: in.CampaignID, RunID: in.RunID,
		Limit: in.Limit, Offset: in.Offset})
	if err != nil {
		return nil, err
	}
	out := &listMessagesOut{}
	out.Body.Success, out.Body.Messages, out.Body.Pagination = true, rest.Shown(found, textShown), in.Of(total)
	return out, nil
}

func textShown(m channels.Text) textMessage {
	return textMessage{MessageID: m.ID, From: m.From, To: m.To, Text: m.Text, Status: string(m.Status),
		CampaignID: m.CampaignID, RunID: m.RunID, ContactIndex: m.ContactIndex,
		Provider: m.Provider, ProviderMessageID: m.ProviderMessageID, Segments: m.Segments, Attempts: m.Attempts, Code: m.Code, Reason: m.Reason,
		RequestedAt: rest.ISOTime(&m.RequestedAt), SendBy: rest.ISOTime(&m.SendBy), EndedAt: rest.ISOTime(m.EndedAt)}
}

package contactcenter

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

func (c ConversationsAPI) declareSummary(api *rest.API) {
	rest.Declare(api, rest.Operation{
		ID: "summarize-conversation-again", Method: http.MethodPost, Extension: true,
		Path:    "/api/v1/projects/{projectId}/conversations/{conversationId}/summary",
		Summary: "Ask for the summary of a conversation once more", Tags: []string{tagConversations},
		Description: "As it was triggered last, of all that was said until now: after it failed, or for another one. The new one takes the " +
			"place of the one before at once. Allowed after the end as well. 409 before the first was triggered and while one is " +
			"under way, 410 when all that was said is erased. A conversation has at most 10 summaries.",
		Requirement: access.Needs(access.PermSessionExecute), Resolve: rest.ResolveAll(rest.ProjectFrom("projectId"), c.conversationOfPath),
		Refusals: []fault.Code{fault.Conflict, fault.Gone, fault.LimitReached},
	}, c.summarizeAgain)
}

type summarizeAgainIn struct {
	ProjectID      string `path:"projectId" doc:"A project's id or alias."`
	ConversationID string `path:"conversationId"`
}

type summarizeAgainOut struct {
	Body struct {
		Success        bool                `json:"success"`
		ConversationID string              `json:"conversationId"`
		Summary        conversationSummary `json:"summary" doc:"As it was asked for; get-conversation shows what becomes of it."`
	}
}

func (c ConversationsAPI) summarizeAgain(ctx context.Context, in *summarizeAgainIn) (*summarizeAgainOut, error) {
	stream := conversations.Stream(rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, in.ConversationID)
	res, err := rest.Execute(ctx, c.Commands, conversations.Conversations, stream, conversations.SummarizeAgain{At: c.Now()}.Decide)
	if err != nil {
		return nil, err
	}
	e, err := rest.Payload[conversations.SummaryAsked](res)
	if err != nil {
		return nil, err
	}
	out := &summarizeAgainOut{}
	out.Body.Success, out.Body.ConversationID = true, in.ConversationID
	out.Body.Summary = conversationSummary{Status: string(conversations.SummaryPending), Language: e.Language, Locale: e.Locale, Type: e.Type,
		TriggeredAt: rest.ISOTime(&e.At)}
	return out, nil
}

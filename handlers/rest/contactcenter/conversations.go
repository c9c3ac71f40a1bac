package contactcenter

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// ConversationsAPI is what the operations on conversations need.
type ConversationsAPI struct {
	rest.Commands
	Reads conversationReads
}

// conversationReads knows the conversations that people take part in.
type conversationReads interface {
	Find(ctx context.Context, tenant, project, id string) (c contactcenter.ConversationInfo, ok bool, err error)
	Exists(ctx context.Context, tenant, project, id string) (bool, error)
	List(ctx context.Context, tenant, project, status string, limit, offset int) ([]contactcenter.ConversationInfo, int, error)
	Messages(ctx context.Context, tenant, project, id string, limit, offset int) ([]contactcenter.ConversationMessage, int, error)
	Call(ctx context.Context, tenant, project, id string) (call conversations.Call, ok bool, err error)
	SessionExists(ctx context.Context, tenant, project, session string) (bool, error)
}

const tagConversations = "Conversations"

// DeclareConversations adds the reading of conversations and the notes about them
// (extensions; docs/api-rules.md "Conversations").
func DeclareConversations(api *rest.API, c ConversationsAPI) {
	rest.Declare(api, rest.Operation{
		ID: "list-conversations", Method: http.MethodGet, Path: "/api/v1/projects/{projectId}/conversations", Extension: true,
		Summary:     "List conversations that human agents take part in, newest first",
		Description: "Each with its participants and notes; messages come with get-conversation.", Tags: []string{tagConversations},
		Requirement: access.Needs(access.PermSessionRead), Resolve: rest.ProjectFrom("projectId"),
	}, c.list)
	rest.Declare(api, rest.Operation{
		ID: "get-conversation", Method: http.MethodGet, Path: "/api/v1/projects/{projectId}/conversations/{conversationId}", Extension: true,
		Summary: "Read a conversation with its agents, messages, summary and notes", Tags: []string{tagConversations},
		Description: "limit and offset page the messages, oldest first. summary is absent until one is triggered; assist is pending on " +
			"messages that ask the assisting agent, until that has answered or failed. " +
			"The id of a call names its own conversation, which is empty until something is noted or told of it.",
		Requirement: access.Needs(access.PermSessionRead), Resolve: rest.ResolveAll(rest.ProjectFrom("projectId"), c.conversationOfPath),
	}, c.get)
	rest.Declare(api, rest.Operation{
		ID: "note-conversation", Method: http.MethodPatch, Path: "/api/v1/projects/{projectId}/conversations/{conversationId}", Extension: true,
		Summary: "Set dispositions, remarks, notes, tags and after-call work of a conversation", Tags: []string{tagConversations},
		Description: "A member that is given takes the place of what was there; the others stay. After-call work is kept per agent. Allowed at " +
			"any time, after the end as well. " +
			"Call details report what is set here under the same names. A conversation belongs to one session: sessionId can be said once. " +
			"The id of a call names its own conversation, whether or not agents were in it. 410: the call was forgotten, as who was " +
			"called is erased or the project keeps calls no longer, and nothing was noted about it before.",
		Requirement: access.Needs(access.PermSessionExecute), Resolve: rest.ResolveAll(rest.ProjectFrom("projectId"), c.conversationOfPath),
		Refusals: []fault.Code{fault.Conflict, fault.Gone},
	}, c.note)
	c.declareSummary(api)
}

// conversationOfPath is the 404 of what the path names.
func (c ConversationsAPI) conversationOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	unknown, id := fault.New(fault.NotFound, "there is no such conversation"), p.Path("conversationId")
	if !conversations.ValidID(id) {
		return ctx, unknown
	}
	found, err := c.Reads.Exists(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, id)
	if err == nil && !found {
		err = unknown
	}
	return ctx, err
}

type listConversationsIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Status    string `query:"status" enum:"waiting,active,transferring,closing,ended" doc:"Only conversations with this status."`
	rest.Page
}

type listConversationsOut struct {
	Body struct {
		Success       bool            `json:"success"`
		Conversations []conversation  `json:"conversations"`
		Pagination    rest.Pagination `json:"pagination"`
	}
}

func (c ConversationsAPI) list(ctx context.Context, in *listConversationsIn) (*listConversationsOut, error) {
	found, total, err := c.Reads.List(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, in.Status, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listConversationsOut{}
	out.Body.Success, out.Body.Conversations, out.Body.Pagination = true, rest.Shown(found, showConversation), in.Of(total)
	return out, nil
}

type getConversationIn struct {
	ProjectID      string `path:"projectId" doc:"A project's id or alias."`
	ConversationID string `path:"conversationId"`
	rest.Page
}

type getConversationOut struct {
	Body struct {
		Success      bool                  `json:"success"`
		Conversation conversation          `json:"conversation"`
		Messages     []conversationMessage `json:"messages" doc:"The transcript, oldest first."`
		Pagination   rest.Pagination       `json:"pagination" doc:"Of the messages."`
	}
}

func (c ConversationsAPI) get(ctx context.Context, in *getConversationIn) (*getConversationOut, error) {
	tenant, project := rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID
	found, ok, err := c.Reads.Find(ctx, tenant, project, in.ConversationID)
	if err != nil {
		return nil, err
	}
	if !ok {
		call, known, err := c.Reads.Call(ctx, tenant, project, in.ConversationID)
		if err != nil {
			return nil, err
		}
		if !known {
			return nil, fault.New(fault.NotFound, "there is no such conversation")
		}
		found = contactcenter.ConversationOfCall(call)
	}
	messages, total, err := c.Reads.Messages(ctx, tenant, project, in.ConversationID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &getConversationOut{}
	out.Body.Success, out.Body.Conversation = true, showConversation(found)
	out.Body.Messages, out.Body.Pagination = rest.Shown(messages, showMessage), in.Of(total)
	return out, nil
}

type noteConversationIn struct {
	ProjectID      string `path:"projectId" doc:"A project's id or alias."`
	ConversationID string `path:"conversationId"`
	Body           struct {
		Dispositions       *[]string           `json:"dispositions,omitempty" maxItems:"50"`
		DispositionRemarks *[]string           `json:"dispositionRemarks,omitempty" maxItems:"50"`
		AgentNotes         *[]string           `json:"agentNotes,omitempty" maxItems:"50"`
		Notes              *[]string           `json:"notes,omitempty" maxItems:"50" doc:"Other spelling of agentNotes."`
		UserLevelTags      *[]string           `json:"userLevelTags,omitempty" maxItems:"50"`
		SessionLevelTags   *[]tagGiven         `json:"sessionLevelTags,omitempty" maxItems:"50"`
		AfterCallWork      *afterCallWorkGiven `json:"afterCallWork,omitempty" doc:"Of one agent: startedAt and endedAt, or durationMs."`
		MetaInfo           jsontext.Object     `json:"metaInfo,omitempty" doc:"Caller data, identities: an object of at most 16 KB."`
		SessionID          string              `json:"sessionId,omitempty" maxLength:"128" doc:"The session of the project that the conversation belongs to."`
	}
}

type tagGiven struct {
	Name  string `json:"name" required:"true" minLength:"1" maxLength:"256"`
	Value string `json:"value" required:"true" maxLength:"2000"`
}

type afterCallWorkGiven struct {
	HumanAgentID string     `json:"agentId,omitempty" maxLength:"256"`
	StartedAt    *time.Time `json:"startedAt,omitempty"`
	EndedAt      *time.Time `json:"endedAt,omitempty"`
	DurationMs   *int64     `json:"durationMs,omitempty" minimum:"0" maximum:"86400000"`
}

type noteConversationOut struct {
	Body struct {
		Success        bool   `json:"success"`
		ConversationID string `json:"conversationId"`
		SessionID      string `json:"sessionId,omitempty"`
		NotesShown
	}
}

func (c ConversationsAPI) note(ctx context.Context, in *noteConversationIn) (*noteConversationOut, error) {
	tenant, project, body := rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, in.Body
	cmd := conversations.Note{Dispositions: body.Dispositions, DispositionRemarks: body.DispositionRemarks, AgentNotes: body.AgentNotes,
		UserLevelTags: body.UserLevelTags,
		MetaInfo:      json.RawMessage(body.MetaInfo), SessionID: body.SessionID, At: c.Now()}
	if body.Notes != nil {
		if body.AgentNotes != nil {
			return nil, fault.Field("notes", "must not be given beside agentNotes, its other spelling")
		}
		cmd.AgentNotes, cmd.AgentNotesAs = body.Notes, "notes"
	}
	if body.SessionLevelTags != nil {
		tags := make([]conversations.Tag, len(*body.SessionLevelTags))
		for i, t := range *body.SessionLevelTags {
			tags[i] = conversations.Tag(t)
		}
		cmd.SessionLevelTags = &tags
	}
	if body.AfterCallWork != nil {
		cmd.AfterCallWork = (*conversations.WorkDone)(body.AfterCallWork)
	}
	if err := c.checkSession(ctx, body.SessionID); err != nil {
		return nil, err
	}
	call, known, err := c.Reads.Call(ctx, tenant, project, in.ConversationID)
	if err != nil {
		return nil, err
	}
	if known {
		cmd.Call = &call
	}
	stream := conversations.Stream(tenant, project, in.ConversationID)
	res, err := rest.Execute(ctx, c.Commands, conversations.Conversations, stream, cmd.Decide)
	if err != nil {
		return nil, err
	}
	state := res.State
	out := &noteConversationOut{}
	out.Body.Success, out.Body.ConversationID, out.Body.SessionID, out.Body.NotesShown = true, in.ConversationID,
		cmp.Or(state.SessionID, call.SessionID), notesOf(state.Notes)
	return out, nil
}

func (c ConversationsAPI) checkSession(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	known := false
	if access.ValidID(id) {
		var err error
		if known, err = c.Reads.SessionExists(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, id); err != nil {
			return err
		}
	}
	if !known {
		return fault.Field("sessionId", "is not a session of the project")
	}
	return nil
}

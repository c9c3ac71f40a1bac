package contactcenter

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
)

// Hooks is what the conversation hook needs.
type Hooks struct{ rest.Commands }

// hookIn is what conversation-hook is asked.
type hookIn struct {
	BotID string `path:"botId" doc:"Bot or stream id: a project's id or alias."`
	Body  hookBody
}

type hookBody struct {
	ConversationID string `json:"conversationId" required:"true" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9_:.@-]+$"`
	BotID          string `json:"botId" required:"true" minLength:"1" maxLength:"128" doc:"The same bot as in the path."`

	Query            *string     `json:"query,omitempty" minLength:"1" maxLength:"20000" doc:"Text of a message. A message needs all members down to language."`
	AgentID          string      `json:"agentId,omitempty" maxLength:"256" doc:"Agent associated with the message."`
	Experience       string      `json:"experience,omitempty" pattern:"^([Cc][Hh][Aa][Tt]|[Vv][Oo][Ii][Cc][Ee])$" patternDescription:"chat or voice" example:"chat"`
	Author           *hookAuthor `json:"author,omitempty"`
	Source           string      `json:"source,omitempty" maxLength:"256" doc:"Source platform of the message."`
	SendUserMessage  *bool       `json:"sendUserMessage,omitempty" doc:"true: a user's message asks the assisting agent."`
	SendAgentMessage *bool       `json:"sendAgentMessage,omitempty" doc:"true: an agent's message is part of the transcript."`
	Language         string      `json:"language,omitempty" maxLength:"35" doc:"Language code." example:"en"`

	Events *[]hookEvent `json:"events,omitempty" maxItems:"100" doc:"Lifecycle events, applied in order, all or none. Not beside a message; an empty list is none."`
}

type hookAuthor struct {
	Type string `json:"type" required:"true" pattern:"^([Uu][Ss][Ee][Rr]|[Aa][Gg][Ee][Nn][Tt])$" patternDescription:"USER or AGENT" example:"USER"`
}

// hookEvent is one lifecycle event of a hook. Which members an event needs depends on
// its name.
type hookEvent struct {
	Name         string           `json:"name" required:"true" minLength:"1" maxLength:"64" doc:"INTERNAL_TRANSFER_EVENT, TRIGGER_SUMMARY_EVENT or END_OF_CONVERSATION." example:"INTERNAL_TRANSFER_EVENT"`
	TransferType string           `json:"transfertype,omitempty" maxLength:"16" doc:"NA, COLD, WARM or redial, in either case; of a transfer." example:"NA"`
	Transition   string           `json:"transition,omitempty" maxLength:"16" doc:"entry or exit; of a transfer. A redial is an entry only." example:"entry"`
	IsExtAD      *flag            `json:"isExtAD,omitempty" doc:"Required of a transfer: whether the agent uses an external desktop."`
	Language     string           `json:"language,omitempty" maxLength:"64" doc:"Required of the end." example:"en"`
	Experience   string           `json:"experience,omitempty" maxLength:"16" doc:"chat or voice; required of a transfer and of the end." example:"chat"`
	Reason       string           `json:"reason,omitempty" maxLength:"256" doc:"Required of the end." example:"agent_initiated"`
	Participant  *hookParticipant `json:"participant,omitempty" doc:"The agent; required of a transfer and of the end."`
	Data         *hookSummaryData `json:"data,omitempty" doc:"Required of a summary trigger."`
}

type hookParticipant struct {
	Identity     string           `json:"identity" required:"true" minLength:"1" maxLength:"256" doc:"Names the agent the same way in all events." example:"a-1"`
	Name         string           `json:"name" required:"true" minLength:"1" maxLength:"256" example:"Ada"`
	Type         string           `json:"type" required:"true" pattern:"^[Aa][Gg][Ee][Nn][Tt]$" patternDescription:"agent" example:"agent"`
	CustomFields hookCustomFields `json:"customFields,omitempty" doc:"Needed only for post-call analysis by the quality module."`
}

type hookCustomFields struct {
	HumanAgentEmail string `json:"agentEmail,omitempty" maxLength:"256"`
	QueueID         string `json:"queueId,omitempty" maxLength:"256"`
	QueueName       string `json:"queueName,omitempty" maxLength:"256"`
}

type hookSummaryData struct {
	Language string `json:"language" required:"true" minLength:"1" maxLength:"64" example:"English"`
	Locale   string `json:"locale" required:"true" pattern:"^[A-Za-z0-9_-]{1,35}$" patternDescription:"a locale such as en or de-AT" example:"en"`
	Type     string `json:"type" required:"true" pattern:"^[A-Za-z0-9_-]{1,32}$" patternDescription:"1 to 32 letters, digits, _ or -" example:"post"`
}

// flag is a boolean, or its name as a string.
type flag bool

// Schema implements huma.SchemaProvider.
func (flag) Schema(huma.Registry) *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString, Enum: []any{"true", "false"}}
	text.PrecomputeMessages()
	yesOrNo := &huma.Schema{Type: huma.TypeBoolean}
	yesOrNo.PrecomputeMessages()
	return &huma.Schema{OneOf: []*huma.Schema{yesOrNo, text}}
}

// UnmarshalJSON reads true, false, "true" and "false".
func (f *flag) UnmarshalJSON(data []byte) error {
	var b bool
	if err := json.Unmarshal([]byte(strings.Trim(string(data), `"`)), &b); err != nil {
		return fmt.Errorf("reading a boolean: %w", err)
	}
	*f = flag(b)
	return nil
}

type hookOut struct {
	Body struct {
		Status string `json:"STATUS" enum:"OK" example:"OK"`
	}
}

// DeclareHooks adds POST /agentassist/api/v1/hooks/{botId} (docs/api-rules.md "Hooks").
func DeclareHooks(api *rest.API, h Hooks) {
	rest.Declare(api, rest.Operation{
		ID: "conversation-hook", Method: "POST", Path: "/agentassist/api/v1/hooks/{botId}",
		Summary: "Tell of a conversation's lifecycle, or of a message in it",
		Description: "Either events or a message. A conversation begins with the NA entry (or a redial entry) of an agent, goes on with cold " +
			"or warm transfers, and is closed by the last agent's NA exit, " +
			"an optional summary trigger, and END_OF_CONVERSATION; messages are taken in between. What cannot have happened in that order is 400 " +
			"and changes nothing; a lifecycle event that is told twice changes nothing either; " +
			"messages are told apart by Idempotency-Key only. After the end everything is 400, and kept for audit.",
		Tags: []string{tagConversations}, Requirement: access.TokenOnly(), Resolve: linkedBot("botId"), Errors: rest.HookErrors,
		Refusals: []fault.Code{fault.Conflict, fault.LimitReached, fault.QueueFull},
	}, h.take)
}

// errLinkedBot is the answer about a bot that is not there, or another tenant's
// (docs/api-rules.md "Hooks").
func errLinkedBot() error {
	return fault.New(fault.Validation, "The linked bot details could not be found: check the bot id")
}

// linkedBot is ProjectFrom with the refusal of hooks.
func linkedBot(pathParam string) rest.ResolveFunc {
	return func(ctx context.Context, p rest.Params) (context.Context, error) {
		found, err := rest.ProjectFrom(pathParam)(ctx, p)
		if fault.Is(err, fault.NotFound) {
			return ctx, errLinkedBot()
		}
		return found, err
	}
}

func (h Hooks) take(ctx context.Context, in *hookIn) (*hookOut, error) {
	if in.Body.BotID != in.BotID {
		other, err := linkedBotOf(ctx, in.Body.BotID)
		if err != nil {
			return nil, err
		}
		if other != rest.ProjectOf(ctx).ID {
			return nil, fault.Field("botId", "differs from the bot in the path")
		}
	}
	about := conversations.About{TenantID: rest.PrincipalOf(ctx).TenantID, ProjectID: rest.ProjectOf(ctx).ID,
		ConversationID: in.Body.ConversationID, At: h.Now(), Body: rest.RawBody(ctx)}
	decide, err := in.Body.command(about)
	if err != nil {
		return nil, err
	}
	stream := conversations.Stream(about.TenantID, about.ProjectID, about.ConversationID)
	by := h.Caller(ctx)
	by.Stateless = true // a conversation may be long, and platforms repeat what they have told
	res, err := acts.Execute(ctx, h.Log, by, conversations.Conversations, stream, decide)
	if err != nil {
		return nil, err
	}
	rest.Answers(ctx, res)
	if conversations.WasLate(res.Payloads()) {
		return nil, conversations.ErrEnded()
	}
	out := &hookOut{}
	out.Body.Status = "OK"
	return out, nil
}

func linkedBotOf(ctx context.Context, botID string) (projectID string, err error) {
	found, err := rest.ResolveProject(ctx, botID)
	if fault.Is(err, fault.NotFound) {
		return "", errLinkedBot()
	}
	return rest.ProjectOf(found).ID, err
}

// command is what the body tells: lifecycle events or a message.
func (b hookBody) command(about conversations.About) (func(conversations.State) ([]event.Payload, error), error) {
	message := b.Query != nil || b.Author != nil
	lifecycle := b.Events != nil && len(*b.Events) > 0
	switch {
	case lifecycle && message:
		return nil, fault.Field("events", "must not be given beside a message (query, author): send them one after the other")
	case lifecycle:
		return conversations.Report{About: about, Events: b.told()}.Decide, nil
	case !message && b.AgentID == "" && b.Source == "" && b.SendUserMessage == nil && b.SendAgentMessage == nil:
		return nil, fault.Field("events", "or query is required: there is neither a lifecycle event nor a message")
	}
	c := conversations.Receive{About: about, HumanAgentID: b.AgentID, Experience: b.Experience, Source: b.Source,
		SendUserMessage: b.SendUserMessage, SendAgentMessage: b.SendAgentMessage, Language: b.Language}
	if b.Query != nil {
		c.Query = *b.Query
	}
	if b.Author != nil {
		c.AuthorType = b.Author.Type
	}
	return c.Decide, nil
}

func (b hookBody) told() []conversations.Told {
	out := make([]conversations.Told, 0, len(*b.Events))
	for _, e := range *b.Events {
		t := conversations.Told{Name: e.Name, TransferType: e.TransferType, Transition: e.Transition, IsExtAD: (*bool)(e.IsExtAD),
			Language: e.Language, Experience: e.Experience, Reason: e.Reason}
		if p := e.Participant; p != nil {
			t.Participant = &conversations.Participant{Identity: p.Identity, Name: p.Name, Type: p.Type,
				CustomFields: conversations.CustomFields(p.CustomFields)}
		}
		if e.Data != nil {
			t.Data = (*conversations.SummaryWanted)(e.Data)
		}
		out = append(out, t)
	}
	return out
}

package contactcenter

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/handlers/acts/assign"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/document"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// Transfers is what the operations on transfers need.
type Transfers struct {
	rest.Commands
	Transfers transferReads
	// CheckURL refuses a callbackUrl that would never be called.
	CheckURL func(raw string) error
	Assign   assign.Assign
}

// transferReads is what is known of transfers.
type transferReads interface {
	HasConversation(ctx context.Context, tenant, project, id string) (has bool, err error)
	List(ctx context.Context, tenant, project, session string, limit, offset int) ([]contactcenter.Transfer, int, error)
}

// assignIn is what assign-conversation is asked: every member may stand in the query or
// in the body.
type assignIn struct {
	AccountID       string `header:"accountId" doc:"The account; the credential's own if it is given."`
	StreamID        string `path:"streamId" doc:"Bot or stream id: a project's id or alias."`
	CallbackURL     string `query:"callbackUrl" maxLength:"2048" doc:"May stand in the body instead, as all of these."`
	OrgID           string `query:"orgId" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$"`
	BotSessionID    string `query:"botSessionId" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$"`
	AID             string `query:"aId" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$"`
	QueueID         string `query:"queueId" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$"`
	TransferredType string `query:"transferredType" enum:"QUEUE"`
	Body            *assignConversationBody
}

type assignConversationBody struct {
	CallbackURL     string   `json:"callbackUrl,omitempty" maxLength:"2048" doc:"Absolute http or https URL that receives success and failure, signed. Required here or in the query." example:"https://crm.example.com/transfers"`
	OrgID           string   `json:"orgId,omitempty" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" doc:"The account's organisation. Required here or in the query."`
	BotSessionID    string   `json:"botSessionId,omitempty" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" doc:"The session to be transferred. Required here or in the query."`
	AID             string   `json:"aId,omitempty" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" doc:"The human agent to transfer to; or queueId." example:"a-acme-maria"`
	QueueID         string   `json:"queueId,omitempty" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" doc:"The queue to transfer to, together with transferredType." example:"q-acme-support"`
	TransferredType string   `json:"transferredType,omitempty" enum:"QUEUE" doc:"QUEUE with queueId."`
	Skills          []string `json:"skills,omitempty" maxItems:"20" doc:"Ids of skills that the agent must have beside those of the queue (extension)."`
}

type assignConversationOut struct {
	Body struct {
		SessionID          string `json:"sessionId"`
		AgentID            string `json:"agentId,omitempty" doc:"Of a transfer to an agent."`
		QueueID            string `json:"queueId,omitempty" doc:"Of a transfer to a queue."`
		Status             string `json:"status" enum:"transferred,failed"`
		Reason             string `json:"reason,omitempty" doc:"Why it failed." example:"AGENT_OFFLINE"`
		RequestCompletedAt int64  `json:"requestCompletedAt" doc:"Epoch milliseconds."`
		TransferID         string `json:"transferId" doc:"Extension: the transfer in the list of transfers."`
		ConversationID     string `json:"conversationId,omitempty" doc:"Extension: as hooks and agents know it; absent while nobody has taken the session."`
	}
}

// transferNotification is what is posted to callbackUrl, as the document tells it; a test
// holds it against what is sent.
type transferNotification struct {
	SessionID          string `json:"sessionId"`
	AgentID            string `json:"agentId,omitempty" doc:"Who was asked for; of a transfer to a queue, who has the conversation."`
	QueueID            string `json:"queueId,omitempty" doc:"Of a transfer to a queue."`
	Status             string `json:"status" enum:"transferred,failed"`
	Reason             string `json:"reason,omitempty" doc:"Why it failed." example:"AGENT_OFFLINE"`
	RequestCompletedAt int64  `json:"requestCompletedAt" doc:"Epoch milliseconds."`
}

// DeclareTransfers adds assign-conversation and the list of transfers (extension).
func DeclareTransfers(api *rest.API, x Transfers) {
	const path = "/agentassist/api/v1/public/{streamId}/assign-conversation"
	rest.Declare(api, rest.Operation{
		ID: "assign-conversation", Method: "POST", Path: path,
		Summary: "Transfer a conversation to a human agent or to a queue",
		Description: "Answers when the agent or the queue has taken the conversation, or has not. A queue where nobody is free takes it into " +
			"its line; " +
			"what comes of that is posted to callbackUrl too.",
		Tags: []string{"Transfers"}, Requirement: access.TokenOnly(access.ScopeRouting), Resolve: rest.ResolveAll(rest.OwnAccount(),
			rest.ProjectFrom("streamId")),
		Refusals: []fault.Code{fault.Conflict, fault.QueueFull, fault.NotExecuted},
	}, x.assign)
	rest.Declare(api, rest.Operation{
		ID: "list-transfers", Method: "GET", Path: "/api/v1/projects/{projectId}/transfers", Extension: true,
		Summary:     "List transfers to human agents and queues, newest first",
		Description: "Who was asked for, who took the conversation, and when.", Tags: []string{"Transfers"},
		Requirement: access.Needs(access.PermSessionRead), Resolve: rest.ProjectFrom("projectId"),
	}, x.list)
	document.DescribeWebhook[transferNotification](api.Description(), document.Webhook{Name: "transfer-told", Path: path,
		Address: "$request.body#/callbackUrl",
		Summary: "A transfer has succeeded or failed",
		Description: "Posted to the callbackUrl of assign-conversation. A transfer that waits in a queue's line is told of twice: when the " +
			"queue takes it, and when the wait is over."})
}

func (x Transfers) assign(ctx context.Context, in *assignIn) (*assignConversationOut, error) {
	asked, err := in.asked(x.CheckURL)
	if err != nil {
		return nil, err
	}
	res, err := x.Assign.Do(ctx, x.Caller(ctx), assign.Ask{OrgID: asked.OrgID, SessionID: asked.BotSessionID, HumanAgentID: asked.AID,
		QueueID: asked.QueueID, Skills: asked.Skills, CallbackURL: asked.CallbackURL})
	rest.Answers(ctx, res)
	if err != nil {
		return nil, err
	}
	return x.answerOf(ctx, res.State)
}

// answerOf shows the first outcome, whatever has happened since, and the conversation if
// there is one.
func (x Transfers) answerOf(ctx context.Context, s transfers.State) (*assignConversationOut, error) {
	out := &assignConversationOut{}
	b := &out.Body
	b.SessionID, b.AgentID, b.QueueID, b.TransferID = s.Request.SessionID, s.Request.HumanAgentID, s.Request.QueueID, s.Request.TransferID
	b.Status, b.Reason, b.RequestCompletedAt = string(s.Answer.Status), string(s.Answer.Reason), s.Answer.At.UnixMilli()
	opened, err := x.Transfers.HasConversation(ctx, s.Request.TenantID, s.Request.ProjectID, s.Request.ConversationID)
	if opened {
		b.ConversationID = s.Request.ConversationID
	}
	return out, err
}

// asked is what the query and the body say together.
func (in *assignIn) asked(checkURL func(string) error) (assignConversationBody, error) {
	b := assignConversationBody{}
	if in.Body != nil {
		b = *in.Body
	}
	var f fault.Fields
	for _, m := range []struct {
		name     string
		query    string
		body     *string
		required bool
	}{
		{"callbackUrl", in.CallbackURL, &b.CallbackURL, true}, {"orgId", in.OrgID, &b.OrgID, true}, {"botSessionId", in.BotSessionID,
			&b.BotSessionID, true},
		{"aId", in.AID, &b.AID, false}, {"queueId", in.QueueID, &b.QueueID, false}, {"transferredType", in.TransferredType, &b.TransferredType,
			false},
	} {
		switch {
		case m.query != "" && *m.body != "" && m.query != *m.body:
			f.Add(m.name, "is in the query and in the body with two values")
		case m.query != "":
			*m.body = m.query
		case *m.body == "" && m.required:
			f.Add(m.name, "is required, in the query or in the body")
		}
	}
	b.target(&f)
	if err := checkURL(b.CallbackURL); b.CallbackURL != "" && err != nil {
		f.Add("callbackUrl", "%s", err)
	}
	for _, s := range b.Skills {
		if !access.ValidID(s) {
			f.Add("skills", "must be ids: 1 to %d letters, digits, _ or - each", access.MaxIDLength)
			break
		}
	}
	return b, f.InOrder().Err()
}

// target refuses a request that does not name exactly one.
func (b assignConversationBody) target(f *fault.Fields) {
	switch {
	case b.AID == "" && b.QueueID == "" && b.TransferredType == "":
		f.Add("aId", "is required, unless there are queueId and transferredType")
	case b.AID != "" && (b.QueueID != "" || b.TransferredType != ""):
		f.Add("aId", "excludes queueId and transferredType: a conversation goes to an agent or to a queue")
	case b.AID == "" && b.QueueID == "":
		f.Add("queueId", "is required with transferredType")
	case b.QueueID != "" && b.TransferredType == "":
		f.Add("transferredType", "must be QUEUE with queueId")
	case b.AID != "" && len(b.Skills) > 0:
		f.Add("skills", "are for transfers to a queue")
	}
}

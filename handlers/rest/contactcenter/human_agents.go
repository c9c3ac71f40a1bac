package contactcenter

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// HumanAgents is what the operations on human agents need.
type HumanAgents struct {
	rest.Commands
	Agents humanAgentsKnown
}

// humanAgentsKnown knows the people of organisations; ok is false for what is not there.
type humanAgentsKnown interface {
	Organisation(ctx context.Context, tenant string) (orgID string, ok bool, err error)
	Agent(ctx context.Context, tenant, id string) (a contactcenter.HumanAgent, ok bool, err error)
	List(ctx context.Context, tenant, org string, page int, withQueues bool) ([]contactcenter.HumanAgent, error)
}

// DeclareHumanAgents adds the operations on human agents: their records and their
// presence.
func DeclareHumanAgents(api *rest.API, h HumanAgents) {
	tags, agent := []string{"Human agents"}, rest.ResolveAll(rest.ProjectFrom("streamId"), rest.OwnAccount(), h.agentOfPath)
	writes := []fault.Code{fault.Conflict, fault.NotExecuted, fault.OutcomeUnknown}
	rest.Declare(api, rest.Operation{
		ID: "update-human-agent", Method: http.MethodPut, Path: "/agentassist/api/v1/public/{streamId}/agents/{agentId}",
		Summary: "Update a human agent",
		Description: "Required members are always there; optional ones that are absent keep their value. emailId is unique in the " +
			"organisation, whatever its case. " +
			"Members of the answer that an update does not take (presence, queues, times) are ignored, so that an agent that was read can be sent " +
			"back.",
		Tags: tags, Requirement: access.TokenOnly(access.ScopeAssistAnalytics), Resolve: agent, Refusals: writes,
	}, h.update)
	rest.Declare(api, rest.Operation{
		ID: "get-human-agent", Method: http.MethodGet, Path: "/agentassist/api/v1/public/{streamId}/agents/{agentId}", Extension: true,
		Summary:     "Read a human agent",
		Description: "The agent as the list shows it, with presence.", Tags: tags, Requirement: access.TokenOnly(access.ScopeAssistAnalytics),
		Resolve: agent,
	}, h.get)
	rest.Declare(api, rest.Operation{
		ID: "set-human-agent-presence", Method: http.MethodPut, Path: "/agentassist/api/v1/public/{streamId}/agents/{agentId}/presence",
		Extension: true,
		Summary:   "Say whether a human agent is there",
		Description: "Only AVAILABLE agents get conversations. The ones that an agent has stay with it; one who has all that it can have of a " +
			"kind is shown as BUSY until one ends, " +
			"and is AVAILABLE then.",
		Tags: tags, Requirement: access.TokenOnly(access.ScopeAssistAnalytics, access.ScopeRouting), Resolve: agent, Refusals: writes,
	}, h.setPresence)
	rest.Declare(api, rest.Operation{
		ID: "list-human-agents", Method: http.MethodGet, Path: "/agentassist/api/v1/public/{streamId}/organizations/{orgId}/agents",
		Summary:     "List the human agents of an organisation by name, 50 a page",
		Description: "A page past the last one is empty.", Tags: tags,
		Requirement: access.TokenOnly(access.ScopeAssistAnalytics), Resolve: rest.ResolveAll(rest.ProjectFrom("streamId"), rest.OwnAccount(),
			h.organisationOfPath),
	}, h.list)
}

// humanAgent is a human agent as responses show it.
type humanAgent struct {
	humanagents.Record
	MaxChatSupport   int             `json:"maxChatSupport" doc:"The same as maxDigitalChatSupport."`
	OnlineStatus     string          `json:"onlineStatus" example:"Available" doc:"What the presence is called."`
	OnlineStatusType string          `json:"onlineStatusType" enum:"AVAILABLE,BUSY,AWAY,OFFLINE" doc:"What it means to routing. An AVAILABLE agent who has all the conversations of a kind that it can have, whoever brought them, is BUSY until one ends."`
	LastOnlineAt     string          `json:"lastOnlineAt,omitempty" format:"date-time" doc:"When the agent was last known to be there; absent: never."`
	CreatedAt        string          `json:"createdAt" format:"date-time"`
	UpdatedAt        string          `json:"updatedAt" format:"date-time"`
	Queues           *[]queueOfAgent `json:"queues,omitempty" doc:"The queues that the agent serves; with includeQueues only."`
}

type queueOfAgent struct {
	ID          string         `json:"id" example:"q-acme-support"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Agents      []queues.Agent `json:"agents"`
	AgentGroups []string       `json:"agentGroups" doc:"Ids of groups whose agents serve the queue too."`
}

func shown(a contactcenter.HumanAgent, withQueues bool) humanAgent {
	out := humanAgent{Record: a.Record.Normal(), MaxChatSupport: a.MaxDigitalChatSupport,
		OnlineStatus: a.PresenceName, OnlineStatusType: string(a.Presence),
		LastOnlineAt: rest.ISOTime(a.LastOnlineAt), CreatedAt: rest.ISOTime(&a.CreatedAt), UpdatedAt: rest.ISOTime(&a.UpdatedAt)}
	if a.Full && a.Presence == humanagents.Available {
		out.OnlineStatus, out.OnlineStatusType = humanagents.Busy.Name(), string(humanagents.Busy)
	}
	if withQueues {
		list := []queueOfAgent{}
		for _, q := range a.Queues {
			list = append(list, queueOfAgent{ID: q.ID, Name: q.Name, Description: q.Description, Agents: q.Agents, AgentGroups: q.AgentGroups})
		}
		out.Queues = &list
	}
	return out
}

type humanAgentOut struct{ Body humanAgent }

// HumanAgentPath is embedded by the inputs of the operations on one agent.
type HumanAgentPath struct {
	StreamID string `path:"streamId" doc:"A project's id or alias." example:"acme-bot"`
	AgentID  string `path:"agentId" doc:"The agent." example:"a-acme-maria"`
	rest.AccountHeader
}

type updateHumanAgentIn struct {
	HumanAgentPath
	Body struct {
		ID        string `json:"id" required:"true" minLength:"1" maxLength:"128" doc:"The same agent as in the path." example:"a-acme-maria"`
		AccountID string `json:"accountId" required:"true" minLength:"1" maxLength:"128" doc:"The account of the agent." example:"acme"`
		OrgID     string `json:"orgId" required:"true" minLength:"1" maxLength:"128" doc:"The organisation of the agent." example:"acme-org"`
		humanagents.Given
	}
}

func (h HumanAgents) update(ctx context.Context, in *updateHumanAgentIn) (*humanAgentOut, error) {
	tenant, agent, body := rest.PrincipalOf(ctx).TenantID, humanAgentOf(ctx), in.Body
	var f fault.Fields
	for _, m := range []struct{ field, given, is string }{{"id", body.ID, agent.ID}, {"accountId", body.AccountID, tenant},
		{"orgId", body.OrgID, agent.OrgID}} {
		if m.given != m.is {
			f.Add(m.field, "is not the one of the agent in the path")
		}
	}
	if _, err := rest.ResolveProject(ctx, body.IID); fault.Is(err, fault.NotFound) {
		f.Add("iId", "is not an application of the account")
	} else if err != nil {
		return nil, err
	}
	if err := f.InOrder().Err(); err != nil {
		return nil, err
	}
	cmd := humanagents.UpdateHumanAgent{TenantID: tenant, OrgID: agent.OrgID, ID: agent.ID, Given: body.Given, At: h.Now()}
	res, err := rest.Execute(ctx, h.Commands, humanagents.Organisations, humanagents.OrganisationStream(tenant, agent.OrgID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	return h.answer(ctx, agent.ID, res.Payloads())
}

type getHumanAgentIn struct{ HumanAgentPath }

func (h HumanAgents) get(ctx context.Context, _ *getHumanAgentIn) (*humanAgentOut, error) {
	return &humanAgentOut{Body: shown(humanAgentOf(ctx), false)}, nil
}

type presenceIn struct {
	HumanAgentPath
	Body struct {
		Type string `json:"onlineStatusType" required:"true" enum:"AVAILABLE,BUSY,AWAY,OFFLINE" doc:"What the presence means to routing." example:"AVAILABLE"`
		Name string `json:"onlineStatus,omitempty" maxLength:"100" doc:"What it is called; the type's own name when absent." example:"Lunch"`
	}
}

func (h HumanAgents) setPresence(ctx context.Context, in *presenceIn) (*humanAgentOut, error) {
	tenant, agent := rest.PrincipalOf(ctx).TenantID, humanAgentOf(ctx)
	cmd := humanagents.SetPresence{TenantID: tenant, HumanAgentID: agent.ID, Type: humanagents.PresenceType(in.Body.Type), Name: in.Body.Name,
		At: h.Now()}
	res, err := rest.Execute(ctx, h.Commands, humanagents.Desks, humanagents.DeskStream(tenant, agent.ID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	return h.answer(ctx, agent.ID, res.Payloads())
}

// answer is the agent as the accepted commit left it: what the commit is not about comes
// from the read model.
func (h HumanAgents) answer(ctx context.Context, id string, accepted []event.Payload) (*humanAgentOut, error) {
	agent, ok, err := h.Agents.Agent(ctx, rest.PrincipalOf(ctx).TenantID, id)
	if err != nil {
		return nil, err
	}
	if !ok { // removed since
		return nil, errNoHumanAgent()
	}
	for _, e := range accepted {
		switch e := e.(type) {
		case humanagents.HumanAgentUpdated:
			agent.Record, agent.UpdatedAt = e.Agent, e.UpdatedAt
		case humanagents.AgentPresenceChanged:
			agent.Presence, agent.PresenceName, agent.LastOnlineAt = e.Type, e.Name, e.LastOnlineAt
		}
	}
	return &humanAgentOut{Body: shown(agent, false)}, nil
}

type listHumanAgentsIn struct {
	StreamID string `path:"streamId" doc:"A project's id or alias." example:"acme-bot"`
	OrgID    string `path:"orgId" doc:"The account's organisation." example:"acme-org"`
	rest.AccountHeader
	Page          int  `query:"page" default:"1" minimum:"1" maximum:"1000000" doc:"Pages have 50 agents; one past the last is empty."`
	IncludeQueues bool `query:"includeQueues" doc:"Whether each agent shows the queues that it serves."`
}

type listHumanAgentsOut struct {
	Body struct {
		Results []humanAgent `json:"results"`
	}
}

func (h HumanAgents) list(ctx context.Context, in *listHumanAgentsIn) (*listHumanAgentsOut, error) {
	found, err := h.Agents.List(ctx, rest.PrincipalOf(ctx).TenantID, in.OrgID, in.Page, in.IncludeQueues)
	if err != nil {
		return nil, err
	}
	out := &listHumanAgentsOut{}
	out.Body.Results = []humanAgent{}
	for _, a := range found {
		out.Body.Results = append(out.Body.Results, shown(a, in.IncludeQueues))
	}
	return out, nil
}

func humanAgentOf(ctx context.Context) contactcenter.HumanAgent {
	return rest.Found[contactcenter.HumanAgent](ctx)
}

func errNoHumanAgent() error { return fault.New(fault.NotFound, "there is no such agent") }

func (h HumanAgents) agentOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	id := p.Path("agentId")
	if !access.ValidID(id) {
		return ctx, errNoHumanAgent()
	}
	a, ok, err := h.Agents.Agent(ctx, rest.PrincipalOf(ctx).TenantID, id)
	if err != nil {
		return ctx, err
	}
	if !ok {
		return ctx, errNoHumanAgent()
	}
	return rest.About(ctx, a), nil
}

func (h HumanAgents) organisationOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	org, ok, err := h.Agents.Organisation(ctx, rest.PrincipalOf(ctx).TenantID)
	if err == nil && (!ok || org != p.Path("orgId")) {
		err = fault.New(fault.NotFound, "there is no such organisation")
	}
	return ctx, err
}

package runtime

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

// AgentsAPI is what the operations on AI agents need.
type AgentsAPI struct {
	rest.Commands
	Agents   agentReader
	Deployed deployedVersions
}

// deployedVersions knows which versions of agents the environments of a project serve.
type deployedVersions interface {
	Versions(ctx context.Context, tenant, project string) (map[string]map[string]int, error)
}

// agentReader knows AI agents and their versions.
type agentReader interface {
	List(ctx context.Context, tenant, project string, limit, offset int) ([]runtime.Agent, int, error)
	Named(ctx context.Context, tenant, project, name string) ([]runtime.Agent, error)
	Versions(ctx context.Context, tenant, project, id string, limit, offset int) ([]runtime.AgentVersion, int, error)
	Version(ctx context.Context, tenant, project, id string, version int) (runtime.AgentVersion, bool, error)
}

const (
	projectAgentsPath = "/api/projects/{projectId}/agents"
	projectAgentPath  = projectAgentsPath + "/{agentName}"
	tagAgents         = "Agents"
)

// DeclareAgents adds the operations by which AI agents are found and read.
func DeclareAgents(api *rest.API, x AgentsAPI) {
	tags := []string{tagAgents}
	rest.Declare(api, rest.Operation{
		ID: "discover-agents", Method: http.MethodGet, Path: "/api/agents", Tags: tags, Summary: "List the agents of all projects",
		Description: "By name: of all projects of the account, or with an API key those of its project.",
		Requirement: access.SignedIn(access.CanListProject, access.Ability(access.PermAgentRead)), Resolve: projectOfQuery,
	}, x.discover)
	rest.Declare(api, rest.Operation{
		ID: "discover-agent", Method: http.MethodGet, Path: "/api/agents/{name}", Tags: tags, Summary: "Read an agent by its name",
		Description: "With the working copy of its source. An API key finds the agents of its project; a token may name the project, and has " +
			"to where several have an agent of that name: 409 names them.",
		Requirement: access.SignedIn(access.Ability(access.PermAgentRead)), Resolve: rest.ResolveAll(projectOfQuery, x.agentOf("name")),
		Refusals: []fault.Code{fault.Conflict},
	}, x.discoverOne)
	rest.Declare(api, rest.Operation{
		ID: "list-agents", Method: http.MethodGet, Path: projectAgentsPath, Tags: tags, Summary: "List the agents of a project by name",
		Description: "Without their sources.",
		Requirement: access.Needs(access.PermAgentRead), Resolve: rest.ProjectFrom("projectId"),
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "get-agent", Method: http.MethodGet, Path: projectAgentPath, Tags: tags, Summary: "Read an agent of a project",
		Description: "With the working copy of its source.",
		Requirement: access.Needs(access.PermAgentRead), Resolve: x.agentOfProject(),
	}, x.get)
}

// projectOfQuery finds the project of the query, if there is one.
func projectOfQuery(ctx context.Context, p rest.Params) (context.Context, error) {
	if id := p.Query("projectId"); id != "" {
		return rest.ResolveProject(ctx, id)
	}
	return ctx, nil
}

func (x AgentsAPI) agentOfProject() rest.ResolveFunc {
	return rest.ResolveAll(rest.ProjectFrom("projectId"), x.agentOf("agentName"))
}

// agentOf finds the agent that a path parameter names, in the project of the request.
func (x AgentsAPI) agentOf(param string) rest.ResolveFunc {
	return func(ctx context.Context, p rest.Params) (context.Context, error) {
		if !agents.ValidName(p.Path(param)) {
			return ctx, agents.Unknown()
		}
		found, err := x.Agents.Named(ctx, rest.PrincipalOf(ctx).TenantID, x.Caller(ctx).Project, p.Path(param))
		switch {
		case err != nil:
			return ctx, err
		case len(found) == 0:
			return ctx, agents.Unknown()
		case len(found) > 1:
			return ctx, fault.New(fault.Conflict, "several projects have an agent of that name, say which with projectId: %s",
				strings.Join(rest.Shown(found, func(a runtime.Agent) string { return a.ProjectID }), ", "))
		}
		return rest.About(ctx, found[0]), nil
	}
}

// agentAt is the agent that the request is about.
func agentAt(ctx context.Context) runtime.Agent { return rest.Found[runtime.Agent](ctx) }

// AgentSummary is an agent as lists of projects show it; what has more embeds it.
type AgentSummary struct {
	ID             string            `json:"id" example:"a-acme-greeter"`
	Name           string            `json:"name" example:"greeter"`
	AgentPath      string            `json:"agentPath" doc:"Slug of the project and name of the agent." example:"acme-bot/greeter"`
	Description    *string           `json:"description" nullable:"true"`
	VersionCount   int               `json:"versionCount" doc:"Versions that were saved."`
	ActiveVersions map[string]string `json:"activeVersions" doc:"The version that each environment serves, of those that serve the agent."`
	CreatedAt      string            `json:"createdAt" format:"date-time"`
	UpdatedAt      string            `json:"updatedAt" format:"date-time" doc:"When the definition or the working copy was changed last."`
}

// agentDetail is an agent with the working copy of its source.
type agentDetail struct {
	AgentSummary
	DSLContent string `json:"dslContent" doc:"The working copy."`
}

// summary shows agents of the project at hand.
func (x AgentsAPI) summary(ctx context.Context) (func(runtime.Agent) AgentSummary, error) {
	project := rest.ProjectOf(ctx)
	deployed, err := x.Deployed.Versions(ctx, project.TenantID, project.ID)
	return summaryOf(project, deployed), err
}

func summaryOf(p rest.ProjectRecord, deployed map[string]map[string]int) func(runtime.Agent) AgentSummary {
	return func(a runtime.Agent) AgentSummary {
		out := AgentSummary{ID: a.AgentID, Name: a.Name, AgentPath: p.Slug + "/" + a.Name, VersionCount: a.Versions,
			ActiveVersions: map[string]string{}, CreatedAt: rest.ISOTime(&a.CreatedAt), UpdatedAt: rest.ISOTime(&a.UpdatedAt)}
		for environment, version := range deployed[a.Name] {
			out.ActiveVersions[environment] = strconv.Itoa(version)
		}
		if a.Description != "" {
			out.Description = &a.Description
		}
		return out
	}
}

// AgentName is all that lists of all projects show of an agent.
type AgentName struct {
	ID   string `json:"id" example:"a-acme-greeter"`
	Name string `json:"name" example:"greeter"`
}

type discoverIn struct {
	ProjectID string `query:"projectId" doc:"Only of this project, by id or alias."`
	rest.Page
}

type discoverOut struct {
	Body struct {
		Success bool        `json:"success"`
		Total   int         `json:"total" doc:"How many there are in all."`
		Offset  int         `json:"offset"`
		Limit   int         `json:"limit"`
		Agents  []AgentName `json:"agents"`
	}
}

func (x AgentsAPI) discover(ctx context.Context, in *discoverIn) (*discoverOut, error) {
	found, total, err := x.Agents.List(ctx, rest.PrincipalOf(ctx).TenantID, x.Caller(ctx).Project, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &discoverOut{}
	out.Body.Success, out.Body.Total, out.Body.Offset, out.Body.Limit = true, total, in.Offset, in.Limit
	out.Body.Agents = rest.Shown(found, func(a runtime.Agent) AgentName { return AgentName{a.AgentID, a.Name} })
	return out, nil
}

type discoverOneIn struct {
	Name      string `path:"name" doc:"An agent's name." example:"greeter"`
	ProjectID string `query:"projectId" doc:"The project whose agent is meant, by id or alias."`
}

type discoverOneOut struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		Success bool `json:"success"`
		Agent   struct {
			AgentName
			DSLContent string `json:"dslContent" doc:"The working copy."`
		} `json:"agent"`
	}
}

func (x AgentsAPI) discoverOne(ctx context.Context, _ *discoverOneIn) (*discoverOneOut, error) {
	a, out := agentAt(ctx), &discoverOneOut{CacheControl: "private, max-age=300"}
	out.Body.Success, out.Body.Agent.AgentName, out.Body.Agent.DSLContent = true, AgentName{a.AgentID, a.Name}, a.DSL
	return out, nil
}

type listAgentsIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	rest.Page
}

type listAgentsOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Agents     []AgentSummary  `json:"agents"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

func (x AgentsAPI) list(ctx context.Context, in *listAgentsIn) (*listAgentsOut, error) {
	project := rest.ProjectOf(ctx)
	found, total, err := x.Agents.List(ctx, project.TenantID, project.ID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	show, err := x.summary(ctx)
	if err != nil {
		return nil, err
	}
	out := &listAgentsOut{}
	out.Body.Success, out.Body.Agents, out.Body.Pagination = true, rest.Shown(found, show), in.Of(total)
	return out, nil
}

// AgentPath is embedded by the inputs of the operations on one agent.
type AgentPath struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	AgentName string `path:"agentName" doc:"An agent's name." example:"greeter"`
}

type agentOut struct {
	Body struct {
		Success bool        `json:"success"`
		Agent   agentDetail `json:"agent"`
	}
}

func (x AgentsAPI) get(ctx context.Context, _ *struct{ AgentPath }) (*agentOut, error) {
	return x.shownAgent(ctx, agentAt(ctx))
}

func (x AgentsAPI) shownAgent(ctx context.Context, a runtime.Agent) (*agentOut, error) {
	show, err := x.summary(ctx)
	if err != nil {
		return nil, err
	}
	out := &agentOut{}
	out.Body.Success, out.Body.Agent = true, agentDetail{show(a), a.DSL}
	return out, nil
}

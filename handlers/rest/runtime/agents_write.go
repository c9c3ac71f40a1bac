package runtime

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
)

// DeclareAgentSources adds the operations that make agents and save their sources.
func DeclareAgentSources(api *rest.API, x AgentsAPI) {
	tags, writes := []string{tagAgents}, []fault.Code{fault.NotExecuted, fault.OutcomeUnknown}
	rest.Declare(api, rest.Operation{
		ID: "create-agent", Method: http.MethodPost, Path: projectAgentsPath, Extension: true, Status: http.StatusCreated, Tags: tags,
		Summary:     "Create an agent",
		Description: "The source may be anything: it is compiled when it is deployed.",
		Requirement: access.Needs(access.PermAgentWrite), Resolve: rest.ProjectFrom("projectId"), Refusals: append(writes, fault.Conflict),
	}, x.create)
	rest.Declare(api, rest.Operation{
		ID: "save-agent-dsl", Method: http.MethodPut, Path: projectAgentPath + "/dsl", Tags: tags, Summary: "Save an agent's source",
		Description: "Saves the working copy only: nothing is compiled, and no version is made. Calls and campaigns whose agent is deployed " +
			"nowhere go by the working copy.",
		Requirement: access.Needs(access.PermAgentWrite), Resolve: x.agentOfProject(), Refusals: append(writes, fault.Conflict),
	}, x.save)
}

type createAgentIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Body      struct {
		Name        string `json:"name" required:"true" minLength:"1" maxLength:"64" doc:"Letters, digits, _ . and -; unique in the project." example:"greeter"`
		Description string `json:"description,omitempty" maxLength:"1000"`
		DSLContent  string `json:"dslContent" required:"true" minLength:"1" doc:"The source, at most 256 KiB." example:"DSL: 1\nAGENT: greeter\nON_START: {SAY: Hello}\n"`
	}
}

func (x AgentsAPI) create(ctx context.Context, in *createAgentIn) (*agentOut, error) {
	project := rest.ProjectOf(ctx)
	cmd := agents.Create{TenantID: project.TenantID, ProjectID: project.ID, ID: "a-" + x.NewID(ctx, "agent").String(), Name: in.Body.Name,
		Description: in.Body.Description, DSLContent: in.Body.DSLContent, At: x.Now()}
	if _, err := rest.Execute(ctx, x.Commands, agents.Agents, agents.Stream(project.TenantID, project.ID), cmd.Decide); err != nil {
		return nil, err
	}
	found, err := x.Agents.Named(ctx, project.TenantID, project.ID, in.Body.Name)
	if err == nil && len(found) == 0 { // removed since, by another request
		err = agents.Unknown()
	}
	if err != nil {
		return nil, err
	}
	return x.shownAgent(ctx, found[0])
}

type saveAgentIn struct {
	AgentPath
	Body struct {
		DSLContent string `json:"dslContent" required:"true" minLength:"1" doc:"The source, at most 256 KiB."`
	}
}

type savedAgentOut struct {
	Body struct {
		Success   bool   `json:"success"`
		UpdatedAt string `json:"updatedAt" format:"date-time"`
	}
}

func (x AgentsAPI) save(ctx context.Context, in *saveAgentIn) (*savedAgentOut, error) {
	return x.saveText(ctx, in.Body.DSLContent, "")
}

// saveText makes a text the working copy of the request's agent.
func (x AgentsAPI) saveText(ctx context.Context, text, restored string) (*savedAgentOut, error) {
	a, project := agentAt(ctx), rest.ProjectOf(ctx)
	cmd := agents.Save{TenantID: project.TenantID, ProjectID: project.ID, AgentID: a.AgentID, DSLContent: text, Restored: restored,
		At: x.Now()}
	res, err := rest.Execute(ctx, x.Commands, agents.Agents, agents.Stream(project.TenantID, project.ID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	at := a.UpdatedAt // unless something was saved
	if e, ok := eventstore.Find[agents.DSLSaved](res); ok {
		at = e.At
	}
	out := &savedAgentOut{}
	out.Body.Success, out.Body.UpdatedAt = true, rest.ISOTime(&at)
	return out, nil
}

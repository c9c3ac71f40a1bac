// Package openai has the operations that programs written for OpenAI's API call: chat
// completions, and the list of models. A model is a deployment, by how it is called from
// outside, or a model of the project or of the server.
//
// It reads and writes their form. What asks a model, and what a session says, is package
// runtime's.
package openai

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	models "github.com/parley-platform/parley/projections/runtime"
)

// API is what the operations need.
type API struct {
	Completions runtime.CompletionsAPI
	Chat        runtime.ChatAPI
	Deployments servedReader
}

// servedReader knows deployments by how they are called from outside.
type servedReader interface {
	Called(ctx context.Context, tenant, project, endpoint string) (models.Deployment, bool, error)
	Active(ctx context.Context, tenant, project string, most int) ([]models.Deployment, error)
}

const (
	completionsPath = "/v1/chat/completions"
	modelsPath      = "/v1/models"
	modelPath       = modelsPath + "/{model}"
	mostServed      = 1000
)

// Declare adds them.
func Declare(api *rest.API, x API) {
	tags, can := []string{"Chat"}, access.SignedIn(access.CanChat)
	rest.Declare(api, rest.Operation{
		ID: "create-openai-completion", Method: http.MethodPost, Path: completionsPath, Tags: tags, Extension: true,
		Summary: "Talk with a deployment or a model, in OpenAI's form",
		Description: "Where `model` is the `endpointSlug` of a deployment, the last message of the user is a turn of the session that " +
			"`metadata.sessionId` or `X-Session-Id` names, or of a new one; the session knows what was said before, so other messages are " +
			"passed over, and tools and figures are the agents' own. The answer has the session in both places. Where `model` is a model of " +
			"the project or of the server, it is a completion as of complete-chat, for the project of the API key or of the header " +
			"`OpenAI-Project`. With `stream` it comes as Server-Sent Events, of which the last is `[DONE]`; one that breaks off ends with " +
			"`error` instead.",
		Requirement: can, Errors: rest.OpenAIErrors,
		MaxBody: runtime.LargestQuestion, Refusals: []fault.Code{fault.Conflict, fault.Gone, fault.BudgetExceeded, fault.Unavailable},
	}, x.complete)
	answer := api.Description().Paths[completionsPath].Post.Responses["200"]
	answer.Description = "The answer, or with `stream` events whose data are its chunks"
	schema := api.Description().Components.Schemas.Schema(reflect.TypeFor[OpenAICompletion](), true, "")
	answer.Content = map[string]*huma.MediaType{"application/json": {Schema: schema},
		eventstream.Format: {Schema: &huma.Schema{Type: huma.TypeString}}}
	rest.Declare(api, rest.Operation{
		ID: "list-openai-models", Method: http.MethodGet, Path: modelsPath, Tags: tags, Extension: true,
		Summary: "List what create-openai-completion may be asked for, in OpenAI's form",
		Description: "The server's models, whose `created` is 0, and the active deployments of the account, of one project with an API key " +
			"or the header `OpenAI-Project`: at most 1,000.",
		Requirement: can, Errors: rest.OpenAIErrors,
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "get-openai-model", Method: http.MethodGet, Path: modelPath, Tags: tags, Extension: true,
		Summary:     "Read one of what create-openai-completion may be asked for, in OpenAI's form",
		Description: "As list-openai-models shows it, of the same project; 404 for what is not there.",
		Requirement: can, Errors: rest.OpenAIErrors,
	}, x.get)
}

// ProjectHeader names a project as OpenAI's clients do.
type ProjectHeader struct {
	Project string `header:"OpenAI-Project" maxLength:"128" doc:"A project's id or alias; the API key's own unless said."`
}

// project finds the project that a request is about; without one it is about all.
func (h ProjectHeader) project(ctx context.Context) (context.Context, error) {
	if id := cmp.Or(h.Project, rest.PrincipalOf(ctx).ProjectID); id != "" {
		return rest.ResolveProject(ctx, id)
	}
	return ctx, nil
}

type modelsIn struct{ ProjectHeader }

// OpenAIModel is what may be asked.
type OpenAIModel struct {
	ID      string `json:"id"`
	Object  string `json:"object" enum:"model"`
	Created int64  `json:"created" doc:"Seconds since 1970; 0: nobody knows."`
	OwnedBy string `json:"owned_by" doc:"The provider of a model; of a deployment the id of its project."`
}

type modelsOut struct {
	Body struct {
		Object string        `json:"object" enum:"list"`
		Data   []OpenAIModel `json:"data"`
	}
}

func (x API) list(ctx context.Context, in *modelsIn) (*modelsOut, error) {
	ctx, err := in.project(ctx)
	if err != nil {
		return nil, err
	}
	here, _, err := x.Completions.ModelsHere(ctx)
	if err != nil {
		return nil, err
	}
	served, err := x.Deployments.Active(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, mostServed)
	if err == nil {
		served, err = ofProjectsThatAre(ctx, served)
	}
	if err != nil {
		return nil, err
	}
	out := &modelsOut{}
	out.Body.Object = "list"
	out.Body.Data = append(rest.Shown(here.Offered(), shownModel), rest.Shown(served, shownDeployment)...)
	return out, nil
}

// ofProjectsThatAre leaves out the deployments of projects that were removed, which stay
// behind and serve nobody.
func ofProjectsThatAre(ctx context.Context, served []models.Deployment) (out []models.Deployment, err error) {
	looked := map[string]error{}
	for _, d := range served {
		gone, ok := looked[d.ProjectID]
		if !ok {
			_, gone = rest.ResolveProject(ctx, d.ProjectID)
			looked[d.ProjectID] = gone
		}
		switch {
		case gone == nil:
			out = append(out, d)
		case !fault.Is(gone, fault.NotFound):
			return nil, gone
		}
	}
	return out, nil
}

func shownModel(m completions.Chosen) OpenAIModel {
	return OpenAIModel{ID: m.ModelID, Object: "model", OwnedBy: m.Provider}
}

func shownDeployment(d models.Deployment) OpenAIModel {
	return OpenAIModel{ID: d.EndpointSlug, Object: "model", Created: d.CreatedAt.Unix(), OwnedBy: d.ProjectID}
}

type modelIn struct {
	ProjectHeader
	Model string `path:"model" doc:"As list-openai-models calls it." example:"local"`
}

type modelOut struct{ Body OpenAIModel }

func (x API) get(ctx context.Context, in *modelIn) (*modelOut, error) {
	ctx, err := in.project(ctx)
	if err != nil {
		return nil, err
	}
	d, m, err := x.asked(ctx, in.Model)
	switch {
	case err != nil:
		return nil, err
	case m != nil:
		return &modelOut{shownModel(*m)}, nil
	case d.Status != deployments.Active: // it still serves sessions, but is offered to nobody
		return nil, unknownModel()
	}
	return &modelOut{shownDeployment(d)}, nil
}

// asked is whom a request names: a model of the project or of the server, whose names nobody
// else takes, or a deployment.
func (x API) asked(ctx context.Context, model string) (d models.Deployment, m *completions.Chosen, err error) {
	here, _, err := x.Completions.ModelsHere(ctx)
	if err != nil {
		return d, nil, err
	}
	offered := here.Offered()
	if i := slices.IndexFunc(offered, func(m completions.Chosen) bool { return m.ModelID == model }); i >= 0 {
		return d, &offered[i], nil
	}
	d, ok, err := x.Deployments.Called(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, model)
	if err != nil || !ok {
		return d, nil, cmp.Or(err, unknownModel())
	}
	if _, err = rest.ResolveProject(ctx, d.ProjectID); fault.Is(err, fault.NotFound) {
		err = unknownModel()
	}
	return d, nil, err
}

func unknownModel() error {
	unknown := fault.New(fault.NotFound, "there is no model and no deployment of that name: see list-openai-models")
	unknown.Details = []fault.Detail{{Field: "model", Problem: "is not known"}}
	return unknown
}

package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/runtime"
)

// DeploymentsAPI is what the operations on deployments need.
type DeploymentsAPI struct {
	rest.Commands
	Deployments deployedReader
	Agents      agentReader
	Workflows   workflowVersions
	Settings    settingsVersions
	Channels    channelCounter
	Programs    *acts.Programs
	Drain       time.Duration // for so long sessions of a retired one go on; 0: 30 s
}

// deployedReader knows what is deployed.
type deployedReader interface {
	Get(ctx context.Context, tenant, project, id string) (runtime.Deployment, bool, error)
	List(ctx context.Context, tenant, project, environment, status string, limit, offset int) ([]runtime.Deployment, int, error)
	Before(ctx context.Context, tenant, project string, d runtime.Deployment) (runtime.Deployment, bool, error)
	Serving(ctx context.Context, tenant, project, environment string) (runtime.Deployment, bool, error)
}

// channelCounter knows how many channels lead to a deployment that is the newest active one of
// some environments.
type channelCounter interface {
	LeadTo(ctx context.Context, tenant, project, deployment string, environments []string) (int, error)
}

// workflowVersions knows which versions of workflows there are.
type workflowVersions interface {
	Workflows(ctx context.Context, tenant, project string) (map[string]runtime.WorkflowVersions, error)
}

// settingsVersions knows which versions of its settings a project has.
type settingsVersions interface {
	Version(ctx context.Context, tenant, project, id string) (runtime.SettingsVersion, bool, error)
}

const (
	deploymentsPath = "/api/projects/{projectId}/deployments"
	deploymentPath  = deploymentsPath + "/{deploymentId}"
)

// DeclareDeployments adds the operations on deployments.
func DeclareDeployments(api *rest.API, x DeploymentsAPI) {
	x.Drain = cmp.Or(x.Drain, 30*time.Second)
	tags, writes := []string{"Deployments"}, []fault.Code{fault.NotExecuted, fault.OutcomeUnknown}
	read, write := access.SignedIn(access.CanListProject, access.Ability(access.PermDeploymentCreate)),
		access.Needs(access.PermDeploymentCreate)
	rest.Declare(api, rest.Operation{
		ID: "create-deployment", Method: http.MethodPost, Path: deploymentsPath, Status: http.StatusCreated, Tags: tags,
		Summary: "Deploy agents to an environment",
		Description: "Each agent that can be reached by a handoff or a delegate has to be in the manifest. Sources are compiled; what is wrong " +
			"with them is told with lines, and nothing is saved then. Working copies that are to be deployed become versions before it, " +
			"all of them or none: one that is saved anew meanwhile is 409. New sessions of the environment begin with it at once.",
		Requirement: write, Resolve: rest.ProjectFrom("projectId"), Refusals: append(writes, fault.LimitReached, fault.Conflict),
	}, x.create)
	rest.Declare(api, rest.Operation{
		ID: "list-deployments", Method: http.MethodGet, Path: deploymentsPath, Tags: tags, Summary: "List deployments, the newest first",
		Description: "Of one environment, or with one status, if it is named.",
		Requirement: read, Resolve: rest.ProjectFrom("projectId"),
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "get-deployment", Method: http.MethodGet, Path: deploymentPath, Tags: tags, Summary: "Read a deployment",
		Description: "With what changed against the one that was made before it in its environment.",
		Requirement: read, Resolve: x.deploymentOfPath(),
	}, x.get)
	rest.Declare(api, rest.Operation{
		ID: "retire-deployment", Method: http.MethodPost, Path: deploymentPath + "/retire", Tags: tags,
		Summary: "Take a deployment out of service",
		Description: "New sessions are refused at once with 410, those that have begun after half a minute, or what the server's " +
			"`--deployment-drain` says. Once more changes nothing.",
		Requirement: write, Resolve: x.deploymentOfPath(), Refusals: writes,
	}, x.retire)
	rest.Declare(api, rest.Operation{
		ID: "rollback-deployment", Method: http.MethodPost, Path: deploymentPath + "/rollback", Tags: tags,
		Summary:     "Make a retired deployment serve its environment again",
		Description: "Its versions are there still, whatever became of their agents. Of an active one it is refused.",
		Requirement: write, Resolve: x.deploymentOfPath(), Refusals: append(writes, fault.Conflict),
	}, x.rollBack)
	rest.Declare(api, rest.Operation{
		ID: "promote-deployment", Method: http.MethodPost, Path: deploymentPath + "/promote", Status: http.StatusCreated, Tags: tags,
		Summary: "Deploy the same versions to the next environment",
		Description: "dev, staging, production. The one that is promoted stays as it is. From production nothing is promoted, " +
			"and nowhere backward. The TESTS in the sources of its agents are run before; where one does not pass nothing is promoted, " +
			"and 409 names it: `skipTests` promotes all the same, and stands on the event.",
		Requirement: write, Resolve: x.deploymentOfPath(), Refusals: append(writes, fault.LimitReached, fault.Conflict),
	}, x.promote)
}

// DeploymentShown is a deployment as it is shown.
type DeploymentShown struct {
	ID                      string            `json:"id" example:"d-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	ProjectID               string            `json:"projectId"`
	Environment             string            `json:"environment" enum:"dev,staging,production"`
	Status                  string            `json:"status" enum:"active,retired"`
	Label                   string            `json:"label"`
	Description             *string           `json:"description" nullable:"true"`
	EndpointSlug            string            `json:"endpointSlug" example:"acme-bot-dev-1b8e70aa"`
	EntryAgentName          string            `json:"entryAgentName"`
	AgentVersionManifest    map[string]string `json:"agentVersionManifest" doc:"Versions by agent, never auto."`
	ModelOverrides          jsontext.Object   `json:"modelOverrides,omitempty"`
	SettingsVersionID       string            `json:"settingsVersionId,omitempty" doc:"The version of the project's settings that holds in its sessions; left out: the newest at each moment."`
	WorkflowVersionManifest map[string]string `json:"workflowVersionManifest,omitempty"`
	PromotedFrom            string            `json:"promotedFrom,omitempty" doc:"The deployment that it was promoted from (extension)."`
	RetiredAt               string            `json:"retiredAt,omitempty" format:"date-time"`
	CreatedAt               string            `json:"createdAt" format:"date-time"`
	CreatedBy               string            `json:"createdBy"`
}

func shownDeployment(d runtime.Deployment) DeploymentShown {
	out := DeploymentShown{ID: d.DeploymentID, ProjectID: d.ProjectID, Environment: d.Environment, Status: string(d.Status), Label: d.Label,
		EndpointSlug: d.EndpointSlug, EntryAgentName: d.EntryAgent, AgentVersionManifest: map[string]string{}, PromotedFrom: d.PromotedFrom,
		SettingsVersionID: d.SettingsVersion,
		RetiredAt:         rest.ISOTime(d.RetiredAt), CreatedAt: rest.ISOTime(&d.CreatedAt), CreatedBy: d.CreatedBy}
	if d.Description != "" {
		out.Description = &d.Description
	}
	for name, pin := range d.Manifest {
		out.AgentVersionManifest[name] = strconv.Itoa(pin.Version)
	}
	if len(d.Overrides) > 0 {
		out.ModelOverrides, _ = json.Marshal(d.Overrides)
	}
	if len(d.Workflows) > 0 {
		out.WorkflowVersionManifest = map[string]string{}
		for name, version := range d.Workflows {
			out.WorkflowVersionManifest[name] = strconv.Itoa(version)
		}
	}
	return out
}

type agentsDeploymentOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Deployment DeploymentShown `json:"deployment"`
	}
}

type listDeploymentsIn struct {
	ProjectID   string `path:"projectId" doc:"A project's id or alias."`
	Environment string `query:"environment" enum:"dev,staging,production"`
	Status      string `query:"status" enum:"active,retired"`
	rest.Page
}

type listDeploymentsOut struct {
	Body struct {
		Success     bool              `json:"success"`
		Deployments []DeploymentShown `json:"deployments"`
		Pagination  rest.Pagination   `json:"pagination"`
	}
}

func (x DeploymentsAPI) list(ctx context.Context, in *listDeploymentsIn) (*listDeploymentsOut, error) {
	project := rest.ProjectOf(ctx)
	found, total, err := x.Deployments.List(ctx, project.TenantID, project.ID, in.Environment, in.Status, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listDeploymentsOut{}
	out.Body.Success, out.Body.Deployments, out.Body.Pagination = true, rest.Shown(found, shownDeployment), in.Of(total)
	return out, nil
}

func (x DeploymentsAPI) deploymentOfPath() rest.ResolveFunc {
	return rest.ResolveAll(rest.ProjectFrom("projectId"), func(ctx context.Context, p rest.Params) (context.Context, error) {
		return rest.AboutOne(ctx, p.Path("deploymentId"), x.Deployments.Get, deployments.Unknown)
	})
}

func deploymentAt(ctx context.Context) runtime.Deployment { return rest.Found[runtime.Deployment](ctx) }

// DeploymentPath is embedded by the inputs of the operations on one deployment.
type DeploymentPath struct {
	ProjectID    string `path:"projectId" doc:"A project's id or alias."`
	DeploymentID string `path:"deploymentId" doc:"A deployment's id."`
}

// DeploymentChange is one difference between two deployments.
type DeploymentChange struct {
	What string `json:"what" enum:"agent,entryAgent,modelOverride,settings,workflow" example:"agent"`
	Name string `json:"name" doc:"Of the agent or workflow; of settings the version."`
	From string `json:"from" doc:"A version, an agent, or the JSON of an override; empty: it was not there."`
	To   string `json:"to" doc:"Empty: it is not there any more."`
}

// DeploymentDetail is a deployment with what belongs to it.
type DeploymentDetail struct {
	DeploymentShown
	ChannelCount int                `json:"channelCount" doc:"Active connections and SDK channels that lead to it now."`
	Changes      []DeploymentChange `json:"changes" doc:"Against the deployment that was made before it in its environment (extension)."`
}

type getDeploymentOut struct {
	Body struct {
		Success    bool             `json:"success"`
		Deployment DeploymentDetail `json:"deployment"`
	}
}

func (x DeploymentsAPI) get(ctx context.Context, _ *struct{ DeploymentPath }) (*getDeploymentOut, error) {
	project, d := rest.ProjectOf(ctx), deploymentAt(ctx)
	before, _, err := x.Deployments.Before(ctx, project.TenantID, project.ID, d)
	if err != nil {
		return nil, err
	}
	out := &getDeploymentOut{}
	out.Body.Success, out.Body.Deployment = true, DeploymentDetail{DeploymentShown: shownDeployment(d), Changes: changesOf(before, d)}
	out.Body.Deployment.ChannelCount, err = x.channels(ctx, d)
	return out, err
}

// channels counts those that lead to a deployment. To a retired one none does, also if it names it: nobody answers there.
func (x DeploymentsAPI) channels(ctx context.Context, d runtime.Deployment) (int, error) {
	if d.Status != deployments.Active {
		return 0, nil
	}
	project, environments := rest.ProjectOf(ctx), []string{}
	for _, environment := range []string{"", d.Environment} {
		serving, ok, err := x.Deployments.Serving(ctx, project.TenantID, project.ID, environment)
		if err != nil {
			return 0, err
		}
		if ok && serving.DeploymentID == d.DeploymentID {
			environments = append(environments, environment)
		}
	}
	return x.Channels.LeadTo(ctx, project.TenantID, project.ID, d.DeploymentID, environments)
}

// changesOf is what a deployment serves otherwise than the one before; of the first, all.
func changesOf(before, d runtime.Deployment) []DeploymentChange {
	out := []DeploymentChange{}
	if before.EntryAgent != d.EntryAgent {
		out = append(out, DeploymentChange{"entryAgent", d.EntryAgent, before.EntryAgent, d.EntryAgent})
	}
	if from, to := before.SettingsVersion, d.SettingsVersion; from != to {
		out = append(out, DeploymentChange{"settings", cmp.Or(to, from), from, to})
	}
	out = append(out, changed("agent", before.Manifest, d.Manifest, func(p deployments.Pin) string { return strconv.Itoa(p.Version) })...)
	out = append(out, changed("modelOverride", before.Overrides, d.Overrides, func(o json.RawMessage) string { return string(o) })...)
	return append(out, changed("workflow", before.Workflows, d.Workflows, strconv.Itoa)...)
}

// changed are the differences between two sets of named things, by their names.
func changed[V any](what string, before, after map[string]V, text func(V) string) (out []DeploymentChange) {
	names := map[string]bool{}
	for name := range before {
		names[name] = true
	}
	for name := range after {
		names[name] = true
	}
	shown := func(of map[string]V, name string) string {
		if v, in := of[name]; in {
			return text(v)
		}
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if from, to := shown(before, name), shown(after, name); from != to {
			out = append(out, DeploymentChange{what, name, from, to})
		}
	}
	return out
}

package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/runtime"
)

type createDeploymentIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Body      struct {
		Environment             string                     `json:"environment" required:"true" enum:"dev,staging,production"`
		AgentVersionManifest    jsontext.Anything          `json:"agentVersionManifest" required:"true" doc:"Versions by agent, each a text such as \"3\", or auto: the working copy is saved as a version. auto alone stands for all agents that the entry agent can reach."`
		EntryAgentName          string                     `json:"entryAgentName" required:"true" minLength:"1" maxLength:"64" example:"greeter"`
		Label                   string                     `json:"label,omitempty" maxLength:"200"`
		Description             string                     `json:"description,omitempty" maxLength:"1000"`
		ModelOverrides          map[string]jsontext.Object `json:"modelOverrides,omitempty" doc:"By agent of the manifest, each an object of at most 4 KiB that says what holds in place of its MODEL: tier or modelId, fallbackTier, extractTier, temperature, maxTokens. Other members are kept, and say nothing."`
		SettingsVersionID       string                     `json:"settingsVersionId,omitempty" maxLength:"128" doc:"A version of the project's settings (get-project-settings) that holds in its sessions; left out: the newest at each moment."`
		WorkflowVersionManifest map[string]string          `json:"workflowVersionManifest,omitempty" doc:"Versions by the names of workflows, each a text such as \"3\". Its sessions run that version, whatever is live, and however the workflow is called later."`
	}
}

func (x DeploymentsAPI) create(ctx context.Context, in *createDeploymentIn) (*agentsDeploymentOut, error) {
	project := rest.ProjectOf(ctx)
	stream := deployments.Stream(project.TenantID, project.ID)
	done, is, err := rest.Repeated(ctx, x.Commands, deployments.Deployments, stream)
	switch {
	case err != nil:
		return nil, err
	case is:
		return answerCreated(done)
	}
	what, err := x.what(ctx, in)
	if err != nil {
		return nil, err
	}
	read, err := eventstore.Read(ctx, x.Store, deployments.Deployments, stream)
	if err != nil {
		return nil, err
	}
	if err = read.State.HasRoom(); err != nil {
		return nil, err
	}
	if err = x.numbered(ctx, what.Manifest); err != nil {
		return nil, err
	}
	cmd := deployments.Create{TenantID: project.TenantID, ProjectID: project.ID, ProjectSlug: project.Slug,
		DeploymentID: x.deploymentID(ctx), What: what, CreatedBy: rest.PrincipalOf(ctx).Actor(), At: x.Now()}
	return x.made(ctx, cmd.Decide)
}

// what is what a deployment is to serve, all of it compiled and nothing of it saved yet. A
// refusal names all that is wrong.
func (x DeploymentsAPI) what(ctx context.Context, in *createDeploymentIn) (deployments.What, error) {
	b, problems := in.Body, fault.Fields{}
	what := deployments.What{Environment: b.Environment, Label: b.Label, Description: b.Description, EntryAgent: b.EntryAgentName}
	versions, all, err := wanted(json.RawMessage(b.AgentVersionManifest))
	if err != nil {
		return what, err
	}
	if _, in := versions[b.EntryAgentName]; !in && !all {
		problems.Add("entryAgentName", "is not in agentVersionManifest")
	}
	if what.SettingsVersionID, err = x.settings(ctx, b.SettingsVersionID, &problems); err != nil {
		return what, err
	}
	if what.Workflows, what.WorkflowIDs, err = x.workflows(ctx, b.WorkflowVersionManifest, &problems); err != nil {
		return what, err
	}
	if what.Manifest, err = x.resolved(ctx, b.EntryAgentName, versions, all, &problems); err != nil {
		return what, err
	}
	what.Overrides = overrides(b.ModelOverrides, what.Manifest, &problems)
	return what, problems.Err()
}

// overrides are those of agents of a manifest.
func overrides(wanted map[string]jsontext.Object, manifest map[string]deployments.Pin, problems *fault.Fields) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		override := json.RawMessage(wanted[name])
		if _, in := manifest[name]; !in {
			problems.Add("modelOverrides", "names %s, which is not in agentVersionManifest", name)
		}
		_, wrong := deployments.NewOverride(name, override)
		*problems = append(*problems, wrong.InOrder()...)
		if out == nil {
			out = map[string]json.RawMessage{}
		}
		out[name] = override
	}
	return out
}

func (x DeploymentsAPI) deploymentID(ctx context.Context) string {
	return deployments.IDPrefix + x.NewID(ctx, "deployment").String()
}

// settings is the id of a version that there is, or none.
func (x DeploymentsAPI) settings(ctx context.Context, id string, problems *fault.Fields) (string, error) {
	if id == "" {
		return "", nil
	}
	project, known := rest.ProjectOf(ctx), access.ValidID(id)
	if known {
		var err error
		if _, known, err = x.Settings.Version(ctx, project.TenantID, project.ID, id); err != nil {
			return "", err
		}
	}
	if !known {
		problems.Add("settingsVersionId", "names no version of the project's settings")
	}
	return id, nil
}

// workflows are the versions that are wanted, if there are such, and which workflows have the names.
func (x DeploymentsAPI) workflows(ctx context.Context, wanted map[string]string, problems *fault.Fields) (versions map[string]int,
	ids map[string]string, err error) {
	if len(wanted) == 0 {
		return nil, nil, nil
	}
	project := rest.ProjectOf(ctx)
	known, err := x.Workflows.Workflows(ctx, project.TenantID, project.ID)
	if err != nil {
		return nil, nil, err
	}
	versions, ids = map[string]int{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		w, is := known[name]
		n, notNumber := strconv.ParseInt(wanted[name], 10, 32)
		switch {
		case !is:
			problems.Add("workflowVersionManifest", "names %s, which is no workflow of the project", name)
		case notNumber != nil || !slices.Contains(w.Numbers, int32(n)):
			problems.Add("workflowVersionManifest", "has version %q of %s, which has versions \"1\" to \"%d\"", wanted[name], name, len(w.Numbers))
		}
		versions[name], ids[name] = int(n), w.ID
	}
	return versions, ids, nil
}

// made runs a command that makes a deployment, and answers with it.
func (x DeploymentsAPI) made(ctx context.Context, decide func(deployments.State) ([]event.Payload, error)) (*agentsDeploymentOut, error) {
	project := rest.ProjectOf(ctx)
	res, err := rest.Execute(ctx, x.Commands, deployments.Deployments, deployments.Stream(project.TenantID, project.ID), decide)
	if err != nil {
		return nil, err
	}
	return answerCreated(res)
}

// answerCreated is the answer of a request that has made a deployment.
func answerCreated(res eventstore.Result[deployments.State]) (*agentsDeploymentOut, error) {
	e, err := rest.Payload[deployments.Created](res)
	if err != nil {
		return nil, err
	}
	out := &agentsDeploymentOut{}
	out.Body.Success, out.Body.Deployment = true, shownDeployment(runtime.Deployment{DeploymentID: e.DeploymentID,
		ProjectID:   e.ProjectID,
		Environment: e.Environment, Status: deployments.Active, Label: e.Label, Description: e.Description,
		EndpointSlug: e.EndpointSlug,
		EntryAgent:   e.EntryAgent, Pins: runtime.Pins{Manifest: e.Manifest, Overrides: e.Overrides}, Workflows: e.Workflows,
		PromotedFrom: e.PromotedFrom, SettingsVersion: e.SettingsVersionID,
		CreatedBy: e.CreatedBy, CreatedAt: e.At})
	return out, nil
}

type promoteIn struct {
	DeploymentPath
	Body *struct {
		TargetEnvironment string `json:"targetEnvironment,omitempty" enum:"dev,staging,production" doc:"The next one unless said."`
		Label             string `json:"label,omitempty" maxLength:"200"`
		SkipTests         bool   `json:"skipTests,omitempty" doc:"Promotes without running the TESTS of the agents; stands on the event."`
	}
}

func (x DeploymentsAPI) promote(ctx context.Context, in *promoteIn) (*agentsDeploymentOut, error) {
	project := rest.ProjectOf(ctx)
	cmd := deployments.Promote{From: deploymentAt(ctx).DeploymentID, TenantID: project.TenantID, ProjectID: project.ID,
		ProjectSlug: project.Slug, DeploymentID: x.deploymentID(ctx), CreatedBy: rest.PrincipalOf(ctx).Actor(), At: x.Now()}
	if b := in.Body; b == nil && len(rest.RawBody(ctx)) > 0 { // null
		return nil, fault.Field("body", "must be an object, or be left out")
	} else if b != nil {
		cmd.To, cmd.Label, cmd.SkipTests = b.TargetEnvironment, b.Label, b.SkipTests
	}
	stream := deployments.Stream(project.TenantID, project.ID)
	done, is, err := rest.Repeated(ctx, x.Commands, deployments.Deployments, stream)
	switch {
	case err != nil:
		return nil, err
	case is:
		return answerCreated(done)
	}
	read, err := eventstore.Read(ctx, x.Store, deployments.Deployments, stream)
	if err != nil {
		return nil, err
	}
	if _, err = cmd.Decide(read.State); err != nil { // what is refused anyway is not tested
		return nil, err
	}
	if !cmd.SkipTests {
		if err := x.pass(ctx, read.State.Deployments[cmd.From]); err != nil {
			return nil, err
		}
	}
	return x.made(ctx, cmd.Decide)
}

// pass runs the TESTS of the agents of a deployment, and names those that do not pass.
func (x DeploymentsAPI) pass(ctx context.Context, d deployments.Deployment) error {
	project := rest.ProjectOf(ctx)
	played := acts.OwnTests{Programs: x.Programs, Tenant: project.TenantID, Project: project.ID, At: x.Now(), Log: rest.Logger(ctx)}
	failing, err := played.Failing(ctx, runtime.Pins{Manifest: d.Manifest}.Pinned())
	if err != nil || len(failing) == 0 {
		return err
	}
	const most = 20
	named := strings.Join(failing[:min(len(failing), most)], "; ")
	if more := len(failing) - most; more > 0 {
		named += fmt.Sprintf("; and %d more", more)
	}
	return fault.New(fault.Conflict, "tests of the agents do not pass: %s. skipTests promotes all the same", named)
}

func (x DeploymentsAPI) retire(ctx context.Context, _ *struct{ DeploymentPath }) (*agentsDeploymentOut, error) {
	cmd := deployments.Retire{DeploymentID: deploymentAt(ctx).DeploymentID, Drain: x.Drain, At: x.Now()}
	return x.changed(ctx, cmd.Decide)
}

func (x DeploymentsAPI) rollBack(ctx context.Context, _ *struct{ DeploymentPath }) (*agentsDeploymentOut, error) {
	cmd := deployments.RollBack{DeploymentID: deploymentAt(ctx).DeploymentID, At: x.Now()}
	return x.changed(ctx, cmd.Decide)
}

// changed runs a command that changes the deployment of the path, and answers with it as it is
// then.
func (x DeploymentsAPI) changed(ctx context.Context, decide func(deployments.State) ([]event.Payload, error)) (*agentsDeploymentOut,
	error) {
	project := rest.ProjectOf(ctx)
	res, err := rest.Execute(ctx, x.Commands, deployments.Deployments, deployments.Stream(project.TenantID, project.ID), decide)
	if err != nil {
		return nil, err
	}
	d, _, err := x.Deployments.Get(ctx, project.TenantID, project.ID, deploymentAt(ctx).DeploymentID)
	if err != nil {
		return nil, err
	}
	for _, e := range res.Payloads() { // a repeat is answered as it was the first time
		switch e := e.(type) {
		case deployments.WasRetired:
			d.Status, d.RetiredAt = deployments.Retired, &e.At
		case deployments.RolledBack:
			d.Status, d.RetiredAt = deployments.Active, nil
		}
	}
	out := &agentsDeploymentOut{}
	out.Body.Success, out.Body.Deployment = true, shownDeployment(d)
	return out, nil
}

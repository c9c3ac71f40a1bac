package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/secrets"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/examples"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// deploying makes the agents of the example workspace live. All that it writes has a request id of
// their sources: whoever starts next, on whatever node, finds it done, and whatever became of it
// since stays so.
type deploying struct {
	acts.Log
	vault    *vault.Vault
	manifest map[string]deployments.Pin // without versions
	sources  string                     // what request ids are made of
}

func newDeploying(n *node.Node, manifests []manifest.Manifest) (*deploying, error) {
	d := &deploying{Log: acts.Log{Store: n.Store(), MAC: n.Vault().MAC, Now: time.Now}, vault: n.Vault(),
		manifest: map[string]deployments.Pin{}}
	for _, m := range manifests {
		if m.Kind != "Agent" {
			continue
		}
		var meta apply.Metadata
		var spec apply.AgentSpec
		if err := json.Unmarshal(m.Metadata, &meta); err != nil {
			return nil, fmt.Errorf("reading an agent of the example workspace: %w", err)
		}
		if err := json.Unmarshal(m.Spec, &spec); err != nil {
			return nil, fmt.Errorf("reading the agent %s of the example workspace: %w", meta.Name, err)
		}
		d.manifest[meta.Name] = deployments.Pin{AgentID: meta.ID, Hash: string(agents.HashOf(spec.DSLContent))}
	}
	for _, name := range slices.Sorted(maps.Keys(d.manifest)) {
		d.sources += name + " " + d.manifest[name].Hash + "\n"
	}
	return d, nil
}

func (d *deploying) by(step string) acts.Caller {
	return acts.Caller{Command: eventstore.Command{Tenant: examples.Account, Actor: "dev",
		RequestID: eventstore.CauseID("workspace", d.sources, step)}, Project: examples.Project}
}

// do gives the id of the deployment. It is empty if a developer has changed an agent before these
// sources came: then deploying is his.
func (d *deploying) do(ctx context.Context) (string, error) {
	stream, id := deployments.Stream(examples.Account, examples.Project), deployments.IDPrefix+d.ID(d.by("deploy"), "deployment").String()
	read, err := eventstore.Read(ctx, d.Store, deployments.Deployments, stream)
	if err != nil {
		return "", fmt.Errorf("reading what is deployed: %w", err)
	}
	if _, done := read.State.Deployments[id]; done {
		return id, nil
	}
	if err := d.equip(ctx); err != nil {
		return "", err
	}
	project, err := d.project(ctx)
	if err != nil {
		return "", err
	}
	switch err := d.number(ctx); {
	case fault.Is(err, fault.Conflict):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("saving versions of the agents: %w", err)
	}
	create := deployments.Create{TenantID: examples.Account, ProjectID: examples.Project, ProjectSlug: project.Slug, DeploymentID: id,
		What: deployments.What{Environment: deployments.Environments[0], Label: "Example company", EntryAgent: examples.EntryAgent,
			Manifest: d.manifest}, CreatedBy: "dev", At: d.Now()}
	if _, err := acts.Execute(ctx, d.Log, d.by("deploy"), deployments.Deployments, stream, create.Decide); err != nil {
		return "", fmt.Errorf("deploying the agents: %w", err)
	}
	return id, nil
}

// equip gives the agents what their tools need: secrets, and the server of weather.
func (d *deploying) equip(ctx context.Context) error {
	for _, of := range examples.ToolSecrets {
		for _, environment := range deployments.Environments {
			if err := d.keep(ctx, of, environment); err != nil {
				return fmt.Errorf("keeping the secret %s of the tool %s: %w", of.Key, of.Tool, err)
			}
		}
	}
	if _, err := (acts.Deploy{Log: d.Log}).Do(ctx, d.by("weather"), deployables.Tool, examples.WeatherServer, true); err != nil {
		return fmt.Errorf("deploying the server of weather: %w", err)
	}
	return nil
}

func (d *deploying) keep(ctx context.Context, of examples.ToolSecret, environment string) error {
	name, problems := secrets.Name{TenantID: examples.Account, ProjectID: examples.Project, ToolName: of.Tool, SecretKey: of.Key,
		Environment: environment}.Clean()
	if err := problems.Err(); err != nil {
		return err
	}
	by := d.by("secret " + of.Tool + " " + of.Key + " " + environment)
	id := secrets.IDPrefix + d.ID(by, "tool-secret").String()
	sealed, err := d.vault.Seal([]byte(of.Value), vault.ToolSecretContext(examples.Account, examples.Project, id))
	if err != nil {
		return err
	}
	create := secrets.Create{Name: name, SecretID: id, Value: sealed, At: d.Now()}
	_, err = acts.Execute(ctx, d.Log, by, secrets.Secrets, name.Stream(d.MAC), create.Decide)
	if fault.Is(err, fault.Conflict) { // of sources before these
		return nil
	}
	return err
}

// number makes versions of the working copies, if they are these sources.
func (d *deploying) number(ctx context.Context) error {
	save := agents.SaveVersions{TenantID: examples.Account, ProjectID: examples.Project, Of: map[string]agents.Hash{}, At: d.Now()}
	for _, pin := range d.manifest {
		save.Of[pin.AgentID] = agents.Hash(pin.Hash)
	}
	by := d.by("versions").Further() // a repeat finds them
	res, err := acts.Execute(ctx, d.Log, by, agents.Agents, agents.Stream(examples.Account, examples.Project), save.Decide)
	if err != nil {
		return err
	}
	for name, pin := range d.manifest {
		if pin.Version, err = strconv.Atoi(res.State.Newest(pin.AgentID)); err != nil {
			return fmt.Errorf("the agent %s has no version: %w", name, err)
		}
		d.manifest[name] = pin
	}
	return nil
}

func (d *deploying) project(ctx context.Context) (access.Project, error) {
	read, err := eventstore.Read(ctx, d.Store, access.Tenants, access.TenantStream(examples.Account))
	if err != nil {
		return access.Project{}, fmt.Errorf("reading the example project: %w", err)
	}
	return read.State.Projects[examples.Project], nil
}

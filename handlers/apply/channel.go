package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/invopop/jsonschema"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/identifiers"
)

// ChannelConnectionSpec is the spec of kind ChannelConnection, in the field names of
// create-channel-connection; metadata.id begins with cn-.
type ChannelConnectionSpec struct {
	ProjectID          string            `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias. It cannot change."`
	ChannelType        string            `json:"channelType" jsonschema:"required" jsonschema_description:"The kind of channel. It cannot change."`
	ExternalIdentifier string            `json:"externalIdentifier" jsonschema:"required,minLength=1,maxLength=320,example=A0123:T0456" jsonschema_description:"What the provider's requests call it. It is of one connection on the server, and cannot change."`
	Credentials        map[string]string `json:"credentials,omitempty" jsonschema_description:"All that it has, by name. They are sealed, and never shown."`
	AgentName          string            `json:"agentName,omitempty" jsonschema:"maxLength=100" jsonschema_description:"Who begins, in place of the entry agent."`
	DeploymentID       string            `json:"deploymentId,omitempty" jsonschema:"maxLength=128" jsonschema_description:"That answers; without one the newest active one at the moment of a message."`
	Environment        string            `json:"environment,omitempty" jsonschema:"enum=dev,enum=staging,enum=production" jsonschema_description:"In which that one is looked for; without one in production, else staging, else dev."`
	IsActive           *bool             `json:"isActive,omitempty" jsonschema:"default=true" jsonschema_description:"One that is not takes nothing."`
}

// JSONSchemaExtend names the kinds that the domain knows.
func (ChannelConnectionSpec) JSONSchemaExtend(s *jsonschema.Schema) {
	kind := member(s, "channelType")
	for _, word := range connections.Words() {
		kind.Enum = append(kind.Enum, word)
	}
}

var channelConnectionKind = define(label{
	name: channelConnectionName,
	about: "An account at the provider of a channel, or a door of the account's own, by which people reach a project's agents. Its " +
		"metadata.id begins with cn-. It is not removed by prune: delete-channel-connection does.",
}, connectionSteps, nil)

// connectionSteps claims the external identifier first, then defines the connection in its own
// stream; a claim without a connection holds nothing.
func connectionSteps(ctx context.Context, p *planner, d *draft, spec ChannelConnectionSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	if !access.PrefixedID(id, connections.IDPrefix) {
		d.fault("metadata.id", "must be %s and more letters, digits, _ or -", connections.IDPrefix)
	}
	create := connections.Create{ConnectionID: id, TenantID: d.meta.Tenant, ProjectID: project,
		Settings: connections.Settings{Name: d.meta.Name, AgentName: spec.AgentName, DeploymentID: spec.DeploymentID,
			Environment: spec.Environment, Active: spec.IsActive == nil || *spec.IsActive},
		Credentials: map[string]connections.Credential{}, At: p.now()}
	if _, err := p.bound(ctx, d, project, create.Settings); err != nil {
		return nil, err
	}
	kind, ok := connections.KindOf(spec.ChannelType)
	if !ok {
		return nil, nil // the schema has said so
	}
	create.Kind = kind
	if create.External, err = d.credentials(p, kind, spec, create.Credentials); err != nil {
		return nil, err
	}
	if len(d.faults) == 0 {
		if create.ClaimID, err = p.claimID(ctx, create); err != nil {
			return nil, err
		}
	}
	exists := func(s connections.State) bool { return s.ID != "" }
	makes := on(connections.Connections, connections.Stream(d.meta.Tenant, id), inSpec(connections.Define{Create: create}.Decide), exists)
	return []step{&claiming{create: create, makes: makes, log: acts.Log{Store: p.store, MAC: p.vault.MAC, Now: p.now}}, makes}, nil
}

// claimID is that of the claim for a connection. Tries of one request that are made at once claim for each other, unless that was given up.
func (p *planner) claimID(ctx context.Context, c connections.Create) (string, error) {
	own, err := stateOf(ctx, p, connections.Connections, connections.Stream(c.TenantID, c.ConnectionID))
	if err != nil {
		return "", err
	}
	id := eventstore.DerivedID(p.vault.MAC, p.by.Request.RequestID, "claim of "+c.Kind.Slug+" "+c.External+" for "+c.ConnectionID).String()
	if slices.Contains(own.GivenUp, id) {
		id = uuid.NewString()
	}
	return id, nil
}

// credentials seals those of a spec; what is wrong with them, or with the identifier, is noted.
func (d *draft) credentials(p *planner, kind connections.Kind, spec ChannelConnectionSpec,
	into map[string]connections.Credential) (external string, err error) {
	var f fault.Fields
	external = kind.CheckExternal(&f, spec.ExternalIdentifier)
	kind.CheckCredentials(&f, external, spec.Credentials)
	for _, detail := range f {
		d.fault("spec."+detail.Field, "%s", detail.Problem)
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Credentials)) {
		var c connections.Credential
		if c.Sealed, c.Fingerprint, err = p.vault.SealCredential(d.meta.Tenant, d.meta.ID, name, []byte(spec.Credentials[name])); err != nil {
			return "", err
		}
		into[name] = c
	}
	return external, nil
}

// bound notes what of settings the project does not have, and gives the environment of the deployment that they name.
func (p *planner) bound(ctx context.Context, d *draft, project string, s connections.Settings) (environment string, err error) {
	if s.AgentName != "" {
		if err := p.agent(ctx, d, "spec.agentName", project, s.AgentName); err != nil {
			return "", err
		}
	}
	if s.DeploymentID == "" {
		return s.Environment, nil
	}
	deployed, err := stateOf(ctx, p, deployments.Deployments, deployments.Stream(d.meta.Tenant, project))
	if err != nil {
		return "", err
	}
	found, ok := deployed.Deployments[s.DeploymentID]
	switch {
	case !ok:
		d.fault("spec.deploymentId", "is no deployment of project %s", project)
	case s.Environment != "" && s.Environment != found.Environment:
		d.fault("spec.environment", "is not that of the deployment")
	}
	return found.Environment, nil
}

// inSpec names the fields of a refusal as the manifest has them.
func inSpec[S any](decide func(S) ([]event.Payload, error)) func(S) ([]event.Payload, error) {
	return func(s S) ([]event.Payload, error) {
		payloads, err := decide(s)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Validation {
			return payloads, err
		}
		var fields fault.Fields
		for _, detail := range f.Details {
			at := "spec." + detail.Field
			switch detail.Field {
			case "name", "api_key_name":
				at = "metadata.name"
			case "key_id":
				at = "metadata.id"
			}
			fields.Add(at, "%s", detail.Problem)
		}
		return nil, fields.Err()
	}
}

// claiming is the step that takes the external identifier of a connection that is not there yet.
type claiming struct {
	decided
	create connections.Create
	makes  step // behind it
	log    acts.Log
	needed bool
}

// earlier finds the claim by the connection that was made behind it.
func (c *claiming) earlier(context.Context, *planner, eventstore.Command) error {
	for _, p := range c.makes.raised().payloads {
		if made, is := p.(connections.Created); is && c.makes.raised().before {
			c.category, c.stream = connections.Identifiers.Category, c.create.Kind.IdentifierStream(c.log.MAC, c.create.TenantID, c.create.External)
			c.payloads = []event.Payload{connections.Claimed{TenantID: made.TenantID, ConnectionID: made.ConnectionID, ClaimID: made.ClaimID}}
		}
	}
	return nil
}

func (c *claiming) plan(ctx context.Context, p *planner) error {
	own, err := stateOf(ctx, p, connections.Connections, connections.Stream(c.create.TenantID, c.create.ConnectionID))
	if err != nil || own.ID != "" {
		c.existed = own != nil
		return err
	}
	c.needed, c.category = true, connections.Identifiers.Category
	c.stream = c.create.Kind.IdentifierStream(c.log.MAC, c.create.TenantID, c.create.External)
	s, err := stateOf(ctx, p, connections.Identifiers, c.stream)
	if err != nil {
		return err
	}
	if s.ClaimID != "" && s.ClaimID != c.create.ClaimID {
		holder, err := stateOf(ctx, p, connections.Connections, connections.Stream(s.TenantID, s.ConnectionID))
		if err != nil {
			return err
		}
		if holder.ID != "" && holder.ClaimID == s.ClaimID {
			return fault.Field("spec.externalIdentifier", "%s", connections.Taken().Message)
		}
	}
	claimed := connections.Claimed{TenantID: c.create.TenantID, ConnectionID: c.create.ConnectionID, ClaimID: c.create.ClaimID}
	connections.Identifiers.Fold(s, claimed)
	c.payloads = []event.Payload{claimed}
	return nil
}

func (c *claiming) run(ctx context.Context, _ *eventstore.Store, cmd eventstore.Command) error {
	if !c.needed {
		return nil
	}
	return identifiers.Claim(ctx, c.log, acts.Caller{Command: cmd}, c.create)
}

// SDKChannelSpec is the spec of kind SDKChannel, in the field names of create-sdk-channel;
// metadata.id begins with sdk-.
type SDKChannelSpec struct {
	ProjectID         string         `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias. It cannot change."`
	ChannelType       string         `json:"channelType" jsonschema:"required,enum=web,enum=mobile_ios,enum=mobile_android,enum=voice,enum=api" jsonschema_description:"What it is used in."`
	PublicAPIKeyID    string         `json:"publicApiKeyId" jsonschema:"required,minLength=1,maxLength=128,example=ak-acme-widget" jsonschema_description:"The id of a PublicKey of the project."`
	DeploymentID      string         `json:"deploymentId,omitempty" jsonschema:"maxLength=128" jsonschema_description:"That answers; required where followEnvironment is false."`
	Environment       string         `json:"environment,omitempty" jsonschema:"enum=dev,enum=staging,enum=production" jsonschema_description:"Whose newest active deployment answers: production, unless said; where followEnvironment is false, that of the deployment."`
	FollowEnvironment *bool          `json:"followEnvironment,omitempty" jsonschema:"default=true" jsonschema_description:"Whether it does."`
	Config            map[string]any `json:"config,omitempty" jsonschema_description:"How a widget looks: mode, position, theme, welcomeMessage, placeholderText, voiceEnabled, chatEnabled. What is left out has a default."`
	IsActive          *bool          `json:"isActive,omitempty" jsonschema:"default=true" jsonschema_description:"One that is not begins nothing."`
}

var sdkChannelKind = define(label{
	name: sdkChannelName,
	about: "A channel of widgets or apps that talk with a project's agents. Its metadata.id begins with sdk-. It is not removed by prune: " +
		"delete-sdk-channel does.",
}, sdkChannelSteps, nil)

func sdkChannelSteps(ctx context.Context, p *planner, d *draft, spec SDKChannelSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	if !access.PrefixedID(id, sdkchannels.IDPrefix) {
		d.fault("metadata.id", "must be %s and more letters, digits, _ or -", sdkchannels.IDPrefix)
	}
	known, err := p.publicKey(ctx, d, project, spec.PublicAPIKeyID)
	if err != nil {
		return nil, err
	}
	if _, here := p.claimed(publicKeyName, d.meta.Tenant, spec.PublicAPIKeyID); !known && !here && spec.PublicAPIKeyID != "" {
		d.fault("spec.publicApiKeyId", "%q is no public key of project %s: put its PublicKey manifest into this set, or apply it before",
			spec.PublicAPIKeyID, project)
	}
	environment, err := p.bound(ctx, d, project, connections.Settings{DeploymentID: spec.DeploymentID})
	if err != nil {
		return nil, err
	}
	follows := spec.FollowEnvironment == nil || *spec.FollowEnvironment
	if follows || spec.Environment != "" {
		environment = spec.Environment
	}
	define := sdkchannels.Define{ChannelID: id, TenantID: d.meta.Tenant, ProjectID: project, At: p.now(),
		Settings: sdkchannels.Settings{Name: d.meta.Name, Type: sdkchannels.Type(spec.ChannelType), KeyID: spec.PublicAPIKeyID,
			DeploymentID: spec.DeploymentID, Environment: environment, Follows: follows,
			Active: spec.IsActive == nil || *spec.IsActive}}
	if spec.Config != nil {
		if define.Settings.Config, err = json.Marshal(spec.Config); err != nil {
			return nil, fmt.Errorf("encoding the config of an SDK channel: %w", err)
		}
	}
	exists := func(s sdkchannels.State) bool { return s.ID != "" }
	return []step{on(sdkchannels.Channels, sdkchannels.Stream(d.meta.Tenant, id), inSpec(define.Decide), exists)}, nil
}

package channels

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/identifiers"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/channels"
)

type createConnectionIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Body      struct {
		ChannelType        ChannelType       `json:"channelType" required:"true"`
		ExternalIdentifier string            `json:"externalIdentifier" required:"true" minLength:"1" maxLength:"320" doc:"What the provider's requests call it: a number, a page, a bot's id." example:"A0123:T0456"`
		Credentials        map[string]string `json:"credentials,omitempty" doc:"Those of the kind, by name. They are never shown." example:"{\"signingSecret\":\"8f742231\",\"botToken\":\"xoxb-1\"}"`
		Name               string            `json:"name,omitempty" maxLength:"300" doc:"For people; left out: the externalIdentifier."`
		AgentName          string            `json:"agentName,omitempty" maxLength:"100" doc:"Who begins, in place of the entry agent."`
		DeploymentID       string            `json:"deploymentId,omitempty" maxLength:"128" doc:"That answers; left out: the newest active one at the moment of a message."`
		Environment        string            `json:"environment,omitempty" enum:"dev,staging,production" doc:"In which that one is looked for; left out: in production, else staging, else dev."`
		IsActive           *bool             `json:"isActive,omitempty" default:"true" doc:"One that is not takes nothing."`
	}
}

func (x ConnectionsAPI) create(ctx context.Context, in *createConnectionIn) (*connectionOut, error) {
	id := connections.IDPrefix + x.NewID(ctx, "channel connection").String()
	stream := connections.Stream(rest.ProjectOf(ctx).TenantID, id)
	res, is, err := rest.Repeated(ctx, x.Commands, connections.Connections, stream)
	if err != nil {
		return nil, err
	}
	if !is {
		cmd, err := x.wanted(ctx, in, id)
		if err != nil {
			return nil, err
		}
		// Tries of one request that are made at once claim for each other, and do not outrun each other.
		if claim := x.NewID(ctx, "claim of "+cmd.Kind.Slug+" "+cmd.External).String(); !slices.Contains(res.State.GivenUp, claim) {
			cmd.ClaimID = claim
		}
		if err := identifiers.Claim(ctx, x.Log, x.Caller(ctx), cmd); err != nil {
			return nil, err
		}
		if res, err = rest.Execute(ctx, x.Commands, connections.Connections, stream, cmd.Decide); err != nil {
			return nil, err
		}
	}
	made, err := rest.Payload[connections.Created](res)
	if err != nil {
		return nil, err
	}
	var s connections.State
	connections.Connections.Fold(&s, made)
	return x.answer(stateOf(s)), nil
}

// stateOf is a connection as its own stream tells it.
func stateOf(s connections.State) channels.Connection {
	out := channels.Connection{ConnectionID: s.ID, ProjectID: s.ProjectID, Kind: s.Kind, External: s.External, Name: s.Settings.Name,
		AgentName: s.Settings.AgentName, DeploymentID: s.Settings.DeploymentID, Environment: s.Settings.Environment,
		Active: s.Settings.Active, Credentials: map[string]string{}, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt}
	for name := range s.Credentials {
		out.Credentials[name] = ""
	}
	for about, to := range map[connections.About]**connections.Trouble{connections.Webhook: &out.WebhookError,
		connections.Sending: &out.SendingError, connections.Answering: &out.AnsweringError} {
		if t, is := s.Troubles[about]; is {
			*to = &t
		}
	}
	return out
}

// wanted is the connection that a request asks for, if it may be.
func (x ConnectionsAPI) wanted(ctx context.Context, in *createConnectionIn, id string) (connections.Create, error) {
	project, b := rest.ProjectOf(ctx), in.Body
	cmd := connections.Create{ConnectionID: id, ClaimID: uuid.NewString(), TenantID: project.TenantID, ProjectID: project.ID,
		Settings: connections.Settings{Name: b.Name, AgentName: b.AgentName, DeploymentID: b.DeploymentID, Environment: b.Environment,
			Active: b.IsActive == nil || *b.IsActive},
		Credentials: map[string]connections.Credential{}, At: x.Now()}
	var err error
	if cmd.Kind, err = kindOf(string(b.ChannelType)); err != nil {
		return cmd, err
	}
	var f fault.Fields
	cmd.External = cmd.Kind.CheckExternal(&f, b.ExternalIdentifier)
	cmd.Kind.CheckCredentials(&f, cmd.External, b.Credentials)
	if err := f.Err(); err != nil {
		return cmd, err
	}
	for name, value := range b.Credentials {
		if cmd.Credentials[name], err = x.seal(ctx, id, name, value); err != nil {
			return cmd, err
		}
	}
	if err := cmd.Check(); err != nil {
		return cmd, err
	}
	return cmd, x.bound(ctx, cmd.Settings)
}

func kindOf(word string) (connections.Kind, error) {
	kind, ok := connections.KindOf(word)
	if !ok {
		return kind, fault.Field("channelType", "must be one of %s", strings.Join(connections.Slugs(), ", "))
	}
	return kind, nil
}

// seal refuses where nothing can be sealed: the credential would have to be stored in plain.
func (x ConnectionsAPI) seal(ctx context.Context, id, name, value string) (c connections.Credential, err error) {
	if c.Sealed, c.Fingerprint, err = x.Seal(rest.ProjectOf(ctx).TenantID, id, name, value); err != nil {
		return c, fault.New(fault.Unavailable, "credentials cannot be encrypted at the moment").Because(err)
	}
	return c, nil
}

// bound refuses settings that name what the project does not have, or what answers nothing.
func (x ConnectionsAPI) bound(ctx context.Context, s connections.Settings) error {
	project, f := rest.ProjectOf(ctx), fault.Fields{}
	known := func(agent string) bool { return agent == "" }
	switch {
	case s.DeploymentID != "":
		read, err := eventstore.Read(ctx, x.Store, deployments.Deployments, deployments.Stream(project.TenantID, project.ID))
		if err != nil {
			return err
		}
		d, ok := read.State.Deployments[s.DeploymentID]
		switch {
		case !ok:
			return fault.Field("deploymentId", "is no deployment of the project")
		case d.Status != deployments.Active:
			f.Add("deploymentId", "is retired")
		case s.Environment != "" && s.Environment != d.Environment:
			f.Add("environment", "is not that of the deployment")
		}
		known = func(agent string) bool { _, has := d.Manifest[agent]; return has }
	case s.AgentName != "":
		read, err := eventstore.Read(ctx, x.Store, agents.Agents, agents.Stream(project.TenantID, project.ID))
		if err != nil {
			return err
		}
		known = func(agent string) bool { _, has := read.State.ByName(agent); return has }
	}
	if s.AgentName != "" && !known(s.AgentName) {
		f.Add("agentName", "is no agent of the project, or not in the deployment")
	}
	return f.Err()
}

type changeConnectionIn struct {
	ConnectionPath
	Body struct {
		ChannelType        *ChannelType           `json:"channelType,omitempty" nullable:"true" doc:"Cannot change."`
		ExternalIdentifier *string                `json:"externalIdentifier,omitempty" nullable:"true" maxLength:"320" doc:"Cannot change."`
		Credentials        map[string]*string     `json:"credentials,omitempty" doc:"Those that change, by name; null takes one away."`
		Name               jsontext.Given[string] `json:"name,omitempty" maxLength:"300" doc:"Null: the externalIdentifier."`
		AgentName          jsontext.Given[string] `json:"agentName,omitempty" maxLength:"100"`
		DeploymentID       jsontext.Given[string] `json:"deploymentId,omitempty" maxLength:"128"`
		Environment        jsontext.Given[string] `json:"environment,omitempty" enum:"dev,staging,production"`
		IsActive           *bool                  `json:"isActive,omitempty"`
	}
}

func (in *changeConnectionIn) edit(s *connections.Settings) {
	b := in.Body
	b.Name.Into(&s.Name)
	b.AgentName.Into(&s.AgentName)
	b.DeploymentID.Into(&s.DeploymentID)
	b.Environment.Into(&s.Environment)
	if b.IsActive != nil {
		s.Active = *b.IsActive
	}
}

// fixed refuses to change what the connection is known by.
func (in *changeConnectionIn) fixed(kind connections.Kind, external string) error {
	var f fault.Fields
	if b := in.Body; b.ChannelType != nil {
		if other, ok := connections.KindOf(string(*b.ChannelType)); !ok || other.Slug != kind.Slug {
			f.Add("channelType", "cannot change: make another connection")
		}
	}
	if b := in.Body; b.ExternalIdentifier != nil {
		var wrong fault.Fields
		if kind.CheckExternal(&wrong, *b.ExternalIdentifier) != external {
			f.Add("externalIdentifier", "cannot change: make another connection")
		}
	}
	return f.Err()
}

func (x ConnectionsAPI) change(ctx context.Context, in *changeConnectionIn) (*connectionOut, error) {
	c := connectionAt(ctx)
	kind, err := kindOf(c.Kind)
	if err != nil {
		return nil, err
	}
	if err := in.fixed(kind, c.External); err != nil {
		return nil, err
	}
	cmd := connections.Change{Edit: in.edit, Credentials: map[string]*connections.Credential{}, At: x.Now()}
	if err := x.replaced(ctx, kind, c, in.Body.Credentials, cmd.Credentials); err != nil {
		return nil, err
	}
	stream := connections.Stream(rest.ProjectOf(ctx).TenantID, c.ConnectionID)
	if b := in.Body; b.AgentName.Is || b.DeploymentID.Is || b.Environment.Is {
		read, err := eventstore.Read(ctx, x.Store, connections.Connections, stream)
		if err != nil {
			return nil, err
		}
		settings := read.State.Settings
		in.edit(&settings)
		if err := x.bound(ctx, settings); err != nil {
			return nil, err
		}
	}
	res, err := rest.Execute(ctx, x.Commands, connections.Connections, stream, cmd.Decide)
	if err != nil {
		return nil, err
	}
	return x.answer(stateOf(res.State)), nil
}

// replaced seals the credentials that a request gives; nil stands for those that it takes away.
func (x ConnectionsAPI) replaced(ctx context.Context, kind connections.Kind, c channels.Connection, given map[string]*string,
	into map[string]*connections.Credential) error {
	plain := map[string]string{}
	for name, value := range given {
		if into[name] = nil; value != nil {
			plain[name] = *value
		}
	}
	var f fault.Fields
	kind.CheckCredentials(&f, c.External, plain)
	if err := f.Err(); err != nil {
		return err
	}
	for name, value := range plain {
		sealed, err := x.seal(ctx, c.ConnectionID, name, value)
		if err != nil {
			return err
		}
		into[name] = &sealed
	}
	return nil
}

func (x ConnectionsAPI) delete(ctx context.Context, in *struct{ ConnectionPath }) (*struct{}, error) {
	cmd, stream := connections.Delete{At: x.Now()}, connections.Stream(rest.ProjectOf(ctx).TenantID, in.ID)
	if connectionAt(ctx).ConnectionID == "" {
		if !access.ValidID(in.ID) {
			return nil, connections.Unknown()
		}
		_, err := rest.DeletedBefore(ctx, x.Commands, connections.Connections, stream, connections.Unknown())
		return nil, err
	}
	_, err := rest.Execute(ctx, x.Commands, connections.Connections, stream, cmd.Decide)
	return nil, err
}

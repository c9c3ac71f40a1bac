package sdk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	"github.com/parley-platform/parley/projections/channels"
)

type createChannelIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Body      struct {
		Name              string          `json:"name" required:"true" minLength:"1" maxLength:"100" example:"Shop"`
		ChannelType       string          `json:"channelType" required:"true" enum:"web,mobile_ios,mobile_android,voice,api"`
		PublicAPIKeyID    string          `json:"publicApiKeyId" required:"true" minLength:"1" maxLength:"128" doc:"The id of a public key of the project." example:"ak-acme-widget"`
		DeploymentID      string          `json:"deploymentId,omitempty" maxLength:"128" doc:"Required where followEnvironment is false."`
		Config            jsontext.Object `json:"config,omitempty" doc:"mode, position, theme, welcomeMessage, placeholderText, voiceEnabled, chatEnabled: what is left out has a default, what is not known is kept. At most 16 KiB."`
		Environment       string          `json:"environment,omitempty" enum:"dev,staging,production" doc:"production, unless said; where followEnvironment is false, that of the deployment."`
		FollowEnvironment *bool           `json:"followEnvironment,omitempty" default:"true" doc:"The newest active deployment of the environment answers."`
		IsActive          *bool           `json:"isActive,omitempty" default:"true" doc:"(Extension)"`
	}
}

func (x ChannelsAPI) create(ctx context.Context, in *createChannelIn) (*channelOut, error) {
	project, b := rest.ProjectOf(ctx), in.Body
	cmd := sdkchannels.Define{ChannelID: sdkchannels.IDPrefix + x.NewID(ctx, "SDK channel").String(), TenantID: project.TenantID,
		ProjectID: project.ID, At: x.Now(), Settings: sdkchannels.Settings{Name: b.Name, Type: sdkchannels.Type(b.ChannelType),
			KeyID: b.PublicAPIKeyID, DeploymentID: b.DeploymentID, Environment: b.Environment, Config: json.RawMessage(b.Config),
			Follows: b.FollowEnvironment == nil || *b.FollowEnvironment, Active: b.IsActive == nil || *b.IsActive}}
	stream := sdkchannels.Stream(project.TenantID, cmd.ChannelID)
	res, is, err := rest.Repeated(ctx, x.Commands, sdkchannels.Channels, stream)
	if err != nil {
		return nil, err
	}
	if !is {
		clean, err := cmd.Settings.Clean()
		if err != nil {
			return nil, err
		}
		if cmd.Settings.Environment, err = x.bound(ctx, clean, b.Environment); err != nil {
			return nil, err
		}
		if res, err = rest.Create(ctx, x.Commands, sdkchannels.Channels, stream, cmd.Decide); err != nil {
			return nil, err
		}
	}
	return answer(stateOf(res.State)), nil
}

// stateOf is a channel as its own stream tells it.
func stateOf(s sdkchannels.State) channels.SDKChannel {
	return channels.SDKChannel{Tenant: s.TenantID, ChannelID: s.ID, ProjectID: s.ProjectID, Name: s.Settings.Name, Type: s.Settings.Type,
		KeyID: s.Settings.KeyID, DeploymentID: s.Settings.DeploymentID, Environment: s.Settings.Environment, Follows: s.Settings.Follows,
		Config: s.Settings.Config, Active: s.Settings.Active, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt}
}

// bound refuses settings that name what the project does not have, and gives their environment: of a channel that does not
// follow one it is that of its deployment, unless another was said, which decides nothing there.
func (x ChannelsAPI) bound(ctx context.Context, s sdkchannels.Settings, said string) (environment string, err error) {
	project, f := rest.ProjectOf(ctx), fault.Fields{}
	key, ok, err := x.Keys.Key(ctx, project.TenantID, s.KeyID)
	if err != nil {
		return "", err
	}
	if !ok || key.Kind != access.PublicKey || key.ProjectID != project.ID {
		f.Add("publicApiKeyId", "is no public key of the project")
	}
	if s.DeploymentID != "" {
		read, err := eventstore.Read(ctx, x.Store, deployments.Deployments, deployments.Stream(project.TenantID, project.ID))
		if err != nil {
			return "", err
		}
		switch d, ok := read.State.Deployments[s.DeploymentID]; {
		case !ok:
			f.Add("deploymentId", "is no deployment of the project")
		case d.Status != deployments.Active:
			f.Add("deploymentId", "is retired")
		case !s.Follows && said == "":
			s.Environment = d.Environment
		}
	}
	return s.Environment, f.Err()
}

type changeChannelIn struct {
	ChannelPath
	Body struct {
		Name              *string                         `json:"name,omitempty" minLength:"1" maxLength:"100"`
		ChannelType       *string                         `json:"channelType,omitempty" enum:"web,mobile_ios,mobile_android,voice,api"`
		PublicAPIKeyID    *string                         `json:"publicApiKeyId,omitempty" minLength:"1" maxLength:"128"`
		DeploymentID      jsontext.Given[string]          `json:"deploymentId,omitempty" maxLength:"128"`
		Config            jsontext.Given[jsontext.Object] `json:"config,omitempty" doc:"Replaces what was there."`
		Environment       *string                         `json:"environment,omitempty" enum:"dev,staging,production"`
		FollowEnvironment *bool                           `json:"followEnvironment,omitempty"`
		IsActive          *bool                           `json:"isActive,omitempty"`
	}
}

func (in *changeChannelIn) edit(s *sdkchannels.Settings) {
	b := in.Body
	s.Name, s.KeyID, s.Environment = *cmp.Or(b.Name, &s.Name), *cmp.Or(b.PublicAPIKeyID, &s.KeyID), *cmp.Or(b.Environment, &s.Environment)
	s.Follows, s.Active = *cmp.Or(b.FollowEnvironment, &s.Follows), *cmp.Or(b.IsActive, &s.Active)
	if b.ChannelType != nil {
		s.Type = sdkchannels.Type(*b.ChannelType)
	}
	b.DeploymentID.Into(&s.DeploymentID)
	if b.Config.Is {
		s.Config = json.RawMessage(b.Config.Value)
	}
}

func (x ChannelsAPI) change(ctx context.Context, in *changeChannelIn) (*channelOut, error) {
	project := rest.ProjectOf(ctx)
	stream := sdkchannels.Stream(project.TenantID, channelAt(ctx).ChannelID)
	if b := in.Body; b.PublicAPIKeyID != nil || b.DeploymentID.Is || b.Environment != nil || b.FollowEnvironment != nil {
		read, err := eventstore.Read(ctx, x.Store, sdkchannels.Channels, stream)
		if err != nil {
			return nil, err
		}
		settings := read.State.Settings
		in.edit(&settings)
		if settings, err = settings.Clean(); err != nil {
			return nil, err
		}
		of, err := x.bound(ctx, settings, *cmp.Or(b.Environment, new(string)))
		if err != nil {
			return nil, err
		}
		in.Body.Environment = &of
	}
	cmd := sdkchannels.Change{Edit: in.edit, At: x.Now()}
	res, err := rest.Execute(ctx, x.Commands, sdkchannels.Channels, stream, cmd.Decide)
	if err != nil {
		return nil, err
	}
	return answer(stateOf(res.State)), nil
}

func (x ChannelsAPI) delete(ctx context.Context, in *struct{ ChannelPath }) (*struct{}, error) {
	cmd, stream := sdkchannels.Delete{At: x.Now()}, sdkchannels.Stream(rest.ProjectOf(ctx).TenantID, in.ChannelID)
	if channelAt(ctx).ChannelID == "" {
		if !access.ValidID(in.ChannelID) {
			return nil, sdkchannels.Unknown()
		}
		_, err := rest.DeletedBefore(ctx, x.Commands, sdkchannels.Channels, stream, sdkchannels.Unknown())
		return nil, err
	}
	_, err := rest.Execute(ctx, x.Commands, sdkchannels.Channels, stream, cmd.Decide)
	return nil, err
}

type channelTokenOut struct {
	Body struct {
		Success   bool   `json:"success"`
		Token     string `json:"token"`
		ExpiresAt string `json:"expiresAt" format:"date-time" doc:"In a day."`
		EmbedCode string `json:"embedCode" doc:"A line of HTML that puts the chat widget of this server into a page."`
	}
}

func (x ChannelsAPI) token(ctx context.Context, _ *struct{ ChannelPath }) (*channelTokenOut, error) {
	c, now := channelAt(ctx), x.Now()
	if !c.Active {
		return nil, fault.New(fault.Conflict, "the SDK channel is not active")
	}
	expires := now.Add(tokens.SDKShared)
	token, err := x.Tokens.Issue(tokens.SDKGrant{TenantID: c.Tenant, ProjectID: c.ProjectID, ChannelID: c.ChannelID, Issued: now,
		Expires: expires})
	if err != nil {
		return nil, err
	}
	out := &channelTokenOut{}
	out.Body.Success, out.Body.Token, out.Body.ExpiresAt = true, token, rest.ISOTime(&expires)
	out.Body.EmbedCode = fmt.Sprintf(`<script src="%[1]s/widget.js" data-url="%[1]s" data-project="%[2]s" data-token="%[3]s" async></script>`,
		html.EscapeString(strings.TrimRight(x.URL(), "/")), html.EscapeString(c.ProjectID), token)
	return out, nil
}

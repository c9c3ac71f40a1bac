// Package sdk has the operations on the channels of SDKs, and those by which widgets and apps
// begin: what they look like, and the token of their session.
package sdk

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	accessmodels "github.com/parley-platform/parley/projections/access"
	"github.com/parley-platform/parley/projections/channels"
)

// ChannelsAPI is what the operations on the channels of SDKs need.
type ChannelsAPI struct {
	rest.Commands
	Channels channelReader
	Keys     keyReader
	Tokens   tokens.SDK
	URL      func() string // how callers reach the API
}

// channelReader knows which channels there are.
type channelReader interface {
	Get(ctx context.Context, tenant, project, id string) (channels.SDKChannel, bool, error)
	List(ctx context.Context, tenant, project string, limit, offset int) ([]channels.SDKChannel, int, error)
}

// keyReader knows API keys by their ids.
type keyReader interface {
	Key(ctx context.Context, tenant, id string) (accessmodels.KeyHolder, bool, error)
}

const (
	channelsPath = "/api/projects/{projectId}/sdk-channels"
	channelPath  = channelsPath + "/{channelId}"
)

// DeclareChannels adds the operations on the channels of SDKs.
func DeclareChannels(api *rest.API, x ChannelsAPI) {
	tags, writes := []string{"SDK channels"}, []fault.Code{fault.NotExecuted, fault.OutcomeUnknown, fault.Conflict}
	project, one := rest.ProjectFrom("projectId"), rest.ResolveAll(rest.ProjectFrom("projectId"), x.ofPath)
	rest.Declare(api, rest.Operation{
		ID: "list-sdk-channels", Method: http.MethodGet, Path: channelsPath, Tags: tags,
		Summary: "List the SDK channels of a project, the newest first", Description: "Active or not.",
		Requirement: access.Needs(access.PermChannelRead), Resolve: project,
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "create-sdk-channel", Method: http.MethodPost, Path: channelsPath, Status: http.StatusCreated, Tags: tags,
		Summary: "Make an SDK channel",
		Description: "Widgets and apps with its public key talk with the newest active deployment of its environment, or with the one that is " +
			"named where `followEnvironment` is false. Several channels may share a key: the newest active one counts.",
		Requirement: access.Needs(access.PermChannelCreate), Resolve: project, Refusals: writes,
	}, x.create)
	rest.Declare(api, rest.Operation{
		ID: "get-sdk-channel", Method: http.MethodGet, Path: channelPath, Tags: tags, Summary: "Read an SDK channel",
		Description: "With its config as it was given: what widgets get is in sdk-config.",
		Requirement: access.Needs(access.PermChannelRead), Resolve: one,
	}, x.get)
	rest.Declare(api, rest.Operation{
		ID: "update-sdk-channel", Method: http.MethodPatch, Path: channelPath, Tags: tags, Summary: "Change an SDK channel",
		Description: "Only the members that are given change; null clears one. `config` replaces what was there.",
		Requirement: access.Needs(access.PermChannelUpdate), Resolve: one, Refusals: writes,
	}, x.change)
	rest.Declare(api, rest.Operation{
		ID: "delete-sdk-channel", Method: http.MethodDelete, Path: channelPath, Tags: tags, Summary: "Delete an SDK channel",
		Description: "The tokens that were given out for it are taken no more.",
		Requirement: access.Needs(access.PermChannelDelete), Resolve: rest.ResolveAll(project, rest.OrGone(x.ofPath)), Refusals: writes,
	}, x.delete)
	rest.Declare(api, rest.Operation{
		ID: "create-sdk-channel-token", Method: http.MethodPost, Path: channelPath + "/token", Tags: tags,
		Summary: "Make a token to share or embed an SDK channel",
		Description: "For a day it begins sessions of the channel in place of the public key, in the header X-SDK-Token of sdk-init. " +
			"`embedCode` is the line of HTML for a page.",
		Requirement: access.Needs(access.PermChannelCreate), Resolve: one, Refusals: []fault.Code{fault.Conflict}, Reads: true,
	}, x.token)
}

// ChannelShown is an SDK channel as it is shown.
type ChannelShown struct {
	ID                string          `json:"id" example:"sdk-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	TenantID          string          `json:"tenantId" example:"acme"`
	ProjectID         string          `json:"projectId" example:"acme-bot"`
	Name              string          `json:"name"`
	ChannelType       string          `json:"channelType" enum:"web,mobile_ios,mobile_android,voice,api"`
	DeploymentID      *string         `json:"deploymentId" nullable:"true" doc:"That answers where followEnvironment is false."`
	PublicAPIKeyID    string          `json:"publicApiKeyId" example:"ak-acme-widget"`
	Config            jsontext.Object `json:"config" doc:"As it was given; sdk-config adds what it leaves out."`
	IsActive          bool            `json:"isActive"`
	Environment       string          `json:"environment" enum:"dev,staging,production"`
	FollowEnvironment bool            `json:"followEnvironment" doc:"The newest active deployment of the environment answers."`
	CreatedAt         string          `json:"createdAt" format:"date-time"`
	UpdatedAt         string          `json:"updatedAt" format:"date-time"`
}

func shown(c channels.SDKChannel) ChannelShown {
	out := ChannelShown{ID: c.ChannelID, TenantID: c.Tenant, ProjectID: c.ProjectID, Name: c.Name, ChannelType: string(c.Type),
		PublicAPIKeyID: c.KeyID, Config: jsontext.Object(c.Config), IsActive: c.Active, Environment: c.Environment,
		FollowEnvironment: c.Follows, CreatedAt: rest.ISOTime(&c.CreatedAt), UpdatedAt: rest.ISOTime(&c.UpdatedAt)}
	if c.DeploymentID != "" {
		out.DeploymentID = &c.DeploymentID
	}
	if out.Config == nil {
		out.Config = jsontext.Object("{}")
	}
	return out
}

type channelOut struct {
	Body struct {
		Success bool         `json:"success"`
		Channel ChannelShown `json:"channel"`
	}
}

func answer(c channels.SDKChannel) *channelOut {
	out := &channelOut{}
	out.Body.Success, out.Body.Channel = true, shown(c)
	return out
}

type listChannelsIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	rest.Page
}

type listChannelsOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Channels   []ChannelShown  `json:"channels"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

func (x ChannelsAPI) list(ctx context.Context, in *listChannelsIn) (*listChannelsOut, error) {
	project := rest.ProjectOf(ctx)
	found, total, err := x.Channels.List(ctx, project.TenantID, project.ID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listChannelsOut{}
	out.Body.Success, out.Body.Channels, out.Body.Pagination = true, rest.Shown(found, shown), in.Of(total)
	return out, nil
}

func (x ChannelsAPI) ofPath(ctx context.Context, p rest.Params) (context.Context, error) {
	return rest.AboutOne(ctx, p.Path("channelId"), x.Channels.Get, sdkchannels.Unknown)
}

// channelAt is the channel that the request is about.
func channelAt(ctx context.Context) channels.SDKChannel { return rest.Found[channels.SDKChannel](ctx) }

// ChannelPath is embedded by the inputs of the operations on one channel.
type ChannelPath struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	ChannelID string `path:"channelId" doc:"An SDK channel's id."`
}

func (x ChannelsAPI) get(ctx context.Context, _ *struct{ ChannelPath }) (*channelOut, error) {
	return answer(channelAt(ctx)), nil
}

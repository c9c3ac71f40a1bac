package sdk

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	"github.com/parley-platform/parley/projections/channels"
)

// WidgetAPI is what the operations by which widgets and apps begin need.
type WidgetAPI struct {
	Chat     runtime.ChatAPI
	Channels activeChannels
	Tokens   tokens.SDK
}

// activeChannels knows which channel a public key stands for.
type activeChannels interface {
	Get(ctx context.Context, tenant, project, id string) (channels.SDKChannel, bool, error)
	OfKey(ctx context.Context, tenant, key string, page bool) (channels.SDKChannel, bool, error)
}

// DeclareWidgets adds what widgets and apps begin with.
func DeclareWidgets(api *rest.API, x WidgetAPI) {
	tags := []string{"SDK channels"}
	rest.Declare(api, rest.Operation{
		ID: "sdk-config", Method: http.MethodGet, Path: "/api/v1/sdk/config/{projectId}", Tags: tags,
		Summary: "How a widget looks",
		Description: "That of the newest active channel of the public key, in the header X-API-Key; what it leaves out has the value of the " +
			"defaults. It may be kept for a minute.",
		Requirement: access.PublicKeyOnly(), Resolve: rest.ProjectFrom("projectId"),
	}, x.config)
	rest.Declare(api, rest.Operation{
		ID: "sdk-init", Method: http.MethodPost, Path: "/api/v1/sdk/init", Tags: tags,
		Summary: "Begin a session of a widget or an app",
		Description: "With a public key in X-Public-Key, or the token of an SDK channel in X-SDK-Token. The token of the answer is good for " +
			"half an hour in the header X-SDK-Token, and opens the session alone: chat-agent, chat-send, stream-chat, session-transcript, " +
			"give-feedback, add-attachment, and the sockets and runs of web-chat, ag-ui and run-ag-ui. " +
			"With `sessionId` the session goes on, with a new token. An Idempotency-Key says nothing here: the public key is everybody's, " +
			"so what one caller began would be given to another.",
		Requirement: access.PublicKeyOnly().OrShared(), Unkeyed: true,
		Refusals: []fault.Code{fault.NotFound, fault.Conflict, fault.Gone, fault.Unavailable},
	}, x.begin)
}

// WidgetPermissions are what a widget may offer.
type WidgetPermissions struct {
	Chat  bool `json:"chat"`
	Voice bool `json:"voice"`
}

// WidgetConfig is how a widget looks.
type WidgetConfig struct {
	Mode            string         `json:"mode" enum:"chat,voice,unified"`
	Position        string         `json:"position" enum:"bottom-right,bottom-left,top-right,top-left"`
	Theme           map[string]any `json:"theme" doc:"primaryColor, darkMode, fontFamily, borderRadius, logoUrl, and what else the channel has."`
	WelcomeMessage  string         `json:"welcomeMessage"`
	PlaceholderText string         `json:"placeholderText"`
	VoiceEnabled    bool           `json:"voiceEnabled"`
	ChatEnabled     bool           `json:"chatEnabled"`
}

func widgetOf(c channels.SDKChannel) (WidgetConfig, WidgetPermissions) {
	w := sdkchannels.ConfigOf(c.Config)
	return WidgetConfig{Mode: w.Mode, Position: w.Position, Theme: w.Theme, WelcomeMessage: w.WelcomeMessage,
			PlaceholderText: w.PlaceholderText, VoiceEnabled: w.VoiceEnabled, ChatEnabled: w.ChatEnabled},
		WidgetPermissions{Chat: w.ChatEnabled, Voice: w.VoiceEnabled}
}

// channel is the one that the caller stands for.
func (x WidgetAPI) channel(ctx context.Context) (channels.SDKChannel, error) {
	who := rest.PrincipalOf(ctx)
	var c channels.SDKChannel
	var ok bool
	var err error
	if who.Kind == access.EmbedCredential {
		c, ok, err = x.Channels.Get(ctx, who.TenantID, who.ProjectID, who.ChannelID)
	} else {
		c, ok, err = x.Channels.OfKey(ctx, who.TenantID, who.KeyID, who.Page != "")
	}
	switch {
	case err != nil:
		return c, err
	case !ok || !c.Active || c.ProjectID != rest.ProjectOf(ctx).ID:
		return c, fault.New(fault.NotFound, "the public key has no active SDK channel")
	case c.Type == sdkchannels.Web && who.Page == "":
		return c, fault.New(fault.Forbidden, "the SDK channel is for pages: the request has no Origin")
	}
	return c, nil
}

type widgetConfigOut struct {
	CacheControl string `header:"Cache-Control"`
	Vary         string `header:"Vary"`
	Body         struct {
		Success     bool              `json:"success"`
		ProjectID   string            `json:"projectId"`
		Permissions WidgetPermissions `json:"permissions"`
		Config      WidgetConfig      `json:"config"`
	}
}

func (x WidgetAPI) config(ctx context.Context, _ *struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
}) (*widgetConfigOut, error) {
	c, err := x.channel(ctx)
	if err != nil {
		return nil, err
	}
	out := &widgetConfigOut{CacheControl: "public, max-age=60", Vary: "Origin, X-API-Key, X-Public-Key"}
	out.Body.Success, out.Body.ProjectID = true, c.ProjectID
	out.Body.Config, out.Body.Permissions = widgetOf(c)
	return out, nil
}

type widgetInitIn struct {
	Body struct {
		ProjectID string `json:"projectId" required:"true" minLength:"1" maxLength:"128" doc:"A project's id or alias." example:"acme-bot"`
		SessionID string `json:"sessionId,omitempty" maxLength:"128" doc:"Goes on with a session that a widget or an app has begun; left out: a new one begins."`
		Language  string `json:"language,omitempty" maxLength:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$" doc:"Of a new session (extension)." example:"de-AT"`
	}
}

type widgetInitOut struct {
	Body struct {
		Success   bool         `json:"success"`
		Token     string       `json:"token"`
		SessionID string       `json:"sessionId"`
		ExpiresIn int          `json:"expiresIn" doc:"Seconds." example:"1800"`
		Config    WidgetConfig `json:"config"`
	}
}

// sessionsOf is the word for the sessions that a type of channel begins.
var sessionsOf = map[sdkchannels.Type]string{sdkchannels.Web: "web", sdkchannels.IOS: "mobile", sdkchannels.Android: "mobile",
	sdkchannels.Voice: "sdk", sdkchannels.API: "sdk"}

func (x WidgetAPI) begin(ctx context.Context, in *widgetInitIn) (*widgetInitOut, error) {
	ctx, err := rest.ResolveProject(ctx, in.Body.ProjectID)
	if err != nil {
		return nil, err
	}
	c, err := x.channel(ctx)
	if err != nil {
		return nil, err
	}
	id, word := in.Body.SessionID, sessionsOf[c.Type]
	if id == "" {
		wanted := runtime.Wanted{Channel: word, Environment: c.Environment, Language: in.Body.Language}
		if !c.Follows {
			wanted.DeploymentID, wanted.Environment = c.DeploymentID, ""
		}
		id, err = x.Chat.OpenSession(ctx, wanted)
	} else {
		err = x.Chat.GoesOn(ctx, id, word)
	}
	if err != nil {
		return nil, err
	}
	who, now := rest.PrincipalOf(ctx), x.Chat.Now()
	out := &widgetInitOut{}
	if out.Body.Token, err = x.Tokens.Issue(tokens.SDKGrant{TenantID: c.Tenant, ProjectID: c.ProjectID, ChannelID: c.ChannelID,
		SessionID: id, Origin: who.Page, Issued: now, Expires: now.Add(tokens.SDKSession)}); err != nil {
		return nil, err
	}
	out.Body.Success, out.Body.SessionID, out.Body.ExpiresIn = true, id, int(tokens.SDKSession.Seconds())
	out.Body.Config, _ = widgetOf(c)
	return out, nil
}

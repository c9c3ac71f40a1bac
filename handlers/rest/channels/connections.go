package channels

import (
	"context"
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/channels"
)

// ConnectionsAPI is what the operations on the connections of channels need.
type ConnectionsAPI struct {
	rest.Commands
	Connections connectionReader
	// Seal seals a credential, and gives the keyed fingerprint by which the same one is known.
	Seal func(tenant, connectionID, name, value string) (sealed, fingerprint string, err error)
	URL  func() string // how providers reach the API
}

// connectionReader knows which connections there are.
type connectionReader interface {
	Get(ctx context.Context, tenant, project, id string) (channels.Connection, bool, error)
	List(ctx context.Context, q channels.ConnectionQuery) ([]channels.Connection, int, error)
}

const (
	connectionsPath = "/api/projects/{projectId}/channel-connections"
	connectionPath  = connectionsPath + "/{id}"
)

// DeclareConnections adds the operations on the connections of channels.
func DeclareConnections(api *rest.API, x ConnectionsAPI) {
	tags, writes := []string{"Channel connections"}, []fault.Code{fault.NotExecuted, fault.OutcomeUnknown, fault.Conflict}
	signedIn := func(p access.Permission) access.Requirement { return access.SignedIn(access.Ability(p)) }
	project, one := rest.ProjectFrom("projectId"), rest.ResolveAll(rest.ProjectFrom("projectId"), x.ofPath)
	rest.Declare(api, rest.Operation{
		ID: "create-channel-connection", Method: http.MethodPost, Path: connectionsPath, Status: http.StatusCreated, Tags: tags,
		Summary: "Connect a channel to a project's agents",
		Description: "Each kind has credentials of its own; they are sealed before they are stored, and only their names are shown. What a " +
			"provider calls an account is of one connection on the whole server: 409 says that it is taken, and not by whom. Without " +
			"`deploymentId` the newest active deployment at the moment of a message answers.",
		Requirement: signedIn(access.PermChannelCreate), Resolve: project, Refusals: append(writes, fault.Unavailable),
	}, x.create)
	rest.Declare(api, rest.Operation{
		ID: "list-channel-connections", Method: http.MethodGet, Path: connectionsPath, Tags: tags,
		Summary: "List the connections of a project, the newest first", Description: "Without the values of their credentials.",
		Requirement: signedIn(access.PermChannelRead), Resolve: project,
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "get-channel-connection", Method: http.MethodGet, Path: connectionPath, Tags: tags, Summary: "Read a connection",
		Description: "Without the values of its credentials; `lastError` says what its provider does not do, or why nobody answers.",
		Requirement: signedIn(access.PermChannelRead), Resolve: one,
	}, x.get)
	rest.Declare(api, rest.Operation{
		ID: "update-channel-connection", Method: http.MethodPatch, Path: connectionPath, Tags: tags, Summary: "Change a connection",
		Description: "Only the members that are given change. A credential that is given takes the place of the one of its name, null takes it " +
			"away. `channelType` and `externalIdentifier` cannot change.",
		Requirement: signedIn(access.PermChannelUpdate), Resolve: one, Refusals: append(writes, fault.Unavailable),
	}, x.change)
	rest.Declare(api, rest.Operation{
		ID: "delete-channel-connection", Method: http.MethodDelete, Path: connectionPath, Tags: tags, Summary: "Delete a connection",
		Description: "Nothing comes by it any more, and its externalIdentifier is free.",
		Requirement: signedIn(access.PermChannelDelete), Resolve: rest.ResolveAll(project, rest.OrGone(x.ofPath)), Refusals: writes,
	}, x.delete)
}

// ConnectionShown is a connection as it is shown.
type ConnectionShown struct {
	ID                 string           `json:"id" example:"cn-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	ProjectID          string           `json:"projectId"`
	ChannelType        string           `json:"channelType" example:"slack"`
	ExternalIdentifier string           `json:"externalIdentifier" doc:"What the provider calls it." example:"A0123:T0456"`
	Name               string           `json:"name"`
	AgentName          *string          `json:"agentName" nullable:"true" doc:"Who begins; null: the deployment's entry agent."`
	DeploymentID       *string          `json:"deploymentId" nullable:"true" doc:"That answers; null: the newest active one at the moment of a message."`
	Environment        *string          `json:"environment" nullable:"true" enum:"dev,staging,production" doc:"In which that one is looked for; null: in production, else staging, else dev."`
	IsActive           bool             `json:"isActive" doc:"One that is not takes nothing."`
	CredentialNames    []string         `json:"credentialNames" doc:"Of the credentials that it has, in order."`
	WebhookURL         string           `json:"webhookUrl" doc:"Where the provider is to send what people say, or a program: of mail the address, as mailto:."`
	LastError          *ConnectionError `json:"lastError,omitempty" doc:"What the provider does not do at the moment, or why nobody answers; not there: nothing is wrong that we know of."`
	CreatedAt          string           `json:"createdAt" format:"date-time"`
	UpdatedAt          string           `json:"updatedAt" format:"date-time"`
}

// ConnectionError is what is wrong with a connection.
type ConnectionError struct {
	About   string `json:"about" enum:"webhook,sending,answering" doc:"The provider does not send us what people say, or does not take what is said back; or the newest message of a new conversation had nobody who answers it, as nothing is deployed that could."`
	Code    string `json:"code" doc:"The provider's, or a word of ours."`
	Message string `json:"message"`
	At      string `json:"at" format:"date-time"`
}

// lastError is the newer one of what is wrong.
func lastError(c channels.Connection) *ConnectionError {
	about, t := connections.State{Troubles: c.Troubles()}.LastError()
	if t == nil {
		return nil
	}
	return &ConnectionError{About: string(about), Code: t.Code, Message: t.Reason, At: rest.ISOTime(&t.At)}
}

func (x ConnectionsAPI) shown(c channels.Connection) ConnectionShown {
	return ConnectionShown{ID: c.ConnectionID, ProjectID: c.ProjectID, ChannelType: c.Kind, ExternalIdentifier: c.External, Name: c.Name,
		AgentName: orNull(c.AgentName), DeploymentID: orNull(c.DeploymentID), Environment: orNull(c.Environment), IsActive: c.Active,
		CredentialNames: rest.OrNone(c.CredentialNames()), WebhookURL: x.webhook(c),
		LastError: lastError(c), CreatedAt: rest.ISOTime(&c.CreatedAt),
		UpdatedAt: rest.ISOTime(&c.UpdatedAt)}
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// calledAt are where kinds are called that have a path of their own: by their providers, by pages, by
// programs.
var calledAt = map[string]string{"twilio_voice": "/api/v1/voice/connect", "livekit": "/api/v1/channels/livekit/webhook",
	"web_chat": "/api/v1/channels/web_chat/ws", "ag_ui": "/api/v1/channels/ag_ui/runs", AsyncKind: "/api/v1/channels/http_async/messages",
	"http": "/api/v1/channels/http/messages", "api": "/api/v1/channels/api/messages"}

// webhook is where the provider of a connection calls, or another agent.
func (x ConnectionsAPI) webhook(c channels.Connection) string {
	if c.Kind == "a2a" {
		return x.URL() + connections.AgentPath + c.ConnectionID
	}
	return WebhookURL(x.URL(), c.Kind, c.External)
}

// WebhookURL is where the provider calls what goes by a name of a kind; mail is brought to its address, by SMTP.
func WebhookURL(base, kind, external string) string {
	if kind == "email" {
		return "mailto:" + url.PathEscape(external)
	}
	if path, has := calledAt[kind]; has {
		return base + path
	}
	return base + "/api/v1/channels/" + kind + "/webhook/" + url.PathEscape(external)
}

type connectionOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Connection ConnectionShown `json:"connection"`
	}
}

func (x ConnectionsAPI) answer(c channels.Connection) *connectionOut {
	out := &connectionOut{}
	out.Body.Success, out.Body.Connection = true, x.shown(c)
	return out
}

// ChannelType is the word for a kind of channel.
type ChannelType string

// Schema implements huma.SchemaProvider.
func (ChannelType) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Description: "The kind of channel.", Examples: []any{"slack"}}
	for _, word := range connections.Words() {
		s.Enum = append(s.Enum, word)
	}
	return s
}

type listConnectionsIn struct {
	ProjectID   string `path:"projectId" doc:"A project's id or alias."`
	ChannelType string `query:"channelType" maxLength:"32" doc:"Only of this kind." example:"slack"`
	IsActive    string `query:"isActive" enum:"true,false" doc:"Only those that are active, or are not."`
	rest.Page
}

type listConnectionsOut struct {
	Body struct {
		Success     bool              `json:"success"`
		Connections []ConnectionShown `json:"connections"`
		Pagination  rest.Pagination   `json:"pagination"`
	}
}

func (x ConnectionsAPI) list(ctx context.Context, in *listConnectionsIn) (*listConnectionsOut, error) {
	project := rest.ProjectOf(ctx)
	q := channels.ConnectionQuery{Tenant: project.TenantID, Project: project.ID, Limit: in.Limit, Offset: in.Offset}
	if in.ChannelType != "" {
		kind, err := kindOf(in.ChannelType)
		if err != nil {
			return nil, err
		}
		q.Kind = kind.Slug
	}
	if in.IsActive != "" {
		active := in.IsActive == "true"
		q.Active = &active
	}
	found, total, err := x.Connections.List(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &listConnectionsOut{}
	out.Body.Success, out.Body.Connections, out.Body.Pagination = true, rest.Shown(found, x.shown), in.Of(total)
	return out, nil
}

func (x ConnectionsAPI) get(ctx context.Context, _ *struct{ ConnectionPath }) (*connectionOut, error) {
	return x.answer(connectionAt(ctx)), nil
}

func (x ConnectionsAPI) ofPath(ctx context.Context, p rest.Params) (context.Context, error) {
	return rest.AboutOne(ctx, p.Path("id"), x.Connections.Get, connections.Unknown)
}

// connectionAt is the connection that the request is about.
func connectionAt(ctx context.Context) channels.Connection {
	return rest.Found[channels.Connection](ctx)
}

// ConnectionPath is embedded by the inputs of the operations on one connection.
type ConnectionPath struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	ID        string `path:"id" doc:"A connection's id."`
}

// Package a2a has the operations by which agents of others talk with a project's agents, by the
// agent-to-agent protocol: what an agent says of itself, and its one address of JSON-RPC.
//
// What is said stands on the thread of its context, and is given to sessions as the messages of other
// channels are; tasks are read from there (package tasks). It never runs an agent, and stores nothing.
package a2a

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	protocol "github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/acts/files"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/acts/tasks"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
	models "github.com/parley-platform/parley/projections/channels"
	"github.com/parley-platform/parley/projections/runtime"
)

// API is what the operations need.
type API struct {
	rest.Commands
	Connections connectionReader
	Deployments takers.Deployments
	Programs    *acts.Programs
	Tasks       tasks.Tasks
	SealURL     acts.SealURL
	SealHeaders func(tenant string, headers map[string]string) (string, error)
	CheckURL    func(string) error // of an address that is to be told
	Blobs       files.Blobs        // where files go that come with messages
	// Fetch gets a file that a message gives the address of: from public addresses only.
	Fetch     func(context.Context, channels.File) (channels.Fetched, error)
	URL       func() string     // how others reach the API
	Heartbeat time.Duration     // of streams; 0: 15 s
	Counts    *connected.Counts // nil: nobody counts
}

// connectionReader knows connections, whosever they are.
type connectionReader interface {
	OfKind(ctx context.Context, kind, tenant, id string) (models.Connection, bool, error)
}

// Kind is the kind of connections that lead here.
const Kind = "a2a"

const (
	rpcPath  = connections.AgentPath + "{connectionId}"
	cardPath = rpcPath + "/.well-known/agent-card.json"
)

// Declare adds them.
func Declare(api *rest.API, x API) {
	tags := []string{"Agent to agent"}
	rest.Declare(api, rest.Operation{
		ID: "get-agent-card", Method: http.MethodGet, Path: cardPath, Tags: tags, Requirement: access.Public, Extension: true,
		Summary: "What an agent says of itself to other agents",
		Description: "By the agent-to-agent protocol, in the words of its versions 0.3 and 1.0. The path is that of an active connection of " +
			"the kind `a2a`, which leads to the agent; anybody may read it.",
	}, x.card)
	rest.Declare(api, rest.Operation{
		ID: "call-agent", Method: http.MethodPost, Path: rpcPath, Tags: tags, Requirement: access.SignedIn(access.CanChat), Extension: true,
		Summary: "Talk with an agent, by the agent-to-agent protocol",
		Description: "One request of JSON-RPC, in version 0.3, or 1.0 with `A2A-Version: 1.0`: sending a message, as a stream of Server-Sent " +
			"Events or not; getting, cancelling and following a task; where somebody is told of it. A context is a conversation, a task is what " +
			"the agent does because of a message, `messageId` makes repeating one safe. A body that is `{message}` alone is sending it: its " +
			"`messageId` may be left out. Faults of the protocol are 200 with `error`; what is refused before it is read is answered as by " +
			"other operations.",
		Resolve: x.ofPath, Refusals: []fault.Code{fault.TooLarge, fault.Conflict},
	}, x.rpc)
	describe(api)
}

// describe tells what the handler reads and writes by itself.
func describe(api *rest.API) {
	op := api.Description().Paths[rpcPath].Post
	anything := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	request := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
		Properties: map[string]*huma.Schema{"jsonrpc": {Type: huma.TypeString, Enum: []any{"2.0"}}, "method": {Type: huma.TypeString},
			"id": {}, "params": anything, "message": anything},
		Examples: []any{map[string]any{"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": map[string]any{"message": map[string]any{
			"kind": "message", "messageId": "9d3f0f57-65f4-4f5c-9d5a-3c8f5a8c1c11", "role": "user",
			"parts": []any{map[string]any{"kind": "text", "text": "Hello"}}}}}}}
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: request}}}
	answer := op.Responses["200"]
	answer.Description = "The response, or with a method that streams events whose data are responses"
	answer.Content = map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
		Required: []string{"jsonrpc", "id"}, Properties: map[string]*huma.Schema{"jsonrpc": {Type: huma.TypeString}, "id": {},
			"result": anything, "error": anything}}}, eventstream.Format: {Schema: &huma.Schema{Type: huma.TypeString}}}
}

// ofPath finds the connection that a path names, for whoever may talk with agents of its project.
func (x API) ofPath(ctx context.Context, p rest.Params) (context.Context, error) {
	who := rest.PrincipalOf(ctx)
	c, err := x.connection(ctx, who.TenantID, p.Path("connectionId"))
	if err != nil {
		return ctx, err
	}
	if who.TenantID != c.TenantID || who.ProjectID != "" && who.ProjectID != c.ProjectID {
		return ctx, connections.Unknown()
	}
	return rest.About(ctx, c), nil
}

// connection is the active one with an id, of a tenant; empty: whosever was there first.
func (x API) connection(ctx context.Context, tenant, id string) (models.Connection, error) {
	if !access.ValidID(id) {
		return models.Connection{}, connections.Unknown()
	}
	c, ok, err := x.Connections.OfKind(ctx, Kind, tenant, id)
	if err == nil && (!ok || !c.Active) {
		err = connections.Unknown()
	}
	return c, err
}

func connectionOf(ctx context.Context) models.Connection { return rest.Found[models.Connection](ctx) }

type cardIn struct {
	ConnectionID string `path:"connectionId" doc:"A connection's id."`
}

type cardOut struct {
	CacheControl string `header:"Cache-Control"`
	Body         map[string]any
}

// card is of the agent that would answer now.
func (x API) card(ctx context.Context, in *cardIn) (*cardOut, error) {
	c, err := x.connection(ctx, "", in.ConnectionID)
	if err != nil {
		return nil, err
	}
	d, ok, err := x.deployed(ctx, c)
	if err != nil {
		return nil, err
	}
	card := protocol.Card{Name: c.Name, Description: "An agent of Parley", URL: x.URL() + connections.AgentPath + c.ConnectionID, Version: "0"}
	if name := orEntry(c.AgentName, d.EntryAgent); ok && name != "" {
		card.Name = name
		programs, err := x.Programs.Of(ctx, c.TenantID, c.ProjectID, d.Pinned())
		if err != nil {
			return nil, err
		}
		if p := programs[name]; p != nil && p.Description != "" {
			card.Description = p.Description
		}
		card.Version = strconv.Itoa(d.Manifest[name].Version)
	}
	card.Skills = []protocol.Skill{{ID: card.Name, Name: card.Name, Description: card.Description}}
	return &cardOut{CacheControl: "public, max-age=60", Body: card.Shown()}, nil
}

func orEntry(named, entry string) string {
	if named != "" {
		return named
	}
	return entry
}

func (x API) deployed(ctx context.Context, c models.Connection) (runtime.Deployment, bool, error) {
	if c.DeploymentID != "" {
		return x.Deployments.Get(ctx, c.TenantID, c.ProjectID, c.DeploymentID)
	}
	return x.Deployments.Serving(ctx, c.TenantID, c.ProjectID, c.Environment)
}

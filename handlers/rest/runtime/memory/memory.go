// Package memory has the operation by which the code of agents reads and writes their memory.
//
// It never decides who may use which store: the token that the runtime gave to the code says
// it, as the source of the agent does.
package memory

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/stores"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// API is what the operation needs.
type API struct {
	rest.Commands
	Stores stores.Stores
}

// Declare adds it.
func Declare(api *rest.API, x API) {
	rest.Declare(api, rest.Operation{
		ID: "use-memory", Method: http.MethodPost, Path: "/api/v1/memory", Tags: []string{"Memory"},
		Summary: "Read, write or delete a store of an agent's memory",
		Description: "For the code of a tool, while it runs, with the token that the runtime gave it: the stores that it may use, and how, " +
			"are in the token, as the agent's source declares them. A store that was never written is empty. Each write and deletion raises " +
			"its version; who names the version that was read is refused when the store has another one since.",
		Requirement: access.SandboxOnly(), Resolve: x.bridge,
		Refusals: []fault.Code{fault.Conflict, fault.LimitReached, fault.Unavailable},
	}, x.use)
}

// bridge finds the session that the token is of. To code of another project, or another
// account, it does not exist.
func (x API) bridge(ctx context.Context, _ rest.Params) (context.Context, error) {
	p := rest.PrincipalOf(ctx)
	if p.SessionID == "" {
		return ctx, fault.New(fault.BadRequest, "the token names no session")
	}
	ctx, err := rest.ResolveProject(ctx, p.ProjectID)
	if fault.Is(err, fault.NotFound) {
		err = stores.NoBridge()
	}
	if err != nil {
		return ctx, err
	}
	session, err := x.Stores.Session(ctx, granted(ctx))
	return rest.About(ctx, session), err
}

// granted is what the token of the request says.
func granted(ctx context.Context) driving.Bridge {
	p := rest.PrincipalOf(ctx)
	return driving.Bridge{Tenant: p.TenantID, Project: rest.ProjectOf(ctx).ID, Session: p.SessionID, Call: p.Subject, Trial: p.Trial,
		Stores: p.Stores}
}

type useIn struct {
	Body struct {
		Action  string   `json:"action" required:"true" enum:"get,set,delete"`
		Store   string   `json:"memoryStoreName" required:"true" minLength:"1" maxLength:"64" doc:"As MEMORY of the agent's source names it." example:"profile"`
		Payload *Payload `json:"payload,omitempty" doc:"Required for set."`
	}
}

// Payload is what is written, and over what.
type Payload struct {
	Content jsontext.Object `json:"content,omitempty" doc:"Required for set: what is in the store from then on; at most 256 KiB and 32 levels."`
	Version *int            `json:"version,omitempty" nullable:"true" minimum:"0" doc:"Of set and delete: the version of the store that was read, 0 of one that was never written. The store must not have another one since (409). Left out: whatever it has. An extension."`
}

type useOut struct {
	Body struct {
		Success bool            `json:"success"`
		Data    jsontext.Object `json:"data" doc:"Of get what is in the store, {} if nothing is; of set {version}; of delete {deleted: true}."`
		Version *int            `json:"version,omitempty" doc:"Of get: the version of the store, to be named in a write. An extension."`
	}
}

func (x API) use(ctx context.Context, in *useIn) (*useOut, error) {
	session := rest.Found[sessions.State](ctx)
	what := stores.Use{Action: in.Body.Action, Store: in.Body.Store}
	if p := in.Body.Payload; p != nil {
		what.Content, what.Version = json.RawMessage(p.Content), p.Version
	}
	used, err := x.Stores.Use(ctx, x.Caller(ctx), granted(ctx), session, what)
	if err != nil {
		return nil, err
	}
	if used.Replayed {
		rest.MarkReplayed(ctx)
	}
	switch what.Action {
	case stores.Set:
		return answered(map[string]any{"version": used.Version})
	case stores.Delete:
		return answered(map[string]any{"deleted": true})
	}
	out := &useOut{}
	out.Body.Success, out.Body.Data, out.Body.Version = true, jsontext.Object(used.Content), &used.Version
	return out, nil
}

func answered(data map[string]any) (*useOut, error) {
	out := &useOut{}
	shown, err := json.Marshal(data)
	out.Body.Success, out.Body.Data = true, shown
	return out, err
}

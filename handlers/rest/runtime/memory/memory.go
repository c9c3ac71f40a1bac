// Package memory has the operation by which the code of agents reads and writes their memory.
//
// It never decides who may use which store: the token that the runtime gave to the code says
// it, as the source of the agent does.
package memory

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// API is what the operation needs.
type API struct {
	rest.Commands
	Stores   storeCounter
	Programs *acts.Programs
}

// storeCounter knows how many stores somebody has.
type storeCounter interface {
	Count(ctx context.Context, of memories.Name, at time.Time) (int, error)
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

type sessionKey struct{}

// bridge finds the session that the token is of. To code of another project, or another
// account, it does not exist.
func (x API) bridge(ctx context.Context, _ rest.Params) (context.Context, error) {
	p := rest.PrincipalOf(ctx)
	if p.SessionID == "" {
		return ctx, fault.New(fault.BadRequest, "the token names no session")
	}
	ctx, err := rest.ResolveProject(ctx, p.ProjectID)
	if fault.Is(err, fault.NotFound) {
		err = noBridge()
	}
	if err != nil {
		return ctx, err
	}
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(p.SessionID))
	if err != nil {
		return ctx, err
	}
	if s := read.State; s.Status == "" || s.TenantID != p.TenantID || s.ProjectID != rest.ProjectOf(ctx).ID {
		return ctx, noBridge()
	}
	return context.WithValue(ctx, sessionKey{}, read.State), nil
}

func sessionOf(ctx context.Context) sessions.State {
	s, _ := ctx.Value(sessionKey{}).(sessions.State)
	return s
}

func noBridge() error {
	return fault.New(fault.NotFound, "there is no active memory bridge for the session of the token, or for its call")
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
	name, err := nameOf(ctx, in.Body.Store, in.Body.Action)
	if err != nil {
		return nil, err
	}
	payload := Payload{}
	if in.Body.Payload != nil {
		payload = *in.Body.Payload
	}
	switch in.Body.Action {
	case "set":
		return x.set(ctx, name, payload)
	case "delete":
		return x.delete(ctx, name, payload.Version)
	default:
		return x.get(ctx, name)
	}
}

// nameOf is the store that the token means by a name. What the agent does not declare is not
// told from what it may not use.
func nameOf(ctx context.Context, store, action string) (memories.Name, error) {
	declared, ok := rest.PrincipalOf(ctx).Stores[store]
	allowed := declared.Write
	if action == "get" {
		allowed = declared.Read
	}
	if !ok || !allowed {
		return memories.Name{}, fault.New(fault.Forbidden, "the agent declares no store of this name with the access that %s needs", action)
	}
	session := sessionOf(ctx)
	name := memories.Name{TenantID: session.TenantID, ProjectID: session.ProjectID, Scope: memories.Scope(declared.Scope),
		OwnerID: session.ID, Store: store}
	switch name.Scope {
	case memories.OfProject:
		name.OwnerID = session.ProjectID
	case memories.OfContact:
		if name.OwnerID = session.ContactID; name.OwnerID == "" {
			return name, fault.New(fault.Conflict, "nobody knows yet which contact talks in the session: link it first")
		}
	}
	return name, nil
}

// active refuses what comes when the session has ended, or the call that the token is of.
func active(ctx context.Context) error {
	session, p := sessionOf(ctx), rest.PrincipalOf(ctx)
	if session.Status != sessions.Active || !p.Trial && session.Talk.Running.Call(p.Subject) == nil {
		return noBridge()
	}
	return nil
}

// fits refuses what is not as the source declares it of the agent whose tool the code is.
func (x API) fits(ctx context.Context, store string, content json.RawMessage) error {
	session := sessionOf(ctx)
	call := session.Talk.Running.Call(rest.PrincipalOf(ctx).Subject)
	if call == nil {
		return nil
	}
	programs, err := x.Programs.Of(ctx, session.TenantID, session.ProjectID, session.Talk.Manifest)
	if err != nil {
		return err
	}
	var whole any
	p := programs[call.Agent]
	if p == nil || p.Store(store) == nil || json.Unmarshal(content, &whole) != nil {
		return nil
	}
	if err := p.Store(store).Schema.Check(whole); err != nil {
		return fault.Field("payload.content", "is not as SCHEMA of the store says: %s", err)
	}
	return nil
}

func (x API) get(ctx context.Context, name memories.Name) (*useOut, error) {
	if err := active(ctx); err != nil {
		return nil, err
	}
	read, err := eventstore.Read(ctx, x.Store, memories.Memories, name.Stream(x.MAC))
	if err != nil {
		return nil, err
	}
	content := read.State.Held(x.Now())
	if len(content) == 0 {
		content = json.RawMessage("{}")
	}
	out := &useOut{}
	out.Body.Success, out.Body.Data, out.Body.Version = true, jsontext.Object(content), &read.State.Version
	return out, nil
}

func (x API) set(ctx context.Context, name memories.Name, p Payload) (*useOut, error) {
	content, err := memories.Clean(json.RawMessage(p.Content))
	if err != nil {
		return nil, err
	}
	ttl := time.Duration(rest.PrincipalOf(ctx).Stores[name.Store].TTL) * time.Second
	stream := name.Stream(x.MAC)
	res, repeated, err := rest.Repeated(ctx, x.Commands, memories.Memories, stream)
	if err == nil && !repeated {
		err = x.fits(ctx, name.Store, content)
	}
	if err == nil && !repeated {
		res, err = x.write(ctx, memories.Write{Name: name, Content: content, Expects: p.Version, TTL: ttl,
			By: by(ctx), At: x.Now()})
	}
	if err != nil {
		return nil, err
	}
	written, err := rest.Payload[memories.Written](res)
	if err != nil {
		return nil, err
	}
	return answered(map[string]any{"version": written.Version})
}

func (x API) write(ctx context.Context, cmd memories.Write) (res eventstore.Result[memories.State], err error) {
	if err := active(ctx); err != nil {
		return res, err
	}
	if cmd.Stores, err = x.Stores.Count(ctx, cmd.Name, cmd.At); err != nil {
		return res, err
	}
	return rest.Execute(ctx, x.Commands, memories.Memories, cmd.Name.Stream(x.MAC), cmd.Decide)
}

func (x API) delete(ctx context.Context, name memories.Name, version *int) (*useOut, error) {
	stream := name.Stream(x.MAC)
	_, repeated, err := rest.Repeated(ctx, x.Commands, memories.Memories, stream)
	if err == nil && !repeated {
		if err = active(ctx); err == nil {
			cmd := memories.Delete{Name: name, Expects: version, By: by(ctx), At: x.Now()}
			_, err = rest.Execute(ctx, x.Commands, memories.Memories, stream, cmd.Decide)
		}
	}
	if err != nil {
		return nil, err
	}
	return answered(map[string]any{"deleted": true})
}

func by(ctx context.Context) memories.By {
	session := sessionOf(ctx)
	return memories.By{SessionID: session.ID, ToolCallID: rest.PrincipalOf(ctx).Subject, Test: session.Talk.Test}
}

func answered(data map[string]any) (*useOut, error) {
	out := &useOut{}
	shown, err := json.Marshal(data)
	out.Body.Success, out.Body.Data = true, shown
	return out, err
}

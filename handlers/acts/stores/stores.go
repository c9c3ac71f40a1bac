// Package stores is how the code of a tool uses the memory of its agent: the stores that its bridge
// opens, for as long as its call is open. The operation of the API is one who does it, for code that
// comes with a token; the other is the server, for the programs that it runs itself.
//
// It never decides who may use which store: the bridge says it, as the source of the agent does.
package stores

import (
	"context"
	"encoding/json"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

// Stores is what it needs.
type Stores struct {
	acts.Log
	Counter  driving.StoreCounter
	Programs *acts.Programs
}

// The actions.
const (
	Get    = "get"
	Set    = "set"
	Delete = "delete"
)

// Use is one thing that is done to a store.
type Use struct {
	Action  string
	Store   string
	Content json.RawMessage // of set; empty: none was given
	Version *int            // of set and delete: the one that was read; nil: none was named
}

// Used is what came of it.
type Used struct {
	Content  json.RawMessage // of get: {} if there is nothing
	Version  int             // of get and set
	Replayed bool            // an earlier try of the same command did it
}

// Session is the one that a bridge leads to. To code of another project, or another account, it
// does not exist.
func (x Stores) Session(ctx context.Context, b driving.Bridge) (sessions.State, error) {
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(b.Session))
	if err != nil {
		return sessions.State{}, err
	}
	if s := read.State; s.Status == "" || s.TenantID != b.Tenant || s.ProjectID != b.Project {
		return s, NoBridge()
	}
	return read.State, nil
}

// NoBridge is what is said where a bridge leads nowhere.
func NoBridge() error {
	return fault.New(fault.NotFound, "there is no active memory bridge for the session, or for its call")
}

// Use does something to a store of the session that the bridge leads to.
func (x Stores) Use(ctx context.Context, by acts.Caller, b driving.Bridge, s sessions.State, u Use) (Used, error) {
	name, err := nameOf(b, s, u)
	if err != nil {
		return Used{}, err
	}
	use := use{Stores: x, by: by, bridge: b, session: s, name: name}
	switch u.Action {
	case Get:
		return use.get(ctx)
	case Set:
		return use.set(ctx, u)
	case Delete:
		return use.delete(ctx, u.Version)
	}
	return Used{}, fault.Field("action", "must be %s, %s or %s", Get, Set, Delete)
}

// nameOf is the store that a bridge means by a name. What the agent does not declare is not told
// from what it may not use.
func nameOf(b driving.Bridge, s sessions.State, u Use) (memories.Name, error) {
	declared, ok := b.Stores[u.Store]
	allowed := declared.Write
	if u.Action == Get {
		allowed = declared.Read
	}
	if !ok || !allowed {
		return memories.Name{}, fault.New(fault.Forbidden, "the agent declares no store of this name with the access that %s needs", u.Action)
	}
	name, known := driving.StoreName(&s, sessions.StoreOf{Scope: memories.Scope(declared.Scope), Store: u.Store})
	if !known {
		return name, fault.New(fault.Conflict, "nobody knows yet which contact talks in the session: link it first")
	}
	return name, nil
}

// use is one under way.
type use struct {
	Stores
	by      acts.Caller
	bridge  driving.Bridge
	session sessions.State
	name    memories.Name
}

func (x use) stream() string { return x.name.Stream(x.MAC) }

// active refuses what comes when the session has ended, or the call that the bridge is of.
func (x use) active() error {
	if x.session.Status != sessions.Active || !x.bridge.Trial && x.session.Talk.Running.Call(x.bridge.Call) == nil {
		return NoBridge()
	}
	return nil
}

func (x use) get(ctx context.Context) (Used, error) {
	if err := x.active(); err != nil {
		return Used{}, err
	}
	read, err := eventstore.Read(ctx, x.Store, memories.Memories, x.stream())
	if err != nil {
		return Used{}, err
	}
	content := read.State.Held(x.Now())
	if len(content) == 0 {
		content = json.RawMessage("{}")
	}
	return Used{Content: content, Version: read.State.Version}, nil
}

func (x use) set(ctx context.Context, u Use) (Used, error) {
	res, err := x.repeated(ctx)
	if err != nil || res.Replayed {
		return written(res, err)
	}
	if err := x.active(); err != nil { // what is not there is told before what is wrong
		return Used{}, err
	}
	content, err := memories.Clean(u.Content)
	if err == nil {
		err = x.fits(ctx, content)
	}
	if err == nil {
		ttl := time.Duration(x.bridge.Stores[u.Store].TTL) * time.Second
		res, err = x.write(ctx, memories.Write{Name: x.name, Content: content, Expects: u.Version, TTL: ttl, By: x.writer(), At: x.Now()})
	}
	return written(res, err)
}

// written is what came of a write, now or in an earlier try.
func written(res eventstore.Result[memories.State], err error) (Used, error) {
	if err != nil {
		return Used{}, err
	}
	e, ok := eventstore.Find[memories.Written](res)
	if !ok {
		return Used{}, fault.New(fault.Internal, "the accepted commit has no %T", e)
	}
	return Used{Version: e.Version, Replayed: res.Replayed}, nil
}

// repeated is the result that an earlier try had. What has changed since must not refuse it.
func (x use) repeated(ctx context.Context) (res eventstore.Result[memories.State], err error) {
	if x.by.RequestID == "" {
		return res, nil
	}
	return acts.Earlier(ctx, x.Log, x.by, memories.Memories, x.stream())
}

// fits refuses what is not as the source declares it of the agent whose tool the code is.
func (x use) fits(ctx context.Context, content json.RawMessage) error {
	call := x.session.Talk.Running.Call(x.bridge.Call)
	if call == nil {
		return nil
	}
	programs, err := x.Programs.Of(ctx, x.session.TenantID, x.session.ProjectID, x.session.Talk.Manifest)
	if err != nil {
		return err
	}
	var whole any
	p := programs[call.Agent]
	if p == nil || p.Store(x.name.Store) == nil || json.Unmarshal(content, &whole) != nil {
		return nil
	}
	if err := p.Store(x.name.Store).Schema.Check(whole); err != nil {
		return fault.Field("payload.content", "is not as SCHEMA of the store says: %s", err)
	}
	return nil
}

func (x use) write(ctx context.Context, cmd memories.Write) (res eventstore.Result[memories.State], err error) {
	if cmd.Stores, err = x.Counter.Count(ctx, cmd.Name, cmd.At); err != nil {
		return res, err
	}
	return acts.Execute(ctx, x.Log, x.by, memories.Memories, x.stream(), cmd.Decide)
}

func (x use) delete(ctx context.Context, version *int) (Used, error) {
	res, err := x.repeated(ctx)
	if err == nil && !res.Replayed {
		if err = x.active(); err == nil {
			cmd := memories.Delete{Name: x.name, Expects: version, By: x.writer(), At: x.Now()}
			res, err = acts.Execute(ctx, x.Log, x.by, memories.Memories, x.stream(), cmd.Decide)
		}
	}
	return Used{Replayed: res.Replayed}, err
}

func (x use) writer() memories.By {
	return memories.By{SessionID: x.session.ID, ToolCallID: x.bridge.Call, Test: x.session.Talk.Test}
}

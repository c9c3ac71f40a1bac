package driving

import (
	"context"
	"github.com/parley-platform/parley/handlers/acts"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
)

// StoreCounter knows how many stores somebody has in which there is something at a time.
type StoreCounter interface {
	Count(ctx context.Context, of memories.Name, at time.Time) (int, error)
}

// memoryFor is for how long a turn waits for its stores.
const memoryFor = 10 * time.Second

// StoreName is a store as a session means it; false: it is one of a contact, and nobody knows who
// talks.
func StoreName(s *sessions.State, of sessions.StoreOf) (memories.Name, bool) {
	name := memories.Name{TenantID: s.TenantID, ProjectID: s.ProjectID, Scope: of.Scope, OwnerID: s.ID, Store: of.Store}
	switch of.Scope {
	case memories.OfProject:
		name.OwnerID = s.ProjectID
	case memories.OfContact:
		name.OwnerID = s.ContactID
	}
	return name, name.OwnerID != ""
}

// remember reads the stores that a turn wants to know, and keeps what was set in them. Each says
// what came of it; a defect of ours is a failure of all.
func (d *drive) remember(ctx context.Context, s *sessions.State, w turns.MemoryWork) (out []sessions.StoreTold) {
	ctx, cancel := context.WithTimeout(ctx, memoryFor)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			d.defect(ctx, p)
			out = w.Failed(sessions.CodeDefect)
		}
	}()
	for _, of := range w.Reads {
		out = append(out, d.read(ctx, s, of))
	}
	for _, write := range w.Writes {
		out = append(out, d.write(ctx, s, w.CallID, write))
	}
	return out
}

// leftIn is what a tool has left in the stores that it sees.
func (d *drive) leftIn(ctx context.Context, s *sessions.State, of turns.Wanted) (out []sessions.StoreTold) {
	ctx, cancel := context.WithTimeout(ctx, memoryFor)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			d.defect(ctx, p)
			out = nil // the session goes by what it knows
		}
	}()
	for _, store := range of.Sees {
		out = append(out, d.read(ctx, s, sessions.StoreOf{Scope: memories.Scope(store.Scope), Store: store.Name}))
	}
	return out
}

func (d *drive) read(ctx context.Context, s *sessions.State, of sessions.StoreOf) sessions.StoreTold {
	told := sessions.StoreTold{StoreOf: of}
	name, known := StoreName(s, of)
	if !known {
		told.Failed = sessions.CodeNoContact
		return told
	}
	var read eventstore.Loaded[memories.State]
	err := acts.Persist(ctx, func() (err error) {
		read, err = eventstore.Read(ctx, d.Store, memories.Memories, name.Stream(d.MAC))
		return err
	})
	if err != nil {
		told.Failed = string(fault.CodeOf(err))
		return told
	}
	told.Version, told.Content = read.State.Version, read.State.Held(d.Now())
	return told
}

// write keeps what was set in a store. What was kept before is kept once.
func (d *drive) write(ctx context.Context, s *sessions.State, call string, w turns.MemoryWrite) sessions.StoreTold {
	told := sessions.StoreTold{StoreOf: w.StoreOf}
	name, known := StoreName(s, w.StoreOf)
	if !known {
		told.Failed = sessions.CodeNoContact
		return told
	}
	change := memories.Change{Name: name, Set: w.Members, TTL: w.TTL, At: d.Now(),
		By: memories.By{SessionID: s.ID, ToolCallID: call, Test: s.Talk.Test}}
	var res eventstore.Result[memories.State]
	err := acts.Persist(ctx, func() (err error) {
		if change.Stores, err = d.Memories.Count(ctx, name, change.At); err != nil {
			return err
		}
		res, err = acts.Execute(ctx, d.Log, d.by, memories.Memories, name.Stream(d.MAC), change.Decide)
		return err
	})
	if err != nil {
		told.Failed = string(fault.CodeOf(err))
		return told
	}
	told.Version, told.Content, told.Refused = res.State.Version, res.State.Held(change.At), change.Refused(res.State)
	return told
}

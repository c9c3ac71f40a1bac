package brought

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	models "github.com/parley-platform/parley/projections/voice"
)

// OfSessions finds the calls in which people talk in sessions, whichever way these came.
type OfSessions struct {
	Store *eventstore.Store
	Rooms roomFinder
	// Settled returns when what is on the log of some categories is found by who reads.
	Settled func(ctx context.Context, of ...*event.Category) error
}

// roomFinder knows the room of a session: the one that is open, else the last in which somebody was.
type roomFinder interface {
	RoomOf(ctx context.Context, tenant, project, session string) (models.Room, bool, error)
}

// OfSession is the call of a session.
type OfSession struct {
	Stream string // empty: it has none
	Call   calls.State
	Left   bool // it has none any more: the room that it was for is gone
}

// Find finds the call that is the session's own, else the room that is open for it: a session does not know its room, since several
// may be opened for one, one behind the other. Rows of rooms may be behind what was just told; who finds none looks again when they
// are not.
func (x OfSessions) Find(ctx context.Context, tenant, session string) (of OfSession, err error) {
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(session))
	if err != nil {
		return of, fmt.Errorf("folding the session of a call: %w", err)
	}
	call := read.State.CallID
	if call == "" && read.State.Status != "" {
		room, err := x.room(ctx, tenant, read.State)
		if err != nil {
			return of, err
		}
		if room.Open {
			call = room.CallID
		}
		of.Left = !room.Open && room.CallID != "" && read.State.Channel == models.ChannelVoice
	}
	if call == "" {
		return of, nil
	}
	of.Stream = calls.Calls.Stream(call)
	known, err := eventstore.Read(ctx, x.Store, calls.Calls, of.Stream)
	if err != nil {
		return of, fmt.Errorf("folding %s: %w", of.Stream, err)
	}
	of.Call = known.State
	return of, nil
}

// Ringing is the transfer of the person who was called last onto the call of a session, and has not come; empty: they have, or nobody was
// called.
func (x OfSessions) Ringing(ctx context.Context, tenant, session string) (transferID string, err error) {
	of, err := x.Find(ctx, tenant, session)
	if err != nil {
		return "", err
	}
	return of.Call.RingingPerson(), nil
}

// room is the room of a session; without a call: it was in none.
func (x OfSessions) room(ctx context.Context, tenant string, s sessions.State) (models.Room, error) {
	room, _, err := x.Rooms.RoomOf(ctx, tenant, s.ProjectID, s.ID)
	if err != nil || room.Open {
		return room, err
	}
	if err := x.Settled(ctx, calls.Calls.Category); err != nil {
		return room, fmt.Errorf("waiting for what was just told of rooms: %w", err)
	}
	room, _, err = x.Rooms.RoomOf(ctx, tenant, s.ProjectID, s.ID)
	return room, err
}

// Package rooms has agents come into the rooms in which people are: when somebody has joined, one node joins as a
// participant and takes the call's line, and from there on the room is a call as any other. It carries none, and
// knows no protocol. Where an agent cannot come, the room goes on without sound, as one in which people write.
package rooms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Line is the sound of an agent in a room.
type Line interface {
	Facts() <-chan calls.Fact
	Say(ctx context.Context, text, language string) error
	HangUp(ctx context.Context) error
}

// accounts knows by which account a room was opened.
type accounts interface {
	Connection(ctx context.Context, room string) (channels.Connection, error)
}

// ErrStaysOut is why nobody comes into a room, and nobody tries again.
var ErrStaysOut = errors.New("the agent stays out of the room")

// Agents come into rooms.
type Agents struct {
	Store    *eventstore.Store
	Accounts accounts
	// Join joins the room of a call. An ErrStaysOut is for good; any other error is worth another try.
	Join func(ctx context.Context, c channels.Connection, of calls.State) (Line, error)
	// Take takes the line of a call for this node; carry carries the call until it is over.
	Take func(ctx context.Context, callID, streamID string, line Line) (carry func(), err error)
	Log  *slog.Logger
}

const joined = "participant_joined" // as the provider of rooms calls it

// Reactor declares it. Who is told twice that somebody came finds the line taken.
func (x Agents) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "room-agents", Side: reactors.AtLeastOnce, Handle: x.handle, Only: cameIn,
		Categories: []*event.Category{calls.Calls.Category}, Events: []event.Payload{calls.StatusTold{}}}
}

// cameIn reports whether somebody has come into a room.
func cameIn(r *eventstore.Record) bool {
	var of struct {
		Raw string `json:"raw"`
	}
	return json.Unmarshal(r.Data, &of) == nil && of.Raw == joined
}

func (x Agents) handle(ctx context.Context, e reactors.Event) error {
	call, err := eventstore.Read(ctx, x.Store, calls.Calls, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	s := call.State
	if !s.Room() || !s.Answered() || s.Line != "" {
		return nil
	}
	if speaks, err := x.speaks(ctx, s); err != nil || !speaks {
		return err
	}
	c, err := x.Accounts.Connection(ctx, s.Arrival.ProviderID)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for the account of a room: %w", err)
	}
	line, err := x.Join(ctx, c, s)
	switch {
	case errors.Is(err, ErrStaysOut):
		x.Log.Warn("the room of a call has no sound: people write in it", "call", s.Request.CallID, "error", err)
		return nil
	case err != nil:
		return err
	}
	carry, err := x.Take(ctx, s.Request.CallID, s.Arrival.ProviderID, line)
	if err != nil {
		_ = line.HangUp(ctx)
		if fault.Is(err, fault.Unauthorized) || fault.Is(err, fault.Conflict) { // somebody has it, or it is over
			return nil
		}
		return fmt.Errorf("taking the line of a room: %w", err)
	}
	go carry()
	return nil
}

// speaks reports whether there is an agent who has something to say in the room: its own, or that of the session
// which is in it.
func (x Agents) speaks(ctx context.Context, s calls.State) (bool, error) {
	if s.Agent != nil || !s.Joins() {
		return s.Agent != nil, nil
	}
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(s.SessionID))
	if err != nil {
		return false, fmt.Errorf("reading the session of a room: %w", err)
	}
	return read.State.Status == sessions.Active && read.State.Talk.Manifest != nil, nil
}

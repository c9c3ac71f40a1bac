package voice

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	models "github.com/parley-platform/parley/projections/voice"
)

// RoomTexts sends what is said in a session into the room that is open for it, whoever says it: the
// agent, and people who have the session. The provider knows a repeat. What comes too late for people
// in a room is left: the transcript has it.
type RoomTexts struct {
	Rooms    openRooms
	Accounts roomAccounts
	Sender   textSender
	Now      func() time.Time
	Log      *slog.Logger

	once *anyRoom
}

// openRooms knows the rooms in which people are.
type openRooms interface {
	Rooms(ctx context.Context, provider string) (int, error)
	RoomIn(ctx context.Context, tenant, session string) (models.Room, bool, error)
}

// roomAccounts knows by which account a room was opened.
type roomAccounts interface {
	Connection(ctx context.Context, room string) (channels.Connection, error)
}

// textSender sends texts into rooms.
type textSender interface {
	Limits() channels.Limits
	Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome
}

const (
	roomTexts    = "room-texts"
	textsLastFor = 30 * time.Second
	lookForRooms = time.Second
)

// Reactor declares it. While no room is open, no session waits for it.
func (x RoomTexts) Reactor() reactors.Reactor {
	x.once = &anyRoom{}
	return reactors.Reactor{Name: roomTexts, Side: reactors.AtLeastOnce, Handle: x.handle, Only: x.only,
		Categories: []*event.Category{sessions.Sessions.Category}, Events: []event.Payload{sessions.Said{}, sessions.PersonSaid{}}}
}

// anyRoom is whether a room is open, as it was seen a moment ago.
type anyRoom struct {
	mu   sync.Mutex
	seen time.Time
	is   bool
}

// only picks what may have been said in a room: what was said behind a look that saw none may have been said in one that was opened since.
func (x RoomTexts) only(r *eventstore.Record) bool {
	x.once.mu.Lock()
	defer x.once.mu.Unlock()
	if now := x.Now(); now.Sub(x.once.seen) >= lookForRooms || !x.once.is && r.Time.After(x.once.seen) {
		ctx, cancel := context.WithTimeout(context.Background(), lookForRooms)
		defer cancel()
		n, err := x.Rooms.Rooms(ctx, calls.ProviderLiveKit)
		x.once.seen, x.once.is = now, n > 0 || err != nil // who cannot tell looks closer
	}
	return x.once.is
}

func (x RoomTexts) handle(ctx context.Context, e reactors.Event) error {
	m := channels.Outbound{Attempt: 1}
	switch p := e.Payload.(type) {
	case sessions.Said:
		m.Reference, m.Text = p.MessageID, p.Text
	case sessions.PersonSaid:
		m.Reference, m.Text = p.MessageID, p.Text
	}
	if x.Now().Sub(e.Time) > textsLastFor {
		return nil
	}
	room, there, err := x.Rooms.RoomIn(ctx, e.Tenant, sessions.Sessions.StreamID(e.Stream))
	if err != nil || !there {
		return err
	}
	c, err := x.Accounts.Connection(ctx, room.Name)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for the account of a room: %w", err)
	}
	m.To = room.Name
	reference := m.Reference
	for i, part := range x.Sender.Limits().Split(m.Text) {
		m.Text, m.Reference = part, reference
		if i > 0 {
			m.Reference += "/" + strconv.Itoa(i)
		}
		switch out := x.Sender.Send(ctx, c, m); out.Status {
		case channels.Taken:
		case channels.Refused:
			x.Log.Info("a text was not taken into a room", "call", room.CallID, "code", out.Code, "reason", out.Reason)
			return nil
		default:
			return fmt.Errorf("sending a text into a room: %s", out.Reason)
		}
	}
	return nil
}

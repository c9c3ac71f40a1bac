package brought

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	models "github.com/parley-platform/parley/projections/voice"
)

// Rooms are calls in which several may talk, each in the session that it is for. There are at most
// so many on the server at a time.
type Rooms struct {
	*Calls
	Rows        roomReader
	Connections connectionReader
	Server      channels.Connection // the server's own account; without credentials there is none
	Most        int

	counting sync.Mutex // of who opens one on this node: of each node one waits for those of others
}

// toldTo is how exactly the provider of rooms tells the time.
const toldTo = time.Second

// roomReader knows what became of rooms.
type roomReader interface {
	Room(ctx context.Context, provider, name string) (models.Room, bool, error)
	RoomIn(ctx context.Context, tenant, session string) (models.Room, bool, error)
	// RoomsAwaiting are the open ones of a project in which nobody was so far.
	RoomsAwaiting(ctx context.Context, tenant, project string) ([]models.Room, error)
	Rooms(ctx context.Context, provider string) (int, error)
	// OpeningRoom does what one at a time may do, of all nodes: the count is true until they have.
	OpeningRoom(ctx context.Context, do func() error) error
}

// connectionReader knows connections, with their credentials opened.
type connectionReader interface {
	WithID(ctx context.Context, tenant, id string) (channels.Connection, error)
	Named(ctx context.Context, kind string, names []string) ([]channels.Connection, error)
}

// Opening is a room that somebody wants to be in.
type Opening struct {
	TenantID, ProjectID string
	SessionID           string // as whoever asks calls it
	In                  string // the session that there is of that id; empty: none, and the room gets one
	ConnectionID        string // empty: the server's own account
	AgentName           string
	DeploymentID        string
	JoinBy              time.Time // nobody can come in later
}

// Name is what the room is called at its provider.
func (o Opening) Name() string { return calls.RoomName(o.TenantID, o.ProjectID, o.SessionID) }

// Open opens a room, or finds the one that is open; fresh: it was not. One into which nobody was let so far counts from
// now on.
func (x *Rooms) Open(ctx context.Context, by acts.Caller, o Opening) (s calls.State, fresh bool, err error) {
	x.counting.Lock()
	defer x.counting.Unlock()
	err = x.Rows.OpeningRoom(ctx, func() error {
		s, fresh, err = x.open(ctx, by, o)
		return err
	})
	return s, fresh, err
}

func (x *Rooms) open(ctx context.Context, by acts.Caller, o Opening) (s calls.State, fresh bool, err error) {
	row, _, err := x.Rows.Room(ctx, calls.ProviderLiveKit, o.Name())
	if err == nil && !row.Open {
		row, err = x.otherwise(ctx, o, row)
	}
	if err != nil {
		return s, false, err
	}
	if row.Open {
		if s, err = x.Read(ctx, row.CallID); err != nil || !inDoubt(s) {
			return s, false, err
		}
	}
	open, err := x.Rows.Rooms(ctx, calls.ProviderLiveKit)
	switch {
	case err != nil:
		return s, false, err
	case open >= x.Most:
		return s, false, fault.New(fault.QueueFull, "the server has its most rooms at a time: %d", x.Most).After(10 * time.Second)
	case row.Open:
		s, err = x.note(ctx, by, s, calls.RoomWantedAgain, inDoubt)
		return s, false, err
	}
	id := ID("room/"+o.Name(), strconv.Itoa(row.Calls))
	call := calls.Arrive{CallID: id, TenantID: o.TenantID, ProjectID: o.ProjectID, ConnectionID: o.ConnectionID,
		Provider: calls.ProviderLiveKit, ProviderID: o.Name(), Person: Identity(o.SessionID), OurNumber: o.Name(), Direction: calls.Inbound,
		AgentName: o.AgentName, DeploymentID: o.DeploymentID, SessionID: o.In, Joins: o.In != "", AnswerBy: o.JoinBy, At: x.Now()}
	if !call.Joins {
		call.SessionID = sessionOf(id)
	}
	res, err := acts.Execute(ctx, x.Log, by, calls.Calls, calls.Calls.Stream(id), call.Decide)
	return res.State, len(res.Events) > 0, err
}

// otherwise is the room that is open for a session under the name that this was given before it had an id, as whoever opened it was
// told: it may be talked in, or nobody has come so far. Without one it is the room that it was.
func (x *Rooms) otherwise(ctx context.Context, o Opening, was models.Room) (models.Room, error) {
	if o.In != "" {
		in, there, err := x.Rows.RoomIn(ctx, o.TenantID, o.In)
		if there {
			return in, err
		}
		return was, err
	}
	if uuid.Validate(o.SessionID) != nil {
		return was, nil
	}
	awaiting, err := x.Rows.RoomsAwaiting(ctx, o.TenantID, o.ProjectID)
	for _, room := range awaiting {
		if sessionOf(room.CallID) == o.SessionID {
			return room, err
		}
	}
	return was, err
}

// Made says that a room is there of which nobody knew.
func (x *Rooms) Made(ctx context.Context, by acts.Caller, s calls.State) (err error) {
	if inDoubt(s) || wantedAgain(s) {
		_, err = x.note(ctx, by, s, calls.RoomMade, func(s calls.State) bool { return inDoubt(s) || wantedAgain(s) })
	}
	return err
}

// Doubt says that nobody knows whether a room was made, if nobody was let into it: fresh, or in doubt before. It does
// not count while nobody says that it is there.
func (x *Rooms) Doubt(ctx context.Context, by acts.Caller, s calls.State, fresh bool) (err error) {
	if fresh || wantedAgain(s) {
		_, err = x.note(ctx, by, s, calls.RoomInDoubt, func(s calls.State) bool { return s.Told == nil || wantedAgain(s) })
	}
	return err
}

func inDoubt(s calls.State) bool { return s.Told != nil && s.Told.Raw == calls.RoomInDoubt }

func wantedAgain(s calls.State) bool { return s.Told != nil && s.Told.Raw == calls.RoomWantedAgain }

// note says something of a room, if that is true still.
func (x *Rooms) note(ctx context.Context, by acts.Caller, s calls.State, word string, still func(calls.State) bool) (calls.State, error) {
	tell := calls.Tell{Status: calls.ToldInitiated, Raw: word, At: x.Now()}
	res, err := acts.Execute(ctx, x.Log, by, calls.Calls, calls.Calls.Stream(s.Request.CallID),
		func(s calls.State) ([]event.Payload, error) {
			if !still(s) {
				return nil, nil
			}
			return tell.Decide(s)
		})
	return res.State, err
}

// Fail ends a room that could not be made.
func (x *Rooms) Fail(ctx context.Context, by acts.Caller, s calls.State, why string) error {
	_, err := acts.Execute(ctx, x.Log, by, calls.Calls, calls.Calls.Stream(s.Request.CallID),
		calls.Tell{Status: calls.ToldFailed, Raw: why, At: x.Now()}.Decide)
	return err
}

// Connection is the account by which a room was opened; NOT_FOUND: there is no such room.
func (x *Rooms) Connection(ctx context.Context, room string) (channels.Connection, error) {
	row, ok, err := x.Rows.Room(ctx, calls.ProviderLiveKit, room)
	switch {
	case err != nil:
		return channels.Connection{}, err
	case !ok, row.ConnectionID == "" && len(x.Server.Credentials) == 0:
		return channels.Connection{}, fault.New(fault.NotFound, "there is no such room")
	case row.ConnectionID == "":
		return x.Server, nil
	}
	return x.Connections.WithID(ctx, row.Tenant, row.ConnectionID)
}

// Accounts are those by which rooms may be opened: the server's own, and those of the newest connections.
func (x *Rooms) Accounts(ctx context.Context) ([]channels.Connection, error) {
	all, err := x.Connections.Named(ctx, x.Server.Kind, nil)
	if len(x.Server.Credentials) > 0 {
		all = append([]channels.Connection{x.Server}, all...)
	}
	return all, err
}

// personJoined is the word by which the provider of rooms tells that a person has come into one.
const personJoined = "participant_joined"

// comesBack opens a room again into which somebody has come behind the end of its call: their token is good for a while yet, and the agent
// has left, or its node is gone. What was told before that end, or says no time, is of that call. In a session that there was, and that
// has ended, nobody talks any more.
func (x *Rooms) comesBack(ctx context.Context, by acts.Caller, was calls.State, told channels.Call) (s calls.State, back bool, err error) {
	a := was.Arrival
	if !told.At.After(was.EndedAt) {
		return s, false, nil
	}
	o := Opening{TenantID: a.TenantID, ProjectID: a.ProjectID, ConnectionID: a.ConnectionID, AgentName: a.AgentName,
		DeploymentID: a.DeploymentID, JoinBy: x.Now().Add(answerWithin),
		SessionID: strings.TrimPrefix(a.ProviderID, calls.RoomName(a.TenantID, a.ProjectID, ""))}
	if a.Joins {
		read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(a.SessionID))
		if err != nil || read.State.Status != sessions.Active {
			return s, false, err
		}
		o.In = a.SessionID
	}
	s, _, err = x.Open(ctx, by, o)
	if fault.Is(err, fault.QueueFull) { // they are let in all the same, and write
		return s, false, nil
	}
	return s, err == nil && s.Arrival.ProviderID == a.ProviderID, err
}

// Tell takes what a provider says of a room. One that is over is opened again for who comes into it; one that others have made
// is none of ours.
func (x *Rooms) Tell(ctx context.Context, by acts.Caller, c channels.Connection, told channels.Call) error {
	row, ok, err := x.Rows.Room(ctx, calls.ProviderLiveKit, told.ProviderID)
	if err != nil || !ok || !row.Open && told.Raw != personJoined {
		return err
	}
	s, err := x.Read(ctx, row.CallID)
	if err != nil || !s.Room() || s.Arrival.ConnectionID != row.ConnectionID || c.TenantID != "" && c.TenantID != row.Tenant {
		return err
	}
	by.Tenant = row.Tenant
	if !row.Open {
		var back bool
		if s, back, err = x.comesBack(ctx, by.Further(), s, told); err != nil || !back {
			return err
		}
	}
	a := s.Arrival
	if row.Calls > 1 && told.Status == calls.ToldCompleted && !told.At.IsZero() && told.At.Add(toldTo).Before(a.At) {
		return nil // that was the room of that name before this one
	}
	_, err = x.Calls.Tell(ctx, by, calls.Arrive{CallID: a.CallID, TenantID: a.TenantID, ProjectID: a.ProjectID, ConnectionID: a.ConnectionID,
		Provider: a.Provider, ProviderID: a.ProviderID, Person: a.Person, OurNumber: a.OurNumber, Direction: a.Direction,
		AgentName: a.AgentName, DeploymentID: a.DeploymentID, Environment: a.Environment, SessionID: a.SessionID, Joins: a.Joins,
		AnswerBy: a.AnswerBy, At: a.At}, told)
	return err
}

// Doors take what providers say of calls, whichever kind of connection it comes by.
type Doors struct{ *Rooms }

// Tell takes what is told of a call or a room.
func (x Doors) Tell(ctx context.Context, by acts.Caller, c channels.Connection, told channels.Call) error {
	if c.Kind == x.Server.Kind {
		return x.Rooms.Tell(ctx, by, c, told)
	}
	if told.Status == "" {
		return nil
	}
	_, err := x.Calls.Tell(ctx, by, x.Of(c, told), told)
	return err
}

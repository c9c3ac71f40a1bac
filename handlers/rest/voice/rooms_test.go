package voice_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	voiceapi "github.com/parley-platform/parley/handlers/rest/voice"
	"github.com/parley-platform/parley/projections/runtime"
	models "github.com/parley-platform/parley/projections/voice"
)

// roomRows knows rooms by what stands on the log.
type roomRows struct{ *resttest.Stored }

// all are the rooms that there ever were.
func (r roomRows) all(ctx context.Context) (all []calls.State) {
	for _, e := range r.Events.Accepted() {
		if strings.Contains(e.Type, ".arrived.") {
			if read, err := eventstore.Read(ctx, r.Commands.Log.Store, calls.Calls, e.Stream); err == nil {
				all = append(all, read.State)
			}
		}
	}
	return all
}

func open(s calls.State) bool { return s.Phase != calls.PhaseFailed && s.Phase != calls.PhaseCompleted }

func (r roomRows) Room(ctx context.Context, _, name string) (out models.Room, is bool, _ error) {
	for _, s := range r.all(ctx) {
		if s.Arrival.ProviderID == name {
			out = models.Room{CallID: s.Arrival.CallID, Tenant: "acme", Name: name, Open: open(s), Calls: out.Calls + 1}
		}
	}
	return out, out.Calls > 0, nil
}

func (r roomRows) Rooms(ctx context.Context, _ string) (n int, _ error) {
	for _, s := range r.all(ctx) {
		if open(s) && (s.Told == nil || s.Told.Raw != calls.RoomInDoubt) {
			n++
		}
	}
	return n, nil
}

func (r roomRows) RoomIn(ctx context.Context, _, session string) (out models.Room, is bool, _ error) {
	for _, s := range r.all(ctx) {
		if open(s) && s.Arrival.SessionID == session {
			out, is = models.Room{CallID: s.Arrival.CallID, Open: true}, true
		}
	}
	return out, is, nil
}

func (r roomRows) RoomsAwaiting(ctx context.Context, _, project string) (out []models.Room, _ error) {
	for _, s := range r.all(ctx) {
		if open(s) && !s.Answered() && s.Arrival.ProjectID == project {
			out = append(out, models.Room{CallID: s.Arrival.CallID, Open: true})
		}
	}
	return out, nil
}

func (r roomRows) OpeningRoom(_ context.Context, do func() error) error { return do() }

// noSessions has none, and noConnections neither.
type (
	noSessions    struct{}
	noConnections struct{}
)

func (noSessions) Get(context.Context, string, string) (s runtime.Session, is bool, err error) {
	return
}

func (noConnections) Of(context.Context, string, string, string) (all []channels.Connection, err error) {
	return
}

func (noConnections) Named(context.Context, string, []string) (all []channels.Connection, err error) {
	return
}

func (noConnections) WithID(context.Context, string, string) (c channels.Connection, err error) {
	return
}

// roomServer makes rooms once, each with the agents that are named as it is made.
type roomServer struct {
	rooms map[string][]string // what the agents of each were told
	does  behaves
}

// behaves is what a server does with a request for a room: it may make it, and say something of it, or die.
type behaves func(make func()) channels.Status

func (s *roomServer) create(_ context.Context, _ channels.Connection, room, agent, metadata string, _ time.Duration) channels.Outcome {
	return channels.Outcome{Status: s.does(func() {
		if _, is := s.rooms[room]; !is && agent != "" {
			s.rooms[room] = []string{metadata}
		}
	})}
}

// Given a node that dies as it has a room made, or that is not told what became of it, when somebody asks again, then
// there is one room with one agent, who was told of the session that the room has. Of a room that was certainly not made
// nothing is left.
func TestARoomIsMadeOnceWhoeverDies(t *testing.T) {
	for name, c := range map[string]struct {
		first behaves
		same  bool // it is the room that was asked for at first
	}{
		"it dies before":          {func(func()) channels.Status { panic("killed") }, true},
		"it dies behind":          {func(make func()) channels.Status { make(); panic("killed") }, true},
		"nobody says what became": {func(make func()) channels.Status { make(); return channels.Unknown }, true},
		"it was not made":         {func(func()) channels.Status { return channels.NotTaken }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, server, _ := oneRoom(t)
			server.does = c.first
			const body = `{"projectId":"main","sessionId":"s-1","agentName":"desk"}`
			require.NotEqual(t, 200, w.Ask("POST", "/api/v1/rtc/token", body).Status)
			first := last(t, w)
			require.Equal(t, c.same, open(first))

			server.does = func(make func()) channels.Status { make(); return channels.Taken }
			got := w.Ask("POST", "/api/v1/rtc/token", body)
			require.Equal(t, 200, got.Status, got.Text)
			var out struct{ Token, RoomName, SessionID string }
			got.Decode(t, &out)
			require.Equal(t, []string{out.Token}, server.rooms[out.RoomName], "one agent, who was told what the room is told")
			require.Contains(t, out.Token, out.SessionID)
			require.Equal(t, c.same, last(t, w).Arrival.CallID == first.Arrival.CallID)
		})
	}
}

// oneRoom is a server that has one room at a time, made by another.
func oneRoom(t *testing.T) (*resttest.Stored, *roomServer, *brought.Rooms) {
	w, server := resttest.NewStored(t, nil, access.PermSessionExecute), &roomServer{rooms: map[string][]string{}}
	own := channels.Connection{ID: "server", Kind: voiceapi.KindRooms, Credentials: channels.Credentials{"url": "wss://rooms.example.com"}}
	rooms := &brought.Rooms{Calls: &brought.Calls{Log: w.Commands.Log}, Rows: roomRows{w}, Server: own, Most: 1}
	voiceapi.DeclareRooms(w.Api, voiceapi.RoomsAPI{Commands: w.Commands, Talkers: voiceapi.Talkers{Sessions: noSessions{}}, Rooms: rooms,
		Connections: noConnections{}, Make: voiceapi.RoomMaker{Check: func(channels.Connection) error { return nil }, Create: server.create,
			Join: func(_ channels.Connection, _, _, _, metadata string, _ time.Time) (string, error) {
				return metadata, nil
			}}})
	return w, server, rooms
}

// last is the room that came last.
func last(t *testing.T, w *resttest.Stored) calls.State {
	t.Helper()
	all := roomRows{w}.all(t.Context())
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

// Given a server that does not say what it did with a room, then the room counts when somebody is let in, or the server tells of
// it: others are not turned away for rooms in which nobody can be.
func TestARoomIntoWhichNobodyWasLetDoesNotCount(t *testing.T) {
	w, server, rooms := oneRoom(t)
	unknown := func(func()) channels.Status { return channels.Unknown }
	taken := func(make func()) channels.Status { make(); return channels.Taken }
	asks := func(session string, does behaves) int {
		server.does = does
		return w.Ask("POST", "/api/v1/rtc/token", `{"projectId":"main","sessionId":"`+session+`"}`).Status
	}
	tells := func(session string, status calls.Told, word string) {
		for _, s := range (roomRows{w}).all(t.Context()) {
			if name := s.Arrival.ProviderID; open(s) && strings.HasSuffix(name, "__s_"+session) {
				require.NoError(t, rooms.Tell(t.Context(), acts.Caller{}, channels.Connection{},
					channels.Call{ProviderID: name, Status: status, Raw: word}))
			}
		}
	}
	for _, session := range []string{"s-1", "s-2", "s-1", "s-3", "s-2"} {
		require.Equal(t, 503, asks(session, unknown), session)
	}
	require.Equal(t, 200, asks("s-1", taken), "of the same, again")
	require.Equal(t, 200, asks("s-1", taken), "and of who wants another token")
	require.Equal(t, 429, asks("s-2", taken), "the one that there may be")
	require.Equal(t, 503, asks("s-1", unknown))
	require.Equal(t, 429, asks("s-2", taken), "it counts, since somebody was let in")
	tells("s-1", calls.ToldCompleted, "room_finished")

	require.Equal(t, 503, asks("s-2", func(func()) channels.Status { return channels.NotTaken }), "it may have been made before")
	tells("s-3", calls.ToldInitiated, "room_started")
	require.Equal(t, 429, asks("s-2", taken), "one was made after all")
	tells("s-3", calls.ToldCompleted, "room_finished")

	require.Equal(t, 503, asks("s-4", func(func()) channels.Status {
		tells("s-4", calls.ToldInitiated, "room_started")
		return channels.Unknown
	}))
	require.Equal(t, 429, asks("s-5", taken), "it was told of before nobody said anything")
}

// Given a room that was opened by a name, when somebody wants to be in the session that it got, then they come into the same room.
func TestASessionHasOneRoom(t *testing.T) {
	_, _, rooms := oneRoom(t)
	opens := func(id, in string) (calls.State, bool) {
		s, fresh, err := rooms.Open(t.Context(), acts.Caller{Command: eventstore.Command{Tenant: "acme", Actor: "test"}},
			brought.Opening{TenantID: "acme", ProjectID: "main", SessionID: id, In: in, JoinBy: time.Now().Add(time.Minute)})
		require.NoError(t, err)
		return s, fresh
	}
	first, fresh := opens("s-1", "")
	require.True(t, fresh)
	session := first.Arrival.SessionID
	for _, in := range []string{session, ""} { // it has begun, or nobody has come so far
		again, fresh := opens(session, in)
		require.False(t, fresh)
		require.Equal(t, first.Arrival, again.Arrival)
	}
}

// nodesRows is what several nodes read of rooms, and by what they let each other open one.
type nodesRows struct {
	roomRows
	opening *sync.Mutex
}

func (r nodesRows) OpeningRoom(_ context.Context, do func() error) error {
	r.opening.Lock()
	defer r.opening.Unlock()
	return do()
}

// Given many who want rooms of two nodes at once, then there are as many as the server may have, over both.
func TestRoomsAreCountedOverAllNodes(t *testing.T) {
	const most, wanted = 3, 8
	w, _, one := oneRoom(t)
	one.Rows, one.Most = nodesRows{roomRows{w}, &sync.Mutex{}}, most
	two := &brought.Rooms{Calls: one.Calls, Rows: one.Rows, Server: one.Server, Most: most}
	var opened atomic.Int32
	var all sync.WaitGroup
	for i := range wanted {
		all.Go(func() {
			by := acts.Caller{Command: eventstore.Command{Tenant: "acme", Actor: "test"}}
			_, fresh, err := []*brought.Rooms{one, two}[i%2].Open(t.Context(), by,
				brought.Opening{TenantID: "acme", ProjectID: "main", SessionID: fmt.Sprint("s-", i), JoinBy: time.Now().Add(time.Minute)})
			if fresh && err == nil {
				opened.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, most, opened.Load())
}

package brought_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	models "github.com/parley-platform/parley/projections/voice"
)

// roomRows are rows of rooms, which may be behind.
type roomRows struct {
	room   string // of the session s-1; empty: there is none
	over   bool
	behind bool
	away   error
}

func (r *roomRows) RoomOf(_ context.Context, tenant, project, session string) (models.Room, bool, error) {
	if r.behind || r.room == "" || tenant != "acme" || project != "a-1" || session != "s-1" {
		return models.Room{}, false, r.away
	}
	return models.Room{CallID: r.room, Open: !r.over}, true, r.away
}

// Given sessions, then the call of each is its own, or the room that is open for it, also where the rows of rooms are behind.
func TestTheCallOfASession(t *testing.T) {
	at, away := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), errors.New("away")
	for name, c := range map[string]struct {
		channel, own string
		rows         roomRows
		stands       error // the rows stay behind
		want         string
		left         bool
		err          string
	}{
		"a telephone call":           {channel: "voice", own: "c-1", rows: roomRows{away: away}, want: "c-1"},
		"a room":                     {channel: "voice", rows: roomRows{room: "r-1"}, want: "r-1"},
		"a chat in a room":           {channel: "api", rows: roomRows{room: "r-1"}, want: "r-1"},
		"a room that was just heard": {channel: "voice", rows: roomRows{room: "r-1", behind: true}, want: "r-1"},
		"a room that is gone":        {channel: "voice", rows: roomRows{room: "r-1", over: true}, left: true},
		"a chat":                     {channel: "api"},
		"a chat that was in a room":  {channel: "api", rows: roomRows{room: "r-1", over: true}},
		"a session without calls":    {channel: "voice"},
		"no session":                 {},
		"rooms that are not known":   {channel: "voice", rows: roomRows{away: away}, err: "away"},
		"rows that stay behind": {channel: "voice", rows: roomRows{behind: true}, stands: away,
			err: "waiting for what was just told of rooms: away"},
	} {
		t.Run(name, func(t *testing.T) {
			w := reactorstest.New(t, at)
			for _, id := range []string{"c-1", "r-1"} {
				reactorstest.Given(w, calls.Calls, calls.Calls.Stream(id), calls.Arrived{CallID: id, At: at})
			}
			if c.channel != "" {
				reactorstest.Given(w, sessions.Sessions, sessions.Sessions.Stream("s-1"), sessions.Opened{SessionID: "s-1", TenantID: "acme",
					ProjectID: "a-1", Channel: c.channel, CallID: c.own, At: at})
			}
			x := brought.OfSessions{Store: w.Store, Rooms: &c.rows, Settled: func(_ context.Context, of ...*event.Category) error {
				require.Equal(t, []*event.Category{calls.Calls.Category}, of)
				c.rows.behind = false
				return c.stands
			}}
			got, err := x.Find(t.Context(), "acme", "s-1")
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []any{c.want, c.left, c.want != ""}, []any{got.Call.Request.CallID, got.Left, got.Stream != ""})
		})
	}
}

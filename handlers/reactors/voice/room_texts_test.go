package voice_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/voice"
	models "github.com/parley-platform/parley/projections/voice"
)

// rooms is a provider of rooms with one that is open, for the session s-1.
type rooms struct {
	open   int
	gone   bool // the account is not there
	answer channels.Outcome
	sent   []channels.Outbound
}

func (r *rooms) Rooms(context.Context, string) (int, error) { return r.open, nil }

func (r *rooms) RoomIn(_ context.Context, tenant, session string) (models.Room, bool, error) {
	return models.Room{CallID: "r-1", Tenant: tenant, Name: "the room", Open: true}, session == "s-1", nil
}

func (r *rooms) Connection(context.Context, string) (channels.Connection, error) {
	if r.gone {
		return channels.Connection{}, fault.New(fault.NotFound, "there is no such room")
	}
	return channels.Connection{ID: "cn-1"}, nil
}

func (*rooms) Limits() channels.Limits { return channels.Limits{Text: 10, Unit: channels.Bytes} }

func (r *rooms) Send(_ context.Context, _ channels.Connection, m channels.Outbound) channels.Outcome {
	r.sent = append(r.sent, m)
	return r.answer
}

// Given a text in a session, when a room is open for it, then the room has it, in parts that fit, each
// known by a reference of its own.
func TestWhatIsSaidComesIntoTheRoom(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	taken := channels.Outcome{Status: channels.Taken}
	said := sessions.Said{MessageID: "m-1", Text: "Good day to you"}
	parts := []channels.Outbound{{Reference: "m-1", Attempt: 1, To: "the room", Text: "Good day"},
		{Reference: "m-1/1", Attempt: 1, To: "the room", Text: "to you"}}
	for name, c := range map[string]struct {
		of      rooms
		session string
		late    time.Duration
		sent    []channels.Outbound
		err     string
	}{
		"an open room":            {of: rooms{answer: taken}, session: "s-1", sent: parts},
		"another session":         {of: rooms{answer: taken}, session: "s-2"},
		"too late":                {of: rooms{answer: taken}, session: "s-1", late: 31 * time.Second},
		"an account that is gone": {of: rooms{answer: taken, gone: true}, session: "s-1"},
		"a room that is gone":     {of: rooms{answer: channels.Outcome{Status: channels.Refused}}, session: "s-1", sent: parts[:1]},
		"a provider that is not there": {of: rooms{answer: channels.Outcome{Status: channels.NotTaken, Reason: "away"}}, session: "s-1",
			sent: parts[:1], err: "away"},
		"nobody knows": {of: rooms{answer: channels.Outcome{Reason: "silence"}}, session: "s-1", sent: parts[:1], err: "silence"},
	} {
		texts := voice.RoomTexts{Rooms: &c.of, Accounts: &c.of, Sender: &c.of, Now: func() time.Time { return now },
			Log: slog.New(slog.DiscardHandler)}.Reactor()
		err := texts.Handle(t.Context(), reactors.Event{Stream: sessions.Sessions.Stream(c.session), Tenant: "acme", Payload: said,
			Time: now.Add(-c.late)})
		if c.err != "" {
			require.ErrorContains(t, err, c.err, name)
		} else {
			require.NoError(t, err, name)
		}
		require.Equal(t, c.sent, c.of.sent, name)
	}
}

// While no room is open nothing is looked at; a query that fails is no reason to miss a text, nor is a look from before it was said.
func TestSessionsWithoutRoomsCostNothing(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	said := func(ms int) *eventstore.Record {
		return &eventstore.Record{Time: at.Add(time.Duration(ms) * time.Millisecond)}
	}
	now := func() time.Time { return at }
	for _, open := range []int{0, 1} {
		r := &rooms{open: open}
		only := voice.RoomTexts{Rooms: r, Accounts: r, Sender: r, Now: now, Log: slog.New(slog.DiscardHandler)}.Reactor().Only
		require.Equal(t, open > 0, only(said(-100)))
		r.open = 1
		require.Equal(t, open > 0, only(said(-50)), "it was seen since")
		require.True(t, only(said(10)), "a room was opened since")
	}
	require.True(t, voice.RoomTexts{Rooms: broken{}, Now: now}.Reactor().Only(said(0)))
}

type broken struct{ rooms }

func (broken) Rooms(context.Context, string) (int, error) { return 0, errors.New("away") }

func (broken) RoomIn(context.Context, string, string) (models.Room, bool, error) {
	return models.Room{}, false, errors.New("away")
}

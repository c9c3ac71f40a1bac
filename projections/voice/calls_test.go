package voice_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// Given calls, then the list has a project's, newest first, and says how many there are.
func TestAnswersAboutCalls(t *testing.T) {
	w := given.Open(t)
	x := voice.NewCalls(w.DB)
	for i, id := range []string{"c-1", "c-2", "c-3"} {
		w.Given(voice.CallsModel, id, given.Filled(func(e *calls.Requested) { e.CallID, e.At, e.Metadata = id, given.Second(i), nil }))
	}
	w.Given(voice.CallsModel, "c-9", given.Filled(func(e *calls.Requested) {
		e.CallID, e.ProjectID, e.Metadata = "c-9",
			"other", nil
	}))
	w.Given(voice.CallsModel, "c-2", given.Filled[calls.Answered](), given.Filled[calls.Completed]())
	for name, c := range map[string]struct {
		status        voice.CallStatus
		limit, offset int
		ids           []string
		total         int
	}{
		"all":          {"", 10, 0, []string{"c-3", "c-2", "c-1"}, 3},
		"a page":       {"", 1, 2, []string{"c-1"}, 3},
		"past the end": {"", 10, 3, nil, 3},
		"of a status":  {voice.CallMachineDetected, 10, 0, []string{"c-2"}, 1},
		"of none":      {voice.CallFailed, 10, 0, nil, 0},
	} {
		found, total, err := x.List(t.Context(), "tenantId", "projectId", c.status, c.limit, c.offset)
		require.NoError(t, err, name)
		var ids []string
		for _, i := range found {
			ids = append(ids, i.ConversationID)
		}
		require.Equal(t, c.ids, ids, name)
		require.Equal(t, c.total, total, name)
	}
	i, there, err := x.Of(t.Context(), "tenantId", "projectId", "c-2")
	require.NoError(t, err)
	require.True(t, there)
	duration := int64(7)
	i.RequestedAt, i.StartedAt, i.EndedAt = i.RequestedAt.UTC(), nil, nil
	require.Equal(t, voice.Call{ConversationID: "c-2", Channel: "voice", Direction: "Outbound",
		Status:     voice.CallMachineDetected,
		CustomerID: "target", CenterID: "caller", AgentName: "name", SessionID: "sessionId", Detection: "machineDetection",
		Verdict:     "verdict",
		RequestedAt: given.Second(1), DurationMs: &duration, ReasonCode: "reasonCode", Reason: "reason", DisconnectingEvent: "Gateway Hangup",
		FinalStatus: "CLOSED", Provider: "provider"}, i)
	for _, place := range [][2]string{{"other", "projectId"}, {"tenantId", "other"}} {
		_, there, err = x.Of(t.Context(), place[0], place[1], "c-2")
		require.NoError(t, err)
		require.False(t, there)
	}
}

// Given many calls, then a page of them counts all, and those of a status, in the few pages of an index.
func TestCallsAreCountedInFewPages(t *testing.T) {
	w := given.Open(t)
	w.Given(voice.CallsModel, "c-0", given.Filled(func(e *calls.Requested) { e.CallID, e.Metadata = "c-0", nil }))
	_, err := w.DB.Exec(t.Context(), `INSERT INTO interactions (conversation_id, tenant, project_id, channel, direction, status, user_id,
		channel_user_id, center_id, requested_at) SELECT gen_random_uuid(), 'tenantId', 'projectId', 'voice', 'Outbound', 'completed', '', '', '',
		now() + n * interval '1 s' FROM generate_series(1, 20000) n`)
	require.NoError(t, err)
	_, err = w.DB.Exec(t.Context(), `VACUUM ANALYZE interactions`)
	require.NoError(t, err)
	for _, status := range []voice.CallStatus{"", voice.CallCompleted, voice.CallFailed} {
		plan := w.CountedBy(`'tenantId', 'projectId', '`+string(status)+`'`, func(db *pgxpool.Pool) {
			_, _, err := voice.NewCalls(db).List(t.Context(), "tenantId", "projectId", status, 50, 0)
			require.NoError(t, err)
		})
		require.Contains(t, plan, "Index Only Scan using interactions_counted", string(status))
	}
}

// Given rooms, then the newest call of a name is found, and those that are open are counted, of all
// tenants.
func TestAnswersAboutRooms(t *testing.T) {
	w := given.Open(t)
	x := voice.NewCalls(w.DB)
	for i, id := range []string{"r-1", "r-2", "r-3"} {
		w.Given(voice.CallsModel, id, given.Filled(func(e *calls.Arrived) {
			e.CallID, e.TenantID, e.Provider, e.At = id, "tenant-"+id, calls.ProviderLiveKit, given.Second(i)
		}))
	}
	w.Given(voice.CallsModel, "c-1", given.Filled(func(e *calls.Requested) {
		e.CallID, e.Provider, e.Metadata = "c-1", calls.ProviderLiveKit, nil
	}))
	w.Given(voice.CallsModel, "r-1", given.Filled[calls.Failed]())
	open, err := x.Rooms(t.Context(), calls.ProviderLiveKit)
	require.NoError(t, err)
	require.Equal(t, 2, open, "a call that was placed is none, nor one that has ended")
	room, there, err := x.Room(t.Context(), calls.ProviderLiveKit, "providerCallId")
	require.NoError(t, err)
	require.True(t, there)
	require.Equal(t, voice.Room{CallID: "r-3", Tenant: "tenant-r-3", ConnectionID: "connectionId", Name: "providerCallId",
		Open: true, Calls: 3}, room)
	_, there, err = x.RoomIn(t.Context(), "tenantId", "sessionId")
	require.NoError(t, err)
	require.False(t, there, "nobody is in it")
	awaiting := func(tenant, project string) []voice.Room {
		rooms, err := x.RoomsAwaiting(t.Context(), tenant, project)
		require.NoError(t, err)
		return rooms
	}
	require.Equal(t, "r-2", awaiting("tenant-r-2", "projectId")[0].CallID)
	require.Empty(t, awaiting("tenant-r-1", "projectId"), "it is over")
	require.Empty(t, awaiting("tenant-r-2", "another"))
	w.Given(voice.CallsModel, "r-2", given.Filled[calls.Answered]())
	require.Empty(t, awaiting("tenant-r-2", "projectId"), "somebody is in it")
	room, there, err = x.RoomIn(t.Context(), "tenant-r-2", "sessionId")
	require.NoError(t, err)
	require.True(t, there)
	require.Equal(t, "providerCallId", room.Name)
	for _, other := range [][2]string{{"tenant-r-1", "sessionId"}, {"tenant-r-2", "another"}} {
		_, there, err = x.RoomIn(t.Context(), other[0], other[1])
		require.NoError(t, err)
		require.False(t, there)
	}
	room, _, err = x.Room(t.Context(), calls.ProviderLiveKit, "providerCallId")
	require.NoError(t, err)
	last := func(project, session string) (room voice.Room, there bool) {
		t.Helper()
		room, there, err := x.RoomOf(t.Context(), "tenant-r-2", project, session)
		require.NoError(t, err)
		return room, there
	}
	room, there = last("projectId", "sessionId")
	require.Equal(t, []any{"r-2", true, true}, []any{room.CallID, room.Open, there})
	for _, other := range [][2]string{{"another", "sessionId"}, {"projectId", "another"}} {
		_, there = last(other[0], other[1])
		require.False(t, there)
	}
	w.Given(voice.CallsModel, "r-2", given.Filled[calls.Completed]())
	room, there = last("projectId", "sessionId")
	require.Equal(t, []any{"r-2", false, true}, []any{room.CallID, room.Open, there}, "the last is known when it is over")
	w.Given(voice.CallsModel, "r-3", given.Filled[calls.Completed]())
	room, _, err = x.Room(t.Context(), calls.ProviderLiveKit, "providerCallId")
	require.NoError(t, err)
	require.False(t, room.Open)
	_, there, err = x.Room(t.Context(), calls.ProviderLiveKit, "another")
	require.NoError(t, err)
	require.False(t, there)
}

package voice_test

import (
	"testing"

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
		CustomerID: "target", CenterID: "caller", AgentName: "agentName", SessionID: "sessionId", Detection: "machineDetection",
		Verdict:     "verdict",
		RequestedAt: given.Second(1), DurationMs: &duration, ReasonCode: "reasonCode", Reason: "reason", DisconnectingEvent: "Gateway Hangup",
		FinalStatus: "CLOSED"}, i)
	for _, place := range [][2]string{{"other", "projectId"}, {"tenantId", "other"}} {
		_, there, err = x.Of(t.Context(), place[0], place[1], "c-2")
		require.NoError(t, err)
		require.False(t, there)
	}
}

package sessions_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
)

// Given a session that was opened, then its state is what it was opened with.
func TestAnOpenSessionIsWhatItWasOpenedWith(t *testing.T) {
	require.Equal(t, sessions.State{ID: "s1", TenantID: "acme", ProjectID: "bot", Channel: "voice", CallID: "c1", AgentName: "greeter",
		Status: sessions.Active, OpenedAt: noon, UserSession: map[string]json.RawMessage{"metadata": json.RawMessage(`{"vip":true}`)}},
		sessions.Sessions.State(opened))
}

// Given a session without a context, when the channel learns something, then it has one.
func TestASessionLearnsFromNothing(t *testing.T) {
	bare := opened
	bare.UserSession = nil
	s := sessions.Sessions.State(bare, informed)
	require.Equal(t, informed.UserSession, s.UserSession)
}

// Given a moment of another zone, when something happens, then the event has it in UTC.
func TestTimesAreInUTC(t *testing.T) {
	got, err := sessions.Open{ID: "s1", At: noon.In(time.FixedZone("", 3600))}.Decide(sessions.State{})
	require.NoError(t, err)
	require.Equal(t, noon, got[0].(sessions.Opened).At)
}

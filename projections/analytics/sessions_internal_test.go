package analytics

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// described is what the analytics take of an event of a session.
func described(t *testing.T, e event.Payload) Entry {
	t.Helper()
	k, err := sessions.Sessions.KindOf(e)
	require.NoError(t, err)
	return mappingOf(k).describe(At{}, e)
}

// A call of a tool has the time that it took, with its repeats; one that was not made has none.
func TestCallsOfToolsHaveDurations(t *testing.T) {
	made := described(t, sessions.CallEnded{Tool: "find", Outcome: sessions.CallFailed, Code: "TIMEOUT", Tries: 2, TookMs: 41})
	require.Equal(t, 41*time.Millisecond, *made.Duration)
	require.Equal(t, "TIMEOUT", made.Error)
	require.Nil(t, described(t, sessions.CallEnded{Tool: "find", Outcome: sessions.CallOK, Mock: 1}).Duration)
}

// A conversation that was not taken, and is given back because of that, is an error; one that was is none.
func TestAHandoffThatFailedIsAnError(t *testing.T) {
	require.Equal(t, "TOOL_FAILED", described(t, sessions.HandedBack{From: "b", To: "a", Failed: "TOOL_FAILED"}).Error)
	require.Empty(t, described(t, sessions.HandedBack{From: "b", To: "a"}).Error)
}

package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	"github.com/parley-platform/parley/handlers/reactors/runtime"
	"github.com/parley-platform/parley/projections"
)

// Given a session that takes messages, then it ends a day after the last of them and not before, whatever else happened since; a timer
// that comes early, late, twice or after a message changes nothing that it should not.
func TestASessionEndsAfterADayWithoutAMessage(t *testing.T) {
	noon := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	later := noon.Add(time.Hour)
	opened := sessions.Opened{SessionID: "s-1", TenantID: "acme", ProjectID: "bot", Channel: "api", AgentName: "front",
		Begun: &sessions.Begun{Manifest: map[string]sessions.Pinned{"front": {Version: 1, Hash: "h"}}}, At: noon}
	message := sessions.MessageReceived{InTurn: sessions.InTurn{Turn: 1, At: later}, MessageID: "m-1", Text: "Hi"}
	said := sessions.Said{InTurn: sessions.InTurn{Turn: 1, At: later.Add(time.Minute)}, MessageID: "m-2", Agent: "front", Text: "Hello"}
	for name, c := range map[string]struct {
		past []event.Payload
		due  time.Time
	}{
		"that nobody ever said anything in": {[]event.Payload{opened}, noon},
		"after a message":                   {[]event.Payload{opened, message}, later},
		"after what the agent said":         {[]event.Payload{opened, message, said}, said.At},
		"that was reset since": {[]event.Payload{opened, message, sessions.WasReset{Before: 1,
			At: later.Add(5 * time.Hour)}}, later},
		"with feedback since": {[]event.Payload{opened, message, said, sessions.FeedbackGiven{MessageID: "m-2",
			At: later.Add(5 * time.Hour)}}, said.At},
		"whose contact was linked since": {[]event.Payload{opened, message, sessions.ContactLinked{ContactID: "ct-1",
			At: later.Add(5 * time.Hour)}}, later},
	} {
		t.Run(name, func(t *testing.T) {
			w := reactorstest.New(t, noon)
			stream := sessions.Sessions.Stream("s-1")
			reactorstest.Given(w, sessions.Sessions, stream, c.past...)
			timer, fire := projections.Timer{Stream: stream, Tenant: "acme"}, runtime.EndIdle(w.Store)
			require.NoError(t, fire(t.Context(), timer, c.due.Add(24*time.Hour-time.Millisecond)))
			require.Equal(t, sessions.Active, reactorstest.State(w, sessions.Sessions, stream).Status, "not early")
			for i := range 2 {
				require.NoError(t, fire(t.Context(), timer, c.due.Add(24*time.Hour+time.Duration(i)*time.Minute)))
				s := reactorstest.State(w, sessions.Sessions, stream)
				require.Equal(t, sessions.Ended, s.Status)
				require.Equal(t, c.due.Add(24*time.Hour), s.EndedAt, "once")
			}
		})
	}
	t.Run("a message that came first wins", func(t *testing.T) {
		w := reactorstest.New(t, noon)
		stream := sessions.Sessions.Stream("s-1")
		message.At = noon.Add(24 * time.Hour)
		reactorstest.Given(w, sessions.Sessions, stream, opened, message)
		require.NoError(t, runtime.EndIdle(w.Store)(t.Context(), projections.Timer{Stream: stream, Tenant: "acme"}, noon.Add(24*time.Hour)))
		require.Equal(t, sessions.Active, reactorstest.State(w, sessions.Sessions, stream).Status)
	})
	t.Run("one that people have is looked at later", func(t *testing.T) {
		w := reactorstest.New(t, noon)
		stream := sessions.Sessions.Stream("s-1")
		reactorstest.Given(w, sessions.Sessions, stream, opened, sessions.TakenByPeople{TransferID: "t-1", Turn: 1, At: noon})
		var later reactors.Later
		err := runtime.EndIdle(w.Store)(t.Context(), projections.Timer{Stream: stream, Tenant: "acme"}, noon.Add(48*time.Hour))
		require.ErrorAs(t, err, &later)
		require.Equal(t, sessions.Active, reactorstest.State(w, sessions.Sessions, stream).Status)
	})
}

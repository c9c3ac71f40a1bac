package contactcenter_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	models "github.com/parley-platform/parley/projections/voice"
)

// roomOf is the room of a session.
type roomOf models.Room

func (r roomOf) RoomOf(context.Context, string, string, string) (models.Room, bool, error) {
	return models.Room(r), r.CallID != "", nil
}

// Given a call whose session waited in its queue for too long, then its caller is asked for a message, once, by whichever door the call
// came; where nobody here hears it, it is said at once that there is none, and where the room is gone, nobody is there who could leave one.
func TestCallersAreAskedForAMessage(t *testing.T) {
	at := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	open, gone := roomOf{CallID: "c1", Open: true}, roomOf{CallID: "c1"}
	line := calls.LineTaken{Try: "t", Node: "n1", At: at, LeaseUntil: at.Add(time.Minute)}
	for name, c := range map[string]struct {
		provider string
		more     []event.Payload
		own      string // the call that the session knows as its own
		room     roomOf
		asked    int
		missed   string
	}{
		"over a trunk":        {provider: calls.ProviderSIP, own: "c1", asked: 1},
		"by Twilio":           {provider: calls.ProviderTwilio, own: "c1", asked: 1},
		"from a page":         {provider: calls.ProviderPage, own: "c1", asked: 1},
		"by a pipeline":       {provider: calls.ProviderPipeline, own: "c1", asked: 1},
		"in a room":           {provider: calls.ProviderLiveKit, more: []event.Payload{line}, room: open, asked: 1},
		"in one that we miss": {provider: calls.ProviderLiveKit, room: open, asked: 1, missed: "nobody here hears the call"},
		"in one that is gone": {provider: calls.ProviderLiveKit, more: []event.Payload{line, calls.Completed{At: at}}, room: gone},
	} {
		t.Run(name, func(t *testing.T) {
			w := reactorstest.New(t, at)
			reactorstest.Given(w, calls.Calls, "call-c1", append([]event.Payload{calls.Arrived{CallID: "c1", TenantID: "acme", ProjectID: "p-1",
				Provider: c.provider, Direction: calls.Inbound, AnswerBy: at, At: at}, calls.Answered{SessionID: "s-1", At: at}}, c.more...)...)
			reactorstest.Given(w, sessions.Sessions, "session-s-1", sessions.Opened{SessionID: "s-1", TenantID: "acme", ProjectID: "p-1",
				Channel: "voice", CallID: c.own, At: at})
			reactorstest.Given(w, transfers.Transfers, "transfer-t-1", transfers.Requested{TransferID: "t-1", TenantID: "acme",
				ProjectID: "p-1", SessionID: "s-1", At: at}, transfers.TimedOut{Voicemail: true, At: at})
			recorder := contactcenter.VoicemailRecorder{Store: w.Store, Blobs: recordings{}, Now: w.Now,
				Calls: brought.OfSessions{Store: w.Store, Rooms: c.room, Settled: func(context.Context, ...*event.Category) error { return nil }},
				MAC:   func(purpose string, parts ...string) []byte { return make([]byte, 32) }}.Reactor()
			for range 2 {
				require.NoError(t, w.Play(t.Context(), recorder))
			}
			var asked int
			var why string
			for _, e := range memory.Events(w.Log, calls.Calls.Category, "call-c1") {
				switch e := e.(type) {
				case calls.MessageWanted:
					asked++
					require.Equal(t, "t-1", e.TransferID)
				case calls.MessageMissed:
					why = e.Reason
				}
			}
			require.Equal(t, c.asked, asked)
			require.Equal(t, c.missed, why)
		})
	}
}

// Given a message that was left on a call, then it is a voicemail, unless the caller was erased before anybody came to make it one.
func TestAMessageOfWhomThereIsIsAVoicemail(t *testing.T) {
	at := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	for name, erased := range map[string]bool{"of somebody": false, "of who was erased": true} {
		t.Run(name, func(t *testing.T) {
			w := reactorstest.New(t, at)
			past := []event.Payload{calls.Arrived{CallID: "c1", TenantID: "acme", ProjectID: "p-1", Provider: calls.ProviderSIP,
				Direction: calls.Inbound, AnswerBy: at, At: at}, calls.Answered{SessionID: "s-1", At: at},
				calls.MessageWanted{VoicemailID: "v-1", TransferID: "t-1", At: at},
				calls.MessageLeft{VoicemailID: "v-1", TransferID: "t-1", Blob: "b/1", SizeBytes: 100, SHA256: "00", Ms: 1_000, At: at}}
			if erased {
				past = append(past, calls.Completed{At: at}, calls.Erased{Erasure: event.Erasure{ErasureID: "er-1", At: at}})
			}
			reactorstest.Given(w, calls.Calls, "call-c1", past...)
			reactorstest.Given(w, transfers.Transfers, "transfer-t-1", transfers.Requested{TransferID: "t-1", TenantID: "acme",
				ProjectID: "p-1", SessionID: "s-1", At: at})
			require.NoError(t, w.Play(t.Context(), contactcenter.VoicemailRecorder{Store: w.Store, Now: w.Now}.Reactor()))
			kept := len(memory.Events(w.Log, voicemails.Voicemails.Category, "voicemail-v-1"))
			require.Equal(t, !erased, kept > 0)
		})
	}
}

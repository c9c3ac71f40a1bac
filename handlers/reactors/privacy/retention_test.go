package privacy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/handlers/reactors/privacy"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	"github.com/parley-platform/parley/projections"
	models "github.com/parley-platform/parley/projections/privacy"
)

var aged = erasures.Aged{ProjectID: "shop", Before: map[retention.Kind]time.Time{retention.Calls: at.AddDate(0, 0, -90)}}

// Given a job for what a project keeps no longer, when its steps are made, then what is found
// is forgotten, nothing is waited for, and the job is done.
func TestWhatIsTooOldIsForgotten(t *testing.T) {
	w := before(t, all()[:3]...)
	reactorstest.Given(w.World, erasures.Jobs, "erasure-er-1", erasures.Expired{ErasureID: "er-1", TenantID: reactorstest.Tenant,
		ProjectID: "shop", Before: aged.Before, At: at})
	for range 5 {
		require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	}
	require.Equal(t, erasures.Done, w.job().Status, "without a pause")
	for _, place := range w.places {
		require.True(t, w.forgot(place.Stream), place.Stream)
	}
	require.Equal(t, 2, w.looks)
	require.Equal(t, []string{"b/1"}, w.deleted)
}

// Given two conversations of a channel that were found as too old, when somebody has said something in one of them
// meanwhile, then that one goes on, and nothing of it is lost, nor of its session, by which the next job finds it; the other
// is forgotten, with its session and its files.
func TestAConversationThatGoesOnIsNotTooOld(t *testing.T) {
	w := before(t, erasures.Place{Stream: "session-1"}, erasures.Place{Stream: "thread-1"}, erasures.Place{Stream: "session-2"},
		erasures.Place{Stream: "thread-2"}, erasures.Place{Stream: "session-3"})
	for session, thread := range map[string]string{"2": "thread-2", "3": "thread-1"} {
		reactorstest.Given(w.World, sessions.Sessions, "session-"+session, sessions.Opened{SessionID: session, TenantID: reactorstest.Tenant,
			Thread: thread, At: at})
	}
	long := aged.Before[retention.Calls].Add(-time.Hour)
	said := threads.Received{Number: 1, TenantID: reactorstest.Tenant, ConnectionID: "cn-1", Kind: "slack", From: "U1",
		ReplyTo: "C1", At: long}
	for _, stream := range []string{"thread-1", "thread-2"} {
		reactorstest.Given(w.World, threads.Threads, stream, said,
			threads.FilesFetched{Number: 1, Files: []threads.Fetched{{AttachmentID: "f", Blob: stream}}, At: long},
			threads.Taken{Number: 1, SessionID: "s-1", Left: []string{stream}, At: long})
	}
	said.Number, said.At = 2, at
	reactorstest.Given(w.World, threads.Threads, "thread-2", said)
	reactorstest.Given(w.World, erasures.Jobs, "erasure-er-1", erasures.Expired{ErasureID: "er-1", TenantID: reactorstest.Tenant,
		ProjectID: "shop", Before: aged.Before, At: at})
	for range 2 { // a look, and a step
		require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	}
	require.Equal(t, []string{"received", "files-fetched", "taken", "forgotten", "erased"}, names(w.types("thread-1")))
	require.Equal(t, []string{"received", "files-fetched", "taken", "received"}, names(w.types("thread-2")))
	require.Equal(t, []string{"thread-1"}, w.deleted)
	require.Len(t, reactorstest.State(w.World, threads.Threads, "thread-2").Waiting, 1)
	for session, forgotten := range map[string]bool{"session-1": true, "session-2": false, "session-3": true} {
		require.Equal(t, forgotten, w.forgot(session), session)
	}
}

// Given a job that forgets step by step, when the project says meanwhile that it keeps things for ever, or for longer, then the next
// look goes by that.
func TestWhatIsSaidMeanwhileCountsForTheNextLook(t *testing.T) {
	for name, c := range map[string]struct {
		days retention.Days
		done bool
	}{"for ever": {retention.Days{}, false}, "for less": {retention.Days{retention.Calls: 9}, true}} {
		t.Run(name, func(t *testing.T) {
			w := before(t, erasures.Place{Stream: "session-1"})
			reactorstest.Given(w.World, retention.Rules, retention.Stream(reactorstest.Tenant, "shop"),
				retention.RulesSet{TenantID: reactorstest.Tenant, ProjectID: "shop", Days: c.days, At: at})
			reactorstest.Given(w.World, erasures.Jobs, "erasure-er-1", erasures.Expired{ErasureID: "er-1", TenantID: reactorstest.Tenant,
				ProjectID: "shop", Before: aged.Before, At: at})
			for range 3 {
				require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
			}
			require.Equal(t, erasures.Done, w.job().Status)
			require.Equal(t, c.done, w.forgot("session-1"))
		})
	}
}

// Given a call that is kept no longer, on which a message was left, then the voicemail that was made of it keeps its file: it has an
// age of its own.
func TestAVoicemailOutlivesItsCall(t *testing.T) {
	w := before(t, erasures.Place{Stream: "call-1"})
	reactorstest.Given(w.World, calls.Calls, "call-1", calls.Answered{SessionID: "1", At: at},
		calls.MessageWanted{VoicemailID: "1", TransferID: "t-1", At: at}, calls.MessageLeft{VoicemailID: "1", Blob: "b/1", At: at},
		calls.MessageWanted{VoicemailID: "2", TransferID: "t-2", At: at}, calls.MessageLeft{VoicemailID: "2", Blob: left("2"), At: at})
	reactorstest.Given(w.World, erasures.Jobs, "erasure-er-1", erasures.Expired{ErasureID: "er-1", TenantID: reactorstest.Tenant,
		ProjectID: "shop", Before: aged.Before, At: at})
	for range 3 {
		require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	}
	require.Equal(t, erasures.Done, w.job().Status)
	require.Equal(t, []string{left("2")}, w.deleted, "of the first there is a voicemail, of the second none")
}

// Given a call that a project keeps no longer, when it is forgotten, then the conversation and the voicemail that it keeps were told
// before whose they are, once.
func TestWhatOutlivesACallIsToldWhoseItIs(t *testing.T) {
	w := before(t, erasures.Place{Stream: "call-1"})
	conversation := conversations.Stream(reactorstest.Tenant, "shop", "1")
	reactorstest.Given(w.World, conversations.Conversations, conversation, conversations.Opened{ConversationID: "1",
		TenantID: reactorstest.Tenant, ProjectID: "shop", Origin: conversations.ByCall, At: at})
	w.owned = []models.Owned{{Stream: conversation, Persons: []string{"p1"}}, {Stream: "voicemail-1", Persons: []string{"p1"}}}
	reactorstest.Given(w.World, erasures.Jobs, "erasure-er-1", erasures.Expired{ErasureID: "er-1", TenantID: reactorstest.Tenant,
		ProjectID: "shop", Before: aged.Before, At: at})
	for range 3 {
		require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	}
	require.True(t, w.forgot("call-1"))
	require.Equal(t, []string{"p1"}, reactorstest.State(w.World, conversations.Conversations, conversation).Persons)
	require.Equal(t, []string{"p1"}, reactorstest.State(w.World, voicemails.Voicemails, "voicemail-1").Persons)
}

// Given as many conversations that go on as one look finds, when there are sessions behind them that are too old, then those
// are forgotten by the same job.
func TestWhatGoesOnHidesNothingBehindIt(t *testing.T) {
	places := []erasures.Place{{Stream: "thread-1"}, {Stream: "thread-2"}, {Stream: "session-4"}, {Stream: "session-5"}, {Stream: "session-6"}}
	w := before(t, places...)
	w.perLook = 2
	for _, p := range places[:2] {
		reactorstest.Given(w.World, threads.Threads, p.Stream, threads.Received{Number: 1, TenantID: reactorstest.Tenant, ConnectionID: "cn-1",
			Kind: "slack", From: "U1", ReplyTo: "C1", At: at})
	}
	for _, p := range places[2:] {
		reactorstest.Given(w.World, sessions.Sessions, p.Stream, sessions.Opened{SessionID: p.Stream, TenantID: reactorstest.Tenant, At: at})
	}
	reactorstest.Given(w.World, erasures.Jobs, "erasure-er-1", erasures.Expired{ErasureID: "er-1", TenantID: reactorstest.Tenant,
		ProjectID: "shop", Before: aged.Before, At: at})
	for range 9 {
		require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	}
	require.Equal(t, erasures.Done, w.job().Status)
	for n, p := range places {
		require.Equal(t, n >= 2, w.forgot(p.Stream), p.Stream)
	}
}

// Given a conversation with people that was found as too old, when something is said or noted in it meanwhile, then it goes on and
// nothing of it is lost; one that has ended is forgotten.
func TestAConversationWithPeopleThatGoesOnIsNotTooOld(t *testing.T) {
	old := erasures.Aged{ProjectID: "shop", Before: map[retention.Kind]time.Time{retention.Conversations: at.AddDate(0, 0, -90)}}
	long := old.Before[retention.Conversations].Add(-time.Hour)
	opened := conversations.Opened{ConversationID: "k", TenantID: reactorstest.Tenant, ProjectID: "shop", At: long}
	said := conversations.MessageReceived{Number: 1, Author: conversations.User, Query: "hello", Recorded: true, At: at}
	for name, c := range map[string]struct {
		meanwhile []event.Payload
		forgotten bool
	}{
		"nothing":          {nil, true},
		"said":             {[]event.Payload{said}, false},
		"noted":            {[]event.Payload{conversations.Noted{At: at}}, false},
		"somebody entered": {[]event.Payload{conversations.AgentEntered{Identity: "a", Stay: 1, At: at}}, false},
		"refused, late":    {[]event.Payload{conversations.ConversationEnded{At: long}, conversations.LateRefused{At: at}}, true},
		"ended just now":   {[]event.Payload{conversations.ConversationEnded{At: at}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := before(t)
			reactorstest.Given(w.World, conversations.Conversations, "conversation-t.shop.k", append([]event.Payload{opened}, c.meanwhile...)...)
			reactorstest.Given(w.World, erasures.Jobs, "erasure-er-1", erasures.Expired{ErasureID: "er-1", TenantID: reactorstest.Tenant,
				ProjectID: "shop", Before: old.Before, At: at},
				erasures.Found{Places: []erasures.Place{{Stream: "conversation-t.shop.k"}}, At: at})
			require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
			require.Equal(t, c.forgotten, w.forgot("conversation-t.shop.k"))
		})
	}
}

// Given a project that keeps calls for 90 days, when its timer is due, and the reactor sees it
// twice, then there is one job for what was over before.
func TestALookBeginsOneJob(t *testing.T) {
	w := reactorstest.New(t, at)
	next := at.Add(time.Hour)
	stream := retention.Stream(reactorstest.Tenant, "shop")
	reactorstest.Given(w, retention.Rules, stream, retention.RulesSet{TenantID: reactorstest.Tenant, ProjectID: "shop",
		Days: retention.Days{retention.Calls: 90}, NextAt: &next, At: at})
	look := privacy.LookForAged(w.Store)
	timer := projections.Timer{Stream: stream, Tenant: reactorstest.Tenant}
	require.NoError(t, look(t.Context(), timer, at))
	require.NoError(t, look(t.Context(), timer, next))
	require.NoError(t, look(t.Context(), timer, next))
	retainer := privacy.Retainer{Store: w.Store, Now: w.Now}.Reactor()
	require.NoError(t, w.Play(t.Context(), retainer))
	require.NoError(t, w.Play(t.Context(), retainer))
	var jobs []string
	for _, r := range w.Log.Accepted() {
		if strings.HasPrefix(r.Stream, "erasure-") {
			jobs = append(jobs, r.Type)
			require.Equal(t, erasures.Aged{ProjectID: "shop", Before: map[retention.Kind]time.Time{retention.Calls: next.AddDate(0, 0, -90)}},
				reactorstest.State(w, erasures.Jobs, r.Stream).Aged)
		}
	}
	require.Equal(t, []string{"parley.erasures.expired.v1"}, jobs)
}

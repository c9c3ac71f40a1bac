package privacy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/channels"
	"github.com/parley-platform/parley/projections/contactcenter"
	"github.com/parley-platform/parley/projections/privacy"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// over is one thing of each category that began an hour before it ended, at that time, with the id.
func over(w *given.World, id string, at time.Time) {
	began := at.Add(-time.Hour)
	w.Given(voice.CallsModel, "c-"+id, one(func(e *calls.Requested) { e.CallID, e.ProjectID, e.At = "c-"+id, "shop", began }),
		one(func(e *calls.Answered) { e.SessionID, e.At = "s-"+id, began }), one(func(e *calls.Completed) { e.At = at }))
	w.Given(voice.SessionsModel, "s-"+id, one(func(e *sessions.Opened) {
		e.SessionID, e.ProjectID, e.CallID, e.At = "s-"+id, "shop", "c-"+id, began
	}), one(func(e *sessions.SessionEnded) { e.At = at }))
	w.Given(voice.SessionsModel, "w-"+id, one(func(e *sessions.Opened) {
		e.SessionID, e.ProjectID, e.CallID, e.At = "w-"+id, "shop", "", began
	}), one(func(e *sessions.SessionEnded) { e.At = at }))
	for owner, scope := range map[string]memories.Scope{"w-" + id: memories.OfSession, "ct-" + id: memories.OfContact} {
		w.Given(runtime.MemoriesModel, "y-"+owner, one(func(e *memories.Written) {
			e.ProjectID, e.Scope, e.OwnerID, e.At = "shop", scope, owner, began
		}))
	}
	w.Given(contactcenter.TransfersModel, "t-"+id, one(func(e *transfers.Requested) {
		e.TransferID, e.ProjectID, e.At = "t-"+id, "shop", began
	}), one(func(e *transfers.Ended) { e.At = at }))
	w.Given(contactcenter.ConversationsModel, "k-"+id, one(func(e *conversations.Opened) { e.ProjectID, e.At = "shop", began }),
		one(func(e *conversations.ConversationEnded) { e.At = at }))
	w.Given(contactcenter.VoicemailsModel, "v-"+id, one(func(e *voicemails.Recorded) {
		e.VoicemailID, e.ProjectID, e.At = "v-"+id, "shop", at
	}))
	w.Given(channels.TextsModel, "m-"+id, one(func(e *texts.Requested) { e.MessageID, e.ProjectID, e.At = "m-"+id, "shop", began }),
		one(func(e *texts.Sent) { e.At = at }))
}

// aged are the streams of a project's kinds that were over before noon.
func aged(t *testing.T, w *given.World, tenant, project string, kinds ...retention.Kind) []string {
	return besides(t, w, nil, tenant, project, kinds...)
}

// besides are those that others do not name.
func besides(t *testing.T, w *given.World, known []string, tenant, project string, kinds ...retention.Kind) (streams []string) {
	var places []erasures.Place
	for _, stream := range known {
		places = append(places, erasures.Place{Stream: stream})
	}
	before := map[retention.Kind]time.Time{}
	for _, kind := range kinds {
		before[kind] = noon
	}
	found, err := privacy.NewPersons(w.DB, nil, plain).Aged(t.Context(), tenant, erasures.Aged{ProjectID: project, Before: before}, places)
	require.NoError(t, err)
	for _, place := range found {
		require.Empty(t, place.Keys)
		streams = append(streams, place.Stream)
	}
	return streams
}

// Given what was over before a time and what was not, when it is looked by kind for what is
// too old, then that is found of this project alone, and not what was forgotten already.
func TestWhatIsTooOldIsFoundByKind(t *testing.T) {
	w := given.Open(t)
	over(w, "old", noon.Add(-time.Minute))
	over(w, "young", noon.Add(time.Minute))
	for kind, found := range map[retention.Kind][]string{
		retention.Calls:         {"call-c-old", "session-s-old", "session-w-old", "memory-y-w-old", "transfer-t-old"},
		retention.Conversations: {"conversation-k-old"},
		retention.Recordings:    {"voicemail-v-old"},
		retention.Messages:      {"message-m-old"},
	} {
		require.Equal(t, found, aged(t, w, "tenantId", "shop", kind), kind)
		require.Empty(t, besides(t, w, found, "tenantId", "shop", kind), kind)
		require.Empty(t, aged(t, w, "other", "shop", kind))
		require.Empty(t, aged(t, w, "tenantId", "other", kind))
	}
	require.Len(t, aged(t, w, "tenantId", "shop", retention.Kinds()...), 8)
	require.Empty(t, aged(t, w, "tenantId", "shop"), "what nobody limited is kept for ever")

	for id, e := range map[string]struct {
		model  *projections.Model
		erased event.Payload
	}{
		"c-old": {voice.CallsModel, calls.Erased{}}, "w-old": {voice.SessionsModel, sessions.Erased{}},
		"t-old": {contactcenter.TransfersModel, transfers.Erased{}}, "v-old": {contactcenter.VoicemailsModel, voicemails.Erased{}},
		"k-old": {contactcenter.ConversationsModel, conversations.Erased{}}, "m-old": {channels.TextsModel, texts.Erased{}},
		"y-w-old": {runtime.MemoriesModel, memories.Erased{}},
	} {
		w.Given(e.model, id, e.erased)
	}
	require.Empty(t, aged(t, w, "tenantId", "shop", retention.Kinds()...), "what was forgotten is not looked at again")
}

// Given an old conversation that was forgotten, when something is said in it, noted, or
// refused because it came late, then it is found again once that is too old.
func TestAConversationInWhichMoreIsSaidIsForgottenAgain(t *testing.T) {
	for name, more := range map[string]event.Payload{
		"said":     one(func(e *conversations.MessageReceived) { e.Recorded = true }),
		"noted":    given.Filled[conversations.Noted](),
		"late":     given.Filled[conversations.LateRefused](),
		"entered":  given.Filled[conversations.AgentEntered](),
		"left":     given.Filled[conversations.AgentLeft](),
		"summary":  given.Filled[conversations.Summarized](),
		"finished": one(func(e *conversations.ConversationEnded) { e.At = noon.Add(-time.Minute) }),
	} {
		w := given.Open(t)
		opened := one(func(e *conversations.Opened) { e.ProjectID, e.At = "shop", noon.Add(-time.Hour) })
		w.Given(contactcenter.ConversationsModel, "k-1", opened)
		w.Indexed(conversations.Conversations.Category, "k-1", opened)
		quiet := func(since time.Time) {
			_, err := w.DB.Exec(t.Context(), `UPDATE events SET time = $1`, since)
			require.NoError(t, err)
		}
		quiet(noon.Add(time.Minute))
		require.Empty(t, aged(t, w, "tenantId", "shop", retention.Conversations), "nobody ended it, and something was said just now")
		quiet(noon.Add(-time.Minute))
		require.Len(t, aged(t, w, "tenantId", "shop", retention.Conversations), 1)
		w.Given(contactcenter.ConversationsModel, "k-1", conversations.Erased{})
		require.Empty(t, aged(t, w, "tenantId", "shop", retention.Conversations))
		w.Given(contactcenter.ConversationsModel, "k-1", more)
		require.Len(t, aged(t, w, "tenantId", "shop", retention.Conversations), 1, name)
		w.Clear()
	}
}

// A conversation that was told whose it is, as its call was forgotten, is no younger for that.
func TestWhoseAConversationIsMakesItNoYounger(t *testing.T) {
	w := given.Open(t)
	opened := one(func(e *conversations.Opened) { e.ProjectID, e.At = "shop", noon.Add(-time.Hour) })
	w.Given(contactcenter.ConversationsModel, "k-1", opened)
	w.Indexed(conversations.Conversations.Category, "k-1", opened, conversations.Attributed{Persons: []string{"p1"}})
	for name, since := range map[string]time.Time{"opened": noon.Add(-time.Minute), "attributed": noon.Add(time.Minute)} {
		_, err := w.DB.Exec(t.Context(), `UPDATE events SET time = $1 WHERE type = $2`, since, "parley.conversations."+name+".v1")
		require.NoError(t, err)
	}
	require.Equal(t, []string{"conversation-k-1"}, aged(t, w, "tenantId", "shop", retention.Conversations))
}

// More than one look finds is found by the looks behind it, the oldest first.
func TestALookForWhatIsTooOldIsBounded(t *testing.T) {
	w := given.Open(t)
	for n := range 30 {
		over(w, string(rune('A'+n)), noon.Add(-time.Duration(n+1)*time.Minute))
	}
	first := aged(t, w, "tenantId", "shop", retention.Calls)
	require.Equal(t, "call-c-"+string(rune('A'+29)), first[0])
	require.LessOrEqual(t, len(first), 130)
	all := aged(t, w, "tenantId", "shop", retention.Kinds()...)
	require.Len(t, all, 100, "and no more than a step can forget")
	behind := besides(t, w, all, "tenantId", "shop", retention.Kinds()...)
	require.Len(t, behind, 100, "what goes on hides nothing behind it")
	require.NotSubset(t, all, behind)
}

// Given a conversation in which nothing was taken by a session, then it is found by its age; and where there are sessions,
// when all of them were forgotten.
func TestWhatNoSessionTookIsFoundByItsAge(t *testing.T) {
	w := given.Open(t)
	refused := func(at time.Time) event.Payload {
		return one(func(e *threads.Refused) { e.ProjectID, e.At = "shop", at })
	}
	w.Given(channels.DeliveriesModel, "th", refused(noon.Add(time.Minute)))
	require.Empty(t, aged(t, w, "tenantId", "shop", retention.Calls), "not too old")
	w.Given(channels.DeliveriesModel, "th", refused(noon.Add(-time.Minute)))
	require.Equal(t, []string{"thread-th"}, aged(t, w, "tenantId", "shop", retention.Calls))
	require.Empty(t, aged(t, w, "tenantId", "other", retention.Calls))
	require.Empty(t, aged(t, w, "other", "shop", retention.Calls))
	w.Given(channels.DeliveriesModel, "th", one(func(e *threads.Taken) { e.SessionID = "s-1" }))
	w.Given(voice.SessionsModel, "s-1", one(func(e *sessions.Opened) { e.SessionID, e.ProjectID, e.CallID, e.At = "s-1", "shop", "", noon }))
	require.Empty(t, aged(t, w, "tenantId", "shop", retention.Calls), "it goes with its session")
	w.Given(voice.SessionsModel, "s-1", sessions.Erased{})
	require.Equal(t, []string{"thread-th"}, aged(t, w, "tenantId", "shop", retention.Calls), "which has gone without it")
	w.Given(channels.DeliveriesModel, "th", threads.Erased{})
	require.Empty(t, aged(t, w, "tenantId", "shop", retention.Calls))
}

// Given a conversation whose last session is too old, when something was refused in it since, then the session goes alone,
// and the conversation when that is too old as well.
func TestWhatNoSessionTookOutlastsTheSessionsBeforeIt(t *testing.T) {
	w := given.Open(t)
	refused := func(at time.Time) event.Payload {
		return one(func(e *threads.Refused) { e.ProjectID, e.At = "shop", at })
	}
	w.Given(channels.DeliveriesModel, "th", one(func(e *threads.Taken) { e.SessionID = "s-1" }), refused(noon.Add(time.Minute)))
	w.Given(voice.SessionsModel, "s-1", one(func(e *sessions.Opened) {
		e.SessionID, e.ProjectID, e.CallID, e.At = "s-1", "shop", "", noon.Add(-time.Hour)
	}), one(func(e *sessions.SessionEnded) { e.At = noon.Add(-time.Minute) }))
	require.Equal(t, []string{"session-s-1"}, aged(t, w, "tenantId", "shop", retention.Calls))
	w.Given(voice.SessionsModel, "s-1", sessions.Erased{})
	require.Empty(t, aged(t, w, "tenantId", "shop", retention.Calls))
	w.Given(channels.DeliveriesModel, "th", refused(noon.Add(-time.Second)))
	require.Equal(t, []string{"thread-th"}, aged(t, w, "tenantId", "shop", retention.Calls))
}

// Given a room of a session that is still written to, when the room is too old, then it goes alone: the session has an age
// of its own, and goes with it.
func TestARoomGoesWithoutTheSessionThatGoesOn(t *testing.T) {
	w := given.Open(t)
	w.Given(voice.CallsModel, "r-1", one(func(e *calls.Requested) { e.CallID, e.ProjectID, e.At = "r-1", "shop", noon.Add(-time.Hour) }),
		one(func(e *calls.Answered) { e.SessionID = "s-1" }), one(func(e *calls.Completed) { e.At = noon.Add(-time.Minute) }))
	w.Given(voice.SessionsModel, "s-1", one(func(e *sessions.Opened) {
		e.SessionID, e.ProjectID, e.CallID, e.At = "s-1", "shop", "", noon.Add(-2*time.Hour)
	}))
	require.Equal(t, []string{"call-r-1"}, aged(t, w, "tenantId", "shop", retention.Calls))
	w.Given(voice.CallsModel, "r-1", calls.Erased{})
	require.Empty(t, aged(t, w, "tenantId", "shop", retention.Calls))
	w.Given(voice.SessionsModel, "s-1", one(func(e *sessions.SessionEnded) { e.At = noon.Add(-time.Second) }))
	require.Equal(t, []string{"session-s-1"}, aged(t, w, "tenantId", "shop", retention.Calls))
}

// Given a conversation of a channel with two sessions, when the older of them is too old, then it goes alone; when both
// are, the conversation goes with them, once; and not while one of them is not over.
func TestAConversationOfAChannelGoesWithTheLastOfItsSessions(t *testing.T) {
	w := given.Open(t)
	session := func(id string, at time.Time, more ...event.Payload) {
		w.Given(voice.SessionsModel, id, append([]event.Payload{one(func(e *sessions.Opened) {
			e.SessionID, e.ProjectID, e.CallID, e.At = id, "shop", "", at.Add(-time.Hour)
		})}, more...)...)
		w.Given(channels.DeliveriesModel, "th", one(func(e *threads.Taken) { e.SessionID = id }))
	}
	ended := func(at time.Time) event.Payload { return one(func(e *sessions.SessionEnded) { e.At = at }) }
	session("s-1", noon.Add(-2*time.Minute), ended(noon.Add(-2*time.Minute)))
	session("s-2", noon.Add(-time.Minute))
	require.Equal(t, []string{"session-s-1"}, aged(t, w, "tenantId", "shop", retention.Calls), "one is not over")
	w.Given(voice.SessionsModel, "s-2", ended(noon.Add(time.Minute)))
	require.Equal(t, []string{"session-s-1"}, aged(t, w, "tenantId", "shop", retention.Calls), "and not too old")
	w.Given(voice.SessionsModel, "s-1", sessions.Erased{})
	w.Given(voice.SessionsModel, "s-2", ended(noon.Add(-time.Minute)))
	require.Equal(t, []string{"session-s-2", "thread-th"}, aged(t, w, "tenantId", "shop", retention.Calls))
	session("s-3", noon.Add(-time.Second), ended(noon.Add(-time.Second)))
	require.Equal(t, []string{"session-s-2", "thread-th", "session-s-3"}, aged(t, w, "tenantId", "shop", retention.Calls))
}

package privacy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	known "github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore/sealed"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/channels"
	"github.com/parley-platform/parley/projections/contactcenter"
	"github.com/parley-platform/parley/projections/privacy"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// Given a project that kept the calls of somebody no longer, and their conversation or recordings still, then the contact leads to
// these as long as they are there.
func TestWhatOutlivesASessionIsFoundByItsContact(t *testing.T) {
	for name, forget := range map[string]func(w *given.World){
		"conversation": func(w *given.World) { w.Given(contactcenter.VoicemailsModel, "v-1", voicemails.Erased{}) },
		"voicemail": func(w *given.World) {
			w.Given(contactcenter.ConversationsModel, "tenantId.shop.k-1", conversations.Erased{})
		},
	} {
		w := given.Open(t)
		somebody(w)
		w.Given(persons, "ct-1", contacts.Created{Details: contacts.Details{Identity: "+15550009", IdentityType: "phone"}})
		w.Given(persons, "c-1", calls.Erased{})
		w.Given(voice.SessionsModel, "s-1", sessions.Erased{})
		found := func() []erasures.Place {
			all, err := privacy.NewPersons(w.DB, nil, plain).Find(t.Context(), "tenantId", []known.Identity{{Kind: known.Telephone,
				Value: "+15550009"}})
			require.NoError(t, err)
			return all
		}
		require.ElementsMatch(t, hers, found(), name)
		forget(w)
		require.ElementsMatch(t, hers, found(), name)
		w.Given(contactcenter.VoicemailsModel, "v-1", voicemails.Erased{})
		w.Given(contactcenter.ConversationsModel, "tenantId.shop.k-1", conversations.Erased{})
		require.ElementsMatch(t, []erasures.Place{{Stream: "contact-ct-1"}, {Stream: "memory-y-2"}}, found(), name)
		w.Clear()
	}
}

// Given a call that is forgotten before its conversation and a voicemail of its session, then these are told whose they are, once;
// and found by that when nothing else leads to them, until they have forgotten her, too.
func TestWhatOutlivesACallIsFoundByWhatItKeeps(t *testing.T) {
	w := given.Open(t)
	somebody(w)
	p := privacy.NewPersons(w.DB, nil, plain)
	outliving := func(streams ...string) []privacy.Owned {
		all, err := p.Outliving(t.Context(), "tenantId", streams)
		require.NoError(t, err)
		return all
	}
	found := func() []erasures.Place {
		all, err := p.Find(t.Context(), "tenantId", number)
		require.NoError(t, err)
		return all
	}
	her := []string{"person/tenantId/telephone/+15550001"}
	require.Equal(t, []privacy.Owned{{Stream: "conversation-tenantId.shop.k-1", Persons: her}, {Stream: "voicemail-v-1", Persons: her}},
		outliving("session-s-1", "call-c-1"))
	require.Empty(t, outliving("session-s-1", "transfer-t-1"), "nobody is named there")
	w.Given(persons, "tenantId.shop.k-1", conversations.Attributed{Persons: her})
	require.Equal(t, []privacy.Owned{{Stream: "voicemail-v-1", Persons: her}}, outliving("call-c-1"))
	w.Given(persons, "v-1", voicemails.Attributed{Persons: her})
	require.Empty(t, outliving("call-c-1"))
	w.Given(voice.SessionsModel, "s-1", one(func(e *sessions.Opened) { // as before, but nobody's contact
		e.SessionID, e.ProjectID, e.CallID, e.ContactID = "s-1", "shop", "c-1", ""
	}), sessions.Erased{})
	w.Given(persons, "c-1", calls.Erased{})
	require.Subset(t, found(), []erasures.Place{{Stream: "conversation-tenantId.shop.k-1"}, {Stream: "voicemail-v-1"}})

	w.Given(persons, "tenantId.shop.k-1", conversations.Erased{Erasure: event.Erasure{Keys: []string{given.Key}}})
	require.NotEmpty(t, found(), "it was a colleague")
	w.Given(persons, "tenantId.shop.k-1", conversations.Erased{})
	w.Given(persons, "v-1", voicemails.Erased{})
	require.Empty(t, found())
	w.Given(persons, "tenantId.shop.k-1", conversations.Attributed{Persons: []string{projections.Erased}}) // as a rebuild finds it
	require.NotContains(t, w.All(persons), "erased")
}

// Given a session that began with what somebody wrote by a channel, when nobody noted in the conversation that it took that, as
// they had left by then, then each leads to the other all the same.
func TestASessionThatNoConversationNotedIsOfTheSamePerson(t *testing.T) {
	w := given.Open(t)
	w.Given(persons, "th", one(func(e *threads.Received) { e.Kind, e.From = "twilio_sms", "+15550001" }))
	begun := func(id, thread, contact string) {
		opened := one(func(e *sessions.Opened) {
			e.SessionID, e.ProjectID, e.CallID, e.ContactID, e.Thread = id, "shop", "", contact, thread
		})
		w.Given(voice.SessionsModel, id, opened)
		w.Given(channels.DeliveriesModel, id, opened)
	}
	begun("s-1", "thread-th", "")
	begun("s-2", "thread-other", "")
	begun("s-3", "", "")
	begun("s-4", "thread-th", "ct-4")
	w.Given(persons, "ct-4", contacts.Created{Details: contacts.Details{Identity: "+15550004", IdentityType: "phone"}})
	for _, who := range []string{"+15550001", "+15550004"} {
		found, err := privacy.NewPersons(w.DB, nil, plain).Find(t.Context(), "tenantId", []known.Identity{{Kind: known.Telephone, Value: who}})
		require.NoError(t, err)
		require.ElementsMatch(t, []erasures.Place{{Stream: "thread-th"}, {Stream: "session-s-1"}, {Stream: "session-s-4"},
			{Stream: "contact-ct-4"}}, found)
	}
}

// Given a conversation in which several people wrote, then who is looked for leads to it, and not to the contact of another
// one of them, with what they said elsewhere; the contact leads to it.
func TestAConversationOfSeveralLeadsToNobodyElse(t *testing.T) {
	w := given.Open(t)
	wrote := func(thread, who string) {
		w.Given(persons, thread, one(func(e *threads.Received) { e.Kind, e.From, e.Thread = "slack", who, "C1" }))
	}
	begun := func(id, thread string) {
		opened := one(func(e *sessions.Opened) {
			e.SessionID, e.ProjectID, e.CallID, e.ContactID, e.Thread = id, "shop", "", "ct-1", thread
		})
		w.Given(voice.SessionsModel, id, opened)
		w.Given(channels.DeliveriesModel, id, opened)
	}
	w.Given(persons, "ct-1", contacts.Created{Details: contacts.Details{Identity: "slack:U1", IdentityType: "external"}})
	wrote("alone", "U1")
	wrote("group", "U1")
	begun("s-alone", "thread-alone")
	begun("s-group", "thread-group")
	found := func(who string) []erasures.Place {
		all, err := privacy.NewPersons(w.DB, nil, plain).Find(t.Context(), "tenantId", []known.Identity{{Kind: known.External, Value: who}})
		require.NoError(t, err)
		return all
	}
	wrote("group", "U2")
	group := []erasures.Place{{Stream: "thread-group"}, {Stream: "session-s-group"}}
	require.ElementsMatch(t, group, found("U2"))
	require.ElementsMatch(t, append(group, erasures.Place{Stream: "contact-ct-1"}, erasures.Place{Stream: "thread-alone"},
		erasures.Place{Stream: "session-s-alone"}), found("U1"))

	w.Indexed(contacts.Contacts.Category, "ct-1", given.Filled[contacts.Created]())
	id := sealed.ID{7}
	_, err := w.DB.Exec(t.Context(), `UPDATE events SET key_id = $1`, id.String())
	require.NoError(t, err)
	w.Given(persons, "group", threads.Erased{})
	w.Given(voice.SessionsModel, "s-group", sessions.Erased{})
	wrote("group", "U1") // goes on
	begun("s-later", "thread-group")
	left, err := privacy.NewPersons(w.DB, alive{id: true}, plain).Left(t.Context(), "tenantId", group)
	require.NoError(t, err)
	require.Empty(t, left, "what can be read of the other one")
}

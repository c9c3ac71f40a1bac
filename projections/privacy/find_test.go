package privacy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/memories"
	known "github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore/sealed"
	"github.com/parley-platform/parley/projections/contactcenter"
	"github.com/parley-platform/parley/projections/privacy"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

var number = []known.Identity{{Kind: known.Telephone, Value: "+15550001"}}

// alive is keys of which these are not erased.
type alive map[sealed.ID]bool

func (a alive) Take(context.Context) (sealed.Key, error) { return sealed.Key{}, nil }

func (a alive) Find(_ context.Context, ids []sealed.ID) (map[sealed.ID]*sealed.Key, error) {
	out := map[sealed.ID]*sealed.Key{}
	for _, id := range ids {
		if a[id] {
			out[id] = &sealed.Key{}
		}
	}
	return out, nil
}

// one is an event of a tenant that all these tests have, with the ids of a person's things.
func one[E event.Payload](edit func(*E)) event.Payload { return given.Filled(edit) }

// somebody has a call with a session, a transfer of that to a conversation, a voicemail, and
// what agents keep of the session and of her, among what they keep of others.
func somebody(w *given.World) {
	w.Given(persons, "c-1", calls.Requested{Target: "tel:+15550001"})
	w.Given(voice.CallsModel, "c-1", one(func(e *calls.Requested) { e.CallID, e.ProjectID = "c-1", "shop" }),
		one(func(e *calls.Answered) { e.SessionID = "s-1" }))
	w.Given(voice.SessionsModel, "s-1", one(func(e *sessions.Opened) {
		e.SessionID, e.ProjectID, e.CallID, e.ContactID = "s-1", "shop", "c-1", "ct-1"
	}))
	w.Given(contactcenter.TransfersModel, "t-1", one(func(e *transfers.Requested) {
		e.TransferID, e.ProjectID, e.SessionID, e.ConversationID = "t-1", "shop", "s-1", "k-1"
	}))
	w.Given(contactcenter.ConversationsModel, "tenantId.shop.k-1", one(func(e *conversations.Opened) {
		e.ProjectID, e.ConversationID, e.SessionID = "shop", "k-1", ""
	}))
	for id, owner := range map[string]memories.Name{"y-1": {Scope: memories.OfSession, OwnerID: "s-1"},
		"y-2": {Scope: memories.OfContact, OwnerID: "ct-1"}, "y-3": {Scope: memories.OfContact, OwnerID: "s-1"},
		"y-4": {Scope: memories.OfProject, OwnerID: "shop"}, "y-5": {Scope: memories.OfSession, OwnerID: "ct-1"}} {
		w.Given(runtime.MemoriesModel, id, one(func(e *memories.Written) { e.Scope, e.OwnerID = owner.Scope, owner.OwnerID }))
	}
	w.Given(contactcenter.VoicemailsModel, "v-1", one(func(e *voicemails.Recorded) {
		e.VoicemailID, e.ProjectID, e.SessionID = "v-1", "shop", "s-1"
	}))
}

var hers = []erasures.Place{{Stream: "call-c-1"}, {Stream: "contact-ct-1"}, {Stream: "conversation-tenantId.shop.k-1"},
	{Stream: "memory-y-1"}, {Stream: "memory-y-2"}, {Stream: "session-s-1"}, {Stream: "transfer-t-1"}, {Stream: "voicemail-v-1"}}

// Given more streams than one look finds, when all of them are wanted, then each is there
// once, with what belongs to it, in the order of their names.
func TestAllStreamsOfAPersonAreFound(t *testing.T) {
	w := given.Open(t)
	somebody(w)
	w.Given(persons, "p", contactlists.ContactsPut{Contacts: []contactlists.Contact{{PhoneNumber: "+15550001"}}})
	var want []erasures.Place
	for n := range 250 {
		id := fmt.Sprintf("m-%03d", n)
		w.Given(persons, id, texts.Requested{To: "+15550001"})
		want = append(want, erasures.Place{Stream: "message-" + id})
	}
	want = append(want, hers...)
	want = append(want, erasures.Place{Stream: "contactlist-p", Keys: []string{given.Key}})
	slices.SortFunc(want, func(a, b erasures.Place) int { return strings.Compare(a.Stream, b.Stream) })
	p := privacy.NewPersons(w.DB, nil, plain)
	require.Equal(t, want, everywhere(t, p, "tenantId", 1000))
	require.Equal(t, want, everywhere(t, p, "tenantId", 7))
	require.Equal(t, want, everywhere(t, p, "tenantId", len(want)))
	require.Empty(t, everywhere(t, p, "other", 7))

	one, err := p.Part(t.Context(), "tenantId", number, "message-m-100", 3)
	require.NoError(t, err)
	require.Equal(t, privacy.Part{Places: []erasures.Place{{Stream: "message-m-101"}, {Stream: "message-m-102"}, {Stream: "message-m-103"}},
		More: true, Of: counts(want)}, one)
}

// Given somebody who is known by a number in one stream, when she is looked for, then all
// that belongs to it is found, and nothing of another tenant or person.
func TestAPersonIsFoundWithAllThatBelongsToHer(t *testing.T) {
	w := given.Open(t)
	somebody(w)
	w.Given(persons, "p", contactlists.ContactsPut{Contacts: []contactlists.Contact{{PhoneNumber: "+15550001"}}})
	w.Given(persons, "c-2", calls.Requested{Target: "tel:+15550002"})
	p := privacy.NewPersons(w.DB, nil, plain)
	found, err := p.Find(t.Context(), "tenantId", number)
	require.NoError(t, err)
	require.ElementsMatch(t, append(hers, erasures.Place{Stream: "contactlist-p", Keys: []string{given.Key}}), found)
	for tenant, who := range map[string][]known.Identity{"other": number, "tenantId": {{Kind: known.Email, Value: "+15550001"}}} {
		found, err := p.Find(t.Context(), tenant, who)
		require.NoError(t, err)
		require.Empty(t, found)
	}
}

// The session in which an agent assists people in her conversation is hers, and leads to it.
func TestAnAssistingSessionIsOfWhomItsConversationIsOf(t *testing.T) {
	w := given.Open(t)
	somebody(w)
	w.Given(persons, "ct-9", contacts.Created{Details: contacts.Details{Identity: "+15550009", IdentityType: "phone"}})
	assists := func(id, conversation, contact string) {
		w.Given(voice.SessionsModel, id, one(func(e *sessions.Opened) {
			e.SessionID, e.ProjectID, e.CallID, e.ContactID, e.Begun = id, "shop", "", contact, &sessions.Begun{Assists: conversation}
		}))
	}
	assists("as-1", "k-1", "")
	assists("as-2", "k-2", "ct-9")
	w.Given(contactcenter.ConversationsModel, "tenantId.shop.k-2", one(func(e *conversations.Opened) {
		e.ProjectID, e.ConversationID, e.SessionID = "shop", "k-2", ""
	}))
	p := privacy.NewPersons(w.DB, nil, plain)
	found, err := p.Find(t.Context(), "tenantId", number)
	require.NoError(t, err)
	require.ElementsMatch(t, append(slices.Clone(hers), erasures.Place{Stream: "session-as-1"}), found)
	found, err = p.Find(t.Context(), "tenantId", []known.Identity{{Kind: known.Telephone, Value: "+15550009"}})
	require.NoError(t, err)
	require.ElementsMatch(t, []erasures.Place{{Stream: "contact-ct-9"}, {Stream: "session-as-2"},
		{Stream: "conversation-tenantId.shop.k-2"}}, found)
}

// What a contact center told under the id of her session is hers; what it told under the same id in another project is not.
func TestAConversationThatHasTheIDOfASessionIsOfWhomTheSessionIsOf(t *testing.T) {
	w := given.Open(t)
	somebody(w)
	for _, project := range []string{"shop", "other"} {
		w.Given(contactcenter.ConversationsModel, conversations.StreamID("tenantId", project, "s-1"), one(func(e *conversations.Opened) {
			e.ProjectID, e.ConversationID, e.SessionID = project, "s-1", ""
		}))
	}
	found, err := privacy.NewPersons(w.DB, nil, plain).Find(t.Context(), "tenantId", number)
	require.NoError(t, err)
	require.ElementsMatch(t, append(slices.Clone(hers), erasures.Place{Stream: "conversation-tenantId.shop.s-1"}), found)
}

// Given answers of models that are kept for requests, then those which named her session are hers until they are dropped, also one that
// comes behind her erasure; what models said in her session's own turns, what is not kept, and what is another project's is not.
func TestAKeptAnswerIsOfWhomItsSessionIsOf(t *testing.T) {
	w := given.Open(t)
	w.Given(persons, "ct-1", contacts.Created{Details: contacts.Details{Identity: "+15550001", IdentityType: "phone"}})
	w.Given(voice.SessionsModel, "s-1", one(func(e *sessions.Opened) {
		e.SessionID, e.ProjectID, e.CallID, e.ContactID = "s-1", "shop", "", "ct-1"
	}))
	answered := func(id, project, session string, keep bool) {
		w.Given(runtime.CompletionsModel, id, given.Filled(func(e *completions.Finished) {
			if e.CompletionID, e.ProjectID, e.SessionID = id, project, session; !keep {
				e.Blob, e.KeptTill = "", nil
			}
		}))
	}
	answered("m-1", "shop", "s-1", true)
	answered("m-2", "shop", "s-1", false)
	answered("m-3", "shop", "s-2", true)
	answered("m-4", "other", "s-1", true)
	answered("m-5", "shop", "", true)
	w.Given(runtime.CompletionsModel, "s-1", given.Filled(func(e *sessions.ModelAnswered) { e.CallID, e.ProjectID = "m-6", "shop" }))
	p := privacy.NewPersons(w.DB, alive{}, plain)
	found, err := p.Find(t.Context(), "tenantId", number)
	require.NoError(t, err)
	all := []erasures.Place{{Stream: "completion-m-1"}, {Stream: "contact-ct-1"}, {Stream: "session-s-1"}}
	require.ElementsMatch(t, all, found)

	w.Given(runtime.CompletionsModel, "m-1", completions.AnswerDropped{CompletionID: "m-1"})
	answered("m-7", "shop", "s-1", true)
	left, err := p.Left(t.Context(), "tenantId", all)
	require.NoError(t, err)
	require.Equal(t, []erasures.Place{{Stream: "completion-m-7"}}, left)
}

// Given a session of a channel in which it was talked in two rooms, when the person is known by the session's contact,
// then the calls of the rooms are hers as well, and no call of another session or tenant; and a room leads to all.
func TestTheRoomsOfASessionAreOfWhomTheSessionIsOf(t *testing.T) {
	w := given.Open(t)
	w.Given(persons, "ct-1", contacts.Created{Details: contacts.Details{Identity: "+15550001", IdentityType: "phone"}})
	w.Given(persons, "r-1", calls.Arrived{Person: "+15550009"})
	w.Given(voice.SessionsModel, "s-1", one(func(e *sessions.Opened) {
		e.SessionID, e.ProjectID, e.CallID, e.ContactID = "s-1", "shop", "", "ct-1"
	}))
	room := func(id, project, session string) {
		w.Given(voice.CallsModel, id, one(func(e *calls.Requested) { e.CallID, e.ProjectID = id, project }),
			one(func(e *calls.Answered) { e.SessionID = session }))
	}
	room("r-1", "shop", "s-1")
	room("r-2", "shop", "s-1")
	room("r-3", "shop", "s-2")
	room("r-4", "other", "s-1")
	for _, who := range []string{"+15550001", "+15550009"} {
		found, err := privacy.NewPersons(w.DB, nil, plain).Find(t.Context(), "tenantId", []known.Identity{{Kind: known.Telephone, Value: who}})
		require.NoError(t, err)
		require.ElementsMatch(t, []erasures.Place{{Stream: "contact-ct-1"}, {Stream: "session-s-1"}, {Stream: "call-r-1"}, {Stream: "call-r-2"}},
			found)
	}
}

// Given a session in whose name a browser calls, when the person is known by the session's contact, then the call is hers as
// well, with the session that it got, and no call in the name of another one; and what is known of the call leads to all.
func TestTheCallOfABrowserIsOfWhomTheSessionIsOf(t *testing.T) {
	w := given.Open(t)
	chat := func(id, contact string) {
		w.Given(voice.SessionsModel, id, one(func(e *sessions.Opened) {
			e.SessionID, e.ProjectID, e.CallID, e.ContactID = id, "shop", "", contact
		}))
	}
	call := func(id, session, contact string) {
		w.Given(persons, id, calls.Arrived{Person: "client:s_" + session})
		w.Given(voice.CallsModel, id, one(func(e *calls.Arrived) { e.CallID, e.ProjectID, e.SessionID = id, "shop", "" }),
			one(func(e *calls.Answered) { e.SessionID = "of-" + id }))
		w.Given(voice.SessionsModel, "of-"+id, one(func(e *sessions.Opened) {
			e.SessionID, e.ProjectID, e.CallID, e.ContactID = "of-"+id, "shop", id, contact
		}))
	}
	chat("s-1", "ct-1")
	chat("s-2", "ct-2")
	call("c-1", "s-1", "ct-9") // which somebody linked with another contact of hers
	call("c-2", "s-2", "")
	call("c-3", "of-no-account", "ct-3")
	for i, n := range []string{"1", "9", "3"} {
		w.Given(persons, "ct-"+n, contacts.Created{Details: contacts.Details{Identity: "+1555000" + n, IdentityType: "phone"}})
		want := []erasures.Place{{Stream: "contact-ct-3"}, {Stream: "session-of-c-3"}, {Stream: "call-c-3"}}
		if n != "3" {
			want = []erasures.Place{{Stream: "session-s-1"}, {Stream: "call-c-1"}, {Stream: "session-of-c-1"}, {Stream: "contact-ct-1"},
				{Stream: "contact-ct-9"}}
		}
		found, err := privacy.NewPersons(w.DB, nil, plain).Find(t.Context(), "tenantId", []known.Identity{{Kind: known.Telephone,
			Value: "+1555000" + n}})
		require.NoError(t, err)
		require.ElementsMatch(t, want, found, i)
	}
}

// Whoever of them leads to the person leads to all.
func TestWhatBelongsTogetherIsFoundFromEachSide(t *testing.T) {
	for name, leads := range map[string]func(w *given.World){
		"voicemail": func(w *given.World) { w.Given(persons, "v-1", voicemails.Recorded{CallerID: "+15550009"}) },
		"transfer":  func(w *given.World) { w.Given(persons, "t-1", transfers.Requested{CustomerID: "+15550009"}) },
		"contact": func(w *given.World) {
			w.Given(persons, "ct-1", contacts.Created{Details: contacts.Details{Identity: "+15550009", IdentityType: "phone"}})
		},
	} {
		w := given.Open(t)
		somebody(w)
		leads(w)
		found, err := privacy.NewPersons(w.DB, nil, plain).Find(t.Context(), "tenantId", []known.Identity{{Kind: known.Telephone,
			Value: "+15550009"}})
		require.NoError(t, err)
		require.ElementsMatch(t, hers, found, name)
		w.Clear()
	}
}

// Given streams that have forgotten somebody, when a key of what belongs to them is alive,
// then something was said behind the erasure there.
func TestWhatIsLeftBehindAnErasureIsFound(t *testing.T) {
	w := given.Open(t)
	somebody(w)
	w.Indexed(sessions.Sessions.Category, "s-1", given.Filled[sessions.Opened]())
	id := sealed.ID{7}
	_, err := w.DB.Exec(t.Context(), `UPDATE events SET key_id = $1`, id.String())
	require.NoError(t, err)
	for _, lives := range []bool{true, false} {
		left, err := privacy.NewPersons(w.DB, alive{id: lives}, plain).Left(t.Context(), "tenantId", []erasures.Place{{Stream: "call-c-1"}})
		require.NoError(t, err)
		if lives { // and what was said in it
			require.Equal(t, []erasures.Place{{Stream: "session-s-1"}, {Stream: "conversation-tenantId.shop.k-1"}}, left)
		} else {
			require.Empty(t, left)
		}
	}
	left, err := privacy.NewPersons(w.DB, nil, plain).Left(t.Context(), "tenantId", nil)
	require.NoError(t, err)
	require.Empty(t, left)
}

// everywhere is where the person stands, asked for in parts of so many streams; each says how many there are in all.
func everywhere(t *testing.T, p *privacy.Persons, tenant string, most int) (all []erasures.Place) {
	t.Helper()
	after, of := "", map[string]int(nil)
	for more := true; more; {
		part, err := p.Part(t.Context(), tenant, number, after, most)
		require.NoError(t, err)
		require.LessOrEqual(t, len(part.Places), most)
		if more = part.More; more {
			require.Len(t, part.Places, most)
			after = part.Places[most-1].Stream
		}
		if of != nil {
			require.Equal(t, of, part.Of)
		}
		all, of = append(all, part.Places...), part.Of
	}
	require.Equal(t, counts(all), of)
	return all
}

func counts(places []erasures.Place) map[string]int {
	n := map[string]int{}
	for _, p := range places {
		n[catalog.OfStream(p.Stream).Name]++
	}
	return n
}

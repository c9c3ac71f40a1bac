package privacy

import (
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/projections"
)

// Fingerprint hashes parts for a purpose, under a key that only nodes have: who has the
// database alone cannot try numbers out.
type Fingerprint func(purpose string, parts ...string) string

// of is the hash of an identity. Persons of two tenants have nothing to do with each other. Who writes by an address whose domain
// has letters of its own is the same in both spellings, though they are two contacts.
func (f Fingerprint) of(tenant string, i privacy.Identity) string {
	if i.Kind == privacy.Email {
		i.Value = connections.Mailbox(i.Value)
	}
	return f("person", tenant, string(i.Kind), i.Value)
}

// PersonsModel stores where persons stand in events that say who they are. What else is of
// them, such as the session of a call, is found from there (Persons.Find). A stream that has
// forgotten somebody has no row of the person. Nor is it said of the calls of browsers who they are, only in the name
// of which session they are made: the name of its stream, which is no hash, stands for the person then.
func PersonsModel(hash Fingerprint) *projections.Model {
	m := projections.NewModel("persons", 8, []string{"person_streams"}, calls.Calls.Category, texts.Texts.Category,
		voicemails.Voicemails.Category, transfers.Transfers.Category, contactlists.Lists.Category, runs.Runs.Category,
		contacts.Contacts.Category, threads.Threads.Category, conversations.Conversations.Category)
	k := keeper{hash}
	k.calls(m)
	k.texts(m)
	k.voicemails(m)
	k.transfers(m)
	k.contacts(m)
	k.known(m)
	k.threads(m)
	k.conversations(m)
	return m
}

type keeper struct{ hash Fingerprint }

// keep notes that the person who is known so stands in the stream, with that key.
func (k keeper) keep(b *projections.Batch, at projections.At, key string, known []privacy.Identity) {
	for _, i := range known {
		b.Put("person_streams", k.row(at, i, key), nil)
	}
}

// anyID is what a text says of a person that may be the account's own id of the person,
// nothing once it was erased.
func anyID(text string) []privacy.Identity {
	if text == projections.Erased {
		return nil
	}
	return privacy.Identities(text)
}

// addresses are those among texts at which a person is reached.
func addresses(texts ...string) (all []privacy.Identity) {
	for _, text := range texts {
		for _, i := range anyID(text) {
			if i.Kind != privacy.External {
				all = append(all, i)
			}
		}
	}
	return all
}

func (k keeper) row(at projections.At, i privacy.Identity, key string) projections.Row {
	return projections.Row{"tenant": at.Tenant, "person": k.hash.of(at.Tenant, i), "stream": at.Stream, "key_id": key}
}

func forget(b *projections.Batch, at projections.At) {
	b.DeleteWhere("person_streams", projections.Row{"stream": at.Stream, "key_id": ""})
}

// attribute notes by what a stream is found, as what knew that kept it here when it was forgotten.
func attribute(b *projections.Batch, at projections.At, persons []string) {
	for _, person := range persons {
		if person != projections.Erased {
			b.Put("person_streams", projections.Row{"tenant": at.Tenant, "person": person, "stream": at.Stream, "key_id": ""}, nil)
		}
	}
}

func (k keeper) calls(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Requested) {
		k.keep(b, at, "", addresses(e.Target, calls.CustomerOf(e.Metadata).Email))
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Arrived) {
		who := addresses(e.Person)
		if len(who) == 0 { // then it is what whoever brings the call knows them by
			who = anyID(e.Person)
		}
		k.keep(b, at, "", who)
		if session, is := calls.InNameOf(e.Person); is {
			b.Put("person_streams", projections.Row{"tenant": at.Tenant, "person": sessions.Sessions.Stream(session), "stream": at.Stream,
				"key_id": ""}, nil)
		}
	})
	projections.Ignore[calls.StatusTold](m)
	projections.Ignore[calls.LineTaken](m)
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Erased) { forget(b, at) })
	projections.Ignore[calls.AttemptStarted](m)
	projections.Ignore[calls.Ringing](m)
	projections.Ignore[calls.Answered](m)
	projections.Ignore[calls.AmdDetected](m)
	projections.Ignore[calls.Said](m)
	projections.Ignore[calls.Heard](m)
	projections.Ignore[calls.DigitsPressed](m)
	projections.Ignore[calls.Played](m)
	projections.Ignore[calls.RecordingFailed](m)
	projections.Ignore[calls.Recorded](m)
	projections.Ignore[calls.QualityMeasured](m)
	projections.Ignore[calls.LeaseRenewed](m)
	projections.Ignore[calls.PersonCalled](m)
	projections.Ignore[calls.LegTransferred](m)
	projections.Ignore[calls.PersonEstablished](m)
	projections.Ignore[calls.PersonReferred](m)
	projections.Ignore[calls.PersonFreed](m)
	projections.Ignore[calls.MessageWanted](m)
	projections.Ignore[calls.MessageLeft](m)
	projections.Ignore[calls.MessageMissed](m)
	projections.Ignore[calls.Adopted](m)
	projections.Ignore[calls.LegEstablished](m)
	projections.Ignore[calls.Held](m)
	projections.Ignore[calls.Resumed](m)
	projections.Ignore[calls.Failed](m)
	projections.Ignore[calls.Completed](m)
}

func (k keeper) texts(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e texts.Requested) { k.keep(b, at, "", addresses(e.To)) })
	projections.On(m, func(b *projections.Batch, at projections.At, e texts.Erased) { forget(b, at) })
	projections.Ignore[texts.AttemptStarted](m)
	projections.Ignore[texts.AttemptRefused](m)
	projections.Ignore[texts.AttemptDue](m)
	projections.Ignore[texts.Sent](m)
	projections.Ignore[texts.Failed](m)
}

// threads name who talks there by what the provider calls them, and as contacts are.
func (k keeper) threads(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e threads.Received) {
		if e.From == projections.Erased || e.From == "" {
			return
		}
		k.keep(b, at, "", threads.Known(e.Kind, e.From))
		if e.Named() {
			for _, i := range contactOf(e.Kind, e.From).Known() {
				b.Put("person_streams", k.row(at, i, ""), projections.Row{"writes": true})
			}
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e threads.Opted) {
		if e.From != projections.Erased && e.From != "" {
			k.keep(b, at, "", threads.Known(e.Kind, e.From))
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e threads.Erased) { forget(b, at) })
	projections.Ignore[threads.FilesFetched](m)
	projections.Ignore[threads.Taken](m)
	projections.Ignore[threads.Refused](m)
	projections.Ignore[threads.WasOver](m)
	projections.Ignore[threads.Answered](m)
	projections.Ignore[threads.Left](m)
	projections.Ignore[threads.Queued](m)
	projections.Ignore[threads.Started](m)
	projections.Ignore[threads.PartSent](m)
	projections.Ignore[threads.Missed](m)
	projections.Ignore[threads.Failed](m)
	projections.Ignore[threads.Due](m)
	projections.Ignore[threads.Retried](m)
	projections.Ignore[threads.Reported](m)
	projections.Ignore[threads.Dropped](m)
	projections.Ignore[threads.TakenBack](m)
	projections.Ignore[threads.LineOpened](m)
	projections.Ignore[threads.LineClosed](m)
	projections.Ignore[threads.Spoken](m)
	projections.Ignore[threads.DraftBegun](m)
	projections.Ignore[threads.DraftShown](m)
	projections.Ignore[threads.DraftDropped](m)
	projections.Ignore[threads.TellerSet](m)
	projections.Ignore[threads.TellerDeleted](m)
	projections.Ignore[threads.Forgotten](m)
}

// known are the contacts of an account. One that was deleted is still on the log.
func (k keeper) known(m *projections.Model) {
	keep := func(b *projections.Batch, at projections.At, d contacts.Details) {
		if d.Identity != projections.Erased {
			k.keep(b, at, "", knownBy(d))
		}
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e contacts.Created) { keep(b, at, e.Details) })
	projections.On(m, func(b *projections.Batch, at projections.At, e contacts.Changed) { keep(b, at, e.Details) })
	projections.On(m, func(b *projections.Batch, at projections.At, e contacts.Erased) { forget(b, at) })
	projections.Ignore[contacts.ClaimGivenUp](m)
	projections.Ignore[contacts.Deleted](m)
}

// contactOf is who writes by a kind, as the account knows them.
func contactOf(kind, from string) (d contacts.Details) {
	d.IdentityType, d.Identity = threads.IdentityOf(kind, from)
	return d
}

// knownBy is what a contact is known by. Who wrote by a channel is also known as the provider calls them, as in their
// conversation, which may be forgotten before they are.
func knownBy(d contacts.Details) []privacy.Identity {
	all := d.Known()
	slug, from, cut := strings.Cut(d.Identity, ":")
	if kind, is := connections.KindOf(slug); !cut || !is || kind.Slug != slug || d.IdentityType != "external" {
		return all
	}
	for _, i := range threads.Known(slug, from) {
		if !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	return all
}

func (k keeper) voicemails(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.Recorded) {
		k.keep(b, at, "", anyID(e.CallerID))
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.Attributed) { attribute(b, at, e.Persons) })
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.Erased) { forget(b, at) })
	projections.Ignore[voicemails.Transcribed](m)
	projections.Ignore[voicemails.TranscriptionAsked](m)
	projections.Ignore[voicemails.TranscriptionAttemptFailed](m)
	projections.Ignore[voicemails.TranscriptionDue](m)
	projections.Ignore[voicemails.TranscriptionFailed](m)
}

// conversations are found by what belongs to them, as long as that is there.
func (k keeper) conversations(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.Attributed) { attribute(b, at, e.Persons) })
	projections.On(m, func(b *projections.Batch, at projections.At, e conversations.Erased) {
		if len(e.Keys) == 0 { // else it is a colleague
			forget(b, at)
		}
	})
	projections.Ignore[conversations.AssistAnswered](m)
	projections.Ignore[conversations.AssistFailed](m)
	projections.Ignore[conversations.ConversationEnded](m)
	projections.Ignore[conversations.HandedOver](m)
	projections.Ignore[conversations.LateRefused](m)
	projections.Ignore[conversations.Noted](m)
	projections.Ignore[conversations.Opened](m)
	projections.Ignore[conversations.MessageReceived](m)
	projections.Ignore[conversations.SummaryAsked](m)
	projections.Ignore[conversations.Summarized](m)
	projections.Ignore[conversations.SummaryAttemptFailed](m)
	projections.Ignore[conversations.SummaryFailed](m)
	projections.Ignore[conversations.SummaryDue](m)
	projections.Ignore[conversations.MessageTakenBack](m)
	projections.Ignore[conversations.AgentEntered](m)
	projections.Ignore[conversations.AgentLeft](m)
	projections.Ignore[conversations.TransferAbandoned](m)
}

func (k keeper) transfers(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e transfers.Requested) {
		if e.CustomerID != projections.Erased {
			k.keep(b, at, "", privacy.Spelled(e.CustomerID))
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e transfers.Erased) { forget(b, at) })
	projections.Ignore[transfers.Queued](m)
	projections.Ignore[transfers.Offered](m)
	projections.Ignore[transfers.Assigned](m)
	projections.Ignore[transfers.Declined](m)
	projections.Ignore[transfers.TimedOut](m)
	projections.Ignore[transfers.Failed](m)
	projections.Ignore[transfers.Ended](m)
}

// contacts stand among others, each with a key of its own. One without, from before members
// were sealed, cannot be erased alone and is not kept here.
func (k keeper) contacts(m *projections.Model) {
	keep := func(b *projections.Batch, at projections.At, contacts []contactlists.Contact) {
		for n, c := range contacts {
			if key := at.Key(n); key != "" {
				k.keep(b, at, key, addresses(c.PhoneNumber, c.Email))
			}
		}
	}
	forget := func(b *projections.Batch, at projections.At, keys []string) {
		for _, key := range keys {
			b.DeleteWhere("person_streams", projections.Row{"stream": at.Stream, "key_id": key})
		}
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e contactlists.ContactsPut) { keep(b, at, e.Contacts) })
	projections.On(m, func(b *projections.Batch, at projections.At, e contactlists.Erased) { forget(b, at, e.Keys) })
	projections.Ignore[contactlists.ListDefined](m)
	projections.Ignore[contactlists.ListRemoved](m)
	projections.On(m, func(b *projections.Batch, at projections.At, e runs.ContactsListed) { keep(b, at, e.Contacts) })
	projections.On(m, func(b *projections.Batch, at projections.At, e runs.Erased) { forget(b, at, e.Keys) })
	projections.Ignore[runs.Opened](m)
	projections.Ignore[runs.PassOpened](m)
	projections.Ignore[runs.PassListed](m)
}

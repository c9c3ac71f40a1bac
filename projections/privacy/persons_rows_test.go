package privacy_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/disclosures"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/privacy"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// plain is a hash that shows what was hashed.
func plain(purpose string, parts ...string) string { return purpose + "/" + strings.Join(parts, "/") }

var persons = privacy.PersonsModel(plain)

func row(person, stream, key string) string {
	return "person_streams stream=" + stream + " key_id=" + key + " tenant=tenantId person=person/tenantId/" + person
}

// Given events that say who somebody is, then the streams are found by each way in which the
// person may be named, and by none when the stream has forgotten the person.
func TestRowsOfPersons(t *testing.T) {
	model := given.Open(t).Follow(persons)
	model.After("c-1", calls.Requested{Target: "tel:+15550001", Metadata: json.RawMessage(`{"CustomerEmail":"Ann@Example.com"}`)},
		"+ "+row("email/ann@example.com", "call-c-1", ""), "+ "+row("telephone/+15550001", "call-c-1", ""))
	model.After("c-2", calls.Requested{Target: "sip:x", Metadata: json.RawMessage(`{"CustomerEmail":"Ann@Bücher.example"}`)},
		"+ "+row("email/ann@xn--bcher-kva.example", "call-c-2", ""))
	model.After("m-1", texts.Requested{To: "+15550001"}, "+ "+row("telephone/+15550001", "message-m-1", ""))
	model.After("v-1", voicemails.Recorded{CallerID: "sip:Ann@example.com"},
		"+ "+row("external/sip:Ann@example.com", "voicemail-v-1", ""), "+ "+row("sip/Ann@example.com", "voicemail-v-1", ""))
	model.After("t-1", transfers.Requested{CustomerID: "C-17"}, "+ "+row("external/C-17", "transfer-t-1", ""))
	model.After("p", contactlists.ContactsPut{Contacts: []contactlists.Contact{{PhoneNumber: "+15550001"}, {PhoneNumber: "+15550002"}}},
		"+ "+row("telephone/+15550001", "contactlist-p", given.Key))
	model.After("m-1", texts.Erased{}, "- "+row("telephone/+15550001", "message-m-1", ""))
	model.After("t-1", transfers.Erased{}, "- "+row("external/C-17", "transfer-t-1", ""))
	model.After("p", contactlists.Erased{Erasure: event.Erasure{Keys: []string{"another"}}})
	model.After("p", contactlists.Erased{Erasure: event.Erasure{Keys: []string{given.Key}}},
		"- "+row("telephone/+15550001", "contactlist-p", given.Key))
	model.After("c-2", calls.Requested{Target: projections.Erased}) // as a rebuild finds it
	model.After("c-3", calls.Arrived{Person: "+15550001"}, "+ "+row("telephone/+15550001", "call-c-3", ""))
	model.After("c-4", calls.Arrived{Person: "C-17"}, "+ "+row("external/C-17", "call-c-4", ""))
	model.After("c-5", calls.Arrived{Person: "client:s_s-1"}, "+ "+row("external/client:s_s-1", "call-c-5", ""),
		"+ person_streams stream=call-c-5 key_id= tenant=tenantId person=session-s-1")
	model.After("c-5", calls.Erased{}, "- "+row("external/client:s_s-1", "call-c-5", ""),
		"- person_streams stream=call-c-5 key_id= tenant=tenantId person=session-s-1")
	model.After("c-6", calls.Arrived{Person: projections.Erased})
	model.After("t-2", transfers.Requested{CustomerID: "+15550001"}, "+ "+row("external/+15550001", "transfer-t-2", ""),
		"+ "+row("telephone/+15550001", "transfer-t-2", ""))
	model.After("t-3", transfers.Requested{CustomerID: "15550001"}, "+ "+row("external/15550001", "transfer-t-3", ""))
	model.After("t-4", transfers.Requested{CustomerID: projections.Erased})
}

// Given a conversation of a channel and the contact that it made, then both are found by what the provider calls who
// writes; the contact still is when the conversation has forgotten them. What it calls them is nobody's number.
func TestRowsOfWhoWrites(t *testing.T) {
	model := given.Open(t).Follow(persons)
	number, contact := "external/15550001", "external/telegram:15550001"
	model.After("h-1", threads.Received{Kind: "telegram", From: "15550001"}, "+ "+row(number, "thread-h-1", ""),
		"+ "+row(contact, "thread-h-1", "")+" writes=true")
	model.After("h-1", threads.Received{Kind: "telegram", From: "15550001"})
	who := contacts.Details{IdentityType: "external", Identity: "telegram:15550001"}
	model.After("ct-1", contacts.Created{Details: who}, "+ "+row(number, "contact-ct-1", ""), "+ "+row(contact, "contact-ct-1", ""))
	model.After("h-1", threads.Erased{}, "- "+row(number, "thread-h-1", ""), "- "+row(contact, "thread-h-1", ""))
	model.After("h-1", threads.Received{Kind: "telegram", From: projections.Erased}) // as a rebuild finds it
	model.After("h-2", threads.Received{Kind: "vxml", Thread: "c-1", From: "c-1"},   // which says not who calls
		"+ "+row("external/c-1", "thread-h-2", ""), "+ "+row("external/vxml:c-1", "thread-h-2", ""))
	model.After("h-3", threads.Opted{Kind: "slack", From: "U1"}, "+ "+row("external/U1", "thread-h-3", ""),
		"+ "+row("external/slack:U1", "thread-h-3", ""))
	model.After("ct-2", contacts.Created{Details: contacts.Details{IdentityType: "external", Identity: "whatsapp:15550001"}},
		"+ "+row("external/+15550001", "contact-ct-2", ""), "+ "+row("external/15550001", "contact-ct-2", ""),
		"+ "+row("external/whatsapp:15550001", "contact-ct-2", ""), "+ "+row("telephone/+15550001", "contact-ct-2", ""))
	model.After("ct-3", contacts.Created{Details: contacts.Details{IdentityType: "external", Identity: "order:17"}},
		"+ "+row("external/order:17", "contact-ct-3", ""))
}

// Given the events of a job, then these are the rows after each.
func TestRowsOfErasures(t *testing.T) {
	model := given.Open(t).Follow(privacy.ErasuresModel)
	model.After("er-1", given.Filled[erasures.Requested](),
		"+ erasures erasure_id=er-1 tenant=tenantId status=queued forgotten={} requested_at=12:00:08")
	model.After("er-2", given.Filled[erasures.Expired](),
		"+ erasures erasure_id=er-2 tenant=tenantId status=queued forgotten={} requested_at=12:00:08 project_id=projectId")
	model.After("er-1", given.Filled[erasures.Started](),
		"~ erasures erasure_id=er-1: status=running",
		"+ timers stream=erasure-er-1 name=erasure topic=parley.erasures tenant=tenantId due_at=12:00:03 claimed_until=-infinity")
	model.After("er-1", given.Filled[erasures.Found](), "- timers stream=erasure-er-1 name=erasure")
	model.After("er-1", given.Filled[erasures.AttemptFailed](),
		"+ timers stream=erasure-er-1 name=erasure topic=parley.erasures tenant=tenantId due_at=12:00:04 claimed_until=-infinity")
	model.After("er-1", given.Filled[erasures.NotFound](), "~ timers stream=erasure-er-1 name=erasure: due_at=12:00:03")
	model.After("er-1", given.Filled[erasures.Completed](),
		`~ erasures erasure_id=er-1: status=done forgotten={"counts":4} ended_at=12:00:05`, "- timers stream=erasure-er-1 name=erasure")
}

// Given a project that says for how long it keeps things, then its row says it, and the timer
// is due when it is looked next.
func TestRowsOfRetentions(t *testing.T) {
	model := given.Open(t).Follow(privacy.RetentionsModel)
	timer := " stream=retention-acme.shop name=retention"
	model.After("acme.shop", given.Filled[retention.RulesSet](),
		`+ retentions retention_id=acme.shop tenant=tenantId project_id=projectId days={"days":6} set_at=12:00:09 next_at=12:00:08`,
		"+ timers"+timer+" topic=parley.retentions tenant=tenantId due_at=12:00:08 claimed_until=-infinity")
	looked := given.Filled(func(e *retention.Looked) { e.NextAt = e.NextAt.Add(time.Minute) })
	model.After("acme.shop", looked, "~ retentions retention_id=acme.shop: next_at=12:01:08 looked_at=12:00:09 erasure_id=erasureId",
		"~ timers"+timer+": due_at=12:01:08")
	forever := given.Filled(func(e *retention.RulesSet) { e.Days, e.NextAt = retention.Days{}, nil })
	model.After("acme.shop", forever, "~ retentions retention_id=acme.shop: days={} next_at=", "- timers"+timer)
}

func TestRowsOfDisclosures(t *testing.T) {
	given.Open(t).Follow(privacy.DisclosuresModel).After("dc-1", given.Filled[disclosures.Made](),
		`+ disclosures disclosure_id=dc-1 tenant=tenantId actor=ada streams={"streams":6} made_at=12:00:07`)
}

package contacts_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/privacy"
)

var (
	now     = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	ann     = contacts.Details{Type: contacts.Customer, Identity: "ann@example.com", IdentityType: "email", DisplayName: "Ann"}
	created = contacts.Created{ContactID: "ct-1", TenantID: "acme", Details: ann, ClaimID: "c-1", At: now}
	deleted = contacts.Deleted{ContactID: "ct-1", TenantID: "acme", At: now}
	givenUp = contacts.ClaimGivenUp{TenantID: "acme", ContactID: "ct-1", ClaimID: "c-1"}
	claimed = contacts.Claimed{TenantID: "acme", ContactID: "ct-1", ClaimID: "c-1"}
)

func changed(claim string, edit func(*contacts.Details)) contacts.Changed {
	e := contacts.Changed{ContactID: "ct-1", TenantID: "acme", Details: ann, ClaimID: claim, At: now}
	edit(&e.Details)
	return e
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, contacts.Contacts.Category, "testdata/events", created,
		changed("c-1", func(d *contacts.Details) { d.Metadata, d.Tags = json.RawMessage(`{"vip":true}`), []string{"vip"} }), deleted, givenUp,
		contacts.Erased{Erasure: event.Erasure{ErasureID: "er-1", At: now}})
}

func TestTheEventsOfIdentitiesStillDecode(t *testing.T) {
	eventtest.Golden(t, contacts.Identities.Category, "testdata/identities", claimed)
}

func TestWhatIsDecidedOfAContact(t *testing.T) {
	named := func(d *contacts.Details) { d.DisplayName = "Annabelle" }
	moved := func(d *contacts.Details) { d.Identity = "ANN@example.org " }
	gone := func(d *contacts.Details) { d.Identity, d.IdentityType = "", "" }
	at := func(identity string) contacts.Details {
		d := ann
		d.Identity = identity
		return d
	}
	toOrg := func(d *contacts.Details) { d.Identity = "ann@example.org" }
	create := contacts.Create{ContactID: "ct-1", TenantID: "acme", Details: ann, ClaimID: "c-1", At: now}
	move := contacts.Change{Edit: moved, ClaimID: "c-2", Claimed: at("ann@example.org"), At: now}
	for name, c := range map[string]struct {
		given  []event.Payload
		decide func(contacts.State) ([]event.Payload, error)
		want   []event.Payload
		code   fault.Code
	}{
		"made":         {nil, create.Decide, list(created), ""},
		"made twice":   {list(created), contacts.Create{ContactID: "ct-1"}.Decide, nil, fault.Conflict},
		"outrun":       {list(givenUp), contacts.Create{ContactID: "ct-1", ClaimID: "c-1"}.Decide, nil, fault.Conflict},
		"changed":      {list(created), contacts.Change{Edit: named, At: now}.Decide, list(changed("c-1", named)), ""},
		"nothing new":  {list(created), contacts.Change{Edit: func(*contacts.Details) {}, At: now}.Decide, nil, ""},
		"not there":    {nil, contacts.Change{Edit: named}.Decide, nil, fault.NotFound},
		"too late":     {list(created, deleted), contacts.Change{Edit: named}.Decide, nil, fault.NotFound},
		"moves":        {list(created), move.Decide, list(changed("c-2", toOrg)), ""},
		"moves outrun": {list(created, contacts.ClaimGivenUp{ClaimID: "c-2"}), move.Decide, nil, fault.Conflict},
		"not claimed":  {list(created), contacts.Change{Edit: moved, ClaimID: "c-2", Claimed: at("bob@example.org")}.Decide, nil, fault.Conflict},
		"nameless":     {list(created), contacts.Change{Edit: gone, At: now}.Decide, list(changed("", gone)), ""},
		"deleted":      {list(created), contacts.Delete{At: now}.Decide, list(deleted), ""},
		"again":        {list(created, deleted), contacts.Delete{At: now}.Decide, nil, fault.NotFound},
		"forgotten":    {list(created), contacts.Forget{At: now}.Decide, list(deleted), ""},
		"and again":    {list(created, deleted), contacts.Forget{At: now}.Decide, nil, ""},
	} {
		got, err := c.decide(contacts.Contacts.State(c.given...))
		if c.code != "" {
			require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func list(events ...event.Payload) []event.Payload { return events }

func TestAnIdentityIsClaimed(t *testing.T) {
	claim := contacts.Claim{TenantID: "acme", ContactID: "ct-1", ClaimID: "c-1"}
	got, err := claim.Decide(contacts.ClaimState{})
	require.NoError(t, err)
	require.Equal(t, list(claimed), got)
	s := contacts.Identities.State(claimed)
	got, err = claim.Decide(s)
	require.NoError(t, err)
	require.Empty(t, got, "the same claim")
	other := contacts.Claim{TenantID: "acme", ContactID: "ct-2", ClaimID: "c-2"}
	_, err = other.Decide(s)
	require.True(t, fault.Is(err, fault.Conflict))
	other.Over = "c-1"
	got, err = other.Decide(s)
	require.NoError(t, err)
	require.Equal(t, list(contacts.Claimed{TenantID: "acme", ContactID: "ct-2", ClaimID: "c-2"}), got)
	other.Over = "c-0"
	_, err = other.Decide(s)
	require.True(t, fault.Is(err, fault.Conflict), "somebody else was faster")
}

func TestAClaimIsGivenUpUnlessItHolds(t *testing.T) {
	give := contacts.GiveUp{TenantID: "acme", ContactID: "ct-1", ClaimID: "c-1"}
	for name, given := range map[string][]event.Payload{"never made": nil, "deleted": {created, deleted},
		"has another": {created, changed("c-2", func(d *contacts.Details) { d.Identity = "ann@example.org" })}} {
		got, err := give.Decide(contacts.Contacts.State(given...))
		require.NoError(t, err, name)
		require.Equal(t, list(givenUp), got, name)
	}
	_, err := give.Decide(contacts.Contacts.State(created))
	require.True(t, fault.Is(err, fault.Conflict))
	got, err := give.Decide(contacts.Contacts.State(givenUp))
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestDetailsAreCleaned(t *testing.T) {
	for name, c := range map[string]struct{ given, want contacts.Details }{
		"nothing": {contacts.Details{}, contacts.Details{Type: contacts.Anonymous}},
		"e-mail": {contacts.Details{Identity: " Ann@Example.com", IdentityType: "email"},
			contacts.Details{Type: contacts.Customer, Identity: "ann@example.com", IdentityType: "email"}},
		"phone": {contacts.Details{Identity: "0049 (30) 123-45", IdentityType: "phone", Type: contacts.Employee},
			contacts.Details{Type: contacts.Employee, Identity: "+493012345", IdentityType: "phone"}},
		"external": {contacts.Details{Identity: "C-17", IdentityType: "external"},
			contacts.Details{Type: contacts.Customer, Identity: "C-17", IdentityType: "external"}},
		"texts": {contacts.Details{DisplayName: " Ann ", Company: "  "}, contacts.Details{Type: contacts.Anonymous, DisplayName: "Ann"}},
		"metadata": {contacts.Details{Metadata: json.RawMessage(`{ "a": 1 }`)},
			contacts.Details{Type: contacts.Anonymous, Metadata: json.RawMessage(`{"a":1}`)}},
		"null": {contacts.Details{Metadata: json.RawMessage(`null`)}, contacts.Details{Type: contacts.Anonymous}},
	} {
		got, err := c.given.Clean()
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestDetailsThatAreRefused(t *testing.T) {
	long := func(n int) string { return strings.Repeat("ü", n+1) }
	for field, all := range map[string][]contacts.Details{
		"type": {{Type: "robot"}},
		"identity": {{IdentityType: "email"}, {Identity: "ann", IdentityType: "email"}, {Identity: "1", IdentityType: "phone"},
			{Identity: "030 123456", IdentityType: "phone"}},
		"identityType": {{Identity: "ann@example.com"}, {Identity: "ann", IdentityType: "shoe"}},
		"displayName":  {{DisplayName: long(contacts.MaxName)}, {DisplayName: "a\nb"}},
		"department":   {{Department: long(contacts.MaxName)}},
		"employeeId":   {{EmployeeID: long(contacts.MaxEmployeeID)}},
		"company":      {{Company: long(contacts.MaxName)}},
		"accountRef":   {{AccountRef: long(contacts.MaxName)}},
		"channel":      {{Channel: long(contacts.MaxChannel)}},
		"tags": {{Tags: strings.Split(strings.Repeat("t ", contacts.MaxTags)+"t", " ")}, {Tags: []string{""}},
			{Tags: []string{long(contacts.MaxTag)}}},
		"metadata": {{Metadata: json.RawMessage(`[]`)}, {Metadata: json.RawMessage(`{"a":{"b":{"c":{"d":{"e":{}}}}}}`)},
			{Metadata: json.RawMessage(`{"a":"` + strings.Repeat("x", contacts.MaxMetadata) + `"}`)}},
	} {
		for _, d := range all {
			_, err := d.Clean()
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
		}
	}
}

// A number that was taken before it had to be one of a country stays what it is, until it is changed.
func TestAnIdentityThatStaysIsNotJudgedAgain(t *testing.T) {
	was := contacts.Details{Type: contacts.Customer, Identity: "+030123456", IdentityType: "phone"}
	got, err := was.Edited(func(d *contacts.Details) { d.DisplayName = "Ann" })
	require.NoError(t, err)
	require.Equal(t, "Ann +030123456", got.DisplayName+" "+got.Identity)
	_, err = was.Edited(func(d *contacts.Details) { d.Identity = "+030123457" })
	require.Equal(t, []string{"identity"}, faulttest.Fields(t, err))
}

func TestByWhatAContactIsFound(t *testing.T) {
	require.Equal(t, []privacy.Identity{{Kind: privacy.Email, Value: "ann@example.com"}}, ann.Known())
	require.Empty(t, contacts.Details{}.Known())
}

package contactlists_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

var (
	ann = contactlists.Contact{PhoneNumber: "+15550000001", FirstName: "Ann", LastName: "Lee", Email: "ann@example.com", Language: "en",
		CustomFields: map[string]any{"plan": "gold"}}
	bo = contactlists.Contact{PhoneNumber: "+15550000002"}

	vips      = contactlists.ListDefined{TenantID: "acct", ProjectID: "shop", ListID: "vips", Name: "VIPs", Description: "Who pays most"}
	annAndBo  = contactlists.ContactsPut{TenantID: "acct", ProjectID: "shop", ListID: "vips", Contacts: []contactlists.Contact{ann, bo}}
	nobody    = contactlists.ContactsPut{TenantID: "acct", ProjectID: "shop", ListID: "vips", Contacts: []contactlists.Contact{}}
	vipsGone  = contactlists.ListRemoved{TenantID: "acct", ProjectID: "shop", ListID: "vips", Name: "VIPs"}
	defineAll = contactlists.DefineList{TenantID: "acct", ProjectID: "shop", ID: "vips", Name: " VIPs ", Description: "Who pays most",
		Contacts: []contactlists.Contact{ann, bo}}
)

func decide(t *testing.T, edit func(*contactlists.DefineList), given ...event.Payload) []event.Payload {
	t.Helper()
	c := defineAll
	if edit != nil {
		edit(&c)
	}
	got, err := c.Decide(contactlists.Lists.State(given...))
	require.NoError(t, err)
	return got
}

func TestAListIsDefinedOnce(t *testing.T) {
	require.Equal(t, []event.Payload{vips, annAndBo}, decide(t, nil))
	require.Empty(t, decide(t, nil, vips, annAndBo))
}

func TestOnlyWhatDiffersIsPut(t *testing.T) {
	renamed := decide(t, func(c *contactlists.DefineList) { c.Name = "Very important" }, vips, annAndBo)
	require.Len(t, renamed, 1)
	swapped := decide(t, func(c *contactlists.DefineList) { c.Contacts = []contactlists.Contact{bo, ann} }, vips, annAndBo)
	require.Equal(t, []contactlists.Contact{bo, ann}, swapped[0].(contactlists.ContactsPut).Contacts, "order is part of a list")
	require.Equal(t, []event.Payload{nobody}, decide(t, func(c *contactlists.DefineList) { c.Contacts = nil }, vips, annAndBo))
	require.Empty(t, decide(t, func(c *contactlists.DefineList) { c.Contacts = nil }, vips, annAndBo, nobody))
	require.Equal(t, []event.Payload{annAndBo}, decide(t, nil, vips, annAndBo, nobody))
}

func TestAnEmptyListMayExist(t *testing.T) {
	empty := func(c *contactlists.DefineList) { c.Contacts = nil }
	require.Equal(t, []event.Payload{vips}, decide(t, empty))
	require.Empty(t, decide(t, empty, vips))
	require.Equal(t, []event.Payload{annAndBo}, decide(t, nil, vips))
}

func TestALongListIsSeveralEvents(t *testing.T) {
	many := contacts(contactlists.MaxContacts, "")
	got := decide(t, func(c *contactlists.DefineList) { c.Contacts = many })
	require.Len(t, got, 1+contactlists.MaxContacts/500)
	var back []contactlists.Contact
	for _, e := range got[1:] {
		put := e.(contactlists.ContactsPut)
		require.Equal(t, len(back), put.First)
		back = append(back, put.Contacts...)
	}
	require.Equal(t, many, back)
	require.Empty(t, decide(t, func(c *contactlists.DefineList) { c.Contacts = many }, got...))

	large := decide(t, func(c *contactlists.DefineList) { c.Contacts = contacts(700, strings.Repeat("x", 4000)) })
	for _, e := range large[1:] {
		data, err := json.Marshal(e)
		require.NoError(t, err)
		require.Less(t, len(data), 300<<10)
	}
}

func contacts(n int, note string) []contactlists.Contact {
	out := make([]contactlists.Contact, n)
	for i := range out {
		out[i].PhoneNumber = fmt.Sprintf("+1555%07d", i)
		if note != "" {
			out[i].CustomFields = map[string]any{"note": note}
		}
	}
	return out
}

func TestNamesAreUniqueInTheProject(t *testing.T) {
	c := defineAll
	c.ID = "others"
	_, err := c.Decide(contactlists.Lists.State(vips, annAndBo))
	require.True(t, fault.Is(err, fault.Conflict))
	_, err = c.Decide(contactlists.Lists.State(vips, annAndBo, vipsGone))
	require.NoError(t, err)
	require.NotEqual(t, contactlists.Stream("a", "b-c"), contactlists.Stream("a-b", "c"))
}

func TestARemovedListIsGone(t *testing.T) {
	remove := contactlists.RemoveList{TenantID: "acct", ProjectID: "shop", ID: "vips"}
	got, err := remove.Decide(contactlists.Lists.State(vips, annAndBo))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{vipsGone}, got)
	got, err = remove.Decide(contactlists.Lists.State(vips, annAndBo, vipsGone))
	require.NoError(t, err)
	require.Empty(t, got)
	require.Equal(t, []event.Payload{vips, annAndBo}, decide(t, nil, vips, annAndBo, vipsGone))
}

func TestWrongFieldsOfAList(t *testing.T) {
	one := func(edit func(*contactlists.Contact)) func(*contactlists.DefineList) {
		return func(c *contactlists.DefineList) {
			contact := ann
			edit(&contact)
			c.Contacts = []contactlists.Contact{bo, contact}
		}
	}
	for field, edits := range map[string][]func(*contactlists.DefineList){
		"metadata.id":      {func(c *contactlists.DefineList) { c.ID = "" }, func(c *contactlists.DefineList) { c.ID = "a.b" }},
		"metadata.name":    {func(c *contactlists.DefineList) { c.Name = " " }},
		"spec.description": {func(c *contactlists.DefineList) { c.Description = strings.Repeat("x", 1001) }},
		"spec.contacts": {func(c *contactlists.DefineList) { c.Contacts = contacts(contactlists.MaxContacts+1, "") },
			func(c *contactlists.DefineList) { c.Contacts = contacts(800, strings.Repeat("x", 4070)) }},
		"spec.contacts[1].phoneNumber": {one(func(c *contactlists.Contact) { c.PhoneNumber = "" }),
			one(func(c *contactlists.Contact) { c.PhoneNumber = "15550000001" }),
			one(func(c *contactlists.Contact) { c.PhoneNumber = "+1234567890123456" }),
			one(func(c *contactlists.Contact) { c.PhoneNumber = bo.PhoneNumber })},
		"spec.contacts[1].firstName": {one(func(c *contactlists.Contact) { c.FirstName = strings.Repeat("x", 101) }),
			one(func(c *contactlists.Contact) { c.FirstName = "a\x00b" })},
		"spec.contacts[1].lastName": {one(func(c *contactlists.Contact) { c.LastName = "a\nb" })},
		"spec.contacts[1].email": {one(func(c *contactlists.Contact) { c.Email = "ann" }),
			one(func(c *contactlists.Contact) { c.Email = "a@" + strings.Repeat("x", 253) })},
		"spec.contacts[1].language": {one(func(c *contactlists.Contact) { c.Language = "english!" })},
		"spec.contacts[1].customFields": {one(func(c *contactlists.Contact) { c.CustomFields = map[string]any{"a": strings.Repeat("x", 4097)} }),
			one(func(c *contactlists.Contact) { c.CustomFields = map[string]any{"a": "\x00"} })},
	} {
		for _, edit := range edits {
			c := defineAll
			edit(&c)
			_, err := c.Decide(contactlists.State{})
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
		}
	}
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, contactlists.Lists.Category, "testdata/events", contactlists.Erased{Erasure: eventtest.Erasure}, vips, annAndBo,
		vipsGone)
}

package contactlists_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

// Given contacts as people type them, when the list is defined, then they are stored without what is around them.
func TestContactsAreStoredWithoutSpaces(t *testing.T) {
	spaced := ann
	spaced.PhoneNumber, spaced.Email, spaced.FirstName = " "+ann.PhoneNumber+"\t", " "+ann.Email+" ", " Ann "
	plain := bo
	plain.CustomFields = map[string]any{}
	require.Equal(
		t,
		[]event.Payload{vips, annAndBo},
		decide(t, func(c *contactlists.DefineList) { c.Contacts = []contactlists.Contact{spaced, plain} }),
	)
}

// Given a list, when only its description is another one, then only that is an event.
func TestADescriptionChangesByItself(t *testing.T) {
	got := decide(t, func(c *contactlists.DefineList) { c.Description = " Who pays " }, vips, annAndBo)
	changed := vips
	changed.Description = "Who pays"
	require.Equal(t, []event.Payload{changed}, got)
}

// Given a list without a name and anybody on it, when it is defined, then it is there.
func TestADefinedListIsThere(t *testing.T) {
	s := contactlists.Lists.State(annAndBo)
	require.Len(t, s.Lists, 1, "contacts may come before a name")
	_, known := s.Lists["vips"]
	require.True(t, known)
}

// Given a long list, then each event says whose list it is, and where in it its contacts stand.
func TestEveryPartOfALongListSaysWhoseItIs(t *testing.T) {
	for name, c := range map[string]struct {
		contacts []contactlists.Contact
		firsts   []int
	}{
		"500 are one event":   {contacts(500, ""), []int{0}},
		"501 are two":         {contacts(501, ""), []int{0, 500}},
		"1001 are three":      {contacts(1001, ""), []int{0, 500, 1000}},
		"large ones are more": {contacts(130, strings.Repeat("x", 4000)), []int{0, 64, 128}},
	} {
		var firsts []int
		for _, e := range decide(t, func(l *contactlists.DefineList) { l.Contacts = c.contacts })[1:] {
			put := e.(contactlists.ContactsPut)
			require.Equal(t, []string{"acct", "shop", "vips"}, []string{put.TenantID, put.ProjectID, put.ListID}, name)
			firsts = append(firsts, put.First)
		}
		require.Equal(t, c.firsts, firsts, name)
	}
}

// Given a value at its limit, then it is taken, and one more is refused.
func TestLimitsOfAContact(t *testing.T) {
	fields := func(n int) map[string]any { return map[string]any{"a": strings.Repeat("x", n-len(`{"a":""}`))} }
	address := func(n int) string { return "a@" + strings.Repeat("x", n-2) }
	for name, c := range map[string]struct {
		take, refuse contactlists.Contact
		field        string
	}{
		"custom fields": {contactlists.Contact{CustomFields: fields(contactlists.MaxCustomFields)},
			contactlists.Contact{CustomFields: fields(contactlists.MaxCustomFields + 1)}, "customFields"},
		"custom fields are values": {contactlists.Contact{CustomFields: map[string]any{"a": nil}},
			contactlists.Contact{CustomFields: map[string]any{"a": func() {}}}, "customFields"},
		"e-mail": {contactlists.Contact{Email: address(contactlists.MaxEmail)},
			contactlists.Contact{Email: address(contactlists.MaxEmail + 1)}, "email"},
		"e-mail in UTF-8": {contactlists.Contact{Email: "jürgen@example.com"}, contactlists.Contact{Email: "j\xffrgen@example.com"},
			"email"},
		"e-mail of letters": {contactlists.Contact{Email: "a@b"}, contactlists.Contact{Email: "a\x01@b"}, "email"},
		"phone number":      {contactlists.Contact{PhoneNumber: "+1234567"}, contactlists.Contact{PhoneNumber: "+123456"}, "phoneNumber"},
	} {
		for i, contact := range []contactlists.Contact{c.take, c.refuse} {
			if contact.PhoneNumber == "" {
				contact.PhoneNumber = "+15550000009"
			}
			d := defineAll
			d.Contacts = []contactlists.Contact{contact}
			_, err := d.Decide(contactlists.State{})
			if i == 0 {
				require.NoError(t, err, name)
				continue
			}
			require.Equal(t, []string{"spec.contacts[0]." + c.field}, faulttest.Fields(t, err), name)
		}
	}
}

func TestLimitsOfAList(t *testing.T) {
	d := defineAll
	d.Description = strings.Repeat("ü", access.MaxDescriptionLength)
	_, err := d.Decide(contactlists.State{})
	require.NoError(t, err)

	// Each of these takes as many bytes as the last one, so that their sum can meet the limit.
	one := contacts(1, strings.Repeat("x", 4000))[0]
	size := len(fmt.Sprintf(`{"phoneNumber":%q,"customFields":{"note":%q}}`, one.PhoneNumber, one.CustomFields["note"])) + 1
	most := contactlists.MaxListBytes / size
	d = defineAll
	d.Contacts = contacts(most, strings.Repeat("x", 4000))
	_, err = d.Decide(contactlists.State{})
	require.NoError(t, err)
	d.Contacts = contacts(most+1, strings.Repeat("x", 4000))
	_, err = d.Decide(contactlists.State{})
	require.Equal(t, []string{"spec.contacts"}, faulttest.Fields(t, err))
}

// Given a file in which everything is wrong, then the refusal names the first of it only.
func TestARefusalIsShort(t *testing.T) {
	d := defineAll
	d.Contacts = make([]contactlists.Contact, 100)
	for i := range d.Contacts {
		d.Contacts[i].PhoneNumber = fmt.Sprintf("%d", i)
	}
	_, err := d.Decide(contactlists.State{})
	require.Len(t, faulttest.Fields(t, err), 21)
}

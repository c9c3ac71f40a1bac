package runtime_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/sessions"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// Given the events of a contact, then these are the rows after each; one that is deleted has
// none, so that an erasure finds nothing.
func TestRowsOfContacts(t *testing.T) {
	model := given.Open(t).Follow(runtime.ContactsModel)
	made := given.Filled(func(e *contacts.Created) { e.Details = contacts.Details{Type: contacts.Anonymous} })
	model.After("ct-1", made, "+ contacts contact_id=contactId tenant=tenantId type=anonymous tags=[] created_at="+
		made.At.Format(time.TimeOnly))
	model.After("ct-1", given.Filled(func(e *contacts.Changed) {
		e.Details = contacts.Details{Type: contacts.Customer, Identity: "ann@example.com", IdentityType: "email", DisplayName: "Ann",
			Metadata: json.RawMessage(`{"a":1}`), Tags: []string{"vip"}}
	}), `~ contacts contact_id=contactId: type=customer identity=ann@example.com identity_type=email display_name=Ann metadata={"a":1} `+
		`tags=["vip"]`)
	model.After("ct-1", given.Filled[contacts.Deleted](), "- contacts contact_id=contactId")
	model.After("contactId", made, "+ contacts contact_id=contactId tenant=tenantId type=anonymous tags=[] created_at="+
		made.At.Format(time.TimeOnly))
	model.After("contactId", given.Filled[contacts.Erased](), "- contacts contact_id=contactId")
}

// Given contacts of two kinds, one of whom talked in sessions, then each question finds those
// that it is about.
func TestAnswersAboutContacts(t *testing.T) {
	w := given.Open(t)
	for n, d := range []contacts.Details{
		{Type: contacts.Customer, Identity: "ann@example.com", IdentityType: "email", Channel: "slack", Tags: []string{"vip"}},
		{Type: contacts.Employee, Channel: "voice"}, {Type: contacts.Customer, Channel: "voice"},
	} {
		id := []string{"ct-1", "ct-2", "ct-3"}[n]
		w.Given(runtime.ContactsModel, id, given.Filled(func(e *contacts.Created) {
			e.ContactID, e.Details, e.At = id, d, given.Noon.Add(time.Duration(n)*time.Minute)
		}))
	}
	seen := given.Noon.Add(time.Hour)
	for _, session := range []string{"s-1", "s-2"} {
		w.Given(voice.SessionsModel, session, given.Filled(func(e *sessions.Opened) { e.SessionID = session }),
			given.Filled(func(e *sessions.ContactLinked) { e.ContactID, e.At = "ct-1", seen }))
	}
	x, ctx := runtime.NewContacts(w.DB), t.Context()
	for _, c := range []struct {
		tenant, kind  string
		channels      []string
		limit, offset int
		want          []string
		total         int
	}{
		{"tenantId", "", nil, 9, 0, []string{"ct-3", "ct-2", "ct-1"}, 3}, {"tenantId", "customer", nil, 9, 0, []string{"ct-3", "ct-1"}, 2},
		{"tenantId", "", []string{"sms", "voice"}, 1, 1, []string{"ct-2"}, 2}, {"tenantId", "employee", []string{"slack"}, 9, 0, nil, 0},
		{"other", "", nil, 9, 0, nil, 0},
	} {
		found, total, err := x.List(ctx, c.tenant, c.kind, c.channels, c.limit, c.offset)
		require.NoError(t, err)
		var ids []string
		for _, f := range found {
			ids = append(ids, f.ContactID)
		}
		require.Equal(t, c.want, ids)
		require.Equal(t, c.total, total)
	}
	got, ok, err := x.Known(ctx, "tenantId", "email", "ann@example.com")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "ct-1", got.ContactID)
	require.Equal(t, []string{"vip"}, got.Tags)
	require.Equal(t, seen, got.LastSeenAt.UTC())
	for _, none := range []string{"phone", "external"} {
		_, ok, err = x.Known(ctx, "tenantId", none, "ann@example.com")
		require.NoError(t, err)
		require.False(t, ok)
	}
	_, ok, err = x.Known(ctx, "tenantId", "", "")
	require.NoError(t, err)
	require.False(t, ok, "those without an identity are not found by none")
	got, ok, err = x.Get(ctx, "tenantId", "ct-2")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, got.CreatedAt, got.LastSeenAt)
	_, ok, err = x.Get(ctx, "other", "ct-2")
	require.NoError(t, err)
	require.False(t, ok)
}

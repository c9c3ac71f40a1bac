package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/projections"
)

// ContactsModel stores whom accounts know. A contact that is deleted or erased has no row.
var ContactsModel = newContactsModel()

func newContactsModel() *projections.Model {
	m := projections.NewModel("contacts", 1, []string{"contacts"}, contacts.Contacts.Category,
		contacts.Identities.Category)
	contact := func(id string) projections.Row { return projections.Row{"contact_id": id} }
	projections.On(m, func(b *projections.Batch, _ projections.At, e contacts.Created) {
		row := detailed(e.Details)
		row["tenant"], row["created_at"] = e.TenantID, e.At
		b.Put("contacts", contact(e.ContactID), row)
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e contacts.Changed) {
		b.Set("contacts", contact(e.ContactID), detailed(e.Details))
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e contacts.Deleted) {
		b.Delete("contacts", contact(e.ContactID))
	})
	projections.On(m, func(b *projections.Batch, at projections.At, _ contacts.Erased) {
		b.Delete("contacts", contact(at.StreamID))
	})
	projections.Ignore[contacts.ClaimGivenUp](m) // claims are looked up in the streams, which decide
	projections.Ignore[contacts.Claimed](m)
	return m
}

func detailed(d contacts.Details) projections.Row {
	row := projections.Row{"type": string(d.Type), "identity": d.Identity, "identity_type": d.IdentityType, "display_name": d.DisplayName,
		"department": d.Department, "employee_id": d.EmployeeID, "company": d.Company, "account_ref": d.AccountRef, "channel": d.Channel,
		"tags": append([]string{}, d.Tags...), "metadata": nil}
	if d.Metadata != nil {
		row["metadata"] = d.Metadata
	}
	return row
}

// Contacts answers whom an account knows.
type Contacts struct{ db *pgxpool.Pool }

// NewContacts reads through the pool.
func NewContacts(db *pgxpool.Pool) *Contacts { return &Contacts{db} }

// Contact is one of them.
type Contact struct {
	ContactID    string
	Type         contacts.Type
	Identity     string
	IdentityType string
	DisplayName  string
	Department   string
	EmployeeID   string
	Company      string
	AccountRef   string
	Channel      string
	Metadata     json.RawMessage // nil: none
	Tags         []string
	CreatedAt    time.Time
	LastSeenAt   time.Time // when a session was linked last; else CreatedAt
}

const selectContacts = `SELECT contact_id, type, identity, identity_type, display_name, department, employee_id, company, account_ref,
	channel, metadata, tags, created_at, coalesce((SELECT max(linked_at) FROM sessions s WHERE s.tenant = c.tenant
		AND s.contact_id = c.contact_id AND s.contact_id <> ''), created_at) AS last_seen_at FROM contacts c `

// Get finds a contact of a tenant.
func (x *Contacts) Get(ctx context.Context, tenant, id string) (Contact, bool, error) {
	return projections.One[Contact](ctx, x.db, "reading a contact", selectContacts+`WHERE tenant = $1 AND contact_id = $2`, tenant, id)
}

// Known finds the contact of a tenant that has an identity.
func (x *Contacts) Known(ctx context.Context, tenant, identityType, identity string) (Contact, bool, error) {
	return projections.One[Contact](ctx, x.db, "looking for a contact", selectContacts+
		`WHERE tenant = $1 AND identity_type = $2 AND identity = $3 AND identity <> ''`, tenant, identityType, identity)
}

// Seen is when a session of a contact was linked last, also of one that is gone; without any it is as told.
func (x *Contacts) Seen(ctx context.Context, tenant, id string, otherwise time.Time) (at time.Time, err error) {
	err = x.db.QueryRow(ctx, `SELECT coalesce(max(linked_at), $3) FROM sessions WHERE tenant = $1 AND contact_id = $2`, tenant, id,
		otherwise).Scan(&at)
	return at, projections.Found(err, "asking when a contact was seen")
}

// List returns the contacts of a tenant, the newest first, of a type or of any of some channels if they
// are named, and how many there are in all.
func (x *Contacts) List(ctx context.Context, tenant, contactType string, channels []string, limit, offset int) ([]Contact, int, error) {
	const where = `WHERE tenant = $1 AND ($2 = '' OR type = $2) AND ($3::text[] IS NULL OR channel = ANY($3)) `
	return projections.Page[Contact](ctx, x.db, "listing contacts", projections.PageQuery{
		Count: `SELECT count(*) FROM contacts ` + where,
		Rows:  selectContacts + where + `ORDER BY created_at DESC, contact_id LIMIT $4 OFFSET $5`,
		Args:  []any{tenant, contactType, channels}, Limit: limit, Offset: offset})
}

// HasShown reports whether a call of a tenant has shown the session, which may be before the
// session's own stream is opened (docs/decisions/2026-11-22-a-session-is-known-when-its-id-is-shown.md).
func (x *Contacts) HasShown(ctx context.Context, tenant, session string) (shown bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM projects p
		JOIN interactions i ON i.tenant = p.tenant AND i.project_id = p.project_id AND i.session_id = $2 WHERE p.tenant = $1)`, tenant,
		session).Scan(&shown)
	if err != nil {
		return false, fmt.Errorf("looking for a session: %w", err)
	}
	return shown, nil
}

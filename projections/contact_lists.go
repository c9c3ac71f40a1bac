package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/contactlists"
)

// ContactListsModel stores the contact lists of projects and who is on them.
var ContactListsModel = newContactListsModel()

func newContactListsModel() *Model {
	m := NewModel("contact lists", 1, []string{"contact_lists", "contacts"}, contactlists.Lists.Category)
	On(m, func(b *Batch, at At, e contactlists.ListDefined) {
		b.Put("contact_lists", contactList(e.TenantID, e.ProjectID, e.ListID), Row{"name": e.Name, "description": e.Description})
	})
	On(m, func(b *Batch, at At, e contactlists.ContactsPut) {
		if e.First == 0 {
			b.DeleteWhere("contacts", contactList(e.TenantID, e.ProjectID, e.ListID))
		}
		for i, c := range e.Contacts {
			key := contactList(e.TenantID, e.ProjectID, e.ListID)
			key["position"] = e.First + i
			custom := c.CustomFields
			if custom == nil {
				custom = map[string]any{}
			}
			b.Put("contacts", key, Row{"phone_number": c.PhoneNumber, "first_name": c.FirstName, "last_name": c.LastName, "email": c.Email, "language": c.Language, "custom_fields": custom})
		}
	})
	On(m, func(b *Batch, at At, e contactlists.ListRemoved) {
		b.Delete("contact_lists", contactList(e.TenantID, e.ProjectID, e.ListID))
		b.DeleteWhere("contacts", contactList(e.TenantID, e.ProjectID, e.ListID))
	})
	return m
}

func contactList(tenant, project, id string) Row {
	return Row{"tenant": tenant, "project_id": project, "list_id": id}
}

// ContactLists answers who is on which list.
type ContactLists struct{ db *pgxpool.Pool }

// NewContactLists reads through the pool.
func NewContactLists(db *pgxpool.Pool) *ContactLists { return &ContactLists{db} }

// Counts gives the number of contacts of each list that the project has by one of the
// names; a name that is not there is absent.
func (x *ContactLists) Counts(ctx context.Context, tenant, project string, names []string) (map[string]int, error) {
	rows, err := x.db.Query(ctx, `SELECT l.name, (SELECT count(*) FROM contacts c WHERE c.tenant = l.tenant AND c.project_id = l.project_id AND c.list_id = l.list_id)
		FROM contact_lists l WHERE l.tenant = $1 AND l.project_id = $2 AND l.name = ANY($3)`, tenant, project, names)
	if err != nil {
		return nil, fmt.Errorf("counting contacts: %w", err)
	}
	out := map[string]int{}
	var name string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error { out[name] = n; return nil })
	if err != nil {
		return nil, fmt.Errorf("counting contacts: %w", err)
	}
	return out, nil
}

// Page gives up to limit contacts of a list, by its name, from an index on, in their
// order: fewer than limit at the end, none for a list that is not there.
func (x *ContactLists) Page(ctx context.Context, tenant, project, name string, first, limit int) ([]contactlists.Contact, error) {
	rows, err := x.db.Query(ctx, `SELECT c.phone_number, c.first_name, c.last_name, c.email, c.language, c.custom_fields FROM contact_lists l
		JOIN contacts c ON c.tenant = l.tenant AND c.project_id = l.project_id AND c.list_id = l.list_id
		WHERE l.tenant = $1 AND l.project_id = $2 AND l.name = $3 AND c.position >= $4 ORDER BY c.position LIMIT $5`, tenant, project, name, first, limit)
	if err != nil {
		return nil, fmt.Errorf("reading contacts: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (c contactlists.Contact, err error) {
		err = r.Scan(&c.PhoneNumber, &c.FirstName, &c.LastName, &c.Email, &c.Language, &c.CustomFields)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading contacts: %w", err)
	}
	return out, nil
}

package campaigns

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/projections"
)

// ContactListsModel stores the contact lists of projects and how many are on them.
var ContactListsModel = newContactListsModel()

func newContactListsModel() *projections.Model {
	m := projections.NewModel("contact lists", 1, []string{"contact_lists"}, contactlists.Lists.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e contactlists.ListDefined) {
		b.Put("contact_lists", contactList(e.TenantID, e.ProjectID, e.ListID), projections.Row{"name": e.Name, "description": e.Description})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e contactlists.ContactsPut) { // the parts of a list come in order
		b.Set("contact_lists", contactList(e.TenantID, e.ProjectID, e.ListID), projections.Row{"contacts": e.First + len(e.Contacts)})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e contactlists.ListRemoved) {
		b.Delete("contact_lists", contactList(e.TenantID, e.ProjectID, e.ListID))
	})
	projections.Ignore[contactlists.Erased](m) // how many were on the list does not say who
	return m
}

func contactList(tenant, project, id string) projections.Row {
	return projections.Row{"tenant": tenant, "project_id": project, "list_id": id}
}

// ContactLists answers how many are on which list.
type ContactLists struct{ db *pgxpool.Pool }

// NewContactLists reads through the pool.
func NewContactLists(db *pgxpool.Pool) *ContactLists { return &ContactLists{db} }

// Counts gives the number of contacts of each list that the project has by one of the
// names; a name that is not there is absent.
func (x *ContactLists) Counts(ctx context.Context, tenant, project string, names []string) (map[string]int, error) {
	rows, err := x.db.Query(ctx, `SELECT name, contacts FROM contact_lists WHERE tenant = $1 AND project_id = $2 AND name = ANY($3)`, tenant,
		project, names)
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

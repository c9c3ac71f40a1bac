package campaigns_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/contactlists"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of contact lists, then these are the rows after each.
func TestRowsOfContactLists(t *testing.T) {
	model := given.Open(t).Follow(campaignmodels.ContactListsModel)
	model.After("x", given.Filled[contactlists.ListDefined](),
		"+ contact_lists tenant=tenantId project_id=projectId list_id=listId name=name description=description",
	)
	model.After("x", given.Filled[contactlists.ContactsPut](),
		"~ contact_lists tenant=tenantId project_id=projectId list_id=listId: contacts=6",
	)
	model.After("x", given.Filled[contactlists.ListRemoved](),
		"- contact_lists tenant=tenantId project_id=projectId list_id=listId",
	)
}

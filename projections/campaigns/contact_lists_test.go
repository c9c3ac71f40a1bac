package campaigns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/contactlists"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given a contact list, then its project knows how many are on it, and no other place does.
func TestAnswersAboutContactLists(t *testing.T) {
	w := given.Open(t)
	w.Given(campaignmodels.ContactListsModel, "x", given.Filled[contactlists.ListDefined](), given.Filled[contactlists.ContactsPut]())
	for place, want := range map[[2]string]map[string]int{{"tenantId", "projectId"}: {"name": 6}, {"other", "projectId"}: {},
		{"tenantId", "other"}: {}} {
		counts, err := campaignmodels.NewContactLists(w.DB).Counts(t.Context(), place[0], place[1], []string{"name", "another"})
		require.NoError(t, err)
		require.Equal(t, want, counts)
	}
}

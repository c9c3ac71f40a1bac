package campaigns_test

import (
	"testing"

	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/campaigns"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func TestTheOperationsAreThoseOfTheDocument(t *testing.T) {
	resttest.Promised(t, func(a *rest.API) {
		api.DeclareCampaigns(a, api.API{})
		api.DeclareCampaignRuns(a, api.RunsAPI{})
		api.DeclareVerdicts(a, api.VerdictsAPI{})
	})
}

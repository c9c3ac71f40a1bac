package voice_test

import (
	"testing"

	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	api "github.com/parley-platform/parley/handlers/rest/voice"
)

func TestTheOperationsAreThoseOfTheDocument(t *testing.T) {
	resttest.Promised(t, func(a *rest.API) {
		api.DeclareCalls(a, api.Calls{})
		api.DeclareInteractions(a, api.InteractionsAPI{})
	})
}

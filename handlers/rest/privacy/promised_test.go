package privacy_test

import (
	"testing"

	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/privacy"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func TestTheOperationsAreThoseOfTheDocument(t *testing.T) {
	resttest.Promised(t, func(a *rest.API) {
		api.Declare(a, api.API{})
		api.DeclareExports(a, api.ExportsAPI{})
		api.DeclareRetention(a, api.RetentionAPI{})
	})
}

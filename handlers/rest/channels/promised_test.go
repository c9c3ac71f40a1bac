package channels_test

import (
	"testing"

	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func TestTheOperationsAreThoseOfTheDocument(t *testing.T) {
	resttest.Promised(t, func(a *rest.API) {
		api.DeclareTexts(a, api.TextsAPI{})
		api.DeclareConnections(a, api.ConnectionsAPI{})
		api.DeclareDeliveries(a, api.DeliveriesAPI{})
		api.DeclareWebhooks(a, api.Webhooks{})
	})
}

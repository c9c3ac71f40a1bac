package channels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/audiocodes"
	"github.com/parley-platform/parley/adapters/channels/jambonz"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/channels/a2a"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/sockets"
)

func TestTheOperationsAreThoseOfTheDocument(t *testing.T) {
	resttest.Promised(t, func(a *rest.API) {
		api.DeclareTexts(a, api.TextsAPI{})
		api.DeclareConnections(a, api.ConnectionsAPI{})
		api.DeclareDeliveries(a, api.DeliveriesAPI{})
		api.DeclareWebhooks(a, api.Webhooks{})
		api.DeclareAsync(a, api.AsyncAPI{})
		a2a.Declare(a, a2a.API{})
		talks, err := jambonz.New("")
		require.NoError(t, err)
		hears, err := audiocodes.New("")
		require.NoError(t, err)
		api.DeclareLines(a, sockets.New(sockets.Config{}), api.Webhooks{Receivers: map[string]api.Receiver{"audiocodes": hears}})
		api.DeclareDialogues(a, sockets.New(sockets.Config{}), api.Webhooks{Receivers: map[string]api.Receiver{"jambonz": talks}})
	})
}

package slices

import (
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/channels"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/projections"
	models "github.com/parley-platform/parley/projections/channels"
)

var channelsModels = []*projections.Model{models.TextsModel, models.ConnectionsModel, models.SDKChannelsModel}

// channelsSlice is messages, out to providers and in from them, and the connections by which
// they come.
func channelsSlice(n Needs, by providers) Slice {
	return Slice{
		Operations: []func(*rest.API){
			operations(api.DeclareTexts, api.TextsAPI{Texts: models.NewTexts(n.Read)}),
			operations(api.DeclareConnections, api.ConnectionsAPI{Commands: n.commands(), Connections: models.NewConnections(n.Read),
				Seal: n.sealCredential, URL: n.URL}),
			operations(api.DeclareWebhooks, api.Webhooks{}), // no inbox yet: its paths are not there
		},
		Effects: []reactors.Effect{
			channels.TextSender{Node: n.Node, Store: n.Store, Delivery: by.texts, Now: n.Now, Log: n.Log}.Attempts(),
		},
	}
}

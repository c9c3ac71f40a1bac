package slices

import (
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/channels"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/projections"
	models "github.com/parley-platform/parley/projections/channels"
	runtimemodels "github.com/parley-platform/parley/projections/runtime"
)

var channelsModels = []*projections.Model{models.TextsModel, models.ConnectionsModel, models.SDKChannelsModel,
	models.DeliveriesModel}

// channelsSlice is messages, out to providers and in from them, the connections by which they come,
// and the conversations that they belong to.
func channelsSlice(n Needs, by providers) Slice {
	open := connected.Connections{Rows: models.NewConnections(n.Read), Open: n.openCredential}
	rows := api.ConnectionsAPI{Commands: n.commands(), Connections: models.NewConnections(n.Read), Seal: n.sealCredential, URL: n.URL}
	receivers := map[string]api.Receiver{}
	for kind, adapter := range by.channels {
		receivers[kind] = adapter
	}
	carriers := channels.Carriers(by.channels)
	return Slice{
		Operations: []func(*rest.API){
			operations(api.DeclareTexts, api.TextsAPI{Texts: models.NewTexts(n.Read)}),
			operations(api.DeclareConnections, rows),
			operations(api.DeclareDeliveries, api.DeliveriesAPI{ConnectionsAPI: rows, Deliveries: models.NewDeliveries(n.Read)}),
			operations(api.DeclareWebhooks, api.Webhooks{Receivers: receivers, Connections: open, PublicURL: n.URL, Now: n.Now,
				Inbox: api.Threads{Commands: n.commands(), Deliveries: models.NewDeliveries(n.Read)}}),
		},
		Reactors: []reactors.Reactor{
			channels.ThreadTurns{Turns: by.talking.turns, Connections: open, Deployments: runtimemodels.NewDeployments(n.Read),
				Settings: by.talking.settings, Adapters: carriers}.Reactor(),
			channels.ThreadReplies{Store: n.Store, Adapters: carriers, Now: n.Now}.Reactor(),
		},
		Effects: []reactors.Effect{
			channels.TextSender{Node: n.Node, Store: n.Store, Delivery: by.texts, Now: n.Now, Log: n.Log}.Attempts(),
			channels.ThreadSender{Node: n.Node, Store: n.Store, Connections: open, Adapters: carriers, Now: n.Now, Log: n.Log}.Attempts(),
		},
	}
}

package slices

import (
	"encoding/hex"
	"maps"
	"slices"

	"github.com/parley-platform/parley/adapters/channels/email"
	httpasync "github.com/parley-platform/parley/adapters/channels/http_async"
	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/channels"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/channels/a2a"
	"github.com/parley-platform/parley/projections"
	models "github.com/parley-platform/parley/projections/channels"
	runtimemodels "github.com/parley-platform/parley/projections/runtime"
)

var channelsModels = []*projections.Model{models.TextsModel, models.ConnectionsModel, models.SDKChannelsModel,
	models.DeliveriesModel}

// channelsSlice is messages, out to providers and in from them, the connections by which they come,
// and the conversations that they belong to.
func channelsSlice(n Needs, by providers) Slice {
	open, rooms := n.connections(), n.rooms(by)
	rows := api.ConnectionsAPI{Commands: n.commands(), Connections: models.NewConnections(n.Read), Seal: n.sealCredential, URL: n.URL}
	receivers := map[string]api.Receiver{}
	for kind, adapter := range by.channels {
		if receiver, is := adapter.(api.Receiver); is {
			receivers[kind] = receiver
		}
		switch goes := adapter.(type) { // where accounts say
		case *httpasync.Adapter:
			by.channels[kind] = goes.Guarded(n.Guard)
		case *email.Email:
			by.channels[kind] = goes.Guarded(n.Guard, nil).Otherwise(n.Providers.Mail)
		}
	}
	carriers := channels.Carriers(by.channels)
	registration := channels.Registration{Store: n.Store, Connections: open, Adapters: carriers, URL: n.webhookURL, Now: n.Now}
	var counts *connected.Counts
	if n.Metrics != nil {
		kinds := slices.Sorted(maps.Keys(by.channels))
		counts = connected.NewCounts(n.Metrics, kinds)
		// What waits for a request of the other side, and does so until it is given up where nobody comes, is on no way.
		sent := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return by.channels[kind].Limits().Fetched })
		n.Metrics.MustRegister(connected.NewBacklog(models.NewDeliveries(n.Read), sent))
	}
	inbox := api.Threads{Commands: n.commands(), Deliveries: models.NewDeliveries(n.Read), Counts: counts}
	talks := api.Talks{Threads: inbox}
	if n.Projector != nil {
		talks.Follow = n.following(threads.Threads.Category)
	}
	webhooks := api.Webhooks{Receivers: receivers, Connections: open, Counts: counts, PublicURL: n.URL, Now: n.Now,
		Calls: brought.Doors{Rooms: rooms}, Rooms: rooms, Inbox: inbox, Talks: talks}
	webhooks.Bring(calls.ProviderPipeline, by.pipelines)
	return Slice{
		Mail: &email.Door{Mailboxes: open, Inbox: api.Letters{Threads: inbox, Blobs: n.Blobs}, Gate: n.Gate, Names: n.Providers.Names,
			Now: n.Now, Log: n.Log, Refused: func(why string) { counts.Refused("email", why) }},
		Operations: []func(*rest.API){
			operations(api.DeclareTexts, api.TextsAPI{Texts: models.NewTexts(n.Read)}),
			operations(api.DeclareConnections, rows),
			operations(api.DeclareDeliveries, api.DeliveriesAPI{ConnectionsAPI: rows, Deliveries: models.NewDeliveries(n.Read)}),
			operations(a2a.Declare, a2a.API{Commands: n.commands(), Connections: models.NewConnections(n.Read),
				Deployments: runtimemodels.NewDeployments(n.Read), Programs: by.talking.programs, Tasks: n.tasks(), SealURL: n.sealURL,
				SealHeaders: n.sealHeaders, CheckURL: n.Guard.CheckURL, URL: n.URL, Heartbeat: n.StreamHeartbeat, Blobs: n.Blobs,
				Fetch: wire.FromAnywhere("Its host"), Counts: counts}),
			operations(api.DeclareAsync, api.AsyncAPI{Commands: n.commands(), Connections: open, CheckURL: n.Guard.CheckURL, Counts: counts}),
			operations(api.DeclareWebhooks, webhooks),
			func(a *rest.API) { api.DeclareDialogues(a, by.sockets, webhooks) },
			func(a *rest.API) { api.DeclareLines(a, by.sockets, webhooks) },
		},
		Reactors: []reactors.Reactor{
			channels.ThreadTurns{Turns: by.talking.turns, Connections: open, Deployments: runtimemodels.NewDeployments(n.Read),
				Settings: by.talking.settings, Adapters: carriers, Blobs: n.Blobs, Tasks: n.tasks()}.Reactor(),
			channels.ThreadReplies{Store: n.Store, Adapters: carriers, Now: n.Now}.Reactor(),
			channels.TaskTellers{Store: n.Store, Tasks: n.tasks(), Notify: n.notify()}.Reactor(),
		},
		Effects: []reactors.Effect{
			channels.TextSender{Node: n.Node, Store: n.Store, Delivery: by.texts, Now: n.Now, Log: n.Log}.Attempts(),
			channels.ThreadSender{Node: n.Node, Store: n.Store, Connections: open, Adapters: carriers, Counts: counts, URL: n.webhookURL, Now: n.Now,
				Log: n.Log}.Attempts(),
		},
		Timers: []Timer{{connections.Connections.Category, models.RegistrationTimer, registration.Fire}},
	}
}

// webhookURL is where the provider of a connection calls; empty: nobody said how the server is reached.
func (n Needs) webhookURL(kind, external string) string {
	if !n.Reached {
		return ""
	}
	return api.WebhookURL(n.URL(), kind, external)
}

// makeCredential is a word of ours, by which a provider shows that it is the one that we told.
func (n Needs) makeCredential(tenant, connectionID, name string) string {
	return hex.EncodeToString(n.acting().MAC("channel-credential", tenant, connectionID, name))
}

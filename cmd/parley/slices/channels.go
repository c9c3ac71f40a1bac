package slices

import (
	"encoding/hex"
	"maps"
	"slices"

	adapters "github.com/parley-platform/parley/adapters/channels"
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

// channelParts are what the operations and the reactors of channels have in common.
type channelParts struct {
	Needs
	by       providers
	open     connected.Connections
	counts   *connected.Counts
	inbox    api.Threads
	webhooks api.Webhooks
}

// channelsSlice is messages, out to providers and in from them, the connections by which they come,
// and the conversations that they belong to.
func channelsSlice(n Needs, by providers) Slice {
	n.guardAll(by.channels)
	c := channelParts{Needs: n, by: by, open: n.connections(), counts: n.countsOf(by.channels)}
	c.inbox = api.Threads{Commands: n.commands(), Deliveries: models.NewDeliveries(n.Read), Counts: c.counts}
	c.webhooks = c.hears()
	carriers := channels.Carriers(by.channels)
	registration := channels.Registration{Store: n.Store, Connections: c.open, Adapters: carriers, URL: n.webhookURL, Now: n.Now}
	return Slice{
		Mail: &email.Door{Mailboxes: c.open, Inbox: api.Letters{Threads: c.inbox, Blobs: n.Blobs}, Gate: n.Gate, Names: n.Providers.Names,
			Now: n.Now, Log: n.Log, Refused: func(why string) { c.counts.Refused("email", why) }},
		Operations: c.operations(),
		Reactors:   c.reactors(),
		Effects: []reactors.Effect{
			channels.TextSender{Node: n.Node, Store: n.Store, Delivery: by.texts, Now: n.Now, Log: n.Log}.Attempts(),
			channels.ThreadSender{Node: n.Node, Store: n.Store, Connections: c.open, Adapters: carriers, Counts: c.counts, URL: n.webhookURL,
				Now: n.Now, Log: n.Log}.Attempts(),
		},
		Timers: []Timer{{connections.Connections.Category, models.RegistrationTimer, registration.Fire}},
	}
}

// receiversOf are the channels in which anything comes by requests.
func receiversOf(all map[string]adapters.Adapter) map[string]api.Receiver {
	out := map[string]api.Receiver{}
	for kind, adapter := range all {
		if receiver, is := adapter.(api.Receiver); is {
			out[kind] = receiver
		}
	}
	return out
}

// guardAll keeps what goes where accounts say to where this node may go.
func (n Needs) guardAll(all map[string]adapters.Adapter) {
	for kind, adapter := range all {
		switch goes := adapter.(type) {
		case *httpasync.Adapter:
			all[kind] = goes.Guarded(n.Guard)
		case *email.Email:
			all[kind] = goes.Guarded(n.Guard, nil).Otherwise(n.Providers.Mail)
		}
	}
}

// countsOf counts what goes and comes; nil: nobody reads that.
func (n Needs) countsOf(all map[string]adapters.Adapter) *connected.Counts {
	if n.Metrics == nil {
		return nil
	}
	kinds := slices.Sorted(maps.Keys(all))
	// What waits for a request of the other side, and does so until it is given up where nobody comes, is on no way.
	sent := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return all[kind].Limits().Fetched })
	counts := connected.NewCounts(n.Metrics, kinds)
	n.Metrics.MustRegister(connected.NewBacklog(models.NewDeliveries(n.Read), sent))
	return counts
}

// hears is where providers call.
func (c channelParts) hears() api.Webhooks {
	rooms, talks := c.rooms(c.by), api.Talks{Threads: c.inbox}
	if c.Projector != nil {
		talks.Follow = c.following(threads.Threads.Category)
	}
	out := api.Webhooks{Receivers: receiversOf(c.by.channels), Connections: c.open, Counts: c.counts, PublicURL: c.URL, Now: c.Now,
		Calls: brought.Doors{Rooms: rooms}, Rooms: rooms, Inbox: c.inbox, Talks: talks}
	out.Bring(calls.ProviderPipeline, c.by.pipelines)
	return out
}

func (c channelParts) operations() []func(*rest.API) {
	rows := api.ConnectionsAPI{Commands: c.commands(), Connections: models.NewConnections(c.Read), Seal: c.sealCredential, URL: c.URL}
	return []func(*rest.API){
		operations(api.DeclareTexts, api.TextsAPI{Texts: models.NewTexts(c.Read)}),
		operations(api.DeclareConnections, rows),
		operations(api.DeclareDeliveries, api.DeliveriesAPI{ConnectionsAPI: rows, Deliveries: models.NewDeliveries(c.Read)}),
		operations(a2a.Declare, a2a.API{Commands: c.commands(), Connections: models.NewConnections(c.Read),
			Deployments: runtimemodels.NewDeployments(c.Read), Programs: c.by.talking.programs, Tasks: c.tasks(), SealURL: c.sealURL,
			SealHeaders: c.sealHeaders, CheckURL: c.Guard.CheckURL, URL: c.URL, Heartbeat: c.StreamHeartbeat, Blobs: c.Blobs,
			Fetch: wire.FromAnywhere("Its host"), Counts: c.counts}),
		operations(api.DeclareAsync, api.AsyncAPI{Commands: c.commands(), Connections: c.open, CheckURL: c.Guard.CheckURL, Counts: c.counts}),
		operations(api.DeclareWebhooks, c.webhooks),
		func(a *rest.API) { api.DeclareDialogues(a, c.by.sockets, c.webhooks) },
		func(a *rest.API) { api.DeclareLines(a, c.by.sockets, c.webhooks) },
	}
}

func (c channelParts) reactors() []reactors.Reactor {
	carriers := channels.Carriers(c.by.channels)
	return []reactors.Reactor{
		channels.ThreadTurns{Turns: c.by.talking.turns, Connections: c.open, Deployments: runtimemodels.NewDeployments(c.Read),
			Settings: c.by.talking.settings, Adapters: carriers, Blobs: c.Blobs, Tasks: c.tasks()}.Reactor(),
		channels.ThreadReplies{Store: c.Store, Adapters: carriers, Now: c.Now}.Reactor(),
		channels.TaskTellers{Store: c.Store, Tasks: c.tasks(), Notify: c.notify()}.Reactor(),
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

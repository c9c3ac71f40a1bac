package slices

import (
	"context"
	"math"

	"github.com/parley-platform/parley/adapters/telephony"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/voice"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/voice"
	"github.com/parley-platform/parley/projections"
	models "github.com/parley-platform/parley/projections/voice"
)

var voiceModels = []*projections.Model{models.CallsModel, models.SessionsModel, models.SetupModel}

// voiceSlice is calls: placing them, carrying them, and telling who asked.
func voiceSlice(n Needs, p providers) Slice {
	placed := models.NewCalls(n.Read)
	carrier := telephony.NewSimulated(int(math.Round(n.SimSpeed))).Serves(n.Node, n.Now)
	dialer := voice.NewDialer(voice.DialerConfig{Node: n.Node, Store: n.Store, Carriers: []voice.Carrier{voice.CarrierOf(carrier)},
		Agents: &voice.Agents{Agents: n.takers(p.talking), Log: n.Log},
		Log:    n.Log, Now: n.Now, Lease: n.CallLease, MaxLegs: 2000})
	return Slice{
		Operations: []func(*rest.API){
			operations(api.DeclareCalls, api.Calls{Commands: n.commands(), Placed: placed, DialOut: acts.DialOut{Log: n.acting(),
				Setups: models.NewSetups(n.Read), SealHeaders: n.sealHeaders, SealURL: n.sealURL, CheckURL: n.Guard.CheckURL}}),
			operations(api.DeclareInteractions, api.InteractionsAPI{Calls: placed}),
		},
		Reactors: []reactors.Reactor{
			dialer.Reactor(),
			voice.Notifier{Store: n.Store, Notify: n.notify()}.Reactor(),
			voice.CallSessions{Store: n.Store}.Reactor(),
		},
		Timers: []Timer{{calls.Calls.Category, models.LeaseTimer, dialer.Wake}},
		Close:  []func(context.Context) error{dialer.Close},
	}
}

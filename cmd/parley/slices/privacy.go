package slices

import (
	"context"

	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/privacy"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/privacy"
	models "github.com/parley-platform/parley/projections/privacy"
)

// privacySlice is what is known of a person: handing it out, forgetting it, and for how long
// it is kept.
func privacySlice(n Needs, p providers) Slice {
	persons := models.NewPersons(n.Read, n.Keys, n.Vault.Fingerprint)
	eraser := privacy.Eraser{Store: n.Store, Keys: n.Keys, Blobs: n.Blobs, Persons: persons,
		Settled: n.Projector.AwaitEnd, Calm: n.ErasureCalm, Now: n.Now, Log: n.Log}
	if p.speaker != nil {
		eraser.Spoken = p.speaker
	}
	exports := api.ExportsAPI{Commands: n.commands(), Persons: persons, Made: models.NewDisclosures(n.Read), Blobs: keptFiles{n.Blobs},
		Settled: n.Projector.AwaitEnd, Log: n.Log}
	if n.Projector != nil {
		exports.Index = n.Projector.Index()
	}
	sweeper := &privacy.Sweeper{Store: n.Store, Blobs: n.Blobs, Settled: n.Projector.AwaitEnd, Now: n.Now, Log: n.Log}
	return Slice{
		Operations: []func(*rest.API){
			operations(api.Declare, api.API{Commands: n.commands(), Jobs: models.NewErasures(n.Read)}),
			operations(api.DeclareExports, exports),
			operations(api.DeclareRetention, api.RetentionAPI{Commands: n.commands(), Rules: models.NewRetentions(n.Read),
				Grace: n.RetentionGrace}),
		},
		Reactors: []reactors.Reactor{
			privacy.Finisher{Store: n.Store, Keys: n.Keys, Now: n.Now}.Reactor(),
			privacy.Retainer{Store: n.Store, Now: n.Now}.Reactor(),
		},
		Effects: []reactors.Effect{eraser.Attempts()},
		Timers:  []Timer{{retention.Rules.Category, models.RetentionTimer, privacy.LookForAged(n.Store)}},
		Run:     []func(context.Context){sweeper.Run},
	}
}

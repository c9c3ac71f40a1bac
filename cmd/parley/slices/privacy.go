package slices

import (
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/privacy"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/privacy"
	models "github.com/parley-platform/parley/projections/privacy"
)

// privacySlice is what an account may ask to be forgotten, and forgetting it.
func privacySlice(n Needs, _ providers) Slice {
	eraser := privacy.Eraser{Store: n.Store, Keys: n.Keys, Blobs: n.Blobs, Persons: models.NewPersons(n.Read, n.Keys, n.Vault.Fingerprint),
		Settled: n.Projector.AwaitEnd, Calm: n.ErasureCalm, Now: n.Now, Log: n.Log}
	return Slice{
		Operations: []func(*rest.API){
			operations(api.Declare, api.API{Commands: n.commands(), Jobs: models.NewErasures(n.Read)}),
		},
		Reactors: []reactors.Reactor{privacy.Finisher{Store: n.Store, Keys: n.Keys, Now: n.Now}.Reactor()},
		Effects:  []reactors.Effect{eraser.Attempts()},
	}
}

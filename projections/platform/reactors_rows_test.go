package platform_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/projections/platform"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// The model of reactors takes every event of theirs and stores nothing: who asks folds the
// stream.
func TestNothingIsStoredOfReactors(t *testing.T) {
	model := given.Open(t).Follow(platform.ReactorsModel)
	model.After("r", given.Filled[registrations.Registered]())
	model.After("r", given.Filled[registrations.Extended]())
	model.After("r", given.Filled[registrations.Placed]())
	model.After("r", given.Filled[registrations.Settled]())
	model.After("r", given.Filled[registrations.ReplayAsked]())
	model.After("r", given.Filled[registrations.ReplaySucceeded]())
	model.After("r", given.Filled[registrations.ReplayFailed]())
}

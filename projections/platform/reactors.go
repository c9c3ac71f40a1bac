package platform

import (
	"github.com/parley-platform/parley/domain/reactors"
	"github.com/parley-platform/parley/projections"
)

// ReactorsModel stores nothing: where reactors begin and what is replayed is folded
// from the streams by the few who ask.
var ReactorsModel = newReactorsModel()

func newReactorsModel() *projections.Model {
	m := projections.NewModel("reactors", 1, nil, reactors.Registrations.Category, reactors.Replays.Category)
	projections.Ignore[reactors.Registered](m)
	projections.Ignore[reactors.Extended](m)
	projections.Ignore[reactors.Placed](m)
	projections.Ignore[reactors.Settled](m)
	projections.Ignore[reactors.ReplayAsked](m)
	projections.Ignore[reactors.ReplaySucceeded](m)
	projections.Ignore[reactors.ReplayFailed](m)
	return m
}

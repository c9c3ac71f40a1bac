package platform

import (
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/projections"
)

// ReactorsModel stores nothing: where reactors begin and what is replayed is folded
// from the streams by the few who ask.
var ReactorsModel = newReactorsModel()

func newReactorsModel() *projections.Model {
	m := projections.NewModel("reactors", 1, nil, registrations.Registrations.Category, registrations.Replays.Category)
	projections.Ignore[registrations.Registered](m)
	projections.Ignore[registrations.Extended](m)
	projections.Ignore[registrations.Placed](m)
	projections.Ignore[registrations.Settled](m)
	projections.Ignore[registrations.ReplayAsked](m)
	projections.Ignore[registrations.ReplaySucceeded](m)
	projections.Ignore[registrations.ReplayFailed](m)
	return m
}

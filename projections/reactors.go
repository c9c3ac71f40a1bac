package projections

import "github.com/parley-platform/parley/domain/reactors"

// ReactorsModel stores nothing: where reactors begin and what is replayed is folded
// from the streams by the few who ask.
var ReactorsModel = newReactorsModel()

func newReactorsModel() *Model {
	m := NewModel("reactors", 1, nil, reactors.Registrations.Category, reactors.Replays.Category)
	Ignore[reactors.Registered](m)
	Ignore[reactors.Extended](m)
	Ignore[reactors.Placed](m)
	Ignore[reactors.Settled](m)
	Ignore[reactors.ReplayAsked](m)
	Ignore[reactors.ReplaySucceeded](m)
	Ignore[reactors.ReplayFailed](m)
	return m
}

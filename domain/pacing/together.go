package pacing

import "github.com/parley-platform/parley/domain/event"

// Together is several commands that are decided as one, so that lines on which much
// happens at once need one commit for all of it.
type Together []func(State) ([]event.Payload, error)

// DecideAll lets each command decide on what those before it said. One that is refused
// says nothing; its error is at its place in refused.
func (t Together) DecideAll(s State) (said []event.Payload, refused []error) {
	state, refused := s.clone(), make([]error, len(t))
	for i, decide := range t {
		events, err := decide(state)
		if err != nil {
			refused[i] = err
			continue
		}
		for _, e := range events {
			Pacing.Fold(&state, e)
		}
		said = append(said, events...)
	}
	return said, refused
}
